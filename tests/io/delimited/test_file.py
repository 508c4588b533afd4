from __future__ import annotations

import csv
import datetime as dt
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from swapmeet import io
from swapmeet.errors import FileError, OutputError
from swapmeet.io.delimited.dialect import Dialect
from swapmeet.io.delimited.file import split_table, unquote

ODD = (
    b"\xef\xbb\xbf"
    + '"id";zip;"na""me";x;city\r\n'
    '1;00123;"a;b";1.0;Köln\r\n'
    '2;04567;"c\nd";2,50;"München"\r\n'
    '3;"00001";"say ""hi""";;\r\n'.encode()
)


@pytest.fixture
def odd(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_bytes(ODD)
    return io.read(path)


def rows(document):
    return np.arange(document.frame.num_rows)


def same(document):
    return dict.fromkeys(document.frame.column_names, rows(document))


def test_the_typed_table_is_ready_for_masking(odd):
    assert odd.format == "csv"
    assert odd.kinds == {}
    assert odd.frame.to_pydict() == {
        "id": [1, 2, 3],
        "zip": ["00123", "04567", "00001"],
        'na"me': ["a;b", "c\nd", 'say "hi"'],
        "x": ["1.0", "2,50", None],
        "city": ["Köln", "München", None],
    }


def test_a_file_is_rewritten_byte_for_byte_but_for_needless_quotes(odd, tmp_path):
    out = tmp_path / "out.csv"
    io.write(out, odd.frame, like=odd, donors=same(odd))
    plain = ODD.replace('"München"'.encode(), "München".encode()).replace(b'"00001"', b"00001")
    assert out.read_bytes() == plain


def test_cells_move_and_suppressed_ones_are_empty(odd, tmp_path):
    out = tmp_path / "out.csv"
    donors = {"zip": np.array([2, 0, 1]), 'na"me': np.array([1, -1, 0]), "x": np.array([1, 0, -1])}
    io.write(out, odd.frame.select(["zip", 'na"me', "x"]), like=odd, donors=donors)
    assert out.read_bytes() == (
        b'\xef\xbb\xbfzip;"na""me";x\r\n00001;"c\nd";2,50\r\n00123;;1.0\r\n04567;"a;b";\r\n'
    )


def test_a_column_without_donors_is_written_from_the_frame(tmp_path):
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    path.write_text('"k";x;t\n"1";1,5;a\n"2";2,25;b\n')
    document = io.read(path)
    frame = document.frame.set_column(1, "x", pa.array([0.5, None]))
    frame = frame.set_column(0, "k", pa.array([7, 8])).set_column(2, "t", pa.array(["p;q", ""]))
    io.write(out, frame, like=document)
    assert out.read_text() == '"k";x;t\n"7";0,5;"p;q"\n"8";;\n'


def test_the_last_line_end_stays_away_where_it_was_away(tmp_path):
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    path.write_bytes(b"a,b\r\n1,2\r\n3,4")
    document = io.read(path)
    io.write(out, document.frame, like=document, donors=same(document))
    assert out.read_bytes() == path.read_bytes()


def test_a_table_without_rows_survives(tmp_path):
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    path.write_bytes(b"a,b\n")
    document = io.read(path)
    assert document.frame.shape == (0, 2)
    io.write(out, document.frame, like=document, donors=same(document))
    assert out.read_bytes() == b"a,b\n"


def test_a_suppressed_cell_of_a_lone_column_is_no_blank_line(tmp_path):
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    path.write_bytes(b"a\n1\n2\n")
    document = io.read(path)
    io.write(out, document.frame, like=document, donors={"a": np.array([-1, 0])})
    assert out.read_bytes() == b'a\n""\n1\n'
    assert io.read(out).frame.to_pydict() == {"a": [None, 1]}


def test_tsv_and_gz_follow_the_file_name(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text('a,b\n1,"x\ty"\n')
    document = io.read(path)
    io.write(tmp_path / "out.tsv", document.frame, like=document, donors=same(document))
    assert (tmp_path / "out.tsv").read_text() == 'a\tb\n1\t"x\ty"\n'
    io.write(tmp_path / "out.csv.gz", document.frame, like=document, donors=same(document))
    assert io.read(tmp_path / "out.csv.gz").frame.equals(document.frame)


def test_other_encodings_are_kept(tmp_path):
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    path.write_bytes("a,b\r\nä,1\r\nö,2\r\n".encode("utf-16"))
    document = io.read(path)
    assert document.frame["a"].to_pylist() == ["ä", "ö"]
    io.write(out, document.frame, like=document, donors=same(document))
    assert out.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_any_frame_becomes_plain_csv(tmp_path, make):
    frame = make(
        {
            "i": [1, 2],
            "x": [1.5, None],
            "t": ['a,"b"', " c"],
            "d": [dt.datetime(2020, 1, 2, 3, 4, 5), None],
            "b": [True, False],
        }
    )
    io.write(tmp_path / "out.csv", frame)
    assert (tmp_path / "out.csv").read_text() == (
        'i,x,t,d,b\n1,1.5,"a,""b""",2020-01-02 03:04:05,true\n2,,"  c",,false\n'.replace(
            "  c", " c"
        )
    )


def test_categories_become_their_words(tmp_path):
    io.write(tmp_path / "out.csv", pd.DataFrame({"c": pd.Categorical(["u", None]), "n": [1, 2]}))
    assert (tmp_path / "out.csv").read_text() == "c,n\nu,1\n,2\n"


def test_lists_do_not_fit_in_a_cell(tmp_path):
    with pytest.raises(OutputError, match="column 'a' of type list") as caught:
        io.write(tmp_path / "out.csv", pa.table({"a": [["CANARY"]]}))
    assert "CANARY" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_mixed_columns_are_named(tmp_path):
    frame = pd.DataFrame({"ok": [1, 2], "bad": pd.Series([1, "CANARY"], dtype=object)})
    with pytest.raises(OutputError, match="'bad' mixes types") as caught:
        io.write(tmp_path / "out.csv", frame)
    assert "CANARY" not in str(caught.value)


def test_a_full_disk_leaves_nothing(small_disk):
    with pytest.raises(OutputError, match="the disk is full"):
        io.write(small_disk / "out.csv", pa.table({"a": np.arange(100_000)}))
    assert list(small_disk.iterdir()) == []


@pytest.mark.parametrize("raw", [b"a,b\n1,CANARY,3\n", b"CANARY\xff", b'a,a\n"CANARY",1\n', b"\n"])
def test_no_message_holds_a_cell(tmp_path, raw):
    path = tmp_path / "bad.csv"
    path.write_bytes(raw)
    with pytest.raises(FileError) as caught:
        io.read(path, encoding="utf-8")
    assert "CANARY" not in str(caught.value)


cell = st.text(st.sampled_from('ab019.,;"\n\r\t é☃'), max_size=5) | st.sampled_from(
    ["", "007", "1.0", "NA", '"q"', "2020-01-01", "true", "1,5", "-3"]
)
table = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=6)
)


