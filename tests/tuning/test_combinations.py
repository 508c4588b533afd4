from __future__ import annotations

import swapmeet as sm
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata
from swapmeet.tuning.combinations import propose_combinations
from swapmeet.tuning.trial import Setting


def microdata(frame):
    return Microdata.of(Table(frame), sm.Schema.infer(frame))


def test_a_mixed_table_gets_combinations_that_mask_all_its_columns(table):
    data = microdata(table)
    (found,) = propose_combinations(data)
    assert len(found) == len(list(found)) == 4 * 2 * 2
    for setting in found:
        setting.method.check(data)
        named = [name for _, names in setting.method.parts for name in names]
        assert sorted(named) == sorted(data.names)


def test_a_table_of_one_kind_or_of_few_rows_gets_none(table, numbers):
    assert propose_combinations(microdata(numbers)) == []
    assert propose_combinations(microdata(table[["sex", "region"]])) == []
    assert propose_combinations(microdata(table.iloc[:12])) == []


def test_where_methods_are_named_none_is_proposed(table, cheap):
    named = sm.tune(
        table, ["sjppds:bins=3"], goal=cheap, limit={}, measures=[], repeats=1, final_repeats=1,
        workers=1,
    )  # fmt: skip
    assert {c.setting.name for c in named.candidates} == {"sjppds"}


def test_the_label_names_methods_and_columns():
    parts = [(sm.RWN(k=5), ["a", "b", "c", "d", "e"]), (sm.SJPPDS(bins=4), ["f"])]
    assert Setting.of(sm.PerColumn(parts=parts)).label == (
        "per-column: rwn k=5 q=1 weights=1 on a, b, c and 2 more; sjppds bins=4 on f"
    )
