from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import swapmeet as sm
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.errors import ParameterError
from swapmeet.methods.record_swap import RecordSwap
from swapmeet.methods.record_swap.plan import SwapPlan
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Column

EXAMPLES = [
    sm.RecordSwap(columns=["town", "income"], risk=["grade", "member"], k=2, swap_rate=0.4),
    sm.RecordSwap(columns=["grade", "town", "age"], similar=["member"], k=3, swap_rate=0.1),
    sm.RecordSwap(
        hierarchy=["town"], columns=["since"], risk=["grade"], similar=[["member"], []], k=4
    ),
    sm.RecordSwap(columns=["income"], risk=[], k=0, swap_rate=1.0),
]
"""For the contract of all methods."""
GOLDEN = "sdcmicro_record_swap"
PLACES = ["nuts1", "nuts2", "nuts3"]
SIMILAR = [["hsize", "htype"], ["hsize"]]


def schema_of(frame, **roles):
    return sm.Schema(tuple(Column(name, "numeric") for name in frame)).assign(**roles)


def see(frame, method, **roles):
    schema = schema_of(frame, **roles)
    return Microdata.of(Table(frame), schema, method.find_context(schema))


def run(frame, method, seed=1, **roles):
    data = see(frame, method, **roles)
    method.check(data)
    return method.outcome(data, Seed.chosen_by_user(seed).within("test"), Workers(1))


def donors_of(frame, method, name, seed=1, **roles):
    found = run(frame, method, seed, **roles).donors.matrix
    return found[:, see(frame, method, **roles).names.index(name)]


def draw_donors(frame, method, name, runs, **roles):
    """The donors of a column in each of many runs."""
    data = see(frame, method, **roles)
    at, seed = data.names.index(name), Seed.chosen_by_user(1)
    for number in range(runs):
        yield method.outcome(data, seed.within(number), Workers(1)).donors.matrix[:, at]


def make_households(count=200, seed=1, areas=12):
    """Households in nested places; sizes, types and ages by chance."""
    stream = np.random.default_rng(seed)
    sizes = stream.integers(1, 5, count)
    area = stream.integers(0, areas, count)
    spread = {
        "region": area // 4,
        "district": area,
        "hid": np.arange(count),
        "size": sizes,
        "type": stream.integers(0, 3, count),
        "rent": stream.integers(0, 9, count),
    }
    frame = pd.DataFrame({name: np.repeat(values, sizes) for name, values in spread.items()})
    frame["age"] = stream.integers(0, 8, len(frame))
    return frame


ROLES = {"place": ["region", "district"], "household": ["hid"], "keep": ["size", "type"]}
TARGETED = RecordSwap(similar=[["size", "type"], ["size"]], risk=["age"], k=2, swap_rate=0.2)


# by hand


STREET = pd.DataFrame(
    {
        "area": [1, 1, 1, 2, 2, 2],
        "home": [0, 0, 1, 2, 2, 3],
        "size": [2, 2, 1, 2, 2, 1],
        "age": [9, 3, 3, 3, 3, 3],
    }
)
"""Nobody in area 1 is 9 but one person of the household of two; area 2 has one other such."""


def test_the_household_of_a_rare_person_trades_its_place_with_one_of_its_size():
    method = RecordSwap(risk=["age"], k=2, swap_rate=0.0)
    donors = donors_of(STREET, method, "area", place=["area"], household=["home"], keep=["size"])
    assert donors.tolist() == [3, 4, 2, 0, 1, 5]


def test_a_record_of_which_there_is_one_trades_its_columns_with_one_that_agrees():
    frame = pd.DataFrame({"sex": [1, 1, 2, 2], "age": [5, 6, 6, 6], "town": [1, 2, 3, 4]})
    method = RecordSwap(columns=["town"], similar=["sex"], risk=["age"], k=2, swap_rate=0.0)
    found = run(frame, method)
    assert found.donors.matrix.tolist() == [[0, 0, 1], [1, 1, 0], [2, 2, 2], [3, 3, 3]]
    assert not found.stuck


