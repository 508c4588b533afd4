"""Linkage: the worst of a family of intruders."""

import warnings

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.measures.risk.linkage import Linkage
from swapmeet.methods import Method
from swapmeet.release.donors import DonorMap
from swapmeet.release.outcome import Outcome


@pytest.fixture(scope="module")
def census(shared):
    return pd.read_csv(shared / "data" / "census.csv")


def _mask(frame, method, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sm.mask(frame, method, seed=1, **options)


def _linkage(frame, release, **options):
    return sm.assess(frame, release, measures=["linkage"], **options)["linkage"]


def _people(n=300, seed=2):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({name: rng.normal(size=n) for name in "abcdef"})


def _shuffled(frame, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({name: rng.permutation(frame[name]) for name in frame})


@pytest.mark.slow
def test_whoever_knows_the_method_undoes_neighbourhoods(census):
    frame = census.iloc[:, 1:]
    score = _linkage(frame, _mask(frame, sm.RWN(k=10)))
    assert score.value > 0.97
    assert "how the table was masked" in score.finding


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "least", "most"),
    [
        (sm.RWN(k=50), 0.88, 0.97),
        (sm.RankSwap(window=0.2), 0.98, 1.0),
        (sm.RankSwap(window=0.5), 0.9, 1.0),
        (sm.RankSwap(correlation=0.7), 0.98, 1.0),
        (sm.Microaggregation(k=5), 0.18, 0.25),
        (sm.Microaggregation(k=10, permute=True), 0.08, 0.13),
    ],
    ids=str,
)
def test_each_row_of_the_table_is_told(census, method, least, most):
    frame = census.iloc[:, 1:]
    assert least <= _linkage(frame, _mask(frame, method)).value <= most


@pytest.mark.slow
def test_bins_are_recognised_wherever_rows_stand(census):
    assert _linkage(census, _mask(census, sm.SJPPDS(bins=4))).value == pytest.approx(0.48, abs=0.05)


@pytest.mark.slow
def test_whole_records_are_found_wherever_they_stand(census):
    frame = census.iloc[:, 1:]
    card = sm.assess(frame, _mask(frame, sm.RWN(k=1, q=0.99)), measures=["linkage", "dbrl"])
    assert card["dbrl"].value < 0.02
    assert card["linkage"].value > 0.6


@pytest.mark.slow
def test_half_of_the_columns_is_enough_for_half_of_the_people(census):
    frame = census.iloc[:, 1:]
    release = _mask(frame, sm.RWN(k=10))
    score = _linkage(frame, release, known=list(frame.columns[:6]))
    assert 0.4 < score.value < 0.7
    assert score.details["by level"]["everything"]["share"] > 0.97


@pytest.mark.slow
def test_columns_that_did_not_move_give_everybody_away(census):
    frame = census.iloc[:, 1:]
    release = _mask(frame, sm.MEDS(k=5, columns=list(frame.columns[:6])))
    assert _linkage(frame, release).value == 1.0


def test_a_kept_column_that_is_unique_is_not_hidden_by_others():
    frame = _people().assign(place=np.arange(300.0))
    schema = sm.Schema.infer(frame).assign(keep=["place"])
    release = _mask(frame, sm.RWN(k=20), schema=schema)
    alone = _linkage(frame, release, schema=schema, known=["place"]).value
    beside = _linkage(frame, release, schema=schema, known=["place", "a", "b", "c"]).value
    assert alone == beside == 1.0


def test_a_block_that_moved_as_one_is_read_by_whoever_knows_one_of_its_columns():
    frame = _people()
    release = _mask(frame, sm.MEDS(k=10, columns=["a", "b", "c", "d", "e", "f"]))
    assert _linkage(frame, release, known=["a"]).value == 1.0


def test_keys_that_stay_give_people_away_whatever_else_is_known():
    frame = _people().round(1)
    schema = sm.Schema.infer(frame).assign(key=["a", "b", "c"], sensitive=["d"], drop=["e", "f"])
    release = _mask(frame, sm.KLTheta(k=5, l=2, theta=0.5), schema=schema)
    score = _linkage(frame, release)
    assert score.value > 0.9
    assert score.details["intruder"]["knows"] == ["a", "b", "c"]


def test_knowing_more_is_never_knowing_less(census):
    frame = census.iloc[:300, 1:6]
    release = _mask(frame, sm.RankSwap(window=0.3))
    levels = _linkage(frame, release, known=list(frame.columns[:2])).details["by level"]
    shares = [levels[str(level)]["share"] for level in Knowledge]
    assert shares == sorted(shares)


def test_where_nothing_else_is_known_distances_decide_as_in_the_papers():
    frame = _people()
    noisy = frame + 0.5 * np.random.default_rng(1).normal(size=frame.shape)
    card = sm.assess(frame, noisy, match="rows", measures=["linkage", "dbrl", "pscr"])
    shares = {one["way"]: one["share"] for one in card["linkage"].details["intruders"]}
    assert shares["gives rows to the nearest"] == card["dbrl"].value
    assert shares["takes the nearest row"] == card["pscr"].value
    assert card["linkage"].value >= card["dbrl"].value


def test_without_owners_there_is_no_figure():
    frame = _people(50)
    score = _linkage(frame, _shuffled(frame, 1))
    assert "audit record" in score.undefined


