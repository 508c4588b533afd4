"""Links by whoever knows the method and one person only."""

import warnings

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm

WAY = "takes the row that fits the person better than anybody like the released rows"


def _share(frame, release, **options):
    score = sm.assess(frame, release, measures=["linkage"], **options)["linkage"]
    found = {one["way"]: one for one in score.details["intruders"]}
    return found.get(WAY)


def _people(n=300, seed=1):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({name: rng.normal(size=n) for name in "abcdef"})


def _mask(frame, method, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sm.mask(frame, method, seed=1, **options)


@pytest.mark.parametrize(
    ("method", "least"), [(sm.RankSwap(window=0.15), 0.3), (sm.SJPPDS(bins=8), 0.5)], ids=str
)
def test_the_release_tells_ranks_and_bins_as_well_as_the_people_do(method, least):
    frame = _people()
    one = _share(frame, _mask(frame, method))
    assert one["share"] > least
    assert one["level"] == "target"
    assert one["knows how it was masked"]


def test_columns_that_stay_count_as_well():
    frame = _people().assign(place=np.arange(300.0))
    schema = sm.Schema.infer(frame).assign(keep=["place"])
    release = _mask(frame, sm.RankSwap(window=0.9), schema=schema)
    assert _share(frame, release, schema=schema, known=list(frame.columns))["share"] == 1.0


def test_without_the_method_nobody_tries():
    frame = _people(60)
    assert _share(frame, frame + 0.1, match="rows") is None