def test_a_record_does_not_trade_with_one_that_has_the_same_to_give():
    frame = pd.DataFrame({"age": [5, 6, 6, 6], "town": [1, 1, 1, 2]})
    donors = donors_of(frame, RecordSwap(columns=["town"], risk=["age"], k=2, swap_rate=0), "town")
    assert donors.tolist() == [3, 1, 2, 0]


def test_who_finds_no_partner_stays_and_is_counted():
    frame = STREET.assign(size=[2, 2, 1, 3, 3, 1])
    method = RecordSwap(risk=["age"], similar=["size"], k=2, swap_rate=0.0)
    found = run(frame, method, place=["area"], household=["home"], keep=["size"])
    assert found.stuck["area"].tolist() == [0, 1]
    assert (found.donors.matrix[:, 0] == np.arange(6)).all()
    assert found.facts == (
        (
            "households with somebody of whom there are fewer than 2 alike in age, in their area: "
            "area 1 of 4."
        ),
        "0 of 4 households traded.",
    )
    assert found.notes[0] == (
        "no partner for 1 household (2 rows), of which 1 must trade: it stays in place. Give a "
        "further, wider profile in `similar`."
    )


def test_the_risk_is_that_of_the_area_of_each_level():
    """The rare of a region must leave it; who is rare in a district only may stay in the region."""
    frame = pd.DataFrame(
        {
            "region": [1, 1, 1, 1, 2, 2, 2, 2],
            "district": [11, 11, 12, 12, 21, 21, 22, 22],
            "age": [7, 1, 1, 1, 1, 1, 1, 1],
        }
    )
    plan = SwapPlan.of(RecordSwap(k=2), see(frame, RecordSwap(), place=["region", "district"]))
    assert plan.levels == ("region", "district")
    assert [counts.tolist() for counts in plan.counts] == [
        [1, 3, 3, 3, 4, 4, 4, 4],
        [1, 1, 2, 2, 2, 2, 2, 2],
    ]
    assert [np.flatnonzero(must).tolist() for must in plan.must] == [[0], [1]]
    for seed in range(20):
        donors = donors_of(
            frame, RecordSwap(k=2, swap_rate=0.0), "region", seed, place=["region", "district"]
        )
        assert donors[0] >= 4


# what holds of every release


@pytest.mark.parametrize("seed", range(5))
def test_areas_have_as_many_households_and_as_many_of_each_size_as_before(seed):
    frame = make_households(seed=seed)
    donors = donors_of(frame, TARGETED, "district", seed, **ROLES)
    moved = frame.assign(district=frame["district"].to_numpy()[donors])
    assert (donors != np.arange(len(frame))).any()
    for names in (["district"], ["district", "size"]):
        before, after = (one.drop_duplicates("hid").value_counts(names) for one in (frame, moved))
        assert before.sort_index().equals(after.sort_index())


def test_all_levels_and_carried_columns_move_as_one_and_others_stay():
    frame = make_households()
    method = RecordSwap(similar=[["size"]], risk=["age"], k=2, swap_rate=0.2, columns=["rent"])
    data = see(frame, method, **ROLES)
    found = run(frame, method, **ROLES).donors.matrix
    region, district, rent, age = (
        found[:, data.names.index(name)] for name in ("region", "district", "rent", "age")
    )
    assert (region == district).all()
    assert (rent == region).all()
    assert (age == np.arange(len(frame))).all()
    homes = frame["hid"].to_numpy()
    assert pd.Series(homes[region]).groupby(homes).nunique().max() == 1


def test_partners_are_of_one_stratum_and_of_different_areas():
    frame = make_households(400).assign(wave=lambda f: f["hid"] % 2)
    donors = donors_of(frame, TARGETED, "district", **ROLES, strata=["wave"])
    moved = donors != np.arange(len(frame))
    assert moved.any()
    assert (frame["wave"].to_numpy()[donors] == frame["wave"]).all()
    assert (frame["district"].to_numpy()[donors] != frame["district"])[moved].all()


