from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.engines.local.analyses import ReplicateReleases, cover_intervals
from swapmeet.errors import SchemaError, UsageError
from swapmeet.measures.side_by_side.fit import estimate
from swapmeet.measures.side_by_side.model import Model
from swapmeet.tables.formulas import Formula
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata

pytestmark = pytest.mark.filterwarnings("ignore::swapmeet.errors.SwapmeetWarning")

FORMULA = "y ~ x + C(t)"


def draw_people(n, rng):
    x, t = rng.normal(size=n), rng.choice(list("abc"), n)
    y = 1.0 + 0.5 * x + (t == "b") + rng.normal(size=n)
    return pd.DataFrame({"y": y, "x": x, "t": t})


@pytest.fixture(scope="module")
def people():
    return draw_people(300, np.random.default_rng(0))


SCHEMA = sm.Schema(
    (sm.Column("y", "numeric"), sm.Column("x", "numeric"), sm.Column("t", "nominal"))
)


def covered(frame, method, *, schema=SCHEMA, number=60, seed=1, formula=FORMULA):
    releases = ReplicateReleases(
        table=Table.of(frame), schema=schema, method=method, seed=Seed.chosen_by_user(seed),
        workers=Workers(1),
    )  # fmt: skip
    return cover_intervals(releases, [Model.parse(formula)], number)[0]


@pytest.mark.slow
def test_noise_on_a_term_shrinks_its_coefficient_by_what_theory_says(people):
    """With noise of half a standard deviation on x alone, 1 / 1.25 of its coefficient is left."""
    schema = SCHEMA.assign(keep=["y", "t"])
    x = covered(people, sm.Noise(level=0.5), schema=schema).terms[1]
    slope, error = 0.5, 1.0 / np.sqrt(300 * 1.25)
    assert x.name == "x"
    assert x.understated
    assert x.bias == pytest.approx(-0.2 * slope / error, abs=0.5)
    assert x.coverage < 0.7


def test_methods_that_do_nothing_to_the_model_leave_intervals_as_they_are(people):
    frame = people.assign(z=np.arange(300.0))
    columns = (*SCHEMA.columns, sm.Column("z", "numeric"))
    schema = sm.Schema(columns).assign(keep=["y", "x", "t"])
    found = covered(frame, sm.RWN(k=5), schema=schema)
    assert found.failed == 0
    for term in found.terms:
        assert term.coverage == pytest.approx(term.original_coverage, abs=1e-9)
        assert term.bias == pytest.approx(0.0, abs=1e-9)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_figures_and_another_one_others(people):
    one, same, other = (covered(people, sm.RWN(k=5), number=25, seed=s) for s in (1, 1, 2))
    assert one == same
    assert one != other


def test_a_category_too_rare_for_halves_is_a_reason_not_an_error(people):
    frame = people.assign(t=np.where(np.arange(300) == 7, "rare", people["t"]))
    found = covered(frame, sm.RankSwap(), schema=SCHEMA.assign(keep=["t"]), number=25)
    assert "a category may be too rare" in found.undefined


def test_columns_that_are_not_there_are_refused_before_any_release_is_made(people):
    with pytest.raises(SchemaError, match="no column 'xx'"):
        covered(people, sm.RWN(k=5), formula="y ~ xx")


def test_assess_finds_the_method_in_a_release_or_in_its_record_or_takes_it_as_given(people):
    release = sm.mask(people, sm.RWN(k=5), schema=SCHEMA, seed=3)
    ask = {"measures": ["spread"], "coverage": [FORMULA], "replicates": 20, "schema": SCHEMA}
    cards = [
        sm.assess(people, release, **ask),
        sm.assess(people, release.shuffled(), audit=release.audit, **ask),
        sm.assess(people, release.data, match="rows", method=sm.RWN(k=5), **ask),
    ]
    for card in cards:
        assert [found.formula for found in card.coverage] == [FORMULA]
        assert len(card.coverage[0].terms) == 4
        assert card.to_dict()["coverage"][0]["replicates"] == 20
    with pytest.raises(UsageError, match="how the release was made"):
        sm.assess(people, release.data, match="rows", **ask)


def test_figures_of_other_measures_do_not_depend_on_it(people):
    release = sm.mask(people, sm.RWN(k=5), schema=SCHEMA, seed=3)
    ask = {"measures": ["pscr", "spread", "linkage"]}
    plain = sm.assess(people, release, **ask)
    covered = sm.assess(people, release, coverage=[FORMULA], replicates=20, **ask)
    assert [s.to_dict() for s in plain] == [s.to_dict() for s in covered]
    assert plain.coverage == ()


@pytest.mark.slow
@pytest.mark.parametrize("method", [sm.RWN(k=5), sm.Microaggregation(k=5)], ids=lambda m: m.name)
def test_what_one_sample_tells_is_what_many_samples_show(method):
    """The truth by 150 samples; the tool from each of 6, on average.

    The truth has a standard error of .04 at most, the mean of 6 one of .05: a figure that is on
    average right is not flattering by more than .13 with a probability of .98. It may be too low by
    more: one sample does not tell a bias from what grouping happens to do to it.
    """
    rng, formula = np.random.default_rng(5), Formula.parse(FORMULA)
    like = Table.of(pd.DataFrame({"y": [0.0] * 3, "x": [0.0] * 3, "t": list("abc")}))
    truth, hits = np.array([1.0, 0.5, 1.0, 0.0]), []
    for i in range(150):
        release = sm.mask(draw_people(120, rng), method, schema=SCHEMA, seed=i)
        data = Microdata.of_both(like, Table.of(release.data), SCHEMA.columns)
        found = estimate(data[1], data[0], formula)
        hits.append(np.abs(found.beta - truth) <= found.half_width(0.95) * found.errors)
    told = []
    for i in range(6):
        people = draw_people(120, rng).sort_values("t", ignore_index=True)
        told.append([t.coverage for t in covered(people, method, number=30, seed=i).terms])
    flattering = np.mean(told, axis=0) - np.mean(hits, axis=0)
    assert (flattering < 0.13).all()
    assert (flattering > -0.25).all()
