from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

import swapmeet as sm
from swapmeet.errors import SchemaError, TableError
from swapmeet.intruders.evidence import Evidence
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata

EXAMPLES = [
    sm.MatchedSwap(k=5),
    sm.MatchedSwap(k=3, by="tree", order="squares"),
    sm.MatchedSwap(k=20, weights=1.0, cap=0.5, order="pairs"),
    sm.MatchedSwap(k=4, relations=("income ~ age + town:grade", "age:town:grade")),
    sm.MatchedSwap(k=6, by="kl-theta", l=2, theta=0.7),
]
"""For the contract of all methods."""


@pytest.fixture
def people():
    return sm.datasets.load("diabetes").drop(columns="sex")


COLUMNS = ["age", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]


def _count_most(release):
    """The largest number of cells of one person in a row."""
    return max(np.unique(row, return_counts=True)[1].max() for row in release.audit.donors)


def test_every_value_is_released_once_in_its_column(people):
    release = sm.mask(people, sm.MatchedSwap(k=7), seed=1)
    assert release.audit.map.is_permutation().all()


def test_correlations_stay(people):
    release = sm.mask(people, sm.MatchedSwap(k=10), seed=1)
    assert (release.data.corr() - people.corr()).abs().to_numpy().max() < 1e-3


def test_the_cap_holds_in_every_row(people):
    release = sm.mask(people, sm.MatchedSwap(k=5, cap=0.5), seed=1)
    assert _count_most(release) == len(people.columns) // 2


@pytest.mark.parametrize(("k", "limit"), [(2, 7), (3, 5), (5, 4), (10, 2), (50, 2)])
def test_no_cap_is_tighter_than_what_chance_often_gives(people, k, limit):
    """Nine columns: 4.5 + 2 · 1.5, 3 + 2 · 1.41, 1.8 + 2 · 1.2, 0.9 + 2 · 0.9 and two at least."""
    release = sm.mask(people[COLUMNS], sm.MatchedSwap(k=k, cap=0.01), seed=1)
    assert _count_most(release) == limit


def test_strata_can_be_the_groups(people):
    people["ward"] = np.arange(len(people)) % 40
    schema = sm.Schema.infer(people).assign(strata=["ward"])
    release = sm.mask(people, sm.MatchedSwap(k=10, by="strata"), schema=schema, seed=1)
    wards = people["ward"].to_numpy()
    assert all((wards[donors] == wards).all() for donors in release.audit.donors.T)


def test_groups_below_k_are_refused_and_counted():
    people = pd.DataFrame({"age": np.arange(25.0), "ward": ["a"] * 20 + ["b"] * 3 + ["c"] * 2})
    schema = sm.Schema.infer(people).assign(key=["age"], strata=["ward"])
    with pytest.raises(TableError, match="2 of 3 groups have 2 to 3"):
        sm.mask(people, sm.MatchedSwap(k=5, by="strata"), schema=schema, seed=1)


def test_a_table_with_fewer_rows_than_k_is_refused():
    with pytest.raises(TableError, match=r"the table has 4\. Lower `k`\.$"):
        sm.mask(pd.DataFrame({"age": np.arange(4.0)}), sm.MatchedSwap(k=5))


def test_a_stratum_below_k_is_refused_in_plain_words():
    people = pd.DataFrame({"age": np.arange(25.0), "ward": ["a"] * 20 + ["b"] * 5})
    schema = sm.Schema.infer(people).assign(key=["age"], strata=["ward"])
    with pytest.raises(TableError, match=r"1 of 2 strata has 5\. Lower `k`, or merge strata\."):
        sm.mask(people, sm.MatchedSwap(k=6), schema=schema, seed=1)


def test_one_column_is_permuted_and_the_release_says_so():
    people = pd.DataFrame({"age": np.arange(40.0)})
    release = sm.mask(people, sm.MatchedSwap(k=5), seed=1)
    assert any("one column only" in note for note in release.notes)
    assert sorted(release.data["age"]) == sorted(people["age"])


@pytest.mark.slow
def test_a_relation_of_three_columns_that_is_named_stays(people):
    def products(data):
        z = (data - people.mean()) / people.std()
        return float((z["age"] * z["bmi"] * z["target"]).mean())

    named = sm.mask(people, sm.MatchedSwap(k=20, relations=("target ~ age:bmi",)), seed=1)
    plain = sm.mask(people, sm.MatchedSwap(k=20), seed=1)
    gap = abs(products(named.data) - products(people))
    assert gap < 0.001
    assert gap < abs(products(plain.data) - products(people)) / 10


