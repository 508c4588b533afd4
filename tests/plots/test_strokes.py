from __future__ import annotations

from swapmeet.plots.strokes import assign_strokes


def test_each_method_that_was_tried_has_a_stroke(small):
    assert set(assign_strokes(small)) == {"rwn", "sjppds"}


def test_no_two_methods_look_alike(crowded):
    strokes = assign_strokes(crowded)
    assert len(strokes) == 8
    assert len({(s.colour, s.marker) for s in strokes.values()}) == 8
    assert len({s.marker for s in strokes.values()}) == 8
