from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.comparison.comparison import Ownership
from swapmeet.comparison.score import Direction, Family, Score
from swapmeet.measures.card_pair import Better, ColumnPair, ReleasePair, ScorePair
from swapmeet.measures.scorecard import Scorecard
from swapmeet.measures.side_by_side.facts import ColumnFacts, ReleaseFacts


def make_score(value, *, better=Direction.LOWER, family=Family.RISK, name="dbrl", **more):
    return Score(name, value, "", better, (0.0, 1.0), family, **more)


def make_pair(one, two, **more):
    return ScorePair(first=make_score(one, **more), second=make_score(two, **more))


def test_the_lower_figure_is_better_unless_more_is():
    assert make_pair(0.1, 0.2).better is Better.FIRST
    assert make_pair(0.2, 0.1).better is Better.SECOND
    assert make_pair(0.1, 0.2, better=Direction.HIGHER).better is Better.SECOND
    assert make_pair(0.2, 0.20000001).better is Better.NEITHER


def test_without_a_figure_of_both_nothing_is_better():
    open_one = make_score(float("nan"), undefined="owners are unknown")
    assert ScorePair(first=open_one, second=make_score(0.1)).better is Better.UNKNOWN
    assert ScorePair(first=None, second=make_score(0.1)).better is Better.UNKNOWN


def test_intervals_that_overlap_leave_it_open():
    one, two = make_score(0.1, interval=(0.05, 0.15)), make_score(0.2, interval=(0.14, 0.3))
    assert not ScorePair(first=one, second=two).clear
    apart = make_score(0.2, interval=(0.16, 0.3))
    assert ScorePair(first=one, second=apart).clear
    assert make_pair(0.1, 0.2).clear


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(Direction))
def test_exchanging_the_releases_exchanges_the_answer(one, two, better):
    found, turned = make_pair(one, two, better=better), make_pair(two, one, better=better)
    exchanged = {Better.FIRST: Better.SECOND, Better.SECOND: Better.FIRST}
    assert turned.better is exchanged.get(found.better, found.better)


def make_card(value, *columns):
    scores = {"dbrl": make_score(value), "margins": make_score(
        value / 2, family=Family.UTILITY, name="margins")}  # fmt: skip
    return Scorecard(
        scores=scores, rows=9, known=("age",), ownership=Ownership.TRUE, limits={"dbrl": 0.2},
        facts=ReleaseFacts(columns=columns, same_rows=0.0),
    )  # fmt: skip


def make_facts(name, changed):
    return ColumnFacts(name=name, kind="numeric", masked=True, changed=changed)


@pytest.fixture
def pair():
    return ReleasePair(
        names=("a.csv", "<b>.csv"),
        cards=(
            make_card(0.1, make_facts("age", 0.5), make_facts("sex", 0.0)),
            make_card(0.3, make_facts("age", 0.25), make_facts("town", None)),
        ),
        notes=("a note",),
    )


def test_both_verdicts_and_all_figures_are_printed(pair):
    lines = str(pair).splitlines()
    assert lines[0].startswith("A  a.csv: Safe to publish under your limits: dbrl is 0.1")
    assert "B  <b>.csv: Not safe to publish under your limits: dbrl is 0.3" in str(pair)
    assert "Risk: A is better in 1 of 1 measure, B in 0. Loss: A is better in 1 of" in str(pair)
    assert "dbrl     0.1   0.3   A" in lines
    assert "age     50.0 %         25.0 %" in lines
    assert "sex     exact          not published" in lines


def test_a_notebook_shows_the_same_escaped(pair):
    html = pair._repr_html_()
    assert "&lt;b&gt;.csv" in html
    assert "<b>" not in html
    assert "not published" in html


def test_machines_get_both_cards_and_the_difference(pair):
    told = pair.to_dict()
    assert [told[letter]["name"] for letter in "ab"] == ["a.csv", "<b>.csv"]
    assert told["scores"][0] == {
        "measure": "dbrl", "family": "risk", "direction": "lower", "a": 0.1, "b": 0.3,
        "better": "A", "clear": True,
    }  # fmt: skip
    assert told["columns"][1] == {"name": "sex", "published": [True, False], "changed": [0.0, None]}


def test_a_column_of_which_nothing_is_known_is_not_listed():
    unknown = make_facts("town", None)
    assert not ColumnPair(name="town", first=unknown, second=unknown).is_known
    assert ColumnPair(name="town", first=unknown, second=None).is_known
