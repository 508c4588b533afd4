from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import ParameterError, UsageError
from swapmeet.methods import METHODS, find
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata
from swapmeet.tuning.grid import Grid, make_grids


def microdata(n, **columns):
    frame = pd.DataFrame({"a": np.arange(n) * 1.5, **columns})
    return Microdata.of(Table(frame), sm.Schema.guess(frame, {}))


def labels(text):
    return [setting.label for setting in Grid.parse(text)]


# texts


def test_a_text_names_a_method_and_the_values_to_try():
    assert labels("rwn:k=5|10:q=0.5|1") == [
        "rwn k=5 q=0.5 weights=1",
        "rwn k=5 q=1 weights=1",
        "rwn k=10 q=0.5 weights=1",
        "rwn k=10 q=1 weights=1",
    ]
    assert labels(" rwn : k = 5 | 10 ") == labels("rwn:k=5|10")
    assert labels("noise:correlated=yes|no:level=0.1") == [
        "noise level=0.1 correlated=True", "noise level=0.1 correlated=False",
    ]  # fmt: skip


def test_values_that_come_twice_are_tried_once():
    assert labels("sjppds:bins=5|5|7") == labels("sjppds:bins=5|7")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rwm:k=5", "did you mean 'rwn'"),
        ("rwn:kk=5", "rwn: no parameter 'kk'; did you mean 'k'? It has k, "),
        ("rwn:k", "write the values to try as rwn:parameter=1|2|3; got 'k'"),
        ("rwn:k=0", "rwn: `k` must be a whole number, 1 or more; got '0'"),
        ("rwn:k=5|x", "rwn: `k` must be a whole number, 1 or more; got 'x'"),
        ("rwn:k=", "rwn: `k` must be a whole number"),
        ("rwn:q=15", "rwn: `q` must be in [0, 1]; got '15'"),
        ("microaggregation:by=mdaw", "`by` must be one of "),
    ],
)
def test_values_outside_their_domain_are_refused_with_parameter_and_rule(text, message):
    with pytest.raises(ParameterError) as caught:
        Grid.parse(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"k": 5}, "the values to try for `k` must be a list"),
        ({"k": "5"}, "the values to try for `k` must be a list"),
        ({"k": []}, "name at least one value to try for `k`"),
        ({"k": [2.5]}, "`k` must be a whole number, 1 or more; got 2.5"),
    ],
)
def test_values_given_as_objects_are_checked_alike(values, message):
    with pytest.raises(ParameterError, match=message):
        Grid("rwn", values)


def test_combinations_a_method_cannot_have_are_left_out():
    grid = Grid("kl-theta", {"k": [10], "l": [2, 5], "theta": [0.3, 0.7]})
    found = [(s.settings["l"], s.settings["theta"]) for s in grid]
    assert found == [(2, 0.7), (5, 0.3), (5, 0.7)]
    assert len(grid) == 3
    assert [place for place, _ in grid.points()] == [(0, 0, 1), (0, 1, 0), (0, 1, 1)]


def test_a_grid_without_any_possible_combination_is_refused_with_the_method_s_reason():
    with pytest.raises(ParameterError, match=r"give `width` or `bins`, not both"):
        Grid("mews", {"width": [1.0], "bins": [2, 3]})


# what the methods declare


@pytest.mark.parametrize("name", [n for n in METHODS if n != "per-column"])
def test_declared_values_are_legal_and_make_a_grid(name):
    declared = {p.name: p for p in find(name).parameters() if p.tries}
    numbers, grid = (
        Grid(name).fit_to(data)
        for data in (microdata(10_000), microdata(10_000, b=["x", "y"] * 5_000))
    )
    tried = {n: {*values, *numbers.values.get(n, ())} for n, values in grid.values.items()}
    assert tried == {n: set(p.tries) for n, p in declared.items()}
    assert len(grid) >= 1
    for parameter in declared.values():
        assert [parameter.read(value) for value in parameter.tries] == list(parameter.tries)


@pytest.mark.parametrize(("rows", "most"), [(40, 10), (43, 10), (44, 10), (60, 15), (4, 2)])
def test_counts_above_a_quarter_of_the_rows_are_left_out(rows, most):
    assert max(Grid("rwn").fit_to(microdata(rows)).values["k"]) == most
    assert max(Grid("sjppds").fit_to(microdata(rows)).values["bins"]) == most
    assert max(Grid("mews").fit_to(microdata(rows)).values["bins"]) == most


def test_shares_are_tried_whatever_the_number_of_rows():
    assert Grid("rank-swap").fit_to(microdata(8)).values == Grid("rank-swap").fit_to(
        microdata(10_000)
    ).values  # fmt: skip


def test_only_ways_that_can_mask_all_columns_are_tried():
    mixed, numbers = microdata(100, b=["x", "y"] * 50), microdata(100)
    assert Grid("microaggregation").fit_to(mixed).values["by"] == ("mdav",)
    assert "pca" in Grid("microaggregation").fit_to(numbers).values["by"]


def test_weights_are_tried_only_where_there_are_nominal_columns():
    assert "weights" not in Grid("rwn").fit_to(microdata(100)).values
    assert "weights" in Grid("rwn").fit_to(microdata(100, b=["x", "y"] * 50)).values


def test_values_asked_for_are_tried_however_few_the_rows():
    assert Grid("rwn", {"k": [75]}).fit_to(microdata(8)).values == {"k": (75,)}


# what may be asked for


def test_all_methods_by_default_but_the_one_made_of_others():
    assert [g.method for g in make_grids(None)] == [n for n in METHODS if n != "per-column"]


def test_methods_are_names_classes_settings_texts_or_grids():
    own = Grid("noise", {"level": [0.1]})
    grids = make_grids(["rwn", sm.SJPPDS, sm.RWN(k=7, q=0.3), "meds:k=3", own])
    assert [g.method for g in grids] == ["rwn", "sjppds", "rwn", "meds", "noise"]
    assert [s.label for s in grids[2]] == ["rwn k=7 q=0.3 weights=1"]
    assert grids[2].fit_to(microdata(8)) is grids[2]
    assert grids[4] is own


def test_a_method_for_each_column_is_given_with_its_parts():
    method = sm.PerColumn(parts=[(sm.RWN(k=3), ["a"]), (sm.SJPPDS(bins=4), ["b"])])
    (only,) = make_grids([method])[0]
    assert only.method == method
    with pytest.raises(UsageError, match="per-column has no grid"):
        make_grids(["per-column"])


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ("rwn", "`methods` must be a list"),
        (sm.RWN(k=3), "`methods` must be a list"),
        ([], "name at least one method"),
        ([3], "a method must be a name, a class, .* got a int"),
        ([pd.DataFrame({"secret": [1]})], "got a DataFrame"),
    ],
)
def test_anything_else_is_refused(methods, message):
    with pytest.raises(UsageError, match=message) as caught:
        make_grids(methods)
    assert "secret" not in str(caught.value)
