from __future__ import annotations

import itertools

import pytest

import swapmeet as sm
from swapmeet.tables.schema_union import name_differing, unite_schemas


def make_schema(role):
    return sm.Schema((sm.Column("age", "numeric", role), sm.Column("sex", "nominal", "key")))


@pytest.mark.parametrize(("one", "two"), list(itertools.product(sm.Role, sm.Role)))
def test_the_order_does_not_matter_and_nothing_is_dropped_that_one_publishes(one, two):
    first, second = make_schema(one), make_schema(two)
    united = unite_schemas(first, second)["age"].role
    assert united is unite_schemas(second, first)["age"].role
    assert united in {one, two}
    assert (united is sm.Role.DROP) == (one is two is sm.Role.DROP)
    assert (united is sm.Role.KEY) == (sm.Role.KEY in {one, two})


def test_columns_with_other_roles_are_named():
    assert name_differing(make_schema("key"), make_schema("drop")) == ("age",)
    assert name_differing(make_schema("key"), make_schema("key")) == ()
