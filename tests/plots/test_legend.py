from __future__ import annotations

from swapmeet.plots.style import draw_legend, look, sheet


def test_the_original_comes_first_whatever_was_drawn_first_and_more_comes_last():
    with look():
        figure = sheet(2.0)
        axes = figure.subplots()
        axes.plot([0, 1], [1, 2], label="release")
        axes.plot([0, 1], [1, 2], label="original")
        draw_legend(figure, [("#eeeeee", "open"), ("", "? missing")])
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words == ["original", "release", "open", "? missing"]


def test_where_nothing_is_drawn_nothing_is_explained():
    with look():
        figure = sheet(2.0)
        figure.subplots()
        draw_legend(figure, [("", "? missing")])
    assert figure.legends[0].get_texts() == []
