from __future__ import annotations

import pytest

import swapmeet as sm
from swapmeet.comparison.comparison import Comparison
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata


@pytest.fixture(scope="session")
def compared():
    """The comparison of two frames whose rows are in the same order."""

    def comparison(original, released, schema=None):
        schema = sm.Schema.infer(original) if schema is None else schema
        one, other = Microdata.of_both(Table(original), Table(released), schema.columns)
        return Comparison(one, other, schema.masked, schema.masked)

    return comparison
