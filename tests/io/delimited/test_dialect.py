from __future__ import annotations

from pathlib import Path

import pytest

from swapmeet.errors import UsageError
from swapmeet.io.delimited.dialect import TextEncoding, detect_dialect


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