@pytest.mark.filterwarnings("ignore:.*text that spreadsheets take for formulas")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    table,
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.randoms(use_true_random=False),
)
def test_odd_content_survives_and_each_value_is_written_in_one_way(
    tmp_path, cells, delimiter, newline, codec, quoting, random
):
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    if newline == "\n":  # the csv module would leave a carriage return unquoted
        cells = [[cell.replace("\r", "") for cell in row] for row in cells]

    def text(lines):
        buffer = StringIO(newline="")
        csv.writer(buffer, delimiter=delimiter, lineterminator=newline, quoting=quoting).writerows(
            [[f"c{j}" for j in range(len(cells[0]))], *lines]
        )
        return buffer.getvalue().encode(codec)

    path.write_bytes(text(cells))
    document = io.read(path, delimiter=delimiter, header=True)
    io.write(out, document.frame, like=document, donors=same(document), overwrite=True)
    again = io.read(out, delimiter=delimiter, header=True)
    assert again.frame.equals(document.frame)
    first = out.read_bytes()
    io.write(out, again.frame, like=again, donors=same(again), overwrite=True)
    assert out.read_bytes() == first

    tokens = {name: found.to_pylist() for name, found in again.layout.cells.items()}
    for name, values in again.frame.to_pydict().items():
        assert len(set(zip(values, tokens[name], strict=True))) == len(set(values))

    donors = {
        name: np.array(random.choices(range(len(cells)), k=len(cells)))
        for name in document.frame.column_names
    }
    io.write(out, document.frame, like=document, donors=donors, overwrite=True)
    moved = io.read(out, delimiter=delimiter, header=True).layout.cells
    for name, rows in donors.items():
        assert moved[name].to_pylist() == [tokens[name][row] for row in rows]