@pytest.mark.parametrize("name", ["my age", "a:b~c", "it's", 'say "x"', "a+b*c", "C(age)", "0"])
def test_columns_of_any_name_can_be_masked_and_kept(name):
    rng = np.random.default_rng(1)
    people = pd.DataFrame(rng.normal(size=(40, 3)), columns=[name, "x", "y"])
    method = sm.MatchedSwap(k=5, relations=(f"`{name}`", f"`{name}` ~ x + y", f"x:y:`{name}`"))
    release = sm.mask(people, method, seed=1)
    assert list(release.data) == [name, "x", "y"]
    assert release.audit.map.is_permutation().all()


def test_a_name_to_keep_that_is_no_column_is_refused(people):
    with pytest.raises(SchemaError, match="'agee' is not a masked column; did you mean 'age'"):
        sm.mask(people, sm.MatchedSwap(relations=("target ~ agee",)), seed=1)


# groups that are diverse in the sensitive columns


@pytest.fixture
def patients():
    return sm.datasets.load("diabetes"), sm.datasets.schema("diabetes")


def groups_of(donors):
    """The groups, found from who gave to whom."""
    n, columns = donors.shape
    edges = (np.ones(n * columns), (np.repeat(np.arange(n), columns), donors.ravel()))
    return connected_components(csr_matrix(edges, shape=(n, n)), directed=False)[1]


def test_by_kl_theta_each_group_is_diverse_in_the_sensitive_column(patients):
    people, schema = patients
    method = sm.MatchedSwap(k=8, by="kl-theta", l=4, theta=0.25)
    release = sm.mask(people.round({"target": -1}), method, schema=schema, seed=1)
    groups = groups_of(release.audit.donors)
    values = people["target"].round(-1)
    for group in np.unique(groups):
        shares = values[groups == group].value_counts(normalize=True)
        assert (groups == group).sum() >= 8
        assert len(shares) >= 4
        assert shares.max() <= 0.25


def test_by_kl_theta_all_columns_move_keys_too(patients):
    people, schema = patients
    release = sm.mask(people, sm.MatchedSwap(by="kl-theta"), schema=schema, seed=1)
    assert release.audit.map.is_permutation().all()
    assert (release.audit.moved.mean(axis=0) > 0.8).all()


def test_by_kl_theta_the_intruder_forms_the_true_groups(patients):
    """So what is said of whoever knows the method holds for whoever knows the groups as well."""
    people, schema = patients
    method = sm.MatchedSwap(by="kl-theta")
    release = sm.mask(people, method, schema=schema, seed=1)
    data = Microdata.of(Table(people), schema)
    pieces = method.attack(Evidence(data, Microdata.of(Table(release.data), schema)))
    groups = groups_of(release.audit.donors)
    for piece in pieces:
        pairs = {*zip(piece.labels.tolist(), groups.tolist(), strict=True)}
        assert len(pairs) == len(set(groups)) == len({*piece.labels})


@pytest.mark.parametrize("known", [["age", "bmi"], ["target"], ["age", "target"]])
def test_by_kl_theta_who_knows_some_columns_takes_near_rows_for_groups(patients, known):
    people, schema = patients
    data = Microdata.of(Table(people), schema).select(known)
    pieces = sm.MatchedSwap(by="kl-theta").attack(Evidence(data, data, complete=False))
    assert [piece.columns for piece in pieces] == [(name,) for name in known]
    assert all(np.bincount(piece.labels).min() >= 10 for piece in pieces)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"theta": 0.1}, "matched-swap: `theta` must be at least 1/`l`"),
        ({"k": 3, "l": 4, "theta": 0.3}, "matched-swap: `theta` times `k` must be at least 1"),
    ],
)
def test_conditions_that_no_group_can_hold_are_refused_by_kl_theta_only(settings, told):
    with pytest.raises(sm.SwapmeetError) as error:
        sm.MatchedSwap(by="kl-theta", **settings)
    assert told in str(error.value)
    assert sm.MatchedSwap(by="near", **settings).by == "near"


def test_by_kl_theta_a_table_without_sensitive_columns_is_refused(people):
    with pytest.raises(sm.SwapmeetError, match="matched-swap: needs at least one sensitive column"):
        sm.mask(people, sm.MatchedSwap(by="kl-theta"), seed=1)