def test_a_method_that_is_not_known_here_is_attacked_without_it(tmp_path):
    frame = _people(60)
    release = _mask(frame, sm.RWN(k=3))
    object.__setattr__(release.audit.method, "name", "somebody-elses")
    release.audit.save(tmp_path / "run.audit")
    audit = type(release.audit).load(tmp_path / "run.audit")
    score = _linkage(frame, release.shuffled(), audit=audit)
    assert not any(one["knows how it was masked"] for one in score.details["intruders"])


def test_the_record_tells_the_method_so_that_files_get_the_figure_of_tables(tmp_path):
    frame = _people(60)
    release = _mask(frame, sm.RWN(k=3))
    release.audit.save(tmp_path / "run.audit")
    audit = type(release.audit).load(tmp_path / "run.audit")
    again = _linkage(frame, release.shuffled(), audit=audit)
    assert again.value == _linkage(frame, release).value


def test_small_tables_say_that_they_are_small():
    frame = _people(20)
    assert "only 20 rows" in _linkage(frame, _mask(frame, sm.RWN(k=3))).sentence


def test_one_person_and_constant_columns_are_no_obstacle():
    frame = pd.DataFrame({"a": [1.0] * 8, "b": [2.0] * 8})
    assert 1 / 8 <= _linkage(frame, _mask(frame, sm.RWN(k=3))).value < 0.6


@pytest.mark.slow
def test_a_quick_look_finds_no_more_than_a_full_one(census):
    frame = census.iloc[:, 1:]
    release = _mask(frame, sm.RWN(k=20))
    quick, full = (
        sm.assess(frame, release, measures=[Linkage(effort=effort)])["linkage"]
        for effort in ("quick", "full")
    )
    assert 0.5 < quick.value <= full.value + 0.05


@pytest.mark.slow
def test_a_release_with_nothing_to_find_raises_no_alarm():
    """200 seeds: no way finds more people than chance at an error rate of 1e-4 for each way."""
    frame, hits, tried = _people(120), {}, {}
    for seed in range(200):
        score = _linkage(frame, _shuffled(frame, seed), match="rows")
        for one in score.details["intruders"]:
            way = one["way"]
            hits[way] = hits.get(way, 0.0) + one["share"] * one["people"]
            tried[way] = tried.get(way, 0) + one["people"]
    _expect_chance(hits, tried, 120)


def _expect_chance(hits, tried, n):
    from scipy.stats import poisson

    for way, found in hits.items():
        assert found <= poisson.ppf(1 - 1e-4, tried[way] / n), way


class Shuffled(Method):
    """Permutes each column by itself, in each stratum; it states no attack."""

    name = "shuffled"
    summary = "each column is permuted"

    def outcome(self, data, streams, workers):
        donors = np.empty((data.n, len(data.names)), np.int64)
        for column, name in enumerate(data.names):
            for number, rows in enumerate(data.parts()):
                mixed = streams.stream(name, number).permutation(rows)
                donors[rows, column] = mixed
        return Outcome(DonorMap(donors))


NOTHING_LEFT = [
    sm.RankSwap(window=1.0),
    sm.SJPPDS(bins=1),
    sm.Microaggregation(k=100, permute=True),
    sm.Microaggregation(k=100),
    sm.Noise(level=300.0, bounds="none"),
    sm.RWN(k=99),
    Shuffled(),
]


@pytest.mark.slow
@pytest.mark.parametrize("tied", [False, True], ids=["unique", "tied"])
@pytest.mark.parametrize("method", NOTHING_LEFT, ids=str)
def test_a_method_that_leaves_nothing_to_find_raises_no_alarm(method, tied):
    """15 seeds, an error rate of 1e-4 for each way; people who are alike share their hits."""
    hits, tried = {}, {}
    for seed in range(15):
        frame = _people(100, seed).round(0 if tied else 9)
        score = _linkage(frame, sm.mask(frame, method, seed=seed))
        for one in score.details["intruders"]:
            hits[one["way"]] = hits.get(one["way"], 0.0) + one["share"] * one["people"]
            tried[one["way"]] = tried.get(one["way"], 0) + one["people"]
    _expect_chance(hits, tried, 100)


@pytest.mark.slow
def test_who_knows_the_stratum_has_as_many_to_choose_from_as_are_in_it():
    hits = []
    for seed in range(15):
        frame = _people(100, seed).assign(region=np.arange(100) % 10)
        schema = sm.Schema.infer(frame).assign(strata=["region"])
        release = sm.mask(frame, Shuffled(), schema=schema, seed=seed)
        score = _linkage(frame, release, schema=schema, known=list(frame.columns))
        hits += [one["share"] for one in score.details["intruders"] if one["people"] == 100]
    assert np.mean(hits) < 0.13


def test_people_who_are_alike_share_their_hits():
    frame = pd.DataFrame({"a": np.repeat([1.0, 2.0, 3.0, 4.0], 5), "b": np.tile([0.0], 20)})
    score = _linkage(frame, _mask(frame, sm.SJPPDS(bins=4)))
    shares = {one["way"]: one["share"] for one in score.details["intruders"]}
    assert 0.2 <= shares["takes the row that is most surely theirs"] < 0.25
