from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.comparison.comparison import Ownership
from swapmeet.comparison.score import Direction, Family, Judgement, Score
from swapmeet.errors import ParameterError
from swapmeet.measures.default_limits import DEFAULT_LIMITS
from swapmeet.measures.limits import check_limits
from swapmeet.measures.scorecard import Scorecard

WHO = "an intruder who knows age, sex and region of everybody, and how the file was masked,"


def score(name, value, interval=None, **more):
    more.setdefault("direction", Direction.LOWER)
    return Score(
        name, value, "In words.", bounds=(0.0, 1.0), family=Family.RISK, interval=interval, **more
    )


def card(*scores, **more):
    more.setdefault("ownership", Ownership.TRUE)
    return Scorecard({s.measure: s for s in scores}, 1000, ("age",), **more)


FOUND = score("linkage", 0.37, (0.34, 0.4), finding=f"{WHO} finds 37 of 100 people", finding_in=100)
NO_COPIES = score("copies", 0.0, (0.0, 0.004), finding="no record stands in the release")


def test_the_worst_finding_is_quoted_with_its_limit():
    verdict = card(FOUND, NO_COPIES, limits={"linkage": 0.2, "copies": 0.01}).verdict
    assert not verdict.safe
    assert verdict.decided
    assert verdict.sentence == (
        f"Not safe to publish under your limits: {WHO} finds 37 of 100 people (limit 20)."
    )
    assert [reason.met for reason in verdict.reasons] == [False, True]


def test_a_safe_release_is_told_with_the_limit_it_comes_nearest_to():
    verdict = card(FOUND, NO_COPIES, limits={"linkage": 0.5, "copies": 0.01}).verdict
    assert verdict.safe
    assert verdict.sentence == (
        f"Safe to publish under your limits: {WHO} finds 37 of 100 people (limit 50)."
    )


def test_a_safe_release_is_told_with_the_worse_case_that_no_limit_judges():
    found = replace(FOUND, beside="an intruder who knows everything finds 73 of 100 people")
    told = card(found, NO_COPIES, limits={"linkage": 0.5, "copies": 0.01}).verdict.sentence
    assert told.endswith(
        "(limit 50). The limit on linkage does not cover a worse case: an intruder who knows "
        "everything finds 73 of 100 people."
    )
    assert "73" not in card(found, limits={"linkage": 0.2}).verdict.sentence


def test_a_worse_case_that_the_finding_tells_is_told_once():
    told = "700 of 1,000 records stand in the release; 5 of them are the person's own data"
    found = score("copies", 0.7, judged=0.005, finding=told, finding_in=1000, beside=told)
    alone = card(found, limits={"copies": 0.01}).verdict.sentence
    assert alone == f"Safe to publish under your limits: {told} (limit 10)."
    verdict = card(FOUND, found, limits={"linkage": 0.5, "copies": 0.01}).verdict
    assert verdict.sentence.endswith(
        f"(limit 50). The limit on copies does not cover a worse case: {told}."
    )


def test_an_interval_that_reaches_beyond_the_limit_is_told_with_the_value():
    verdict = card(FOUND, limits={"linkage": 0.38}).verdict
    assert not verdict.safe
    assert (
        "finds 37 of 100 people; the true figure may be as high as 40 (limit 38)."
        in verdict.sentence
    )
    assert any("only the unfavourable end" in advice for advice in verdict.advice)


def test_measures_without_a_finding_are_told_by_name_and_value():
    found = score("dbrl", 0.25, (0.2, 0.3))
    assert card(found, limits={"dbrl": 0.1}).verdict.sentence.endswith("dbrl is 0.25 (limit 0.1).")
    more = score("dcr", 0.05, direction=Direction.HIGHER)
    told = card(more, limits={"dcr": 0.1}).verdict.sentence
    assert told.endswith("dcr is 0.05 (limit at least 0.1).")


