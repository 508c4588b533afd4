from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kl_theta_checker import broken
from scipy.stats import chisquare

import swapmeet as sm
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.methods.kl_theta import KLTheta
from swapmeet.methods.kl_theta.clustering import Clustering
from swapmeet.methods.kl_theta.conditions import Conditions
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata

EXAMPLES = [
    sm.KLTheta(k=6, l=2, theta=0.7),
    sm.KLTheta(k=6, l=2, theta=0.7, strategy="paper", together=False, weights={"age": 2.0}),
    sm.KLTheta(k=6, l=2, theta=0.7, exchange="matched"),
    sm.KLTheta(k=6, l=2, theta=0.7, diversity="recursive", t=0.4),
]
"""For the contract of all methods."""

ALMOST_NEVER = 1e-6


def schema_of(frame, sensitive=("s",), **roles):
    return sm.Schema.infer(frame).assign(sensitive=sensitive, **roles)


def people(n=300, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "town": rng.choice(list("abcd"), n),
            "member": rng.choice(["yes", "no"], n),
            "s": rng.choice(["v", "w", "x", "y", "z"], n),
        }
    )


def labels_of(method, frame, schema, seed=1):
    """The clusters, which only the method knows."""
    data = Microdata.of(Table(frame), schema)
    order = Seed.chosen_by_user(seed).within("test").stream("order").permutation(data.n)
    clustering = Clustering(
        method="kl-theta",
        conditions=Conditions(method.k, method.l, method.theta),
        weights=method.weights,
        strategy=method.strategy,
    )
    return clustering.find_clusters(data, Workers(), order)


# anchors


@pytest.mark.parametrize("strategy", ["balanced", "paper"])
def test_keys_stay_and_sensitive_values_are_permuted(masked, strategy):
    frame = people()
    release = masked(frame, KLTheta(strategy=strategy, theta=0.4), schema=schema_of(frame), seed=1)
    assert release.data[["age", "town", "member"]].equals(frame[["age", "town", "member"]])
    assert release.audit.map.is_permutation().all()
    assert (release.audit.donors[:, 3] != np.arange(300)).mean() > 0.8
    assert not release.data["s"].equals(frame["s"])


def test_the_curator_is_told_of_the_clusters():
    frame = people(100)
    release = sm.mask(frame, KLTheta(theta=0.4), schema=schema_of(frame), seed=1)
    assert release.notes[0] == "10 clusters of 10 rows."


def test_one_cluster_of_all_rows_if_k_is_the_table(masked):
    frame = people(50)
    release = masked(frame, KLTheta(k=50, theta=0.4), schema=schema_of(frame), seed=1)
    assert release.notes[0] == "1 cluster of 50 rows."


@pytest.mark.slow
def test_age_in_units_of_its_largest_value_gives_the_partition_of_the_authors_program(shared):
    """The whole method, from the table on; the partition itself is tested beside its algorithm."""
    adult = pd.read_csv(shared / "data" / "adult.csv.gz")
    adult = adult[["age", "education", "race", "sex", "occupation"]]
    schema = schema_of(adult, ["occupation"], numeric=["age"])
    labels = labels_of(KLTheta(strategy="paper"), adult, schema)
    oracle = pd.read_csv(shared / "reference" / "kl_theta" / "adult_k10_l5_theta03_clusters.csv.gz",
                         header=None, index_col=0)[1].sort_index()  # fmt: skip
    pairs = pd.DataFrame({"ours": labels, "theirs": oracle.to_numpy()}).drop_duplicates()
    assert len(pairs) == pairs["ours"].nunique() == pairs["theirs"].nunique() == 2530


# the exchange


@pytest.fixture(scope="module")
def triples():
    """4,000 clusters of three rows that agree in their key, with values a, b, c."""
    frame = pd.DataFrame({"x": np.repeat(np.arange(4_000.0), 3), "s": list("abc") * 4_000})
    return frame, schema_of(frame, numeric=["x"])


