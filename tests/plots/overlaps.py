"""Which labels of a drawn figure touch each other."""

from __future__ import annotations

from itertools import combinations


def find_overlaps(figure):
    """Pairs of tick labels, of the same axis or of neighbouring panels, whose boxes overlap."""
    figure.draw_without_rendering()
    found = []
    for axes in figure.axes:
        if axes.axison and axes.get_visible():
            found += [label for axis in (axes.xaxis, axes.yaxis) for label in labels_of(axis)]
    boxes = [(label.get_text(), label.get_window_extent()) for label in found]
    return [
        (one, other)
        for (one, box), (other, another) in combinations(boxes, 2)
        if box.overlaps(another)
    ]


def labels_of(axis):
    """The tick labels that are there to be read: matplotlib has some beyond the ends."""
    low, high = sorted(axis.get_view_interval())
    return [
        tick.label1
        for tick in axis.get_major_ticks()
        if tick.label1.get_text() and tick.label1.get_visible() and low <= tick.get_loc() <= high
    ]


def find_clipped(figure):
    """Tick labels that reach beyond the paper."""
    figure.draw_without_rendering()
    paper = figure.bbox
    return [
        label.get_text()
        for axes in figure.axes
        if axes.axison and axes.get_visible()
        for axis in (axes.xaxis, axes.yaxis)
        for label in labels_of(axis)
        if not paper.padded(1.0).fully_contains(*label.get_window_extent().min)
        or not paper.padded(1.0).fully_contains(*label.get_window_extent().max)
    ]
