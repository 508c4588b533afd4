"""RWN and NBRS with a distance function of the user's."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.algorithms.neighbors import by_function as pair_distances
from swapmeet.errors import ParameterError, TableError, UsageError

RNG = np.random.default_rng(3)
N = 150
PEOPLE = pd.DataFrame(
    {
        "x": RNG.random(N),
        "y": RNG.random(N),
        "town": RNG.choice(["Ayr", "Bath", "Cork"], N),
        "region": RNG.choice(["n", "s"], N),
        "place": RNG.random(N),
    }
)
SCHEMA = sm.Schema.infer(PEOPLE).assign(strata=["region"], drop=["place"])
SPAN = {name: np.ptp(PEOPLE[name]) for name in ("x", "y")}


def as_rwn_has_it(ours, theirs):
    """The unit scale: a mismatch of towns is 2, squared."""
    squares = sum(((ours[n] - theirs[n]) / SPAN[n]) ** 2 for n in ("x", "y"))
    return np.sqrt(squares + 2.0 * (ours["town"] != theirs["town"]))


def by_place(ours, theirs):
    return np.abs(ours["place"] - theirs["place"])


def by_x(ours, theirs):
    return np.abs(ours["x"] - theirs["x"])


@pytest.mark.parametrize("eps", [0.0, 0.3])
@pytest.mark.parametrize("ties", ["random", "all"])
def test_neighbourhoods_are_those_of_the_same_distance_in_a_tree(eps, ties):
    own, usual = (
        sm.neighborhoods(PEOPLE, sm.RWN(k=4, eps=eps, ties=ties, distance=f), schema=SCHEMA)
        for f in (as_rwn_has_it, None)
    )
    assert own.sizes.tolist() == usual.sizes.tolist()
    np.testing.assert_allclose(own.nearest, usual.nearest)
    np.testing.assert_allclose(own.farthest, usual.farthest)


@pytest.mark.parametrize("pairs", [1, 1000, 10**6])
def test_donors_are_members_whatever_the_blocks_and_threads(masked, monkeypatch, pairs):
    monkeypatch.setattr(pair_distances, "PAIRS", pairs)
    method = sm.RWN(k=4, distance=as_rwn_has_it)
    release = masked(PEOPLE, method, schema=SCHEMA, seed=1)
    monkeypatch.setattr(pair_distances, "PAIRS", 333)
    assert masked(PEOPLE, method, schema=SCHEMA, seed=1).data.equals(release.data)
    values = {name: PEOPLE[name].to_numpy() for name in PEOPLE}
    away = as_rwn_has_it({n: v[:, None] for n, v in values.items()}, values)
    away[values["region"][:, None] != values["region"]] = np.inf
    np.fill_diagonal(away, np.inf)
    fourth = np.sort(away, axis=1)[:, 3]
    for name in ("x", "y", "town"):
        donors = release.audit.donors[:, release.audit.columns.index(name)]
        assert (away[np.arange(N), donors] <= fourth).all()


def test_members_are_drawn_with_the_same_probability(masked):
    """300 columns draw from 3 neighbours: the least frequent of 45 has 100 +- 49 (6 sd)."""
    frame = pd.DataFrame({"x": PEOPLE["x"][:15]} | {f"c{j}": np.zeros(15) for j in range(300)})
    release = masked(frame, sm.RWN(k=3, distance=by_x), schema=numeric(*frame), seed=1)
    counts = [np.unique(row, return_counts=True)[1] for row in release.audit.donors]
    assert {len(one) for one in counts} == {3}
    assert min(map(min, counts)) > 50


def test_a_ball_of_nbrs_is_open_and_the_lonely_are_suppressed(masked):
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 5.0, 5.5]})
    release = masked(frame, sm.NBRS(eps=1.0, distance=by_x), schema=numeric("x"), seed=1)
    assert release.audit.donors[:, 0].tolist() == [-1, -1, -1, 4, 3]


def numeric(*names):
    return sm.Schema(tuple(sm.Column(name, "numeric") for name in names))


def test_dropped_columns_in_near_are_seen_by_the_function(masked):
    method = sm.RWN(k=2, near=["place"], distance=by_place)
    release = masked(PEOPLE, method, schema=SCHEMA, seed=1)
    assert "place" not in release.data
    donors = release.audit.donors[:, release.audit.columns.index("x")]
    apart = np.abs(PEOPLE["place"].to_numpy()[donors] - PEOPLE["place"])
    assert apart.max() < 0.2
    assert apart.mean() < 0.03


def test_functions_see_categories_and_missing_values_themselves():
    frame = PEOPLE[["x", "town"]].copy()
    frame.loc[:3, "town"] = None
    frame.loc[5, "x"] = np.nan
    seen = {}

    def look(ours, theirs):
        seen.update({name: {*np.ravel(values).tolist()} for name, values in theirs.items()})
        return np.zeros((len(ours["x"]), theirs["x"].shape[1]))

    sm.neighborhoods(frame, sm.RWN(k=1, distance=look))
    assert seen["town"] == {"Ayr", "Bath", "Cork", None}
    assert np.isnan([*seen["x"]]).sum() == 1


@given(st.lists(st.integers(0, 3), min_size=3, max_size=40), st.integers(1, 2))
def test_ties_compete_as_they_do_in_a_tree(values, k):
    frame = pd.DataFrame({"x": np.array(values, float)})
    own, usual = (
        sm.neighborhoods(frame, sm.RWN(k=k, eps=0.4, ties="all", distance=f), schema=numeric("x"))
        for f in (lambda a, b: np.abs(a["x"] - b["x"]) / (np.ptp(values) or 1.0), None)
    )
    assert own.sizes.tolist() == usual.sizes.tolist()


# intruders


@pytest.mark.parametrize("eps", [0.0, 0.2])
def test_whoever_knows_the_method_knows_the_distance(masked, eps):
    """The same distance as a function and as a setting: the same release is as easy to attack."""
    frame = PEOPLE.drop(columns=["region", "place"])
    found = {}
    for own in (None, as_rwn_has_it):
        release = masked(frame, sm.RWN(k=4, eps=eps, distance=own), seed=1)
        found[own] = sm.assess(frame, release, measures=["linkage"])["linkage"].value
    assert found[as_rwn_has_it] == pytest.approx(found[None], abs=0.1)


def test_whoever_knows_a_strange_distance_finds_more_than_who_takes_another(masked):
    frame = PEOPLE.drop(columns=["region", "town"])
    method = sm.RWN(k=3, near=["place"], distance=by_place)
    release = masked(frame, method, drop=["place"], seed=1)
    ask = {"schema": release.schema, "measures": ["linkage"], "audit": release.audit}
    knows = sm.assess(frame, release.data, **ask)["linkage"].value
    bare = sm.Schema(tuple(c for c in release.schema if c.name != "place"))
    lacks = sm.assess(frame.drop(columns="place"), release.data, **(ask | {"schema": bare}))
    assert knows > lacks["linkage"].value


# records and texts


def test_records_texts_and_settings_have_the_name_only(masked, tmp_path):
    method = sm.RWN(k=3, distance=by_x)
    name = f"{__name__}.by_x"
    assert f"distance={name}" in repr(method)
    assert method == sm.RWN(k=3, distance=by_x)
    release = masked(PEOPLE[["x"]], method, seed=1)
    assert release.settings["distance"] == name
    run = sm.Plan.of(release)
    with pytest.raises(ParameterError, match="`distance` must be a function, which is given in Py"):
        run.make_method()
    with pytest.raises(ParameterError, match=r"run files cannot hold one.*got '"):
        sm.RWN.from_settings({"distance": "math.dist"})


def test_a_record_is_measured_with_the_function_or_not_at_all(masked, tmp_path):
    frame, method = PEOPLE[["x", "y"]], sm.RWN(k=3, distance=by_x)
    release = masked(frame, method, seed=1)
    release.audit.save(tmp_path / "run.audit")
    record = sm.AuditRecord.load(tmp_path / "run.audit")
    ask = {"schema": release.schema, "measures": ["linkage"], "audit": record}
    with pytest.raises(UsageError, match=r"a function of yours .* which an audit record cannot"):
        sm.assess(frame, release.data, **ask)
    with pytest.raises(UsageError, match="an audit record cannot hold"):
        sm.assess(frame, release.data, method=sm.RWN(k=4, distance=by_x), **ask)
    found = sm.assess(frame, release.data, method=method, **ask)["linkage"].value
    assert found == sm.assess(frame, release, measures=["linkage"])["linkage"].value


# what is refused


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda a, b: np.abs(a["z"] - b["z"]), "failed with KeyError.* columns x, y"),
        (lambda a, b: np.abs(a["x"] - b["x"])[0], r"must give numbers of the shape \(\d+, \d+\)"),
        (lambda a, b: a["x"] - b["x"], r"[1-9]\d* are negative"),
        (lambda a, b: np.abs(a["x"] - b["x"]) / 0.0, "[1-9][0-9]* are missing, infinite"),
        (lambda a, b: np.abs(a["x"] - b["x"]) + RNG.random(), "another distance when"),
        (lambda a, b: np.abs(a["x"] - b["x"]) / np.ptp(b["x"]), "two rows only"),
        (lambda a, b: np.full((a["x"].size, b["x"].size), "far"), "must give numbers"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_that_give_no_distances_are_refused(function, told):
    with pytest.raises(ParameterError, match=told) as refusal:
        sm.mask(PEOPLE[["x", "y"]], sm.RWN(k=3, distance=function), seed=1)
    assert "<lambda>" in str(refusal.value)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: sm.RWN(distance=by_x, weights=0.1), "`weights` cannot be given with `distance`"),
        (lambda: sm.RWN(distance=by_x, search="cells"), "`search` cannot be given"),
        (lambda: sm.NBRS(eps=1.0, distance=by_x, weights=0.3), "nbrs: `weights` cannot"),
        (lambda: sm.RWN(distance=3), "must be a function, which is given in Python"),
    ],
)
def test_settings_that_do_not_go_with_a_function_are_refused(make, told):
    with pytest.raises(ParameterError, match=told):
        make()


def test_blocks_files_and_searches_refuse_a_function(tmp_path):
    frame, method = PEOPLE[["x", "y"]], sm.RWN(k=3, distance=by_x)
    with pytest.raises(UsageError, match="looks at all rows at once"):
        sm.mask(frame, method, engine=sm.Local(block_rows=50))
    frame.to_csv(tmp_path / "in.csv", index=False)
    with pytest.raises(UsageError, match="looks at all rows at once"):
        sm.mask_file(tmp_path / "in.csv", tmp_path / "out.csv", method)
    with pytest.raises(UsageError, match=r"tune: rwn with the function .*by_x cannot be searched"):
        sm.tune(frame, [method])
    with pytest.raises(TableError, match="needs at least 201 rows"):
        sm.mask(frame, sm.RWN(k=200, distance=by_x))


def test_functions_work_by_column_and_for_protection(masked):
    frame = PEOPLE[["x", "y"]]
    parts = sm.PerColumn(parts=[(sm.RWN(k=3, distance=by_x), ["x"]), (sm.RWN(k=3), ["y"])])
    release = masked(frame, parts, seed=1)
    assert parts.functions == (f"{__name__}.by_x",)
    assert 0 < sm.assess(frame, release, measures=["linkage"])["linkage"].value <= 1
