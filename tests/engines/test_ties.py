"""Derived columns follow and rules hold in every release, by every method and in every engine."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.engines.ties import fit_ties
from swapmeet.errors import SchemaError, SwapmeetWarning
from swapmeet.release.donors import MADE, SUPPRESSED
from swapmeet.tables.conditions import Condition
from swapmeet.tables.derived_columns import check_derivation
from swapmeet.tables.frame import Table

pytestmark = pytest.mark.filterwarnings("ignore::swapmeet.errors.SwapmeetWarning")
METHODS: dict[str, Any] = {
    "matched-swap": sm.MatchedSwap(k=5),
    "rwn": sm.RWN(k=8, weights=0.1),
    "nbrs": sm.NBRS(eps=2.0, weights=0.1),
    "sjppds": sm.SJPPDS(bins=3),
    "mews": sm.MEWS(bins=3, rest="swap"),
    "meds": sm.MEDS(k=4, rest="swap"),
    "kl-theta": sm.KLTheta(k=4, l=2, theta=0.8),
    "data-shuffle": sm.DataShuffle(),
    "cart": sm.Cart(),
    "rank-swap": sm.RankSwap(window=0.2),
    "per-column": sm.PerColumn(
        parts=[(sm.RWN(k=5), ["height", "weight"]), (sm.RWN(k=20, weights=0), ["age", "married"])]
    ),
}
MAKING: dict[str, Any] = {
    "microaggregation": sm.Microaggregation(k=4),
    "noise": sm.Noise(level=0.2),
}
DERIVE = ["bmi = weight / height ** 2", "group = lookup(age)", "all = home + abroad",
          "rest = all - costs", "levies = taxes + fees"]  # fmt: skip
RULES = ["age >= 16 or married = 0", "costs <= home", "group != 0 or home < 900"]


def _make(n: int = 400, seed: int = 5) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 90, n)
    height = rng.normal(1.7, 0.1, n).round(2)
    weight = (height**2 * rng.normal(24, 3, n)).round(1)
    home = np.where(age < 16, rng.integers(0, 90_000, n), rng.integers(0, 10**6, n)) / 100
    abroad, share = rng.integers(0, 10**5, n) / 100, rng.uniform(0, 1, n)
    costs = (home * share * 100).astype(int) / 100
    taxes, fees = (rng.integers(0, 10**6, n) for _ in "ab")
    return pd.DataFrame(
        {
            "age": age, "married": (age >= 16) * rng.integers(0, 2, n), "height": height,
            "weight": weight, "bmi": (weight / height**2).round(1),
            "group": np.digitize(age, [16, 40, 65]), "home": home, "abroad": abroad,
            "all": (home + abroad).round(2), "costs": costs,
            "rest": ((home + abroad).round(2) - costs).round(2),
            "taxes": [Decimal(int(x)) / 100 for x in taxes],
            "fees": [Decimal(int(x)) / 100 for x in fees],
            "levies": [Decimal(int(x + y)) / 100 for x, y in zip(taxes, fees, strict=True)],
        }
    )  # fmt: skip


def _count_broken(data: Any) -> int:
    """Rows of a release in which something that is tied came apart."""
    frame = data.to_pandas() if not isinstance(data, pd.DataFrame) else data
    derived = [text for text in DERIVE if "lookup" not in text]
    broken = sum(check_derivation(frame, text) for text in derived)
    broken += sum(int(Condition(text).breaks(Table(frame)).sum()) for text in RULES)
    known = frame.dropna(subset=["age", "group"])
    return broken + int((np.digitize(known.age, [16, 40, 65]) != known.group).sum())


@pytest.mark.filterwarnings("ignore::swapmeet.errors.SwapmeetWarning")
@pytest.mark.parametrize("name", [*METHODS, *MAKING])
def test_ties_hold_in_every_release_by_every_method(name: str) -> None:
    people = _make()
    assert _count_broken(people) == 0
    together = [("height", "weight"), ("taxes", "fees")] if name in METHODS else []
    sensitive = ["height", "weight", "home", "costs", "taxes", "fees"]
    schema = sm.Schema.guess(people, {}).assign(
        numeric=people.columns, sensitive=sensitive, together=together, derive=DERIVE, rule=RULES
    )
    release = sm.mask(people, {**METHODS, **MAKING}[name], schema=schema, seed=1)
    assert _count_broken(release.data) == 0
    assert not any(rule.left for rule in release.rules)
    columns = release.schema.published
    donors = release.audit.donors
    made = donors[:, [columns.index(text.split(" = ")[0]) for text in DERIVE]]
    assert (made == MADE).all()
    if name in METHODS:
        assert np.array_equal(donors[:, 2], donors[:, 3])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_release_is_what_its_donors_say_and_keeps_its_types(library: str) -> None:
    people = _make()
    people["group"] = people.group.map({0: "child", 1: "young", 2: "middle", 3: "old"})
    people["group"] = people.group.astype("category")
    frame = {"pandas": people, "polars": pl.from_pandas(people),
             "pyarrow": pa.Table.from_pandas(people)}[library]  # fmt: skip
    release = sm.mask(frame, sm.RWN(k=8), seed=1, derive=DERIVE, rule=RULES[:2])
    before, after = Table(frame), Table(release.data)
    assert sum(rule.repaired for rule in release.rules) > 0
    for j, name in enumerate(release.schema.published):
        given = release.audit.donors[:, j]
        assert after.cells(name).type == before.cells(name).type
        if (given >= 0).all():
            assert after.plain(name).equals(before.plain(name).take(pa.array(given)))


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(5, 60), st.booleans())
def test_repairs_leave_no_rule_broken_and_stay_in_strata(
    seed: int,
    rows: int,
    holes: bool,
) -> None:
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 20, rows).astype(float)
    people = pd.DataFrame({"low": low, "high": low + rng.integers(0, 9, rows),
                           "area": rng.integers(0, 2, rows), "kept": low >= 10})  # fmt: skip
    if holes:
        people.loc[rng.random(rows) < 0.2, "low"] = np.nan
    rules = ["low <= high", "high >= 10 or kept = 'false'"]
    schema = sm.Schema.infer(people).assign(numeric=["low", "high"], strata=["area"],
                                            keep=["kept"], rule=rules)  # fmt: skip
    method = sm.SJPPDS(bins=1)
    release = sm.mask(people, method, schema=schema, seed=seed)
    assert not any(Condition(rule).breaks(Table(release.data)).any() for rule in rules)
    donors = release.audit.donors[:, :2]
    given = donors >= 0
    area = people.area.to_numpy()
    assert (area[np.maximum(donors, 0)] == area[:, np.newaxis])[given].all()
    for count in release.rules:
        assert count.broken == count.repaired + count.suppressed + count.left
        assert count.left == 0


def test_what_cannot_be_repaired_is_suppressed_or_left_and_counted() -> None:
    people = pd.DataFrame({"a": np.arange(40.0), "kept": np.arange(40) * 2 + 1})
    asked: dict[str, Any] = {"rule": ["kept = a * 2 + 1"], "keep": ["kept"], "seed": 1}
    release = sm.mask(people, sm.MatchedSwap(k=10), **asked)
    (count,) = release.rules
    assert count.broken == count.suppressed > 20
    assert int(release.data.a.isna().sum()) == count.suppressed
    assert ((release.audit.donors[:, 0] == SUPPRESSED) == release.data.a.isna()).all()
    assert any(f"{count.suppressed} lost these values" in note for note in release.notes)
    with pytest.warns(SwapmeetWarning, match="still break it"):
        left = sm.mask(people, sm.MatchedSwap(k=10), unrepaired="leave", **asked)
    assert left.rules[0].left == left.rules[0].broken > 20
    assert not left.data.a.isna().any()


def test_rules_that_share_columns_are_repaired_as_one() -> None:
    rng = np.random.default_rng(2)
    a = rng.integers(0, 50, 500)
    b = a + rng.integers(0, 5, 500)
    people = pd.DataFrame({"a": a, "b": b, "c": b + rng.integers(0, 5, 500)})
    rules = ["a <= b", "b <= c"]
    release = sm.mask(people, sm.RWN(k=30), seed=1, rule=rules)
    assert (release.data.a <= release.data.b).all()
    assert (release.data.b <= release.data.c).all()
    assert all(rule.broken > 20 for rule in release.rules)


def test_blocks_and_files_make_the_release_that_memory_makes(tmp_path: Any) -> None:
    people = _make(600).assign(sex=pd.Categorical(["f", "m"] * 300))
    people["word"] = pd.Categorical(np.where(people.sex == "f", "her", "his"))
    ties: dict[str, Any] = {
        "together": ["height,weight"],
        "derive": [*DERIVE, 'word = if(sex = "f", "her", "his")'],
        "rule": [*RULES, 'sex = "f" or word = "his"'],
    }
    people.to_parquet(tmp_path / "people.parquet")
    method = sm.SJPPDS(bins=2)
    memory = sm.mask(people, method, seed=3, engine=sm.Local(block_rows=150), **ties)
    done = sm.mask_file(
        tmp_path / "people.parquet", tmp_path / "out.parquet", method, seed=3, block_rows=150,
        keep_order=True, audit=tmp_path / "out.audit", **ties,
    )  # fmt: skip
    released = pd.read_parquet(tmp_path / "out.parquet")
    pd.testing.assert_frame_equal(released, memory.data, check_categorical=False)
    assert done.rules == memory.rules
    assert done.changes == memory.changes
    assert np.array_equal(sm.AuditRecord.load(tmp_path / "out.audit").donors, memory.audit.donors)
    assert _count_broken(released) == 0


def test_text_files_hold_what_follows_as_it_is_written(tmp_path: Any) -> None:
    people = _make(600)[["home", "abroad", "all", "age"]]
    people.to_csv(tmp_path / "people.csv", index=False)
    sm.mask_file(
        tmp_path / "people.csv", tmp_path / "out.csv", sm.RWN(k=8), seed=3, block_rows=150,
        derive=["all = home + abroad"],
    )  # fmt: skip
    cells = pd.read_csv(tmp_path / "out.csv", dtype=str)
    sums = [Decimal(x) + Decimal(y) for x, y in zip(cells.home, cells.abroad, strict=True)]
    assert [Decimal(x) for x in cells["all"]] == sums


def test_codes_for_missing_values_do_not_break_what_is_tied() -> None:
    people = _make()[["home", "abroad", "all", "age", "married"]]
    gone = np.arange(400) % 10 == 0
    people.loc[gone, ["home", "all"]] = -9
    release = sm.mask(
        people, sm.RWN(k=8), seed=1, derive=["all = home + abroad"], rule=["home >= 0"],
        missing={"home": -9, "all": -9},
    )  # fmt: skip
    assert ((release.data.home == -9) == (release.data["all"] == -9)).all()
    assert (release.data.home == -9).any()


@pytest.mark.parametrize(
    ("ties", "message"),
    [
        ({"rule": ["age > 3"]}, r"rule age > 3: the original breaks it in \d+ of 400 rows"),
        ({"derive": ["all = home - abroad"]}, r"in \d+ of 400 rows of the original"),
        ({"derive": ["all = home + abroad"], "drop": ["home"]}, "is not there to follow from"),
        ({"derive": ["all = home + abroad"], "keep": ["all"]}, "cannot be keep"),
        ({"rule": ["age > 3"], "drop": ["age"]}, "has the role drop"),
        ({"rule": ["aeg > 3"]}, "did you mean 'age'"),
        ({"derive": ["all = home + abroad", "home = all - abroad"]}, "in a circle"),
    ],
)
def test_what_the_original_does_not_bear_is_refused(ties: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        sm.mask(_make(), sm.RWN(k=8), **ties)


def test_a_role_derived_needs_a_derivation() -> None:
    people = _make()
    schema = sm.Schema.infer(people).follow({"all": {"role": "derived"}})
    with pytest.raises(SchemaError, match="nothing says what it follows from"):
        sm.mask(people, sm.RWN(k=8), schema=schema)


def test_a_household_is_repaired_as_one() -> None:
    rng = np.random.default_rng(4)
    household = np.repeat(np.arange(150), rng.integers(1, 5, 150))
    rooms = rng.integers(1, 9, 150)
    rent = rooms * 100 + rng.integers(0, 99, 150)
    people = pd.DataFrame({"hid": household, "rooms": rooms[household], "rent": rent[household],
                           "age": rng.integers(0, 90, len(household))})  # fmt: skip
    people["school"] = (people.age < 20) * rng.integers(0, 2, len(household))
    rules = ["rent >= rooms * 100", "age < 20 or school = 0"]
    schema = sm.Schema.guess(people, {}).assign(household=["hid"], numeric=["rooms", "rent"],
                                                rule=rules)  # fmt: skip
    release = sm.mask(people, sm.SJPPDS(bins=2), schema=schema, seed=1)
    assert all(rule.repaired > 0 and rule.left == 0 for rule in release.rules)
    assert (release.data.groupby("hid")[["rooms", "rent"]].nunique() <= 1).all(axis=None)
    assert not any(Condition(rule).breaks(Table(release.data)).any() for rule in rules)


def test_nothing_is_read_twice_without_ties() -> None:
    schema = sm.Schema.infer(_make())

    def refuse() -> list[Table]:
        raise AssertionError

    assert not fit_ties(schema, refuse).rules


def test_a_derived_column_neither_raises_nor_lowers_what_intruders_find() -> None:
    people = _make(300)[["age", "height", "weight", "home", "abroad", "all"]]
    derive = ["all = home + abroad"]
    measures = ["linkage", "copies", "dbrl"]
    with_total = sm.mask(people, sm.RWN(k=5), seed=1, derive=derive)
    without = sm.mask(people.drop(columns="all"), sm.RWN(k=5), seed=1)
    one = sm.assess(people, with_total, measures=measures)
    other = sm.assess(people.drop(columns="all"), without, measures=measures)
    assert [one[name].value for name in measures] == [other[name].value for name in measures]
    assert one.ties[0].released == 0


def test_a_search_tries_what_is_tied() -> None:
    people = _make(200)[["age", "married", "home", "abroad", "all"]]
    ties: dict[str, Any] = {"derive": ["all = home + abroad"], "rule": ["age >= 16 or married = 0"]}
    grid = [sm.Grid("sjppds", {"bins": [2]})]
    study = sm.tune(people, methods=grid, repeats=1, seed=1, measures=["margins"], **ties)
    assert study.candidates[0].failure == ""
    schema = sm.Schema.infer(people).assign(**ties)
    assert study.setup.schema.ties == schema.ties
