from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.errors import FileError
from swapmeet.io.delimited.dialect import Dialect
from swapmeet.io.delimited.raw_cells import split_table, unquote

PATH = Path("t.csv")


def tokens(text: str, **dialect: str) -> dict[str, list[str]]:
    found = split_table(PATH, text.encode(), Dialect(**dialect))
    return {name: column.to_pylist() for name, column in found.columns.items()}


def test_tokens_keep_quotes_zeros_and_blanks():
    text = 'a,b\n"x",007\n x ,1.0\n'
    assert tokens(text) == {"a": ['"x"', " x "], "b": ["007", "1.0"]}


def test_separators_inside_quotes_part_nothing():
    text = 'a,b\n"1,5\n2","say ""hi"", ok"\n'
    assert tokens(text) == {"a": ['"1,5\n2"'], "b": ['"say ""hi"", ok"']}


def test_a_quote_inside_an_unquoted_cell_is_text():
    text = 'name,height\nbob,5\'11"\n"Smith, J",6\'1"\nann,5\'4"\n'
    assert tokens(text) == {
        "name": ["bob", '"Smith, J"', "ann"],
        "height": ["5'11\"", "6'1\"", "5'4\""],
    }


def test_blank_lines_are_no_rows():
    assert tokens("\na,b\n\n1,2\n\n\n3,4\n\n") == {"a": ["1", "3"], "b": ["2", "4"]}


def test_a_blank_line_of_a_table_of_one_column_is_a_missing_value():
    assert tokens("\na\n\n1\n\n\n3\n\n") == {"a": ["", "1", "", "", "3", ""]}
    assert tokens("\n1\n\n", has_header=False) == {"column_1": ["", "1", ""]}


def test_rows_of_empty_cells_are_rows():
    assert tokens("a,b\n,\n") == {"a": [""], "b": [""]}


def test_the_last_line_needs_no_end():
    assert tokens("a,b\n1,2") == {"a": ["1"], "b": ["2"]}
    assert tokens("a,b\n1,") == {"a": ["1"], "b": [""]}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_line_end_works(newline):
    text = newline.join(["a,b", '1,"x"', "2,y", ""])
    assert tokens(text, newline=newline) == {"a": ["1", "2"], "b": ['"x"', "y"]}


def test_mixed_line_ends_leave_no_trace_in_cells():
    assert tokens("a,b\r\n1,2\n3,4\r\n") == {"a": ["1", "3"], "b": ["2", "4"]}


def test_a_header_alone_is_a_table_without_rows():
    assert tokens("a,b\n") == {"a": [], "b": []}


def test_a_ragged_row_is_named_by_its_line():
    text = 'a,b,c\n1,"x\ny",3\n1,CANARY\n'
    with pytest.raises(FileError, match=r"line 4 has 2 cells, and the first line has 3") as caught:
        tokens(text)
    assert "CANARY" not in str(caught.value)


def test_duplicated_names_are_listed():
    with pytest.raises(FileError, match="'a', 'b' appears more than once"):
        tokens('a,b,a,c,"b"\n1,2,3,4,5\n')


def test_only_blank_lines_are_an_empty_file():
    with pytest.raises(FileError, match="is empty"):
        tokens("\n\n")


cell = st.text(st.sampled_from('ab01,;"\n\r\t é☃'), max_size=6)


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(cell, min_size=width, max_size=width), max_size=6)
    ),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_what_the_csv_module_writes_is_read_back(rows, delimiter, newline, quoting):
    if newline == "\n":  # the csv module would leave a carriage return unquoted
        rows = [[cell.replace("\r", "") for cell in row] for row in rows]
    names = [f"c{j}" for j in range(len(rows[0]) if rows else 2)]
    buffer = StringIO(newline="")
    out = csv.writer(buffer, delimiter=delimiter, lineterminator=newline, quoting=quoting)
    out.writerows([names, *rows])
    found = tokens(buffer.getvalue(), delimiter=delimiter, newline=newline)
    columns = [[unquote(token) for token in column] for column in found.values()]
    assert columns == [[row[j] for row in rows] for j in range(len(names))]