def test_permutations_inside_clusters_are_uniform(masked, triples):
    """Error rate 1e-6 for each of the two tests: which permutation, and which two in a row."""
    frame, schema = triples
    release = masked(frame, KLTheta(k=3, l=3, theta=0.34), schema=schema, seed=1)
    assert release.notes[0] == "4000 clusters of 3 rows."
    donors = release.audit.donors[:, 1].reshape(-1, 3) - 3 * np.arange(4_000)[:, np.newaxis]
    kinds = {order: number for number, order in enumerate(permutations(range(3)))}
    drawn = np.array([kinds[tuple(order)] for order in donors.tolist()])
    assert chisquare(np.bincount(drawn, minlength=6)).pvalue > ALMOST_NEVER
    pairs = 6 * drawn[:-1] + drawn[1:]
    assert chisquare(np.bincount(pairs[::2], minlength=36)).pvalue > ALMOST_NEVER


@pytest.mark.parametrize("together", [True, False])
def test_sensitive_columns_travel_together_or_apart(masked, together):
    frame = people().assign(t=people(seed=1)["s"])
    method = KLTheta(k=8, l=3, theta=0.5, together=together)
    release = masked(frame, method, schema=schema_of(frame, ["s", "t"]), seed=1)
    same = release.audit.donors[:, 3] == release.audit.donors[:, 4]
    assert same.all() if together else same.mean() < 0.3
    assert release.audit.map.is_permutation().all()


def test_different_seeds_permute_differently(masked):
    frame = people()
    method = KLTheta(theta=0.4)
    one, two = (masked(frame, method, schema=schema_of(frame), seed=s).audit.donors for s in (1, 2))
    assert (one[:, 3] != two[:, 3]).mean() > 0.8


# the matched exchange


def test_matched_values_keep_their_correlations_with_the_keys(masked):
    frame, schema = sm.datasets.load("diabetes"), sm.datasets.schema("diabetes")

    def apart(exchange):
        data = masked(frame, KLTheta(exchange=exchange), schema=schema, seed=1).data
        return (data.corr()["target"] - frame.corr()["target"]).abs().max()

    assert apart("random") > 0.1
    assert apart("matched") < 0.01


def test_values_that_the_keys_determine_are_not_released_in_their_own_rows():
    """With s = x, no arrangement but the original has its correlation."""
    frame = pd.DataFrame({"x": np.arange(200.0), "s": np.arange(200.0)})
    told = refusal(frame, schema_of(frame, numeric=["x", "s"]), exchange="matched")
    assert "of the values of a sensitive column are in their own row again, more than" in told
    assert 'exchange="random"' in told


def test_the_curator_is_told_how_many_values_are_in_place_again(masked):
    """Half of each cluster has the same value: by chance 1/4 + 5/100 of the rows get theirs."""
    frame = pd.DataFrame({"x": np.repeat(np.arange(20.0), 10), "s": list("aaaaabcdef") * 20})
    schema = schema_of(frame, numeric=["x"])
    method = KLTheta(k=10, l=5, theta=0.5, exchange="matched")
    notes = masked(frame, method, schema=schema, seed=1).notes
    (note,) = (note for note in notes if "by chance" in note)
    assert "by chance 30.0 %. Someone who finds" in note
    assert not any("by chance" in n for n in masked(frame, KLTheta(theta=0.5), schema=schema).notes)


def test_matched_is_not_the_default_and_says_what_theta_does_not_bound():
    assert KLTheta().exchange == "random"
    cautions = KLTheta(exchange="matched").description.cautions
    assert any("theta" in caution and "bounds" in caution for caution in cautions)


@pytest.mark.parametrize("together", [True, False])
def test_matched_sensitive_columns_travel_together_or_apart(masked, together):
    frame = sm.datasets.load("diabetes")
    schema = sm.datasets.schema("diabetes").assign(sensitive=["bmi", "target"])
    method = KLTheta(together=together, exchange="matched")
    release = masked(frame, method, schema=schema, seed=1)
    one, two = (release.audit.donors[:, frame.columns.get_loc(c)] for c in ("bmi", "target"))
    assert (one == two).all() if together else (one == two).mean() < 0.5
    assert release.audit.map.is_permutation().all()
    between = abs(release.data.corr().loc["bmi", "target"] - frame.corr().loc["bmi", "target"])
    assert between < 0.01


