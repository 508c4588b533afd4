from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata

from swapmeet.base.ranks import rank_by_middle

FEW = st.integers(-3, 3).map(float)
ANY = st.floats(allow_nan=False)


@given(arrays(np.float64, st.integers(0, 40), elements=FEW | ANY))
def test_ranks_are_those_of_scipy(values):
    np.testing.assert_array_equal(rank_by_middle(values), rankdata(values))


@pytest.mark.parametrize("kind", [np.int64, np.int8, np.float32, bool])
def test_every_type_of_number_has_ranks(kind):
    values = np.array([1, 0, 1, 1, 0]).astype(kind)
    assert rank_by_middle(values).tolist() == [4.0, 1.5, 4.0, 4.0, 1.5]
