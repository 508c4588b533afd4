"""Delimited text piece by piece: the same cells as all at once."""

from __future__ import annotations

import gzip

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.errors import FileError, SwapmeetWarning
from swapmeet.io.delimited import pieces as csv_pieces
from swapmeet.io.delimited.dialect import detect_dialect, read_text
from swapmeet.io.delimited.file import check_header, find_row_end, split_table
from swapmeet.io.delimited.pieces import TextPieces, detect_encoding
from swapmeet.io.delimited.values import TypeGuess, parse_column

CELLS = ["1", "a", '"q"', '"x,y"', '"l\nm"', '5" pipe', '"un', "", " ", '"d""q"', '"a"b', "é", '""',
         '"""']  # fmt: skip


def at_once(path, header):
    try:
        text, stored = read_text(path, None)
        dialect = detect_dialect(path, text, stored, ",", header=header)
        check_header(path, text, dialect)
        columns = split_table(path, text, dialect).columns
    except FileError as error:
        return str(error)
    return {name: cells.to_pylist() for name, cells in columns.items()}, dialect


def in_pieces(path, header=None):
    found, pieces = {}, TextPieces(path, ",", has_header=header)
    try:
        for tokens in pieces:
            for name, cells in tokens.columns.items():
                found.setdefault(name, []).extend(cells.to_pylist())
    except FileError as error:
        return str(error)
    return found, pieces.dialect


@given(
    st.lists(st.lists(st.sampled_from(CELLS), min_size=2, max_size=2), max_size=9),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.integers(1, 40),
    st.sampled_from([None, True, False]),
)
def test_pieces_have_the_cells_of_the_whole(tmp_path_factory, rows, newline, ends, size, header):
    path = tmp_path_factory.mktemp("text") / "a.csv"
    text = newline.join(["a,b", *(",".join(row) for row in rows)]) + newline * ends
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_pieces, "PIECE", size)
        assert in_pieces(path, header) == at_once(path, header)


def test_only_whole_rows_are_taken_of_a_text_that_goes_on(tmp_path):
    dialect = detect_dialect(tmp_path / "a.csv", b"a,b\n", None, ",")
    assert find_row_end(b'1,2\n3,"x\n', dialect) == 4
    assert find_row_end(b'1,2\n3,"x\ny"\n4', dialect) == 12
    assert find_row_end(b'5" pipe,2\n3,"x\n', dialect) == 10
    assert find_row_end(b"1,2", dialect) == 0


def test_the_encoding_of_a_large_text_is_found_like_that_of_a_small_one(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_pieces, "PIECE", 3)
    path = tmp_path / "a.csv"
    path.write_bytes("name\nJosé\nZoë\n".encode("cp1252"))
    with pytest.warns(SwapmeetWarning, match="read as cp1252"):
        assert detect_encoding(path, None).codec == "cp1252"
    path.write_bytes("\ufeffname\nJosé\n".encode("utf-16-le"))
    assert detect_encoding(path, None).codec == "utf-16-le"
    assert in_pieces(path)[0] == {"name": ["José"]}


def test_a_byte_that_is_no_text_is_named_by_its_place(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_pieces, "PIECE", 4)
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n1,2\n3,\xff\n")
    with pytest.raises(FileError, match="byte 10 is not valid utf-8"):
        list(TextPieces(path, ",", "utf-8"))


def test_packed_text_that_is_cut_off_is_refused(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 1000)[:-12])
    with pytest.raises(FileError, match="not a readable gzip file"):
        list(TextPieces(path))


@pytest.mark.slow
def test_a_cell_that_never_ends_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_pieces, "PIECE", 1 << 10)
    monkeypatch.setattr(csv_pieces, "LONGEST", 1 << 20)
    path = tmp_path / "a.csv"
    path.write_bytes(b'a,b\n1,"' + b"x" * (1 << 21))
    with pytest.raises(FileError, match="is longer than 1 MiB"):
        list(TextPieces(path))


WORDS = ["1", "-2", "2.5", "2,5", "NA", "", "2020-01-02", "2020-01-02 03:04", "true", "x", '"7"',
         "99999999999999999999", "2020-13-45"]  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=4), max_size=4), st.booleans())
def test_a_guess_by_pieces_is_that_of_the_whole(pieces, comma):
    guess = TypeGuess(decimal_comma=comma)
    for piece in pieces:
        guess.narrow(pa.array(piece, pa.large_string()))
    whole = pa.array([word for piece in pieces for word in piece], pa.large_string())
    assert guess.parse(whole).equals(parse_column(whole, decimal_comma=comma).values)
    assert guess.has_decimal_comma == parse_column(whole, decimal_comma=comma).decimal_comma
