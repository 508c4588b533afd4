"""Columns that belong together have one donor in every row, whatever the method and the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import SchemaError
from swapmeet.methods import METHODS

MOVING = {
    "matched-swap": sm.MatchedSwap(k=5),
    "rwn": sm.RWN(k=5),
    "nbrs": sm.NBRS(eps=0.4),
    "sjppds": sm.SJPPDS(bins=4),
    "mews": sm.MEWS(bins=3),
    "meds": sm.MEDS(k=4),
    "kl-theta": sm.KLTheta(k=4, l=2, theta=0.8),
    "rank-swap": sm.RankSwap(window=0.2),
    "data-shuffle": sm.DataShuffle(),
    "cart": sm.Cart(),
}
MAKING = {"ipso", "microaggregation", "noise"}


def _people(n: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    height = rng.normal(170, 10, n).round(1)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "height": height,
            "weight": (0.9 * height - 80 + rng.normal(0, 8, n)).round(1),
            "income": rng.lognormal(10, 0.6, n).round(),
        }
    )


def _hold_pairs(release: Any, people: pd.DataFrame) -> bool:
    """Whether every released pair of height and weight is somebody's."""
    known = set(zip(people.height, people.weight, strict=True))
    shown = release.data.dropna(subset=["height", "weight"])
    return set(zip(shown.height, shown.weight, strict=True)) <= known


@pytest.mark.filterwarnings("ignore::swapmeet.errors.SwapmeetWarning")
@pytest.mark.parametrize("name", MOVING)
def test_a_set_has_one_donor_in_every_row_by_every_method_that_moves_values(name: str) -> None:
    people = _people()
    roles: dict[str, Any] = {"sensitive": ["height", "weight", "income"]}
    together = [("height", "weight")]
    release = sm.mask(people, MOVING[name], seed=1, together=together, **roles)
    donors = release.audit.donors
    assert np.array_equal(donors[:, 1], donors[:, 2])
    assert _hold_pairs(release, people)
    assert (donors[:, 1] != np.arange(len(people))).any()


def test_all_methods_are_tried_here_or_make_values() -> None:
    rest = set(METHODS) - set(MOVING) - MAKING - {"per-column", "record-swap"}
    assert not rest


@pytest.mark.parametrize("method", [sm.Microaggregation(k=5), sm.Noise(level=0.1)])
def test_a_method_that_makes_values_is_refused(method: Any) -> None:
    with pytest.raises(SchemaError, match="makes new values"):
        sm.mask(_people(), method, seed=1, together=["height,weight"])


def test_matched_swapping_keeps_the_relations_of_all_columns_of_a_set() -> None:
    people = _people(1_000)
    release = sm.mask(people, sm.MatchedSwap(k=10), seed=1, together=[("height", "weight")])
    change = (release.data.corr() - people.corr()).abs().to_numpy()
    assert change.max() < 0.003
    assert any("columns that belong together count as one" in note for note in release.notes)


def test_blocks_keep_sets_together() -> None:
    people = _people()
    engine = sm.Local(block_rows=100)
    release = sm.mask(people, sm.RWN(k=5), seed=1, together=["height,weight"], engine=engine)
    assert np.array_equal(release.audit.donors[:, 1], release.audit.donors[:, 2])


def test_files_keep_sets_together(tmp_path: Any) -> None:
    people = _people()
    people.to_parquet(tmp_path / "people.parquet")
    out = tmp_path / "release.parquet"
    sm.mask_file(
        tmp_path / "people.parquet", out, sm.RWN(k=5), seed=1, block_rows=100,
        together=["height,weight"],
    )  # fmt: skip
    known = set(zip(people.height, people.weight, strict=True))
    released = pd.read_parquet(out)
    assert set(zip(released.height, released.weight, strict=True)) <= known


def test_places_move_as_one() -> None:
    people = _people()
    people["district"] = np.arange(300) % 12
    people["region"] = people.district // 4
    release = sm.mask(people, sm.MatchedSwap(k=5), seed=1, place=["region", "district"])
    assert (release.data.region == release.data.district // 4).all()
    assert (release.data.district != people.district).any()


def test_a_set_that_a_method_would_split_is_refused() -> None:
    with pytest.raises(SchemaError, match="kl-theta leaves height in place"):
        sm.mask(
            _people(), MOVING["kl-theta"], seed=1, sensitive=["weight"],
            together=["height,weight"],
        )  # fmt: skip
    parts = sm.PerColumn(parts=[(sm.RWN(k=5), ["height"]), (sm.RWN(k=9), ["weight", "age"])])
    with pytest.raises(SchemaError, match="in 2 parts"):
        sm.mask(_people(), parts, seed=1, together=["height,weight"])


@pytest.mark.parametrize(
    ("together", "roles", "message"),
    [
        ("height", {}, "at least two columns"),
        ("height,wieght", {}, "did you mean 'weight'"),
        ("height,weight", {"keep": ["height"]}, "'height' has the role keep"),
        ("height,weight", {"strata": ["height"]}, "'height' has the role strata"),
    ],
)
def test_sets_that_cannot_move_are_refused(together: str, roles: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        sm.mask(_people(), sm.RWN(k=5), together=[together], **roles)