def test_columns_with_the_role_place_move_though_the_hierarchy_does_not_name_them():
    frame = make_households()
    method = RecordSwap(hierarchy=["region"], risk=["age"], k=0, swap_rate=0.5)
    assert np.array_equal(*(donors_of(frame, method, n, **ROLES) for n in ("region", "district")))


def test_the_keys_make_people_rare_unless_they_move_with_the_place():
    frame = make_households()
    plan = SwapPlan.of(RecordSwap(columns=["rent"]), see(frame, RecordSwap(), **ROLES))
    assert plan.risk_columns == ("age",)
    roles = {**ROLES, "place": [], "keep": ["size", "type", "region", "district"]}
    plan = SwapPlan.of(RecordSwap(columns=["rent"]), see(frame, RecordSwap(), **roles))
    assert plan.risk_columns == ("rent", "age")


def test_without_households_every_row_is_its_own():
    frame = make_households().drop(columns="hid")
    donors = donors_of(
        frame, RecordSwap(k=0, swap_rate=0.5), "region", place=["region", "district"]
    )
    moved = np.flatnonzero(donors != np.arange(len(frame)))
    assert (donors[donors[moved]] == moved).all()


@given(st.integers(2, 60), st.integers(0, 5), st.sampled_from([0.05, 0.3, 1.0]), st.integers(0, 9))
def test_trades_are_between_two_and_change_something(rows, k, rate, seed):
    stream = np.random.default_rng(seed)
    frame = pd.DataFrame(stream.integers(0, 4, (rows, 3)), columns=["a", "b", "c"])
    frame.iloc[0], frame.iloc[1] = 0, 1
    frame = frame.astype(float).mask(stream.random(frame.shape) < 0.1)
    frame.loc[0:1, "a"] = [0.0, 1.0]
    method = RecordSwap(columns=["a"], similar=[["b"], []], risk=["c"], k=k, swap_rate=rate)
    found = run(frame, method, seed)
    donors, own = found.donors.matrix[:, 0], np.arange(rows)
    moved = donors != own
    assert (donors[donors] == own).all()
    a = frame["a"].to_numpy()
    same = (a[donors] == a) | (np.isnan(a[donors]) & np.isnan(a))
    assert not same[moved].any()
    assert not moved[found.stuck.get("a", own[:0])].any()


def test_people_with_several_rows_count_once():
    """Person 0 has two rows: alike in age with nobody else of the area."""
    frame = pd.DataFrame(
        {"area": [1, 1, 1, 1, 2, 2], "who": [0, 0, 1, 2, 3, 4], "age": [7, 7, 1, 1, 1, 1]}
    )
    roles = {"place": ["area"], "person": ["who"]}
    plan = SwapPlan.of(RecordSwap(), see(frame, RecordSwap(), **roles))
    assert plan.counts[0].tolist() == [1, 2, 2, 2, 2]
    donors = donors_of(frame, RecordSwap(k=2, similar=[[]], swap_rate=0.0), "area", **roles)
    assert donors[0] == donors[1] >= 4


# who trades: shares, risk, chance


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.5])
@pytest.mark.parametrize("targeted", [True, False])
def test_the_share_that_trades_is_the_rate(rate, targeted):
    """Nobody is at risk: exactly so many pairs, up to one more or less by rounding."""
    frame = make_households(2000)
    if targeted:
        method = RecordSwap(similar=[["size"]], risk=["age"], k=0, swap_rate=rate)
        donors = donors_of(frame, method, "district", **ROLES)
        moved = frame["hid"][donors != np.arange(len(frame))].nunique()
        assert abs(moved - 2000 * rate) <= 2
        return
    method = RecordSwap(columns=["rent"], risk=["age"], k=0, swap_rate=rate)
    moved = (donors_of(frame, method, "rent") != np.arange(len(frame))).sum()
    assert abs(moved - len(frame) * rate) <= 2