def test_rows_in_no_cluster_are_suppressed_and_left_out_of_the_relations(surplus):
    frame, schema = surplus
    method = KLTheta(k=2, l=2, theta=0.6, strategy="paper", exchange="matched")
    with pytest.warns(sm.SwapmeetWarning, match="1 of 5 rows fits in no cluster"):
        release = sm.mask(frame, method, schema=schema, seed=1)
    lost = release.audit.donors[:, 2] == -1
    assert lost.sum() == 1
    assert sorted(release.data["s"][~lost]) == sorted(frame["s"][~lost])


def test_infinite_sensitive_values_have_no_relations_to_match():
    frame = people().assign(s=[np.inf, *range(299)])
    schema = schema_of(frame, numeric=["s"])
    assert "'s' holds 1 infinite value " in refusal(frame, schema, exchange="matched")


# what is promised


@st.composite
def tasks(draw):
    n = draw(st.integers(2, 80))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    frame = pd.DataFrame(
        {
            "number": rng.integers(0, draw(st.sampled_from([1, 3, 500])), n).astype(float),
            "kind": rng.choice(["a", "b", "c", "d"][: draw(st.integers(1, 4))], n),
            "s": rng.choice(draw(st.sampled_from([2, 4, 9, 100])), n).astype(float),
            "t": rng.choice(["p", "q", "r", "u"], n),
            "region": rng.integers(0, draw(st.integers(1, 3)), n).astype(str),
        }
    )
    holes = draw(st.sampled_from([0.0, 0.2]))
    for name in ("number", "kind", "s", "t"):
        frame[name] = frame[name].mask(rng.random(n) < holes)
    return frame, KLTheta(
        k=draw(st.integers(3, 8)),
        l=draw(st.integers(2, 3)),
        theta=draw(st.sampled_from([0.5, 0.6, 0.9])),
        weights=draw(st.sampled_from([1.0, 0.0, 0.2])),
        strategy=draw(st.sampled_from(["balanced", "paper"])),
        together=draw(st.booleans()),
        exchange=draw(st.sampled_from(["random", "matched"])),
    )


@pytest.mark.slow
@given(tasks())
def test_clusters_satisfy_the_conditions_inside_strata(task):
    frame, method = task
    schema = sm.Schema(
        (
            sm.Column("number", "numeric"),
            sm.Column("kind", "nominal"),
            sm.Column("s", "numeric", "sensitive"),
            sm.Column("t", "nominal", "sensitive"),
            sm.Column("region", "nominal", "strata"),
        )
    )
    data = Microdata.of(Table(frame), schema)
    try:
        method.check(data)
    except sm.SwapmeetError:
        assume(False)
    labels = labels_of(method, frame, schema)
    columns = [[str(value) for value in frame[name]] for name in ("s", "t")]
    assert not broken(labels, columns, method.k, method.l, method.theta)
    for cluster in np.unique(labels[labels >= 0]):
        assert frame["region"][labels == cluster].nunique() == 1
    try:
        outcome = method.outcome(data, Seed.chosen_by_user(1).within("test"), Workers())
    except sm.SwapmeetError:
        assume(method.exchange != "matched")  # refused if too many values come back to their rows
        raise
    donors = outcome.donors.matrix
    assert np.array_equal(donors[:, :2], np.repeat(np.arange(data.n)[:, np.newaxis], 2, axis=1))
    assert ((donors[:, 2:] < 0) == (labels < 0)[:, np.newaxis]).all()
    kept = labels >= 0
    assert (labels[donors[kept, 2:]] == labels[kept, np.newaxis]).all()


def test_a_missing_sensitive_value_is_a_value_and_moves(masked):
    frame = people(200)
    frame.loc[::5, "s"] = None
    release = masked(frame, KLTheta(theta=0.4), schema=schema_of(frame), seed=1)
    assert release.data["s"].isna().sum() == 40
    assert not release.data["s"].isna().equals(frame["s"].isna())
    labels = labels_of(KLTheta(theta=0.4), frame, schema_of(frame))
    assert not broken(labels, [frame["s"].fillna("missing").tolist()], 10, 5, 0.4)


