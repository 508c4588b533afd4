from __future__ import annotations

import json

import pandas as pd
import pytest
from sdcmicro_golden import SETS, numbers, table

from swapmeet.comparison.comparison import Comparison
from swapmeet.errors import ParameterError
from swapmeet.measures.risk.interval_sd import IntervalSD


def interval_sd(original, released, *widths):
    names = tuple(original)
    comparison = Comparison(numbers(original), numbers(released), names, names)
    return [IntervalSD(k=k).score(comparison) for k in widths]


def test_the_interval_is_closed_and_that_of_the_release():
    """Released -1, 0, 1 have standard deviation 1; the original is 0, 0.25 and 0.5 away."""
    original = pd.DataFrame({"x": [-1.0, 0.25, 1.5]})
    released = pd.DataFrame({"x": [-1.0, 0.0, 1.0]})
    scores = interval_sd(original, released, 0.0, 0.24, 0.25, 0.5)
    assert [score.records.sum() for score in scores] == [1.0, 1.0, 2.0, 3.0]
    assert scores[2].value == pytest.approx(2 / 3)


def test_the_default_is_that_of_sdcmicro():
    assert IntervalSD().k == 0.05


def test_a_negative_width_is_refused():
    with pytest.raises(ParameterError, match="`k` must be a finite number, 0 or more; got -1"):
        IntervalSD(k=-1)


@pytest.mark.parametrize("name", SETS)
def test_shares_are_exactly_those_of_sdcmicro(shared, name):
    folder = shared / "reference" / "sdcmicro" / name
    original = table(shared, name)
    compared = 0
    for file in ("mdav", "onedims_and_pca"):
        golden = folder / f"dRisk_dRiskRMD_dUtility_of_{file}_pairs.json"
        for pair, figures in json.loads(golden.read_text()).items() if golden.exists() else ():
            released = pd.read_csv(folder / f"microaggregation_{pair}_mx.csv")
            widths = [float(key.removeprefix("k=")) for key in figures["dRisk"]]
            scores = interval_sd(original, released.set_axis(original.columns, axis=1), *widths)
            assert [score.value for score in scores] == list(figures["dRisk"].values()), pair
            compared += len(widths)
    assert compared >= 30
