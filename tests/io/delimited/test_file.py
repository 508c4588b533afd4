from __future__ import annotations

import csv
import datetime as dt
from io import StringIO

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from swapmeet import io
from swapmeet.errors import FileError, OutputError

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


def test_a_file_is_rewritten_byte_for_byte(odd, tmp_path):
    out = tmp_path / "out.csv"
    io.write(out, odd.frame, like=odd, donors=same(odd))
    assert out.read_bytes() == ODD


def test_tokens_move_verbatim_and_suppressed_cells_are_empty(odd, tmp_path):
    out = tmp_path / "out.csv"
    donors = {"zip": np.array([2, 0, 1]), 'na"me': np.array([1, -1, 0]), "x": np.array([1, 0, -1])}
    io.write(out, odd.frame.select(["zip", 'na"me', "x"]), like=odd, donors=donors)
    assert out.read_bytes() == (
        b'\xef\xbb\xbfzip;"na""me";x\r\n"00001";"c\nd";2,50\r\n00123;;1.0\r\n04567;"a;b";\r\n'
    )


def test_a_column_without_donors_is_written_from_the_frame(tmp_path):
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    path.write_text('"k";x;t\n"1";1,5;a\n"2";2,25;b\n')
    document = io.read(path)
    frame = document.frame.set_column(1, "x", pa.array([0.5, None]))
    frame = frame.set_column(0, "k", pa.array([7, 8])).set_column(2, "t", pa.array(["p;q", ""]))
    io.write(out, frame, like=document)
    assert out.read_text() == '"k";x;t\n"7";0,5;"p;q"\n"8";;""\n'


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


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    table,
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.randoms(use_true_random=False),
)
def test_odd_content_survives_and_moves_verbatim(
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
    document = io.read(path, delimiter=delimiter)
    io.write(out, document.frame, like=document, donors=same(document), overwrite=True)
    assert out.read_bytes() == path.read_bytes()

    donors = {
        name: np.array(random.choices(range(len(cells)), k=len(cells)))
        for name in document.frame.column_names
    }
    io.write(out, document.frame, like=document, donors=donors, overwrite=True)
    moved = [
        [cells[donors[f"c{j}"][i]][j] for j in range(len(cells[0]))] for i in range(len(cells))
    ]
    assert out.read_bytes() == text(moved)