def test_a_numeric_sensitive_column_with_few_equal_values_works(masked):
    frame = sm.datasets.load("diabetes")
    release = masked(frame, KLTheta(), schema=sm.datasets.schema("diabetes"), seed=1)
    assert sorted(release.data["target"]) == sorted(frame["target"])


def test_a_smaller_weight_mixes_the_values_of_a_key_more(masked):
    """With weight 0 the towns of a cluster are as mixed as those of the table."""
    frame = people(2_000)

    def alike(weight):
        method = KLTheta(theta=0.4, weights={"town": weight})
        donors = masked(frame, method, schema=schema_of(frame), seed=1).audit.donors[:, 3]
        return (frame["town"].to_numpy() == frame["town"].to_numpy()[donors]).mean()

    assert alike(1.0) > 0.9
    assert alike(0.0) == pytest.approx(0.1 + 0.9 * 0.25, abs=0.05)


def test_the_row_order_does_not_decide_how_good_balanced_clusters_are(masked):
    frame = people(2_000)
    ordered = frame.sort_values("age", ignore_index=True)

    def apart(table):
        method = KLTheta(theta=0.4)
        donors = masked(table, method, schema=schema_of(table), seed=1).audit.donors[:, 3]
        return np.abs(table["age"] - table["age"].to_numpy()[donors]).mean()

    assert apart(ordered) == pytest.approx(apart(frame), rel=0.15)


@pytest.mark.parametrize("threads", [1, 2])
def test_strata_do_not_depend_on_threads(masked, threads):
    frame = people(400).assign(region=np.repeat(list("nsew"), 100))
    schema = schema_of(frame, strata=["region"])
    method = KLTheta(theta=0.5, k=8, l=3)
    whole = masked(frame, method, schema=schema, seed=1).audit.donors
    some = masked(frame, method, schema=schema, seed=1, engine=sm.Local(threads=threads))
    assert np.array_equal(whole, some.audit.donors)
    regions = frame["region"].to_numpy()
    assert (regions[whole[:, 3]] == regions).all()


def test_progress_grows_to_the_number_of_rows(masked):
    frame, seen = people(20_000), []
    engine = sm.Local(progress=lambda label, done, total: seen.append((label, done, total)))
    masked(frame, KLTheta(theta=0.4), schema=schema_of(frame), seed=1, engine=engine)
    assert {(label, total) for label, _, total in seen} == {("clusters", 20_000)}
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)
    assert len(seen) > 2
    assert seen[-1][1] == 20_000


# rows that fit in no cluster


@pytest.fixture(scope="module")
def surplus():
    """Of five rows the paper's algorithm can place two: its other clusters have one value each."""
    frame = pd.DataFrame({"x": [0.0, 0.1, 0.2, 0.3, 0.4], "y": np.arange(5), "s": list("abaab")})
    return frame, schema_of(frame, numeric=["x"], keep=["y"])


def test_rows_that_fit_nowhere_are_suppressed_and_counted(surplus):
    frame, schema = surplus
    method = KLTheta(k=2, l=2, theta=0.6, strategy="paper")
    with pytest.warns(sm.SwapmeetWarning) as told:
        release = sm.mask(frame, method, schema=schema, seed=1)
    lost = release.data["s"].isna()
    assert lost.sum() == 1
    assert (release.audit.donors[:, 2] == -1).tolist() == lost.tolist()
    assert str(told[0].message) == (
        "1 of 5 rows fits in no cluster and was suppressed; its values of s are missing."
    )
    assert release.data[["x", "y"]].equals(frame[["x", "y"]])


def test_rows_that_fit_nowhere_can_be_refused(surplus):
    frame, schema = surplus
    method = KLTheta(k=2, l=2, theta=0.6, strategy="paper", leftover="refuse")
    with pytest.raises(sm.SwapmeetError, match="1 of 5 rows fits in no cluster, so nothing is rel"):
        sm.mask(frame, method, schema=schema, seed=1)


