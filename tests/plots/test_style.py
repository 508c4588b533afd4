from __future__ import annotations

import subprocess
import sys
from itertools import combinations

import matplotlib
import pytest

from swapmeet.plots.style import LOOK, ORIGINAL, RELEASED, SERIES, diverging, look, sequential


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