def test_by_kl_theta_rows_that_fit_in_no_group_are_counted_and_refused(patients, monkeypatch):
    people, schema = patients

    def leave_three(self, data, workers):
        return np.append(np.arange(data.n - 3) // 10, [-1, -1, -1])

    monkeypatch.setattr(sm.MatchedSwap, "_labels", leave_three)
    with pytest.raises(TableError, match=r"3 of 442 rows fit in no group.*raise `theta`"):
        sm.mask(people, sm.MatchedSwap(by="kl-theta"), schema=schema, seed=1)


def figures_after(notes, words):
    """The numbers in the sentence that has these words."""
    sentence = next(note for note in notes if words in note)
    return [float(found) for found in re.findall(r"\d+(?:\.\d+)?(?:e-?\d+)?", sentence)]


@pytest.mark.parametrize("rows", [None, 60, 200])
def test_what_is_said_of_blocks_is_true_of_the_whole(people, rows):
    engine = sm.Local(block_rows=rows)
    release = sm.mask(people, sm.MatchedSwap(k=10), seed=1, engine=engine)
    donors = release.audit.donors
    pairs = [donors[:, i] == donors[:, j] for i, j in combinations(range(donors.shape[1]), 2)]
    most = max(np.unique(row, return_counts=True)[1].max() for row in donors)
    limit, _, mean, highest, chance = figures_after(release.notes, "values from one person")
    groups = figures_after(release.notes, "a value stays")[0]
    assert most <= limit
    assert mean == pytest.approx(100 * np.mean(pairs), abs=0.051)
    assert highest >= 100 * np.max(np.mean(pairs, axis=1)) - 0.051
    assert chance == pytest.approx(100 * groups / len(people), abs=0.051)
    change = (release.data.corr() - people.corr()).abs().to_numpy().max()
    assert change <= figures_after(release.notes, "relations between columns")[0]


# what is promised


def test_parts_and_their_sum_do_not_move_as_one():
    """Relations of a sum come back most easily if it moves with its parts."""
    rng = np.random.default_rng(1)
    parts = rng.lognormal(size=(300, 2))
    people = pd.DataFrame({"one": parts[:, 0], "two": parts[:, 1], "sum": parts.sum(axis=1)})
    people["other"] = rng.normal(size=300)

    def share(together):
        method = sm.MatchedSwap(k=5, together=together, cap=1.0)
        donors = sm.mask(people, method, seed=1).audit.donors
        return max((donors[:, a] == donors[:, b]).mean() for a, b in combinations(range(4), 2))

    assert share(5.0) > 0.6
    assert share(2.0) <= 2 / 5
    assert share(1.0) <= 1 / 5


def _make_people(n):
    rng = np.random.default_rng(3)
    common = rng.normal(size=n)
    people = {name: common + rng.normal(size=n) for name in "abcd"}
    return pd.DataFrame({**people, "e": rng.choice(list("xyz"), n), "f": rng.normal(size=n)})


@pytest.mark.slow
def test_whoever_knows_everything_names_no_more_than_one_row_of_a_group():
    """Over 200 seeds, k = 5: each intruder of `linkage`, on average; four standard errors.

    The people stand in another order for each seed: where several links are equally likely, an
    intruder takes them in one fixed order, whose luck would else be the same 200 times. Whoever
    goes by columns that hardly moved is left out: only the donor map tells which these are.
    """
    everybody = _make_people(60)
    shares: dict[str, list[float]] = {}
    own = []
    for seed in range(200):
        people = everybody.sample(frac=1, random_state=seed).reset_index(drop=True)
        release = sm.mask(people, sm.MatchedSwap(k=5), seed=seed)
        score = sm.assess(people, release, measures=["linkage"], threads=1)["linkage"]
        for one in score.details["intruders"]:
            if "hardly moved" not in one["way"]:
                shares.setdefault(str((one["level"], one["way"])), []).append(one["share"])
        own.append((release.audit.donors == np.arange(60)[:, np.newaxis]).mean())
    always = {way: found for way, found in shares.items() if len(found) == 200}
    assert len(always) > 5
    for way, found in always.items():
        assert np.mean(found) <= 1 / 5 + 4 * np.std(found) / np.sqrt(200), way
    assert abs(np.mean(own) - 1 / 5) <= 4 * np.std(own) / np.sqrt(200)