def test_a_cluster_that_breaks_a_condition_is_never_released(monkeypatch):
    frame = people(50)
    monkeypatch.setattr(Clustering, "_grow", lambda *_: np.arange(50) // 9)
    with pytest.raises(sm.SwapmeetError, match="clusters break a condition, so nothing is rel"):
        sm.mask(frame, KLTheta(theta=0.4), schema=schema_of(frame), seed=1)


# bad input


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"theta": 0.19}, "`theta` must be at least 1/`l`"),
        ({"l": 1, "theta": 0.9}, "`theta` must be at least 1/`l`"),
        ({"k": 3, "l": 4, "theta": 0.3}, "`theta` times `k` must be at least 1"),
        ({"theta": 0.0}, "`theta` must be in (0, 1]"),
        ({"theta": 30}, "`theta` must be in (0, 1]"),
        ({"k": 1}, "`k` must be a whole number, 2 or more"),
        ({"l": 0}, "`l` must be a whole number, 1 or more"),
        ({"strategy": "best"}, "`strategy` must be one of balanced, paper"),
        ({"exchange": "best"}, "`exchange` must be one of random, matched"),
        ({"leftover": "drop"}, "`leftover` must be one of suppress, refuse"),
        ({"together": "yes"}, "`together` must be true or false"),
        ({"weights": -1}, "`weights` must be"),
    ],
)
def test_wrong_parameters_are_refused(settings, told):
    with pytest.raises(sm.SwapmeetError) as error:
        KLTheta(**settings)
    assert told in str(error.value)


@pytest.mark.parametrize("distinct", [1, 3, 7, 49])
def test_theta_may_be_exactly_1_over_l(distinct):
    assert KLTheta(k=60, l=distinct, theta=1 / distinct).l == distinct


def refusal(frame, schema, **settings):
    with pytest.raises(sm.SwapmeetError) as error:
        sm.mask(frame, KLTheta(**settings), schema=schema, seed=1)
    return str(error.value)


def test_a_table_without_keys_or_sensitive_columns_is_refused_with_the_remedy():
    frame = people()
    assert "needs at least one sensitive column" in refusal(frame, sm.Schema.infer(frame))
    only = sm.Schema.infer(frame).assign(keep=["age", "town", "member"], sensitive=["s"])
    assert "Give the role key" in refusal(frame, only)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"k": 400, "theta": 0.4}, "the table has 300 rows; `k` = 400 needs at least as many"),
        ({"l": 6, "theta": 0.4}, "'s' has 5 distinct values; `l` = 6 needs at least as many"),
        ({"theta": 0.2}, "The least `theta` that can be met is 0.2"),
        ({"theta": 0.4, "weights": {"tovn": 2.0}}, "'tovn' is not a key column; did you mean"),
        ({"theta": 0.4, "weights": {"s": 2.0}}, "'s' is not a key column"),
    ],
)
def test_what_the_table_cannot_give_is_refused_before_any_work(monkeypatch, settings, told):
    monkeypatch.setattr(Clustering, "find_clusters", None)
    frame = people()
    assert told in refusal(frame, schema_of(frame), **settings)


def test_an_infeasible_theta_is_told_by_column_and_not_by_value():
    frame = people().assign(s=["secretive"] * 200 + list("abcde") * 20)
    told = refusal(frame, schema_of(frame), theta=0.4)
    assert "column 's': one value has 66.7 % of the rows" in told
    assert "0.6667" in told
    assert "secretive" not in told


def test_a_key_that_names_every_row_is_refused_with_the_remedy(masked):
    frame = people().assign(name=[f"person {i}" for i in range(300)])
    schema = schema_of(frame.drop(columns="name")).columns
    schema = sm.Schema((*schema, sm.Column("name", "nominal")))
    told = refusal(frame, schema, theta=0.4)
    assert "no two rows agree in the key 'name'" in told
    assert "drop it" in told
    release = masked(frame, KLTheta(theta=0.4, weights={"name": 0.0}), schema=schema, seed=1)
    assert release.notes[0].startswith("30 clusters")


