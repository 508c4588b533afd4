"""No sentence of a report says more than the figures of the release: each is checked against them.

Releases that do nothing, almost nothing and everything, synthetic ones, different methods for
different columns, a method from elsewhere, and rows whose owners nobody knows.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.side_by_side.facts import Extent
from swapmeet.reporting import ReleaseSummary
from swapmeet.reporting.contents import build_contents, build_public
from swapmeet.reporting.internal import build_internal
from swapmeet.reporting.page import render_page
from swapmeet.reporting.sources import Sources

RNG = np.random.default_rng(31)
N = 300
AGE = RNG.normal(50.0, 12.0, N)
PEOPLE = pd.DataFrame(
    {
        "age": AGE,
        "wage": 60.0 * AGE + RNG.normal(0.0, 700.0, N),
        "rent": 9.0 * AGE + RNG.normal(0.0, 90.0, N),
        "sex": RNG.choice(["f", "m"], N),
        "region": RNG.choice(["n", "s", "w"], N),
    }
)
HOLED = PEOPLE.assign(rent=PEOPLE["rent"].where(RNG.random(N) > 0.2))
SCHEMA = sm.Schema.infer(PEOPLE).assign(keep=["region"])
MEASURES = ("dbrl", "copies", "correlations", "spread", "margins", "cbil")
NUMBERS = ("age", "wage", "rent")
FALSE = (
    "replaced, never",
    "could not tell which of its values are still yours",
    "each of your values was replaced",
    "a row does not describe one real person",
    "need not describe one real person",
    "a little too narrow",
    "are meant to find nearly what they would find",
    "some tens",
)
"""What no report may say any more, whatever the release."""

METHODS = {
    "nothing": sm.RWN(q=0.0),
    "no noise": sm.Noise(level=1e-4, bounds="none"),
    "almost nothing": sm.RWN(k=2, q=0.004),
    "categories stay": sm.RWN(k=3, weights=5.0),
    "some": sm.NBRS(eps=1.5, q=0.3, weights=0.1),
    "everything": sm.RWN(k=100, weights=0.0),
    "matched": sm.MatchedSwap(k=20),
    "cart": sm.Cart(),
    "shuffle": sm.DataShuffle(),
    "ipso": sm.IPSO(predictors=["age"]),
    "per column": sm.PerColumn(
        parts=[(sm.Noise(level=0.5), ["age"]), (sm.RankSwap(window=0.2), ["wage"])]
    ),
}


def mask(frame, method):
    schema = SCHEMA.assign(keep=["sex", "region"]) if method.name in NUMBERS_ONLY else SCHEMA
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        return sm.mask(frame, method, schema=schema, seed=4), schema


NUMBERS_ONLY = {"noise", "data-shuffle", "ipso"}


def gather(frame, release, schema, **given):
    card = sm.assess(frame, release, schema=schema, measures=MEASURES, **given)
    return Sources.gather(
        card, study=None, card=None, schema=schema,
        release=summarize(release) if isinstance(release, sm.Release) else None,
    )  # fmt: skip


def summarize(release):
    """As a release whose seed nobody chose: it is chosen here so that tests repeat."""
    return replace(ReleaseSummary.of(release), reproducible=False)


@pytest.fixture(scope="module")
def releases():
    """Original, released frame in the order of the people, and what its reports are made from."""
    made = {}
    for name, method in METHODS.items():
        release, schema = mask(PEOPLE, method)
        made[name] = PEOPLE, release.data, gather(PEOPLE, release, schema)
    release, schema = mask(HOLED, sm.MatchedSwap(k=20))
    made["missing"] = HOLED, release.data, gather(HOLED, release, schema)
    noisy = PEOPLE.assign(age=PEOPLE["age"].round(-1))
    foreign = gather(PEOPLE, noisy, SCHEMA, match="rows")
    summary = ReleaseSummary("from-elsewhere", {"level": 3})
    made["from elsewhere"] = PEOPLE, noisy, replace(foreign, release=summary)
    shuffled = noisy.sample(frac=1.0, random_state=1).reset_index(drop=True)
    made["no owners"] = PEOPLE, None, gather(PEOPLE, shuffled, SCHEMA)
    return made


SORTS = [*METHODS, "missing", "from elsewhere", "no owners"]
SYNTHETIC = {"cart", "shuffle"}


@pytest.fixture(params=SORTS)
def case(request, releases):
    return request.param, *releases[request.param]


def list_sentences(sources):
    """All that both reports say of the release in words."""
    public, internal = build_public(sources), build_internal(sources)
    yield from (public["verdict"], *public["done"], *public["people"])
    yield from (*public["advice"], *public["risk"])
    yield from (public["method"] or {"rule": []})["rule"]
    yield from (row["sentence"] for row in public["preserved"])
    yield from (internal["verdict"]["words"], *internal["summary"], internal["threats"]["owners"])
    yield from (row["sentence"] for family in internal["scores"] for row in family["scores"])
    yield from internal["notes"]


def differs(before, after, name):
    """Rows whose value is clearly another, reckoned anew from the tables."""
    one, other = before[name].to_numpy(), after[name].to_numpy()
    if not pd.api.types.is_numeric_dtype(before[name]):
        return one != other
    near = np.abs(other - one) <= 0.01 * np.minimum(np.abs(one), before[name].std())
    return ~(near | (np.isnan(one) & np.isnan(other)))


def shares(before, after):
    return {name: float(differs(before, after, name).mean()) for name in before}


def test_the_false_sentences_of_old_cannot_be_written(case):
    text = " ".join(list_sentences(case[-1])).lower()
    assert not any(words in text for words in FALSE)


def test_no_figure_is_written_as_a_power_of_ten_and_percents_have_one_spelling(case):
    text = " ".join(list_sentences(case[-1]))
    assert not re.search(r"\d(\.\d+)?e[-+]\d", text)
    assert not re.search(r"\d%", text)
    assert "1 columns" not in text
    assert "1 infinite values" not in text


def test_columns_stand_in_the_group_that_their_rows_show(case):
    _, before, after, sources = case
    if after is None or sources.facts.same_rows is None:
        assert {c.extent for c in sources.facts.columns} == {Extent.UNKNOWN}
        return
    for name, share in shares(before, after).items():
        extent = sources.find_facts(name).extent
        same = before[name].equals(after[name].astype(before[name].dtype))
        assert (extent is Extent.EXACT) == same
        assert (extent is Extent.HARDLY) == (not same and share < 0.01)
        assert (extent is Extent.MOSTLY) == (share >= 0.5)


def test_people_read_of_each_column_what_became_of_it(case):
    _, before, after, sources = case
    told = [one for one in build_public(sources)["people"] if one.startswith("Your values of")]
    if after is None or sources.facts.same_rows is None:
        assert not any("were changed" in one or "nearly" in one for one in told)
        return
    names = shares(before, after)
    untouched = all(before[name].equals(after[name].astype(before[name].dtype)) for name in names)
    for name, share in names.items():
        same = before[name].equals(after[name].astype(before[name].dtype))
        words = [
            one for one in told if re.search(rf"\b{name}\b", re.split(r" (?:are|were) ", one)[0])
        ]
        assert len(words) == (0 if untouched else 1)
        for one in words:
            assert ("are published as they are" in one) == same
            assert ("nearly as they are" in one) == (not same and share < 0.01)
            assert ("for half of the people or more" in one) == (share >= 0.5)


def test_a_release_that_does_almost_nothing_is_one(releases):
    *_, sources = releases["almost nothing"]
    assert sources.facts.having(Extent.HARDLY)
    assert not sources.facts.having(Extent.PARTLY, Extent.MOSTLY)


@pytest.mark.parametrize("name", ["nothing", "no noise"])
def test_a_release_that_does_nothing_is_said_to_do_nothing(releases, name):
    *_, sources = releases[name]
    public = build_public(sources)
    told = " ".join((*public["people"], *public["advice"], *public["done"]))
    assert not public["cleared"]
    assert "were changed" not in told
    assert "How values were masked" not in told
    assert "less reliable" not in told
    assert "clearly not those of the person" not in told
    whole = "Every row is identical, or nearly identical, to the record of the person behind it."
    assert whole in public["advice"]


def test_unchanged_values_are_all_exact_to_analysts(releases):
    public = build_public(releases["nothing"][-1])
    assert public["advice"][0].startswith("All columns are exact")
    assert not any("intervals" in sentence for sentence in public["advice"])
    assert {column["values"] for column in public["columns"]} == {"exact"}


def test_rows_are_called_mixed_only_where_their_values_are(case):
    _, before, after, sources = case
    told = [s for s in build_public(sources)["advice"] if "those of the person behind it" in s]
    if after is None or sources.facts.same_rows is None:
        assert not told
        return
    differ = sum(shares(before, after).values())
    assert bool(told) == (differ >= 1.0)
    for sentence in told:
        assert f"Of the 5 values of a row, {differ:.0f} on average" in sentence


def test_whole_rows_that_stayed_are_told(case):
    _, before, after, sources = case
    told = " ".join(build_public(sources)["advice"])
    if after is None or sources.facts.same_rows is None:
        assert "identical" not in told
        return
    same = ~np.any([differs(before, after, name) for name in before], axis=0)
    assert ("the records of the people behind them" in told) == bool(same.any() and not same.all())
    assert ("Every row is identical" in told) == bool(same.all())


def test_missing_values_are_spoken_of_only_where_there_are_some(case):
    name, *_, sources = case
    public = build_public(sources)
    told = [s for s in (*public["advice"], *public["people"]) if "missing" in s]
    there = any(c.missing_before or c.missing_after for c in sources.facts.columns)
    assert not told or there
    if name == "missing":
        assert any("Where rent is missing, the person behind the row may" in s for s in told)


def test_the_change_of_correlations_has_its_sign(case):
    *_, sources = case
    change = sources.facts.correlations
    for told in (build_public(sources)["advice"], build_internal(sources)["summary"]):
        text = " ".join(told)
        weaker, stronger = (
            f"columns are {sign} on the whole" in text for sign in ("weaker", "stronger")
        )
        before, after = round(change.size_before, 3), round(change.size_after, 3)
        assert not (weaker and after >= before)
        assert not (stronger and after <= before)


def test_the_change_of_spread_has_its_sign(releases):
    for name in ("everything", "cart", "per column", "matched"):
        *_, sources = releases[name]
        told = " ".join(build_public(sources)["advice"])
        for column in sources.facts.columns:
            if column.spread is None or not column.masked:
                continue
            smaller, larger = (
                re.search(rf"\b{column.name} [\d]+ % {sign}", told)
                for sign in ("smaller", "larger")
            )
            assert bool(smaller) == (column.spread <= 0.995)
            assert bool(larger) == (1.005 <= column.spread < 2.0)


def test_of_numbers_that_are_exact_no_spread_is_told():
    release, schema = mask(PEOPLE, sm.MEWS(columns=["age"], bins=2))
    told = " ".join(build_public(gather(PEOPLE, release, schema))["advice"])
    assert "wage, rent, sex and region are exact" in told
    assert "The standard deviation of each masked number is that of the original" in told
    untouched, schema = mask(PEOPLE, sm.PerColumn(parts=[(sm.RWN(weights=0.0), ["sex"])]))
    assert "tandard deviation" not in " ".join(
        build_public(gather(PEOPLE, untouched, schema))["advice"]
    )


def test_what_a_rule_promises_of_single_columns_holds(case):
    name, before, after, sources = case
    text = " ".join(build_public(sources)["advice"])
    if after is None or "Each column has exactly the values it had" not in text:
        return
    if name != "per column":
        for column in before:
            one, other = (frame[column].sort_values(ignore_index=True) for frame in (before, after))
            assert one.equals(other.astype(one.dtype))


def test_small_groups_are_warned_of_only_where_values_are_loose(case):
    *_, sources = case
    told = [s for s in build_public(sources)["advice"] if s.startswith("The fewer rows")]
    loose = sources.facts.having(Extent.PARTLY, Extent.MOSTLY, Extent.UNKNOWN)
    assert bool(told) == bool(loose)


def test_synthetic_rows_are_nobodys_and_copies_are_told(releases):
    for name in SYNTHETIC:
        public = build_public(releases[name][-1])
        assert "none of them is about one person in particular" in public["people"][0]
        assert "No published record is yours" not in " ".join(public["people"])
        assert any("all their masked values" in sentence for sentence in public["risk"])


def test_unknown_owners_are_said_to_be_unknown(releases):
    public = build_public(releases["no owners"][-1])
    assert any("nobody checked" in sentence for sentence in public["people"][:2])
    assert not any("of the people were found" in sentence for sentence in public["risk"])


def test_each_part_of_a_combination_is_told_with_its_columns(releases):
    people = build_public(releases["per column"][-1])["people"]
    assert any(one.startswith("How values of age were masked: a random number") for one in people)
    assert any(one.startswith("How values of wage were masked: a value trades") for one in people)
    assert "Your values of rent, sex and region are published as they are." in people


def test_the_badge_is_the_verdict(case):
    *_, sources = case
    for limits in ({"dbrl": 1.0}, {"dbrl": 0.0}, {}):
        judged = replace(sources, card=replace(sources.card, limits=limits, reproducible=False))
        verdict = judged.verdict
        wanted = verdict.safe if verdict.reasons and verdict.decided else None
        assert build_public(judged)["cleared"] is wanted
        if wanted is not None:
            assert build_internal(judged)["verdict"]["good"] is wanted
        told = build_internal(judged)["summary"]
        assert ("The release keeps all limits." in told) == verdict.safe


def test_without_a_card_masking_itself_tells_what_changed(releases):
    release, schema = mask(PEOPLE, sm.RWN(q=0.0))
    card = replace(releases["nothing"][-1].card, facts=None)
    public = build_public(Sources.gather(
        card, study=None, card=None, release=release, schema=schema,
    ))  # fmt: skip
    assert public["people"][0].startswith("No value was changed")


def test_the_figures_of_the_columns_are_those_of_the_table(releases):
    before, after, sources = releases["everything"]
    rows = {row["name"]: row for row in build_internal(sources)["changes"]}
    for name, share in shares(before, after).items():
        assert rows[name]["clearly_changed"] == pytest.approx(share)
    assert rows["region"]["moved"] is None
    assert rows["wage"]["spread"] == pytest.approx(after["wage"].std() / before["wage"].std())


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_no_figure_of_a_measure_is_a_power_of_ten(releases, audience):
    """Matched swapping has losses of 1e-10, which nobody needs to read."""
    page = render_page(build_contents(releases["matched"][-1], audience), ())
    assert 0.0 < releases["matched"][-1].card["cbil"].value < 1e-4
    assert not re.findall(r"\d[eE]-\d+", page)


def test_intervals_are_spoken_of_as_they_were_measured(releases):
    schema = SCHEMA.assign(sensitive=["wage"])
    release, _ = mask(PEOPLE, sm.RWN(k=40, weights=0.0))
    card = sm.assess(
        PEOPLE, release, schema=schema, measures=["margins"], coverage=["wage ~ age + C(sex)"],
        replicates=20,
    )  # fmt: skip
    [found] = card.coverage
    assert found.terms
    told = build_public(Sources.gather(card, study=None, card=None, release=release))["advice"]
    assert found.sentence in told
    assert "Standard errors and intervals of other models were not examined." in told
    assert not any("can be trusted was not measured" in one for one in told)
    assert not any("--coverage" in one for one in build_internal(Sources(card=card))["summary"])
    assert any("--coverage" in one for one in build_internal(releases["some"][-1])["summary"])
    unmeasured = build_public(releases["everything"][-1])["advice"]
    assert any("confidence intervals" in s and "was not measured" in s for s in unmeasured)
