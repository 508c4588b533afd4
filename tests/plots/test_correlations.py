from __future__ import annotations

import numpy as np
import pytest

from swapmeet.measures.side_by_side.profile import CorrelationMatrices
from swapmeet.plots.correlations import draw
from swapmeet.plots.svg import to_svg


def matrices(size, hidden=()):
    rng = np.random.default_rng(size)
    both = []
    for _ in range(2):
        m = np.corrcoef(rng.normal(size=(size, 3 * size)))
        both.append(
            tuple(
                tuple(None if (i, j) in hidden else float(m[i, j]) for j in range(size))
                for i in range(size)
            )
        )
    return CorrelationMatrices(tuple(f"column {i}" for i in range(size)), *both)


def meshes(figure):
    panels = [axes for axes in figure.axes if axes.get_title("left")]
    return {axes.get_title("left"): axes.collections[0] for axes in panels}


@pytest.mark.parametrize("size", [2, 7, 14])
def test_three_heat_maps_show_the_matrices_on_one_scale(size):
    found = matrices(size)
    drawn = meshes(draw(found))
    before, after = np.array(found.original), np.array(found.released)
    assert list(drawn) == ["original", "release", "release − original"]
    for mesh, matrix in zip(drawn.values(), (before, after, after - before), strict=True):
        assert np.asarray(mesh.get_array()) == pytest.approx(matrix)
        assert mesh.get_clim() == (-1.0, 1.0)


def test_values_are_written_where_there_is_room():
    axes = draw(matrices(3)).axes[0]
    written = [text.get_text() for text in axes.texts]
    assert len(written) == 9
    assert written[0] == "1"
    assert all(
        text in {"−", "·"} for text in (t.get_text() for t in draw(matrices(14)).axes[0].texts)
    )


def test_what_is_not_told_is_a_dot():
    drawn = draw(matrices(3, hidden=[(0, 1)]))
    assert drawn.axes[0].texts[1].get_text() == "·"
    assert np.ma.getmaskarray(drawn.axes[0].collections[0].get_array())[0, 1]


@pytest.mark.slow
def test_of_many_columns_the_first_are_drawn_and_it_says_so():
    figure = draw(matrices(45))
    assert np.asarray(meshes(figure)["original"].get_array()).shape == (40, 40)
    assert figure.get_suptitle() == "the first 40 of 45 columns"


def test_columns_are_named_on_both_axes_and_nothing_is_a_raster():
    figure = draw(matrices(3))
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == ["column 0", "column 1", "column 2"]
    assert "<image" not in to_svg(figure, title="Correlations", description="")