@pytest.mark.slow
def test_rounding_by_lot_keeps_the_rate_on_average():
    """31 rows in 3 areas at a rate of 0.1: 1.55 trades; 1,000 runs, at an error rate of 1e-6."""
    frame = pd.DataFrame({"area": np.arange(31) % 3, "age": 1})
    method = RecordSwap(k=0, swap_rate=0.1)
    runs = draw_donors(frame, method, "area", 1000, place=["area"])
    counts = [(donors != np.arange(31)).sum() / 2 for donors in runs]
    assert set(counts) == {1, 2}
    assert abs(np.mean(counts) - 1.55) < 4.9 * np.sqrt(0.55 * 0.45 / 1000)


@pytest.mark.slow
def test_who_is_rarer_is_drawn_more_often_in_proportion():
    """Of one area, one is drawn: odds 1 : 1/9 for the rare and each of nine. Error rate 1e-6."""
    frame = pd.DataFrame({"area": [1] * 10 + [2] * 10, "age": [7] + [1] * 9 + [1] * 10})
    method = RecordSwap(k=0, swap_rate=0.2, risk=["age"])
    plan, seed = SwapPlan.of(method, see(frame, method, place=["area"])), Seed.chosen_by_user(1)
    firsts = [plan.trade(seed.within(number)).successes[0] for number in range(3000)]
    expected = 1.0 / (1.0 + 9 / 9)
    assert stats.binomtest(int(np.sum(firsts)), 3000, expected).pvalue > 1e-6


@pytest.mark.slow
def test_partners_of_the_same_risk_are_chosen_alike():
    """One must leave, ten are alike elsewhere: chi-squared, at an error rate of 1e-6."""
    frame = pd.DataFrame({"area": [1] * 3 + [2] * 10, "age": [7, 1, 1] + [1] * 10})
    method = RecordSwap(k=2, swap_rate=0.0, risk=["age"])
    runs = draw_donors(frame, method, "area", 1000, place=["area"])
    found = Counter(int(donors[0]) for donors in runs)
    assert stats.chisquare([found[row] for row in range(3, 13)]).pvalue > 1e-6
    assert sum(found[row] for row in range(3, 13)) == 1000


def test_without_risk_columns_everybody_is_drawn_alike():
    """Twenty records, one trade of two: chi-squared, at an error rate of 1e-6."""
    frame = pd.DataFrame({"town": np.arange(20), "age": [9, *[1] * 19]})
    method = RecordSwap(columns=["town"], risk=[], k=0, swap_rate=0.1)
    moved = np.zeros(20)
    for donors in draw_donors(frame, method, "town", 1000):
        moved += donors != np.arange(20)
    assert moved.sum() == 2000
    assert stats.chisquare(moved).pvalue > 1e-6


# golden values of sdcMicro


@pytest.fixture(scope="module")
def households(shared):
    frame = pd.read_csv(shared / "data" / "households.csv")
    return frame, {"place": PLACES, "household": ["hid"], "keep": ["lau2", "weight"]}


@pytest.mark.parametrize(
    ("risk", "k", "expected"),
    [
        (["hincome"], 3, 154),
        (["ageGroup", "gender", "national"], 3, 5325),
        (["hincome"], 5, 491),
        (["ageGroup", "gender", "national"], 5, 5941),
    ],
)
def test_households_at_risk_are_those_of_sdcmicro(households, risk, k, expected):
    frame, roles = households
    method = RecordSwap(risk=risk, k=k)
    plan = SwapPlan.of(method, see(frame, method, **roles))
    assert plan.levels == tuple(PLACES)
    assert plan.units.count == 6000
    assert [int((counts < k).sum()) for counts in plan.counts] == [0, 0, expected]


def _share_moved(frame, roles, row, seeds):
    method = RecordSwap(
        similar=SIMILAR, risk=row.risk_variables.split("+"), k=int(row.k), swap_rate=row.swap_rate
    )
    data = see(frame, method, **roles)
    first = np.unique(data.household, return_index=True)[1]
    shares = []
    for seed in seeds:
        streams = Seed.chosen_by_user(seed).within("golden", row.Index)
        donors = method.outcome(data, streams, Workers(1)).donors.matrix[first, 0]
        values = [frame[name].to_numpy() for name in reversed(PLACES)]
        shares.append([(one[donors] != one[first]).mean() for one in values])
    return np.array(shares)


