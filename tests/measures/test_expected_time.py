"""Slow measures are named before they begin, and only on tables where they are slow."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.comparison.table_size import limit_people
from swapmeet.measures import scoring as expected_time
from swapmeet.measures.registry import MEASURES
from swapmeet.measures.scoring import expect_seconds, name_slow


def table_of(rows, columns, at_most=20_000):
    names = tuple(f"x{j}" for j in range(columns))
    people = limit_people(at_most, rows, columns)
    return SimpleNamespace(n=rows, known=names, numeric=names[: columns // 2], people=people)


@pytest.mark.parametrize(("rows", "columns"), [(442, 10), (1_080, 13), (10**6, 12), (2_000, 100)])
def test_of_common_tables_nothing_is_called_slow(rows, columns):
    assert name_slow(table_of(rows, columns), MEASURES) == ""


def test_of_a_wide_table_slow_measures_are_named_the_slowest_first():
    line = name_slow(table_of(20_000, 800), MEASURES)
    assert line.startswith("slow on this table: linkage, inference")
    assert "min of CPU time" in line
    assert "margins" not in line


def test_only_measures_that_are_asked_for_are_named():
    assert name_slow(table_of(20_000, 800), ["margins", "pscr"]) == ""
    assert "inference" not in name_slow(table_of(20_000, 800), ["linkage"])


def test_who_wants_everybody_linked_is_told_what_that_takes():
    assert "pscr" in name_slow(table_of(200_000, 50, at_most=None), ["pscr"])


def test_all_that_is_expected_to_take_long_are_measures():
    assert set(expect_seconds(table_of(20_000, 800))) <= set(MEASURES)


class Listener:
    def __init__(self):
        self.heard = []

    def __call__(self, label, done, total):
        self.heard.append((label, done, total))

    def tell(self, news):
        self.heard.append(news)


@pytest.mark.parametrize("ask", ["assess", "compare"])
def test_whoever_watches_hears_it_before_the_first_measure_ends(ask, monkeypatch):
    monkeypatch.setattr(expected_time, "SLOW", 0.0)
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.normal(size=(60, 14)), columns=[f"x{j}" for j in range(14)])
    release, listener = sm.mask(table, sm.SJPPDS(bins=4), seed=1), Listener()
    releases = [release] * (2 if ask == "compare" else 1)
    getattr(sm, ask)(table, *releases, measures=["pscr"], limits={}, progress=listener)
    news = [at for at, one in enumerate(listener.heard) if "slow on this table: pscr" in one]
    ended = [at for at, one in enumerate(listener.heard) if one == ("measures", 1, 1)]
    assert len(news) == len(ended) == len(releases)
    assert all(one < other for one, other in zip(news, ended, strict=True))
