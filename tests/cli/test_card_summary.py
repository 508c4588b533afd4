from __future__ import annotations

from swapmeet.measures.default_limits import LOSSES
from swapmeet.measures.registry import MEASURES
from swapmeet.tuning.goal import DEFAULT_LOSS


def test_the_opening_tells_what_a_search_minimises():
    assert set(DEFAULT_LOSS) <= set(LOSSES) <= set(MEASURES)