def test_other_limits_that_are_missed_are_named():
    copied = score(
        "copies", 0.6, finding="600 of 1,000 records stand in the release", finding_in=1000
    )
    guessed = score("inference", 0.2)
    verdict = card(FOUND, copied, guessed, limits=DEFAULT_LIMITS).verdict
    assert verdict.sentence.endswith("(limit 10); linkage and inference also exceed their limits.")


def test_limits_are_counted_as_their_finding_is():
    found = score("copies", 49 / 300, finding="49 of 300 rows are a record", finding_in=300)
    assert card(found, limits={"copies": 0.01}).verdict.sentence.endswith("a record (limit 3).")
    more = replace(
        found, finding="49 of 1,080 rows", value=49 / 1080, interval=(0.03, 0.0612), finding_in=1080
    )
    assert card(more, limits={"copies": 0.05}).verdict.sentence.endswith(
        "49 of 1,080 rows; the true figure may be as high as 67 (limit 54)."
    )


def test_what_was_counted_is_judged_as_counted():
    counted = score("copies", 0.02, (0.01, 0.09), judged=0.015)
    assert card(counted, limits={"copies": 0.016}).verdict.safe
    assert not card(counted, limits={"copies": 0.014}).verdict.safe


def test_with_a_doubt_about_the_rows_no_release_is_safe():
    open_one = card(NO_COPIES, limits={"copies": 0.01}, doubt="rows may be anybody's").verdict
    assert not open_one.safe
    assert open_one.sentence == "Not decided under your limits: rows may be anybody's."
    missed = card(FOUND, limits={"linkage": 0.2}, doubt="rows may be anybody's").verdict
    assert missed.sentence.startswith("Not safe")


def test_a_figure_that_hides_a_part_of_the_risk_meets_no_limit():
    sampled = replace(NO_COPIES, hidden="it was measured in a sample")
    verdict = card(sampled, limits={"copies": 0.01}).verdict
    assert (verdict.safe, verdict.decided) == (False, False)
    assert verdict.sentence == (
        "Not decided under your limits: copies meets its limit, but it was measured in a sample."
    )
    told = verdict.to_dict()
    assert (told["verdict"], told["reasons"][0]["met"]) == ("not decided", False)
    assert "NOT DECIDED" in str(card(sampled, limits={"copies": 0.01}))
    missed = card(replace(FOUND, hidden="it is a sample"), limits={"linkage": 0.2}).verdict
    assert missed.judgement is Judgement.NOT_SAFE


@given(st.lists(st.sampled_from([0.0, 0.3, np.nan]), max_size=4), st.booleans(), st.booleans())
def test_nothing_is_safe_unless_every_limit_is(values, hidden, doubt):
    names = ("linkage", "copies", "inference", "dbrl")
    found = [score(n, v, hidden="a part" * hidden) for n, v in zip(names, values, strict=False)]
    limits = dict.fromkeys(names[: len(values)], 0.2)
    judged = card(*found, limits=limits, doubt="whose?" * doubt).verdict
    good = bool(values) and not hidden and not doubt and all(v == 0.0 for v in values)
    assert judged.safe is good
    assert judged.decided is (good or 0.3 in values)
    opening = {"safe": "Safe", "not safe": "Not safe"}
    assert judged.sentence.startswith(opening.get(judged.judgement, ("Not decided", "No verdict")))


def test_what_has_no_figure_meets_no_limit_and_is_told():
    unknown = score("dbrl", np.nan, undefined="the owners are unknown")
    verdict = card(unknown, ownership=Ownership.UNKNOWN, limits={"dbrl": 1.0, "pscr": 1.0}).verdict
    assert (verdict.safe, verdict.decided) == (False, False)
    assert verdict.sentence == (
        "Not decided under your limits: dbrl has no figure, because the owners are unknown; "
        "pscr was not measured."
    )
    assert any("--audit" in advice for advice in verdict.advice)
    assert verdict.advice[0].startswith("Measure pscr as well")