def test_infinite_keys_are_refused():
    frame = people().assign(age=[np.inf, *range(299)])
    assert "'age' holds 1 infinite value " in refusal(frame, schema_of(frame), theta=0.4)


def test_small_strata_are_refused():
    frame = people(100).assign(region=["n"] * 95 + ["s"] * 5)
    told = refusal(frame, schema_of(frame, strata=["region"]), theta=0.5, l=2)
    assert "1 of 2 strata have as few as 5 rows; `k` = 10 needs" in told
    assert "merge strata" in told


def test_the_release_says_that_keys_stay_as_they_are():
    schema = sm.datasets.schema("diabetes")
    release = sm.mask(sm.datasets.load("diabetes"), sm.KLTheta(), schema=schema, seed=1)
    assert any("keys are released as they are" in note and "bmi" in note for note in release.notes)
    assert "Other values stay as they are" in sm.KLTheta().description.people


# stricter conditions


def strict_clusters(frame, schema, **settings):
    method = KLTheta(**{"k": 5, "l": 2, "theta": 0.7, **settings})
    data = Microdata.of(Table(frame), schema)
    order = Seed.chosen_by_user(1).within("test").stream("order").permutation(data.n)
    return method._clustering.find_clusters(data, Workers(), order)


@pytest.mark.parametrize(
    "settings",
    [{"t": 0.15}, {"diversity": "entropy", "l": 4}, {"diversity": "recursive", "c": 0.7}],
    ids=str,
)
@pytest.mark.parametrize("strata", [False, True])
def test_stricter_conditions_hold_in_every_cluster(settings, strata):
    frame = people(600)
    schema = schema_of(frame, strata=["member"] if strata else [])
    found = strict_clusters(frame, schema, **settings)
    table = frame.assign(cluster=found)
    assert (found >= 0).all()
    whole = frame["s"].value_counts(normalize=True)
    for _, rows in table.groupby("cluster"):
        counts = rows["s"].value_counts()
        shares = counts / len(rows)
        assert len(rows) >= 5
        assert shares.max() <= 0.7
        assert not strata or rows["member"].nunique() == 1
        if "t" in settings:
            assert shares.sub(whole, fill_value=0).abs().sum() / 2 <= 0.15 + 1e-9
        elif settings["diversity"] == "entropy":
            assert np.exp(-(shares * np.log(shares)).sum()) >= 4 - 1e-9
        else:
            assert counts.iloc[0] < 0.7 * counts.iloc[1:].sum()


def test_a_release_under_t_keeps_values_and_tells_its_clusters(masked):
    frame = people(600)
    release = masked(frame, KLTheta(k=5, l=2, theta=0.7, t=0.1), schema=schema_of(frame), seed=1)
    plain = masked(frame, KLTheta(k=5, l=2, theta=0.7), schema=schema_of(frame), seed=1)
    assert sorted(release.data["s"]) == sorted(frame["s"])
    fewer, more = (int(r.notes[0].split()[0]) for r in (release, plain))
    assert fewer < more / 2


def test_what_no_cluster_can_satisfy_is_refused_with_what_can():
    frame = people(400).assign(s=lambda f: np.where(f["town"] == "a", "v", f["s"]))
    with pytest.raises(sm.SwapmeetError, match=r"diversity \(entropy\) of .* The largest `l` that"):
        sm.mask(frame, KLTheta(k=5, l=5, theta=0.7, diversity="entropy"), schema=schema_of(frame))
    schema = schema_of(frame.assign(s=people(400)["s"]), strata=["town"])
    odd = frame.assign(s=np.where(frame["town"] == "a", "v", "x"))
    odd["s"] = np.where(np.arange(400) % 3 == 0, "w", odd["s"])
    with pytest.raises(sm.SwapmeetError, match=r"values of a stratum are .* The least `t` that"):
        sm.mask(odd, KLTheta(k=5, l=2, theta=0.9, t=0.01), schema=schema)


def test_the_paper_knows_no_stricter_conditions():
    with pytest.raises(sm.SwapmeetError, match="no conditions of the paper's algorithm"):
        KLTheta(strategy="paper", t=0.2)
