from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.methods import METHODS
from swapmeet.plots.style import STROKES, assign, assign_strokes


def test_each_method_that_was_tried_has_a_stroke(small):
    assert set(assign_strokes(small)) == {"rwn", "sjppds"}


def test_every_method_has_its_own_colour_and_its_own_marker():
    assert set(METHODS) <= set(STROKES)
    assert len({s.colour for s in STROKES.values()}) == len(STROKES)
    assert len({s.marker for s in STROKES.values()}) == len(STROKES)


def test_a_method_looks_the_same_in_every_study(study_of, crowded):
    alone = assign_strokes(study_of({sm.Noise(): (0.1, 0.2)}))
    assert alone["noise"] == assign_strokes(crowded)["noise"]


@given(st.sets(st.text(min_size=1, max_size=8), min_size=1, max_size=8))
def test_methods_from_elsewhere_differ_and_do_not_depend_on_order(names):
    found = assign(sorted(names))
    assert found == assign(sorted(names, reverse=True))
    assert not any(one == other for one, other in combinations(found.values(), 2))


def test_a_method_from_elsewhere_keeps_its_look_beside_others():
    assert assign(["mine"])["mine"] == assign(["rwn", "mine", "noise"])["mine"]
