"""Methods with settings, for tests that run over all methods; each test module has its own."""

from __future__ import annotations

from importlib import import_module

import pytest

from swapmeet.methods import METHODS

EXAMPLES = {name: import_module(f"test_{name.replace('-', '_')}").EXAMPLES for name in METHODS}
METHOD_EXAMPLES = [
    pytest.param(method, id=f"{name}-{number}")
    for name, methods in EXAMPLES.items()
    for number, method in enumerate(methods)
]
FIRST_EXAMPLES = [
    pytest.param(*example.values, id=example.id, marks=marks)
    for example in METHOD_EXAMPLES
    for marks in [() if example.id.endswith("-0") else pytest.mark.slow]
]
"""All of them; every day only the first of each method."""
EVERYDAY_EXAMPLES = [example for example in FIRST_EXAMPLES if example.id.endswith("-0")]
"""The first of each method."""
BLOCK_EXAMPLES = [example for example in FIRST_EXAMPLES if not example.values[0].needs_all_rows]
"""Those that can mask a table block by block."""