def test_limits_without_a_figure_for_the_same_reason_are_told_together():
    limits = {"linkage": 0.2, "copies": 0.01, "dbrl": 0.2, "pscr": 0.2}
    unknown = [score(name, np.nan, undefined="nobody knows") for name in ("dbrl", "pscr")]
    assert card(*unknown, limits=limits).verdict.sentence == (
        "Not decided under your limits: linkage and copies were not measured; dbrl and pscr have "
        "no figure, because nobody knows."
    )


def test_a_figure_that_misses_its_limit_decides_whatever_else_is_unknown():
    unknown = score("dbrl", np.nan, undefined="the owners are unknown")
    verdict = card(unknown, FOUND, limits={"dbrl": 1.0, "linkage": 0.2}).verdict
    assert verdict.decided
    assert verdict.sentence.startswith("Not safe to publish under your limits: an intruder")


def test_a_dbrl_limit_is_not_met_by_sorting():
    rows = (score("dbrl", np.nan, undefined="rows are nobody's"), score("dbrl-sorted", 0.0))
    verdict = card(*rows, ownership=Ownership.NOBODY, limits={"dbrl": 0.2}).verdict
    assert not verdict.safe


def test_without_limits_nothing_is_judged():
    verdict = card(FOUND, limits={}).verdict
    assert not verdict.safe
    assert verdict.sentence == "No verdict: no limit was set."
    assert "Name limits" in verdict.advice[0]


def test_a_chosen_seed_is_told_with_every_verdict():
    verdict = card(FOUND, reproducible=True, limits={"linkage": 0.5}).verdict
    assert verdict.sentence.endswith("fit for tests and studies, not for publication.")
    assert " But the seed was chosen" in verdict.sentence
    missed = card(FOUND, reproducible=True, limits={"linkage": 0.1}).verdict
    assert ". The seed was chosen" in missed.sentence


def test_known_columns_that_were_not_masked_are_named_in_the_advice():
    missed = card(FOUND, unmasked=("region",), limits={"linkage": 0.2}).verdict
    assert any(
        "an intruder knows it. Mask, coarsen or drop it." in advice for advice in missed.advice
    )
    kept = card(FOUND, unmasked=("region",), limits={"linkage": 0.5}).verdict
    assert kept.advice == ()


def test_columns_that_the_worst_intruder_uses_are_named_in_the_advice():
    found = replace(FOUND, details={"intruder": {"knows": ["age", "region"]}})
    whole = card(found, limits={"linkage": 0.2}, keys=("age", "sex", "region"))
    assert "The worst intruder uses only age and region. Mask them more strongly." in (
        whole.verdict.advice
    )
    kept = replace(whole, unmasked=("region", "weight"))
    assert "region is published unmasked, and an intruder knows it. Mask, coarsen or drop it." in (
        kept.verdict.advice
    )
    assert not any("uses only" in advice for advice in kept.verdict.advice)


def test_limits_on_what_a_search_makes_of_measures_are_refused():
    with pytest.raises(ParameterError, match="Limit the measures themselves"):
        card(FOUND).under({"score": 0.2})


def test_the_verdict_comes_first_on_the_card():
    found = card(FOUND, limits={"linkage": 0.2})
    assert str(found).startswith("Not safe to publish under your limits")
    assert "Not safe to publish" in repr(found)
    told = json.loads(json.dumps(found.to_dict()))
    assert next(iter(told)) == "verdict"
    assert told["verdict"]["reasons"][0] == {
        "measure": "linkage", "value": 0.37, "interval": [0.34, 0.4], "limit": 0.2, "met": False,
        "verdict": "not safe",
        "finding": f"{WHO} finds 37 of 100 people (limit 20)", "undecided": None,
    }  # fmt: skip


