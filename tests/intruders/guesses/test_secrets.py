from __future__ import annotations

import numpy as np
import pytest

from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.intruders.guesses import guess_result as module
from swapmeet.intruders.guesses.secrets import SPLITS, find_partners, list_parts
from swapmeet.measures.risk.inference import Inference
from swapmeet.release.provenance import Provenance
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

NAMES = tuple("abcdef")


def draw_donors(rng, n, columns=6):
    return np.stack([rng.permutation(n) for _ in range(columns)], axis=1)


def bring_together(rng, donors, share, *, one=0, other=1):
    """Column `other` comes from the donor of column `one` in about this share of the rows."""
    donors = donors.copy()
    donors[:, other] = donors[:, one]
    apart = np.flatnonzero(rng.random(len(donors)) > share)
    donors[apart, other] = donors[rng.permutation(apart), other]
    return donors


def trade_in_pairs(rng, n):
    """Rows 2m and 2m + 1 are of two people, who trade three random cells."""
    traded = np.repeat(np.argsort(rng.random((n // 2, 6)), axis=1) < 3, 2, axis=0)
    own = np.arange(n)[:, np.newaxis]
    return np.where(traded, own ^ 1, own)


def release(values, donors, **options):
    """Each cell is that of its donor; rows stand in nobody's place."""
    n, columns = values.shape
    names = NAMES[:columns] if columns <= len(NAMES) else tuple(f"v{j}" for j in range(columns))
    tables = [
        Microdata(
            tuple(Variable(name, Kind.NUMERIC, table[:, j]) for j, name in enumerate(names)),
            np.zeros(n, np.int32),
        )
        for table in (values, np.take_along_axis(values, donors, axis=0))
    ]
    options = {"level": Knowledge.EVERYTHING, **options}
    provenance = Provenance(names, donors, np.full(n, -1))
    return Comparison(*tables, names, names, provenance=provenance, **options)


def judge_without_parts(comparison, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(module, "list_parts", lambda *_: ())
        return Inference().score(comparison)


def test_partners_are_together_clearly_more_often_than_usual():
    rng = np.random.default_rng(1)
    donors = bring_together(rng, draw_donors(rng, 1_000), 0.1)
    found = find_partners(Provenance(NAMES, donors, np.arange(1_000)))
    assert list(found) == [frozenset("ab")]
    assert found[frozenset("ab")] == pytest.approx(0.1, abs=0.04)


def test_columns_that_all_moved_as_one_have_no_partner():
    donors = np.repeat(np.random.default_rng(1).permutation(300)[:, np.newaxis], 6, axis=1)
    assert find_partners(Provenance(NAMES, donors, np.arange(300))) == {}


def test_cells_of_nobody_are_nobodys_partners():
    assert find_partners(Provenance(NAMES, np.full((300, 6), -2), np.arange(300))) == {}


def test_chance_makes_no_partners():
    """Of 500 releases of groups of 5, each pair is one by chance in < 1 of 10,000: of 7,500 pairs
    more than 5 would be so in < 1 of 1,000.
    """
    rng, found = np.random.default_rng(2), 0
    for _ in range(500):
        groups = np.arange(200).reshape(-1, 5)
        donors = np.stack([rng.permuted(groups, axis=1).ravel() for _ in range(6)], axis=1)
        found += len(find_partners(Provenance(NAMES, donors, np.arange(200))))
    assert found <= 5


def test_halves_are_of_what_is_known_and_never_have_the_secret():
    rng = np.random.default_rng(3)
    parts = list_parts(
        release(rng.normal(size=(50, 6)), draw_donors(rng, 50)), Knowledge.EVERYTHING
    )
    assert len({one.known for one in parts}) <= 2 * SPLITS
    assert all(len(one.known) == 3 and one.secret not in one.known for one in parts)
    assert {one.secret for one in parts} == set(NAMES)


def test_few_columns_are_not_cut():
    rng = np.random.default_rng(3)
    comparison = release(rng.normal(size=(50, 3)), draw_donors(rng, 50, 3))
    assert list_parts(comparison, Knowledge.EVERYTHING) == ()


@pytest.mark.slow
def test_partners_in_a_third_of_the_rows_are_read_by_who_looks_at_them_alone(monkeypatch):
    """Each value of a person stands in another row, and only one of these has the partner."""
    rng = np.random.default_rng(4)
    donors = bring_together(rng, draw_donors(rng, 1_000), 0.35)
    comparison = release(rng.normal(size=(1_000, 6)), donors)
    assert judge_without_parts(comparison, monkeypatch).value < 0.15
    assert Inference().score(comparison).value == pytest.approx(0.35, abs=0.06)


@pytest.mark.slow
def test_who_looks_at_half_is_not_misled_by_a_cap(monkeypatch):
    """Two people give three of six cells each. Whoever knows five sees three of them in the row
    that has not the sixth. Whoever looks at three sees two or more where it is in 3 of 10 cases.
    """
    rng, n = np.random.default_rng(5), 1_000
    donors = trade_in_pairs(rng, n)
    comparison = release(rng.normal(size=(n, 6)), donors)
    assert judge_without_parts(comparison, monkeypatch).value < 0.05
    found = Inference().score(comparison)
    assert found.value == pytest.approx(0.3, abs=0.08)
    assert found.details[f"{found.details['guessed'][0]}: how"].count(",") == 2


@pytest.mark.slow
def test_parts_never_mean_less_risk(monkeypatch):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        donors = bring_together(rng, draw_donors(rng, 200), seed / 8)
        comparison = release(rng.normal(size=(200, 6)).round(seed % 3), donors)
        before = judge_without_parts(comparison, monkeypatch).value
        assert Inference().score(comparison).value >= before


@pytest.mark.slow
def test_relations_that_others_tell_are_not_found_by_parts(monkeypatch):
    """All columns are nearly the same number, and each cell is of one of ten neighbours by it: an
    exact value leads to a row whose other cells are near, but so does the nearest row without it.
    """
    rng, n = np.random.default_rng(6), 1_000
    size = np.sort(rng.normal(size=n))
    groups = np.arange(n).reshape(-1, 10)
    donors = np.stack([rng.permuted(groups, axis=1).ravel() for _ in range(6)], axis=1)
    right, control = guess_by_parts_only(
        release(size[:, np.newaxis] + rng.normal(0, 1e-3, (n, 6)), donors), monkeypatch
    )
    assert right.max() > 0.8
    assert (right - control).max() < 0.1


def guess_by_parts_only(comparison, monkeypatch):
    """Shares of right guesses by halves, of people and without them."""
    seen = []
    judge = module._judge_worst

    def look(comparison, right, control, many):
        seen.extend(np.nanmean(part[:2, many:], axis=2) for part in (right, control))
        return judge(comparison, right, control, many)

    monkeypatch.setattr(module, "_judge_worst", look)
    Inference().score(comparison)
    return seen


def score_shuffled(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(400, 8)).cumsum(axis=1)
    return Inference().score(release(values, draw_donors(rng, 400, 8))).value


@pytest.mark.slow
def test_shuffled_columns_tell_nothing_by_parts():
    """The larger of two gains of standard error 0.014 each, but not below 0: about 0.01 on average.
    Of 8 tables one above 0.07 (five standard errors) happens in < 1 of 10,000.
    """
    assert max(map(score_shuffled, range(8))) < 0.07


@pytest.mark.slow
def test_shuffled_columns_tell_nothing_on_average():
    """Standard error of the mean of 100 tables: 0.001."""
    gains = [score_shuffled(seed) for seed in range(100, 200)]
    assert np.mean(gains) < 0.015
    assert max(gains) < 0.07
