from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import FileError, ParameterError, SchemaError, UsageError
from swapmeet.measures.side_by_side.answers import compare_answers, compare_rare, read_queries
from swapmeet.tables.conditions import Condition
from swapmeet.tables.frame import Table

PEOPLE = pd.DataFrame({"age": [20, 30, 40, 50, 60], "sex": list("ffmmm")})
RELEASED = PEOPLE.assign(age=[20, 60, 40, 50, 30])
OTHER = PEOPLE.assign(age=[60, 50, 40, 30, 20])
QUERIES = ('sex = "f" and age < 35', "age >= 40", 'sex in ("x")')


def ask(baseline=None):
    tables = (Table(PEOPLE), Table(RELEASED), map(Condition, QUERIES))
    return compare_answers(*tables, None if baseline is None else Table(baseline))


def test_counts_and_errors_by_hand():
    """Of two young women one is left, which is (2 - 1)² / 3; the others stay."""
    found = ask()
    assert [(a.original, a.released) for a in found.answers] == [(2, 1), (3, 3), (0, 0)]
    assert [a.error for a in found.answers] == pytest.approx([1 / 3, 0.0, 0.0])
    assert [a.off for a in found.answers] == [0.5, 0.0, 0.0]
    assert found.relative_error is None
    assert found.sentence == (
        "Half of the 3 counts are off by 0 % or less; that of query 1 is off most, by 50.0 % of 2 "
        "rows. No row meets query 3: 'sex' has 2 values; see how they are written."
    )


def test_the_error_relative_to_another_release_is_that_of_sums():
    """The other one has none of the two, (2 - 0)² / 2 = 2, which is one sixth of it."""
    found = ask(OTHER)
    assert [a.baseline for a in found.answers] == [0, 3, 0]
    assert found.relative_error == pytest.approx(1 / 6)
    assert found.sentence.endswith("The errors together are 16.7 % of those of the other release.")
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_baseline_without_errors_is_no_division_by_zero():
    assert ask(PEOPLE).relative_error == pytest.approx(1 / 3)


@pytest.fixture
def text(tmp_path):
    def write(content, name="queries.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_a_file_has_a_condition_in_each_line(text):
    path = text('\ufeff# young women\r\nsex = "f" and age < 35\r\n\r\n  age >= 40  \r\n')
    assert read_queries(path) == ('sex = "f" and age < 35', "age >= 40")


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ("# nothing\n\n", FileError, "there is no query in it"),
        ("age > 3\nage >\n", ParameterError, "line 2: condition: ends too early, after age >"),
        ("__import__('os').system('true')\n", ParameterError, "line 1: condition: cannot be read"),
        (b"\xff\xfe\x00", FileError, "cannot be read as a text of queries"),
    ],
)
def test_what_is_no_query_is_refused(text, content, error, message):
    with pytest.raises(error, match=message):
        read_queries(text(content))


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(FileError, match="cannot be read as a text of queries"):
        read_queries(tmp_path / "none.txt")


def test_the_card_has_the_answers():
    card = sm.assess(
        PEOPLE, RELEASED, measures=["margins"], limits={}, queries=QUERIES, baseline=OTHER
    )
    assert card.answers.answers[0].released == 1
    assert card.to_dict()["queries"]["relative error"] == pytest.approx(1 / 6)
    with pytest.raises(SchemaError, match="there is no column 'town'"):
        sm.assess(PEOPLE, RELEASED, measures=["margins"], limits={}, queries=["town = 1"])
    with pytest.raises(UsageError, match="`baseline` is for `queries`"):
        sm.assess(PEOPLE, RELEASED, measures=["margins"], limits={}, baseline=OTHER)


def test_queries_that_no_row_meets_are_told_with_the_number_of_values():
    table = Table(pd.DataFrame({"sex": ["f", "m"] * 5}))
    texts = ('sex = "f"', 'sex = "w"', 'sex = "x"')
    found = compare_answers(table, table, [Condition(text) for text in texts])
    assert "No row meets 2 queries (the first is query 2): 'sex' has 2 values" in found.sentence
    none = compare_answers(table, table, [Condition(texts[0])])
    assert "No row meets" not in none.sentence


@pytest.mark.parametrize("known", [True, False])
def test_rare_records_and_what_became_of_their_owners(known):
    before = pd.DataFrame({"sex": ["f", "f", "m", "m"], "age": [25, 30, 25, 60]})
    after = pd.DataFrame({"sex": ["f", "m", "f", "m"], "age": [25, 30, 25, 60]})
    order = np.array([3, 0, 2, 1])
    shuffled = after.iloc[order].reset_index(drop=True)
    found = compare_rare(
        Table(before), Table(shuffled), Condition('sex = "f" and age < 31'),
        np.argsort(order), owners_known=known,
    )  # fmt: skip
    assert (found.original, found.released) == (2, 2)
    assert (found.stayed, found.strangers) == ((1, 1) if known else (None, None))
    assert "2 people meet the condition" in found.sentence


def test_a_condition_that_nobody_meets_tells_how_many_values_there_are():
    table = Table(pd.DataFrame({"sex": ["f", "m"] * 5, "age": range(10)}))
    found = compare_rare(table, table, Condition('sex = "w" and age < 3'), None, owners_known=True)
    assert found.sentence == (
        "Nobody meets the condition: 'sex' has 2 values and 'age' has 10 values; see how they are "
        "written."
    )
