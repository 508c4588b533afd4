from __future__ import annotations

import codecs
import gzip
from pathlib import Path

import pytest

from swapmeet.errors import FileError, OutputError, SwapmeetWarning, UsageError
from swapmeet.io.delimited.dialect import TextEncoding, detect_dialect, read_text, write_text


def dialect(text, name="t.csv", delimiter=None):
    return detect_dialect(Path(name), text.encode(), TextEncoding(), delimiter)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a\tb\n1,5\t2\n", "\t"),
        ("a|b|c\nx;y|z|1\n", "|"),
        ('a;b\n"x,y,z";"1,2"\n"p,q";3\n', ";"),
        ("income, net;age\n1;2\n3;4\n", ";"),
        ("alone\n1\n2\n", ","),
    ],
)
def test_the_delimiter_parts_every_line_alike(text, expected):
    assert dialect(text).delimiter == expected


def test_the_sample_may_end_inside_a_row():
    text = "a;b\n" + "1,5;22222\n" * 20_000
    assert dialect(text).delimiter == ";"


def test_tsv_means_tab_and_a_told_delimiter_is_believed():
    assert dialect("a,b\n1,2\n", name="t.tsv").delimiter == "\t"
    assert dialect("a,b\n1,2\n", delimiter=";").delimiter == ";"


@pytest.mark.parametrize("delimiter", ['"', ",,", "\n", "é"])
def test_a_delimiter_is_one_plain_character(delimiter):
    with pytest.raises(UsageError, match="`delimiter` must be"):
        dialect("a,b\n", delimiter=delimiter)


def test_line_ends_are_found():
    assert dialect("a,b\r\n1,2").newline == "\r\n"
    assert not dialect("a,b\r\n1,2").ends_in_newline
    assert dialect("a,b\r1,2\r").newline == "\r"
    assert dialect("a,b\r1,2\r").ends_in_newline


TEXT = "naïve,☃\n"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "t.csv"


@pytest.mark.parametrize(
    "codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
@pytest.mark.parametrize("marked", [True, False])
def test_text_survives_in_every_encoding(path, codec, marked):
    plain = codec.removesuffix("-sig")
    mark = {
        "utf-8": codecs.BOM_UTF8,
        "utf-16": codecs.BOM_UTF16_LE,
        "utf-16-le": codecs.BOM_UTF16_LE,
        "utf-16-be": codecs.BOM_UTF16_BE,
        "utf-32": codecs.BOM_UTF32_LE,
    }[plain]
    body = TEXT.encode(plain if plain[-2:] in {"le", "be", "-8"} else f"{plain}-le")
    path.write_bytes(mark * marked + body)
    text, encoding = read_text(path, codec)
    assert text.decode() == TEXT
    if marked:
        assert read_text(path, None) == (text, encoding)
    again = path.with_name("again.csv")
    write_text(again, again, encoding, [text[:2], text[2:]])
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize(("raw", "codec"), [(b"na\xefve \x80", "cp1252"), (b"\xef\x81", "latin-1")])
def test_what_is_not_utf_8_is_read_as_western_with_a_warning(path, raw, codec):
    path.write_bytes(raw)
    with pytest.warns(SwapmeetWarning, match=f"not UTF-8; it was read as {codec}"):
        text, encoding = read_text(path, None)
    assert text.decode() == raw.decode(codec)
    assert encoding.codec == codec


def test_bytes_outside_the_told_encoding_are_named_by_their_place(path):
    path.write_bytes(b"CANARY\xff\xff")
    with pytest.raises(FileError, match="byte 6 is not valid utf-8") as caught:
        read_text(path, "utf-8")
    assert "CANARY" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_an_unknown_encoding_is_refused(path):
    path.write_bytes(b"a")
    for name in ("klingon", "rot13", "idna", "undefined"):
        with pytest.raises(UsageError, match=f"unknown encoding '{name}'"):
            read_text(path, name)


def test_a_binary_file_is_no_text(path):
    path.write_bytes(b"PNG\0\0\0CANARY")
    with pytest.raises(FileError, match="is not a text, or not one in") as caught:
        read_text(path, None)
    assert "CANARY" not in str(caught.value)


def test_text_that_the_encoding_lacks_is_refused(path):
    with pytest.raises(OutputError, match="cannot be stored in cp1252") as caught:
        write_text(path, path, TextEncoding(codec="cp1252"), ["☃CANARY".encode()])
    assert "CANARY" not in str(caught.value)


def test_gz_is_unpacked_and_packed_without_name_or_time(tmp_path):
    path = tmp_path / "t.csv.gz"
    write_text(path, path, TextEncoding(mark=codecs.BOM_UTF8), [b"a\n", b"1\n"])
    assert gzip.decompress(path.read_bytes()) == codecs.BOM_UTF8 + b"a\n1\n"
    assert path.read_bytes()[3:8] == b"\0" * 5
    assert read_text(path, None)[0] == b"a\n1\n"


def test_a_broken_gz_is_refused(tmp_path):
    path = tmp_path / "t.csv.gz"
    whole = gzip.compress(b"CANARY,1\n" * 100)
    for raw in (whole[:-9], b"CANARY,1\n", whole[:20] + b"xxxxx" + whole[25:]):
        path.write_bytes(raw)
        with pytest.raises(FileError, match="is not a readable gzip file") as caught:
            read_text(path, None)
        assert "CANARY" not in str(caught.value)