def _compare_with_golden(households, shared, rows, error):
    """Welch's test of each mean, so that all of them together are wrong as often as `error`."""
    frame, roles = households
    table = pd.read_csv(shared / "reference" / GOLDEN / "shares.csv").iloc[rows]
    for row in table.itertuples():
        shares = _share_moved(frame, roles, row, range(15))
        for level, name in enumerate(reversed(PLACES)):
            mean, sd = getattr(row, f"moved_{name}"), getattr(row, f"sd_{name}")
            own = shares[:, level]
            if sd == 0.0:
                assert np.abs(own - mean).max() < 1e-9
                continue
            test = stats.ttest_ind_from_stats(
                own.mean(), own.std(ddof=1), 15, mean, sd, 15, equal_var=False
            )
            assert test.pvalue > error / (3 * len(table)), (row, name, own.mean())


@pytest.mark.slow
def test_shares_that_moved_are_those_of_sdcmicro(households, shared):
    """Some of the settings; a false alarm in 1,000 such tests."""
    _compare_with_golden(households, shared, [0, 3, 12, 18], 1e-3)


@pytest.mark.slow
def test_shares_that_moved_are_those_of_sdcmicro_in_all_settings(households, shared):
    """A false alarm in 1,000 such tests."""
    _compare_with_golden(households, shared, slice(None), 1e-3)


def test_areas_of_the_golden_file_keep_their_counts(households):
    frame, roles = households
    method = RecordSwap(similar=SIMILAR, risk=["ageGroup", "gender", "national"], k=3)
    donors = donors_of(frame, method, "nuts3", **roles)
    moved = frame.assign(nuts3=frame["nuts3"].to_numpy()[donors])
    assert (moved["nuts3"] != frame["nuts3"]).mean() > 0.9
    for names in (["nuts3"], ["nuts3", "hsize"]):
        before, after = (one.drop_duplicates("hid").value_counts(names) for one in (frame, moved))
        assert before.sort_index().equals(after.sort_index())


# settings


def test_profiles_are_lists_of_columns_in_order_of_preference():
    assert RecordSwap(similar=["a", "b"]).similar == (("a", "b"),)
    assert RecordSwap(similar=[["a", "b"], ["a"]]).similar == (("a", "b"), ("a",))
    read = RecordSwap.from_settings({"similar": "a, b;a", "risk": "", "k": "5"})
    assert read.similar == (("a", "b"), ("a",))
    assert read.risk == ()
    assert read.settings()["similar"] == [["a", "b"], ["a"]]
    assert RecordSwap.from_settings(read.settings()) == read


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": -1}, "`k` must be a whole number, 0 or more"),
        ({"k": 2.5}, "`k` must be a whole number, 0 or more"),
        ({"swap_rate": 5}, r"`swap_rate` must be in \[0, 1\]"),
        ({"swap_rate": -0.1}, r"`swap_rate` must be in \[0, 1\]"),
        ({"similar": "size"}, "`similar` must be names of columns, or lists"),
        ({"similar": []}, "`similar` must be names of columns, or lists"),
        ({"similar": [["a", "a"]]}, "`similar` must be names of columns, or lists"),
        ({"risk": ["a", "a"]}, "`risk` must be names of columns, each once"),
        ({"hierarchy": []}, "`hierarchy` must be names of columns"),
        ({"k": 0, "swap_rate": 0}, "nobody would trade"),
        ({"hierarchy": ["a"], "columns": ["a", "b"]}, "in `hierarchy` and in `columns`"),
    ],
)
def test_settings_outside_their_domain_are_refused(settings, message):
    with pytest.raises(ParameterError, match=message):
        RecordSwap(**settings)


def test_it_says_truly_which_columns_it_masks():
    frame = make_households()
    schema = schema_of(frame, **ROLES)
    targeted = RecordSwap(columns=["rent"])
    assert [c.name for c in schema if targeted.masks(c)] == ["region", "district", "rent"]
    assert "age" not in [c.name for c in schema if targeted.masks(c)]
