"""Attacks that break down leave a verdict open: what they would have found is not known."""

from __future__ import annotations

import pytest
from method_examples import EXAMPLES

import swapmeet as sm
from swapmeet.comparison.score import Judgement
from swapmeet.errors import TableError
from swapmeet.intruders.links import family, households, posterior
from swapmeet.intruders.links import households as household_traces
from swapmeet.intruders.links.evidence import KnownColumns
from swapmeet.methods import METHODS
from swapmeet.testing.examples import fit_example, make_example, make_household_example, make_people

pytestmark = pytest.mark.filterwarnings("ignore::swapmeet.errors.SwapmeetWarning")

REASON = "stratum 4 of 12 has 3 rows"
EVERYBODY_MAY_BE_FOUND = {"linkage": 1.0}


def break_down(*_, **__):
    raise TableError(f"{REASON}, `k` = 5 needs at least 6. Lower `k` or merge strata.\nMore.")


def card_of(example, method, limits=EVERYBODY_MAY_BE_FOUND, **more):
    example = fit_example(method, example)
    release = sm.mask(example.data, method, schema=example.schema, seed=1)
    return sm.assess(
        example.data, release, schema=example.schema, measures=list(limits), limits=limits, **more
    )


def require_open(card, measure="linkage"):
    """The verdict is open, and says why; what other intruders find is on the card."""
    verdict = card.verdict
    assert verdict.judgement is Judgement.OPEN
    assert REASON in verdict.sentence
    assert REASON in card[measure].sentence
    assert "More" not in verdict.sentence
    assert 0 <= card[measure].value <= 1
    told = card.to_dict()["verdict"]
    assert (told["safe"], told["decided"], told["verdict"]) == (False, False, "not decided")


@pytest.fixture(scope="module")
def plain():
    return make_example("plain", make_people(40))


@pytest.mark.parametrize("name", METHODS)
def test_an_attack_on_a_method_that_breaks_down_leaves_the_verdict_open(monkeypatch, plain, name):
    method = EXAMPLES[name][0]
    monkeypatch.setattr(type(method), "attack", break_down)
    require_open(card_of(plain, method, intruder="everything"))


INTRUDERS = {
    "one to one": (family, "link_one_to_one"),
    "by the release": (family, "link_by_release"),
    "nearest row": (family, "released_from_originals"),
    "nearest person": (family, "originals_from_released"),
    "chosen columns": (family, "choose_subset"),
    "held values": (KnownColumns, "find_held_values"),
    "values in place": (KnownColumns, "find_values_in_place"),
    "distances": (KnownColumns, "find_distances"),
    "most surely": (posterior.Posterior, "link_all"),
}


@pytest.mark.parametrize("broken", INTRUDERS.values(), ids=INTRUDERS.keys())
def test_an_intruder_who_breaks_down_leaves_the_verdict_open(monkeypatch, plain, broken):
    monkeypatch.setattr(*broken, break_down)
    require_open(card_of(plain, sm.RWN(k=3)))


HOUSEHOLD_SEARCHES = {
    "chosen columns": (households, "choose_subset"),
    "fits": (household_traces.HouseholdTraces, "fit"),
    "attack": (sm.RankSwap, "attack"),
}


@pytest.mark.parametrize("broken", HOUSEHOLD_SEARCHES.values(), ids=HOUSEHOLD_SEARCHES.keys())
def test_a_search_for_households_that_breaks_down_leaves_both_verdicts_open(monkeypatch, broken):
    monkeypatch.setattr(*broken, break_down)
    card = card_of(
        make_household_example(20), sm.RankSwap(window=0.3),
        {"linkage": 1.0, "household-linkage": 1.0}, intruder="everything",
    )  # fmt: skip
    assert card.verdict.judgement is Judgement.OPEN
    assert REASON in card.verdict.sentence


def test_a_figure_beyond_its_limit_is_not_safe_whatever_else_broke_down(monkeypatch, plain):
    monkeypatch.setattr(sm.RWN, "attack", break_down)
    card = card_of(plain, sm.RWN(k=3), {"linkage": 0.0})
    assert card.verdict.judgement is Judgement.NOT_SAFE
    assert REASON in card["linkage"].sentence


def test_who_knows_more_than_the_intruder_of_the_verdict_leaves_it_as_it_is(monkeypatch, plain):
    release = sm.mask(plain.data, sm.RWN(k=3), schema=plain.schema, seed=1)
    ask = {"schema": plain.schema, "measures": ["linkage"], "limits": EVERYBODY_MAY_BE_FOUND}
    only_keys = {**ask, "known": ["age"]}
    whole = KnownColumns.follow_method

    def follow(self, **options):
        return break_down() if len(self.names) > 1 else whole(self, **options)

    monkeypatch.setattr(KnownColumns, "follow_method", follow)
    assert sm.assess(plain.data, release, **only_keys).verdict.safe
    assert not sm.assess(plain.data, release, **only_keys, intruder="everything").verdict.safe


def test_whom_nobody_can_look_for_is_no_gap(plain):
    """Few columns on which the method cannot run, no households, records that are all alike."""
    card = card_of(plain, EXAMPLES["kl-theta"][0], known=["age"])
    assert card.verdict.safe


def test_protect_does_not_say_that_nobody_is_left_where_an_attack_broke_down(monkeypatch, plain):
    monkeypatch.setattr(sm.RWN, "attack", break_down)
    done = sm.protect(
        plain.data, sm.RWN(k=30), schema=plain.schema, seed=1, limits={"linkage": 1.0}
    )
    assert done.after.verdict.judgement is Judgement.OPEN
    assert REASON in done.summary.stopped
