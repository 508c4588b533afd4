from __future__ import annotations

from itertools import pairwise

from overlaps import find_overlaps

from swapmeet.measures.side_by_side.distribution import Distribution, name_rank
from swapmeet.plots.categories import draw

LEVELS = Distribution(
    "town", "nominal", None, ("1st", "2nd", "others", "missing"), (40, 20, 10, 12), (39, 21, 11, 11)
)
MANY = Distribution(
    "a town with a name that is longer than its panel", "nominal", None,
    (*map(name_rank, range(1, 21)), "others or missing"), tuple(range(70, 49, -1)), (60,) * 21,
)  # fmt: skip
NUMBERS = Distribution("wage", "numeric", (2.0,), ("a", "b"), (30, 20), (25, 26))
FEW = Distribution("few", "nominal", None, (), (), ())


def test_bars_show_the_original_and_markers_the_release():
    axes = draw([LEVELS]).axes[0]
    assert [bar.get_width() for bar in axes.containers[0]] == list(LEVELS.original)
    assert axes.lines[0].get_xdata().tolist() == list(LEVELS.released)
    assert axes.lines[0].get_ydata().tolist() == [0, 1, 2, 3]


def test_categories_are_called_by_their_rank_and_the_legend_says_so():
    figure = draw([LEVELS])
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == list(LEVELS.labels)
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words == ["original", "release", "1st, 2nd, …: by frequency in the original"]


def test_bars_do_not_touch():
    axes = draw([MANY]).axes[0]
    bars = [(bar.get_y(), bar.get_y() + bar.get_height()) for bar in axes.containers[0]]
    assert all(one[1] < other[0] for one, other in pairwise(bars))


def test_bars_of_a_row_are_equally_thick():
    one, other = draw([LEVELS, MANY]).axes[:2]
    assert one.get_ylim() == other.get_ylim()


def test_only_nominal_columns_are_drawn_and_those_with_many_levels_first():
    figure = draw([LEVELS, NUMBERS, MANY, FEW])
    titles = [axes.get_title("left") for axes in figure.axes]
    assert titles == ["a town with a nam…ts panel", "town", "few"]
    assert figure.axes[2].texts[0].get_text() == "fewer than 10 rows"


def test_labels_do_not_touch():
    assert find_overlaps(draw([MANY, LEVELS, LEVELS, MANY])) == []


def test_no_column_no_panel():
    assert not draw([NUMBERS]).axes


NAMED = Distribution(
    "district", "nominal", None, ("1st", "2nd", "others"), (40, 20, 10), (39, 21, 10),
    names=("Groß-Österreichisches\nÜbergangsgebiet im Süden", "−9", "others"),
)  # fmt: skip


def test_insiders_who_ask_for_it_see_names_that_fit():
    figure = draw([NAMED, LEVELS, NAMED], by_name=True)
    labels = [t.get_text() for t in figure.axes[1].get_yticklabels()]
    assert labels == ["Groß-Österreichisc… im Süden", "−9", "others"]
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == list(LEVELS.labels)
    assert find_overlaps(figure) == []


def test_without_being_asked_no_name_is_drawn():
    labels = [t.get_text() for t in draw([NAMED]).axes[0].get_yticklabels()]
    assert labels == ["1st", "2nd", "others"]


def test_ranks_are_explained_where_they_stand():
    words = [text.get_text() for text in draw([NAMED], by_name=True).legends[0].get_texts()]
    assert words == ["original", "release"]
