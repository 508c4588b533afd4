"""Wide tables: fewer people, pairs and secrets are looked at, and the scores say so."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.base.seeds import Seed
from swapmeet.comparison import table_size as wide_tables
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import SAMPLED
from swapmeet.comparison.table_size import TOO_FEW, draw_pairs, limit_people
from swapmeet.intruders.guesses import secrets
from swapmeet.intruders.guesses import secrets as parts
from swapmeet.intruders.links import family
from swapmeet.measures import scoring
from swapmeet.measures.risk import dr3
from swapmeet.tables.microdata import Microdata

STREAMS = Seed.chosen_by_user(1).within("test")


def make(rows=300, columns=12, seed=1):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=rows)
    table = pd.DataFrame({f"x{j}": common + rng.normal(size=rows) for j in range(columns)})
    for j in range(0, columns, 3):
        table[f"c{j}"] = np.array([*"abcd"])[
            np.clip((common + rng.normal(size=rows)).round().astype(int) + 1, 0, 3)
        ]
    return table


@pytest.fixture(scope="module")
def masked():
    table = make()
    return table, sm.mask(table, sm.SJPPDS(bins=5), seed=1)


def test_of_a_narrow_table_as_many_people_are_linked_as_are_asked_for():
    assert limit_people(20_000, 10**6, wide_tables.WIDE) == 20_000
    assert limit_people(None, 10**6, 10_000) is None


def test_the_work_of_linking_people_in_a_wide_table_is_bounded():
    for rows, columns in [(20_000, 800), (5_000, 4_000), (200_000, 120)]:
        people = limit_people(20_000, rows, columns)
        assert people * rows * columns <= wide_tables.WORK or people == wide_tables.FEWEST


def test_few_pairs_are_all_looked_at_and_of_many_some():
    assert draw_pairs(100, STREAMS, 100) is None
    drawn = draw_pairs(1_000, STREAMS, 100)
    assert len(np.unique(drawn)) == 100
    assert (np.diff(drawn) > 0).all()


def test_fewer_people_are_linked_in_a_wide_table_and_the_score_says_so(masked, monkeypatch):
    table, release = masked
    whole = sm.assess(table, release, measures=["pscr"])["pscr"]
    assert "randomly chosen" not in whole.sentence
    monkeypatch.setattr(wide_tables, "WIDE", 10)
    monkeypatch.setattr(wide_tables, "WORK", 100 * len(table) * table.shape[1])
    monkeypatch.setattr(wide_tables, "FEWEST", 5)
    some = sm.assess(table, release, measures=["pscr"])["pscr"]
    assert some.sentence.endswith(" This is estimated from 100 randomly chosen people.")
    assert some.interval[0] <= whole.value <= some.interval[1]
    everybody = sm.assess(table, release, measures=["pscr"], at_most=None)["pscr"]
    assert (everybody.value, everybody.sentence) == (whole.value, whole.sentence)


@pytest.mark.parametrize("name", ["associations", "relations"])
def test_of_many_pairs_some_are_looked_at_and_the_score_says_so(name, masked, monkeypatch):
    """The interval holds the value of all pairs in 95 of 100 samples; in this one it does."""
    table, release = masked
    whole = sm.assess(table, release, measures=[name])[name]
    assert whole.interval is None
    assert "possible pairs" not in whole.details
    monkeypatch.setattr(wide_tables, "MOST_PAIRS", 60)
    some = sm.assess(table, release, measures=[name])[name]
    assert some.details["pairs"] == 60
    assert some.details["possible pairs"] == 16 * 15 // 2
    assert some.sentence.endswith(" This is from 60 of 120 pairs, drawn at random.")
    assert some.interval[0] <= whole.value <= some.interval[1]
    assert some.value == pytest.approx(whole.value, abs=0.1)


def test_every_pair_is_drawn_equally_often():
    """Within 5 standard errors of each of 120 counts; chance exceeds that once in 10,000 runs."""
    counts = np.zeros(120)
    for number in range(400):
        drawn = draw_pairs(120, Seed.chosen_by_user(number).within("test"), 30)
        counts[drawn] += 1
    expected, sd = 100.0, np.sqrt(400 * 0.25 * 0.75)
    assert np.abs(counts - expected).max() < 5 * sd


def test_some_secrets_of_a_wide_table_are_guessed_and_the_verdict_does_not_rest_on_them(
    masked, monkeypatch
):
    table, release = masked
    for module in (secrets, parts):
        monkeypatch.setattr(module, "WIDE", 10)
    monkeypatch.setattr(secrets, "MOST_SECRETS", 3)
    card = sm.assess(table, release, measures=["inference"], limits={"inference": 1.0})
    score = card["inference"]
    assert "3 of 16 columns, drawn at random, were guessed" in score.sentence
    assert score.hidden == SAMPLED
    assert "sample of the rows or columns" in card.verdict.sentence + " ".join(
        reason.why_undecided for reason in card.verdict.reasons
    )
    named = sm.assess(table, release, measures=["inference"], sensitive=["x1"])["inference"]
    assert not named.hidden


def test_intruders_of_a_wide_table_choose_among_the_columns_that_tell_most(masked, monkeypatch):
    """Those who go by all columns are still there: the worst is at least as bad as they are."""
    table, release = masked
    monkeypatch.setattr(family, "WIDE", 10)
    monkeypatch.setattr(family, "MOST_CHOSEN", 4)
    tried = []
    plain = family.choose_subset
    monkeypatch.setattr(
        family,
        "choose_subset",
        lambda scores, *more: tried.append(len(scores)) or plain(scores, *more),
    )
    score = sm.assess(table, release, measures=["linkage"])["linkage"]
    assert set(tried) == {4}
    others = [one for one in score.details["intruders"] if "tell most" not in str(one)]
    assert len(others) >= 4


def test_a_wide_table_is_sorted_by_some_columns_and_dr3_says_so(masked, monkeypatch):
    table, release = masked
    whole = sm.assess(table, release, measures=["dr3"])["dr3"]
    monkeypatch.setattr(dr3, "WIDE", 10)
    some = sm.assess(table, release, measures=["dr3"])["dr3"]
    assert not whole.hidden
    assert some.hidden
    assert "5 of 12 columns, drawn at random, were used for sorting" in some.sentence
    tried = {key: value for key, value in some.details.items() if key.startswith("sorted by")}
    assert len(tried) == 5
    assert tried.items() <= whole.details.items()


def test_a_large_table_has_the_scores_that_it_has_without_dropping_shared_work(masked, monkeypatch):
    table, release = masked
    names = ["correlations", "pscr", "dbrl", "rid", "margins", "loadings"]
    whole = sm.assess(table, release, measures=names)
    monkeypatch.setattr(scoring, "MANY_CELLS", 100)
    again = sm.assess(table, release, measures=names)
    assert [*again.scores] == [*whole.scores]
    assert all(again[name].value == whole[name].value for name in names)


def test_work_that_measures_shared_is_done_anew_once_it_is_dropped():
    done = []
    table = Microdata((), np.zeros(3, np.int32))
    comparison = Comparison(table, table, (), ())
    for _ in range(2):
        comparison.once(done.append)
    comparison.forget()
    comparison.once(done.append)
    assert len(done) == 2


@pytest.mark.parametrize(("rows", "decided"), [(8, False), (TOO_FEW, True)])
def test_few_rows_are_never_called_safe(rows, decided):
    people = pd.DataFrame({"age": range(20, 20 + rows), "sex": ["f", "m"] * (rows // 2)})
    release = sm.mask(people, sm.MatchedSwap(k=4), keep=["sex"])
    verdict = sm.assess(people, release, measures=["pscr"], limits={"pscr": 1.0}).verdict
    assert verdict.safe == decided
    if not decided:
        assert verdict.sentence.startswith("Not decided under your limits: there are only 8 rows")
        assert len(verdict.advice) == 1
        assert verdict.advice[0].startswith("Nothing can be advised: there are only 8 rows, and")


def test_a_search_on_eight_rows_advises_nothing():
    people = pd.DataFrame({"age": range(20, 28), "sex": ["f", "m"] * 4})
    study = sm.tune(people, ["matched-swap:k=2|4"], limit={}, repeats=1, final_repeats=1,
                    goal=sm.Goal(risk={"pscr": 1.0}, loss={"margins": 1.0}), workers=1)  # fmt: skip
    assert study.choice.sentences[0].startswith("Nothing can be advised: there are only 8 rows")