def published(tmp_path, cells, donors=None, newline="\n"):
    """The cells of a column of a release, beside a column that is never blank."""
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    path.write_text("x;y\n" + newline.join(f"{cell};a" for cell in cells) + newline)
    document = io.read(path, header=True)
    rows = np.arange(len(cells)) if donors is None else np.array(donors)
    io.write(out, document.frame, like=document, donors={"x": rows}, overwrite=True)
    return [line.removesuffix(";a") for line in out.read_text().split("\n")[1:-1]]


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        (["5.000", " 4", "1e3", "+7", "5"], ["5", "4", "1000", "7", "5"]),
        (["5.000", " 4.250", "+7.000"], ["5.000", "4.250", "7.000"]),
        (["5.00", "4.2", ".5", "-0.0"], ["5.0", "4.2", "0.5", "0.0"]),
        (["5,00", "4,2", "+1,25"], ["5,0", "4,2", "1,25"]),
        (["1e-05", "0.5", "1.0", "1e300", "-0.0"], ["1e-05", "0.5", "1.0", "1e+300", "0.0"]),
        (["1.50e3", "2E-1", "0e0", "-1.25e+02"], ["1.5e+03", "2e-01", "0e+00", "-1.25e+02"]),
        (["1.5", "INF", "-Infinity"], ["1.5", "inf", "-inf"]),
        (["12345678901234567890123", "1.50"], ["12345678901234567890123", "1.5"]),
        (["+1", "-0", " 2 ", '"3"'], ["1", "0", "2", "3"]),
        (['"1"', '"2"', '" 3"'], ['"1"', '"2"', '"3"']),
        (["1", "NA", "", "."], ["1", "", "", ""]),
        (["1", "NA", " NA"], ["1", "NA", "NA"]),
        (['"1"', "NA", '"2"'], ['"1"', "NA", '"2"']),
        (["true", "TRUE", "False"], ["true", "true", "false"]),
        (["TRUE", "FALSE", "TRUE"], ["TRUE", "FALSE", "TRUE"]),
        (["Bonn", " Bonn", "Bonn ", '"Bonn"', '" Bonn"'], ["Bonn"] * 4 + ['" Bonn"']),
        (['"Bonn"', "NA", '"Ulm"'], ['"Bonn"', "NA", '"Ulm"']),
        (["007", '"007"', "x"], ["007", "007", "x"]),
        (["2020-01-01T10:00", "2020-01-01 10:00:00.50"],
         ["2020-01-01 10:00:00", "2020-01-01 10:00:00.5"]),
        (["2020-01-01T10:00", "2020-01-02T11:30"], ["2020-01-01T10:00", "2020-01-02T11:30"]),
        (["2020-01-01T10:00Z", "2020-01-01T12:00+02:00"], ["2020-01-01 10:00:00Z"] * 2),
        (["2020-01-01T10:00+02:00", "2020-01-01T12:00+02:00"],
         ["2020-01-01T10:00+02:00", "2020-01-01T12:00+02:00"]),
        ([" 2020-01-01", '"2020-01-02"'], ["2020-01-01", "2020-01-02"]),
    ],
)  # fmt: skip
def test_a_cell_tells_its_value_and_not_where_it_comes_from(tmp_path, cells, wanted):
    assert published(tmp_path, cells) == wanted


def test_a_suppressed_cell_is_written_as_the_column_writes_missing_ones(tmp_path):
    assert published(tmp_path, ["1", "NA", "2"], [0, 1, -1]) == ["1", "NA", "NA"]
    assert published(tmp_path, ["1", "3", "2"], [0, 1, -1]) == ["1", "3", ""]


def test_line_ends_of_single_rows_do_not_mark_them(tmp_path):
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    path.write_bytes(b"x,y\n1,a\r\n\n2,b\n")
    document = io.read(path)
    io.write(out, document.frame, like=document, donors=same(document))
    assert out.read_bytes() == b"x,y\n1,a\n2,b\n"


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


short_cell = st.text(st.sampled_from('ab01,;"\n\r\t é☃'), max_size=6)


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(short_cell, min_size=width, max_size=width), max_size=6)
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