FIGURES = st.one_of(
    st.none(),
    st.just(np.nan),
    st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)).map(sorted),
)
NAMES = ("linkage", "copies", "inference", "dbrl", "dcr")


@st.composite
def cards(draw):
    """Cards with figures, without some, and with some that are not defined."""
    scores = []
    for name in NAMES:
        figure = draw(FIGURES)
        direction = Direction.HIGHER if name == "dcr" else Direction.LOWER
        if isinstance(figure, list):
            low, value, high = figure
            interval = draw(st.sampled_from([None, (low, high)]))
            scores.append(score(name, value, interval, direction=direction))
        elif figure is not None:
            scores.append(score(name, np.nan, undefined="so it is", direction=direction))
    return card(*scores)


LIMITS = st.dictionaries(st.sampled_from(NAMES), st.floats(0, 1), max_size=len(NAMES))


def judge(found, limits):
    return replace(found, limits=limits).verdict


@given(cards(), LIMITS, st.sampled_from(NAMES), st.floats(0, 1))
def test_one_more_limit_never_makes_an_unsafe_release_safe(found, limits, name, limit):
    before = judge(found, limits)
    if before.reasons and not before.safe and name not in limits:
        assert not judge(found, {**limits, name: limit}).safe


@given(cards(), LIMITS)
def test_a_safe_release_has_every_limit_met_by_a_figure(found, limits):
    verdict = judge(found, limits)
    expected = bool(limits) and all(
        name in found.scores and found.scores[name].keeps(limit) for name, limit in limits.items()
    )
    assert verdict.safe == expected
    assert verdict.sentence.startswith("Safe to publish") == verdict.safe
    assert verdict.sentence.startswith("Not decided") == (bool(limits) and not verdict.decided)
    assert len(verdict.reasons) == len(limits)
    json.dumps(verdict.to_dict(), allow_nan=False)


def test_what_limits_need_is_measured_besides_what_was_asked_for():
    people = sm.datasets.load("diabetes")
    release = sm.mask(people, sm.RWN(k=10, weights=0.1))
    found = sm.assess(people, release, measures=["correlations"], limits={"pscr": 1.0})
    assert list(found.scores) == ["pscr", "correlations"]
    assert found.verdict.safe
    assert not found.verdict.default
    with pytest.raises(ParameterError, match="no measure 'pscrr'"):
        sm.assess(people, release, limits={"pscrr": 1.0})


def test_the_default_limits_are_on_measures_and_in_the_documentation():
    assert check_limits(DEFAULT_LIMITS) == DEFAULT_LIMITS
    page = (Path(__file__).parents[2] / "docs" / "explanation" / "verdict.md").read_text()
    assert all(f"| `{name}` | {limit:g} |" in page for name, limit in DEFAULT_LIMITS.items())


def test_default_limits_are_judged_where_nobody_names_others():
    verdict = card(FOUND, NO_COPIES, score("inference", 0.0)).verdict
    assert verdict.default
    assert verdict.sentence.startswith("Not safe to publish under the default limits: an intruder")
    assert verdict.advice[-1].startswith("The limits are the default ones")
    kept = replace(FOUND, value=0.1, interval=(0.05, 0.15))
    assert card(kept, NO_COPIES, score("inference", 0.0)).verdict.safe
    assert card(kept, NO_COPIES).verdict.sentence == (
        "Not decided under the default limits: inference was not measured."
    )


def test_synthetic_rows_need_no_linkage_but_keep_its_limit_where_it_is_defined():
    rows = (NO_COPIES, score("inference", 0.0), score("membership", 0.0))
    nobody = Ownership.NOBODY
    unlinked = score("linkage", np.nan, undefined="rows are nobody's", applies=False)
    assert card(*rows, unlinked, ownership=nobody).verdict.safe
    assert not card(*rows, FOUND, ownership=nobody).verdict.safe
    assert "copies" in card(*rows, ownership=nobody).verdict.limits
