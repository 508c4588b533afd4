from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import combinations

import matplotlib
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.methods import METHODS
from swapmeet.plots.style import (
    LOOK,
    ORIGINAL,
    RELEASED,
    SERIES,
    STROKES,
    assign,
    assign_strokes,
    describe_runs,
    diverging,
    draw_legend,
    has_interval,
    look,
    sequential,
    sheet,
)


def lightness(colour):
    """CIE L*, from 0 (black) to 100 (white)."""
    rgb = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in rgb]
    return 116 * (0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]) ** (1 / 3) - 16


def test_series_differ_in_greyscale():
    assert len(SERIES) <= 6
    for one, other in combinations(SERIES, 2):
        assert abs(lightness(one.colour) - lightness(other.colour)) > 10
    assert abs(lightness(ORIGINAL.colour) - lightness(RELEASED.colour)) > 35


def test_series_differ_without_any_colour():
    for field in ("marker", "dash"):
        assert len({str(getattr(stroke, field)) for stroke in SERIES}) == len(SERIES)


def test_the_look_holds_inside_the_context_only():
    before = matplotlib.rcParams["svg.fonttype"]
    with look():
        assert {key: matplotlib.rcParams[key] for key in LOOK} == LOOK
    assert matplotlib.rcParams["svg.fonttype"] == before


def test_scales_of_colours_run_from_end_to_end():
    middle = diverging(21)(0.5)
    assert middle == pytest.approx((1.0, 1.0, 1.0, 1.0), abs=1e-6)
    lights = [lightness(matplotlib.colors.to_hex(sequential(16)(i))) for i in range(16)]
    assert lights == sorted(lights, reverse=True)


def test_importing_plots_does_not_load_matplotlib():
    modules = "correlations crowding distributions influence loadings scree selectivity style svg"
    code = "\n".join(f"import swapmeet.plots.{name}" for name in modules.split())
    code += (
        "\nimport sys; print([m for m in ('matplotlib', 'pandas', 'scipy') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


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


def test_runs_are_counted_in_words(small, once):
    assert describe_runs(small.candidates) == "median over 3 runs"
    assert describe_runs(once.candidates) == "one run"
    assert describe_runs([*small.candidates, *once.candidates]) == "median over 1 to 3 runs"


def test_candidates_that_failed_did_not_run(small):
    failed = [c for c in small.candidates if c.failure]
    assert failed
    assert describe_runs(failed) == describe_runs([]) == "no run"


def test_one_run_has_no_interval(small, once):
    assert not any(map(has_interval, once.candidates))
    several = next(c for c in small.candidates if not c.failure)
    assert has_interval(several)
    assert not has_interval(
        replace(several, repeats={n: v[:1] for n, v in several.repeats.items()})
    )
