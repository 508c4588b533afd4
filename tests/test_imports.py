from __future__ import annotations

import subprocess
import sys

import pytest

import swapmeet as sm

HEAVY = (
    "jinja2",
    "matplotlib",
    "numba",
    "optuna",
    "pandas",
    "polars",
    "pyarrow",
    "randomgen",
    "scipy",
    "sklearn",
    "statsmodels",
)


@pytest.mark.parametrize(
    "statement",
    [
        "import swapmeet",
        "import swapmeet.methods",
        "import swapmeet.running.masking",
        "import swapmeet as sm; sm.RWN(k=5); sm.METHODS; sm.mask; sm.Schema",
    ],
)
def test_unused_libraries_stay_unimported(statement):
    code = f"{statement}\nimport sys\nprint([m for m in {HEAVY} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_numpy_is_loaded_with_the_first_name_that_needs_it():
    shown = "print('numpy' in sys.modules)"
    code = f"import swapmeet, sys; {shown}; swapmeet.RWN; {shown}"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]


def test_every_method_is_a_public_name():
    assert {method.__name__ for method in sm.METHODS.values()} < set(sm.__all__)
    assert all(getattr(sm, method.__name__) is method for method in sm.METHODS.values())


@pytest.mark.slow
def test_masking_does_not_load_what_it_does_not_use():
    code = (
        "import polars as pl, swapmeet as sm, sys\n"
        "frame = pl.DataFrame({'x': [float(i) for i in range(20)]})\n"
        "sm.mask(frame, sm.RWN(k=3)).shuffled()\n"
        "print([m for m in ('sklearn', 'statsmodels') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("name", sm.__all__)
def test_every_public_name_can_be_loaded(name):
    assert getattr(sm, name) is not None
    assert name in dir(sm)


def test_other_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'maks'"):
        sm.maks  # noqa: B018


@pytest.mark.slow
def test_whoever_masks_and_assesses_a_frame_in_memory_never_enters_the_other_engines():
    code = (
        "import pandas as pd, swapmeet as sm, sys, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "frame = pd.DataFrame({'x': [float(i) for i in range(20)]})\n"
        "sm.assess(frame, sm.mask(frame, sm.RWN(k=3)), measures=['pscr'])\n"
        "names = ('swapmeet.engines.spark', 'swapmeet.engines.files.mask')\n"
        "print([m for m in sys.modules if m.startswith(names)])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_figures_are_listed():
    assert {"risk_utility_map", "save"} <= set(dir(sm.plots))
    assert all(getattr(sm.plots, name) for name in dir(sm.plots))
