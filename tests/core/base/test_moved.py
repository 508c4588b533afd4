from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

import swapmeet as sm
from swapmeet.core.base.moved import MOVED, MovedModules

NAMES = [(module, old, new) for module, names in MOVED.items() for old, new in names.items()]


def load(path):
    home, _, name = path.rpartition(".")
    return getattr(import_module(home), name)


@pytest.mark.parametrize(("module", "old", "new"), NAMES)
def test_an_old_path_leads_to_the_thing_and_names_the_new_path(module, old, new):
    with pytest.warns(DeprecationWarning, match=rf"{module}\.{old} has moved: use {new}\."):
        found = getattr(import_module(module), old)
    assert found is load(new)


def test_an_old_import_warns_where_it_stands():
    with pytest.warns(DeprecationWarning, match="use swapmeet.mask_file") as caught:
        from swapmeet.streaming import mask_file
    assert mask_file is sm.mask_file
    assert caught[0].filename == __file__


def test_other_names_and_modules_are_missing_as_ever():
    with pytest.raises(ImportError, match="cannot import name 'unheard_of'"):
        from swapmeet.streaming import unheard_of  # noqa: F401
    with pytest.raises(ModuleNotFoundError):
        import_module("swapmeet.unheard_of")
    with pytest.raises(ModuleNotFoundError):
        import_module("swapmeet.utility.unheard_of")


def test_new_paths_are_found_before_the_table_of_old_ones_is_asked():
    assert sys.meta_path.count(MovedModules) == 1
    assert MovedModules.find_spec("swapmeet.masking") is None


def test_nothing_old_is_loaded_unless_it_is_asked_for():
    code = f"import sys, swapmeet; print([m for m in {list(MOVED)} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
