from __future__ import annotations

import pytest

import swapmeet as sm
from swapmeet.methods.description import Description


def public_settings(method):
    return {setting.what: setting.value for setting in method.description.settings}


def test_nothing_exact_is_published():
    assert public_settings(sm.RWN(k=37, q=0.874, weights={"age": 0.31})) == {
        "a value is replaced": "in about 9 of 10 cases",
        "people in a neighbourhood": "ten or more",
    }


def test_settings_of_one_bracket_read_alike():
    assert public_settings(sm.SJPPDS(bins=11)) == public_settings(sm.SJPPDS(bins=99))
    assert public_settings(sm.SJPPDS(bins=9)) != public_settings(sm.SJPPDS(bins=10))


def test_bins_by_column_are_described_by_the_finest():
    assert list(public_settings(sm.MEWS(bins={"age": 3, "income": 40})).values()) == ["ten or more"]


def test_a_width_or_a_window_is_never_published():
    assert public_settings(sm.MEWS(width=2.5)) == {}
    assert set(public_settings(sm.RankSwap(window=0.17, top=0.05)).values()) == {"yes", "no"}


def test_a_chance_below_one_is_described_as_the_paper_asks():
    some, always = (sm.RWN(q=q).description.people for q in (0.8, 1.0))
    assert "replaced, in about 8 of 10 cases, by that of a similar person" in some
    assert "cases" not in always


@pytest.mark.parametrize("method", [sm.RWN(q=0.0), sm.NBRS(eps=1.0, q=0.0)])
def test_a_method_that_is_set_to_do_nothing_says_so(method):
    assert method.description.people.startswith("With its settings, the method ")
    assert " no " in method.description.people
    assert "never" not in method.description.people


def test_swaps_and_means_read_differently():
    words = [
        sm.Microaggregation(k=3, **settings).description.people
        for settings in ({}, {"permute": True}, {"by": "columns"})
    ]
    assert ["average" in one for one in words] == [True, False, True]
    assert ["of the group" in one for one in words] == [True, False, False]


def test_averaged_extremes_are_mentioned_where_there_are_some():
    words = [sm.RankSwap(top=top).description.people for top in (0.05, 0.0)]
    assert ["extreme" in one for one in words] == [True, False]


def test_a_combination_describes_its_parts_with_their_columns():
    method = sm.PerColumn(
        parts=[(sm.RankSwap(), ["age"]), (sm.RWN(k=17, q=0.83), ["income", "wage"])]
    )
    assert "As for age: A value trades places" in method.description.people
    assert "As for income and wage: A value is replaced" in method.description.people
    cautions = method.description.cautions
    assert any(one.startswith("age (rank-swap): The window is a promise") for one in cautions)
    assert any(one.startswith("income and wage (rwn): With q below 1") for one in cautions)


@pytest.mark.parametrize(
    ("with_it", "without", "words"),
    [
        (sm.NBRS(eps=1.0, q=0.5), sm.NBRS(eps=1.0, q=1.0), "not chosen"),
        (sm.DataShuffle(predictors=["age"]), sm.DataShuffle(), "Predictors"),
        (sm.Microaggregation(by="columns"), sm.Microaggregation(), "one by one"),
    ],
)
def test_a_caution_stands_only_where_the_settings_call_for_it(with_it, without, words):
    told = ["".join(method.description.cautions) for method in (with_it, without)]
    assert [words in one for one in told] == [True, False]


def test_nothing_is_said_of_a_method_from_elsewhere():
    assert Description().people == Description().analysts == ""
    assert Description().cautions == ()
