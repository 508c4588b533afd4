"""What ties columns to each other."""

from __future__ import annotations

from swapmeet.tables.schema import Column, Kind, Schema
from swapmeet.tables.ties import Ties


def test_ties_are_added_to_those_there_and_each_once():
    schema = Schema(tuple(Column(name, Kind.NUMERIC) for name in "abc"))
    one = schema.assign(together=["a, b"], rule="a < b")
    two = one.assign(together=[("a", "b"), ("b", "c")], rule=["a < b", "b < c"])
    assert one.ties == Ties(together=(("a", "b"),), rules=("a < b",))
    assert two.ties.together == (("a", "b"), ("b", "c"))
    assert two.ties.rules == ("a < b", "b < c")


def test_a_schema_without_ties_stays_without():
    assert not Schema((Column("a", Kind.NUMERIC),)).assign(keep=["a"]).ties
