from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.app.commands import write_settings, write_value
from swapmeet.app.fields import (
    check_settings,
    drop_defaults,
    list_fields,
    list_methods,
    read_settings,
)
from swapmeet.base.params import OneOf, Optional, Switch
from swapmeet.methods import METHODS, PerColumn, make

NAMES = [method.name for method in list_methods()]


def send(method, **changes):
    """The form of a method, sent as it is shown but for some controls."""
    form = {field.control: field.value for field in list_fields(method)}
    return form | {f"setting-{name}": text for name, text in changes.items()}


def pairs_of(method):
    """Each field of a method with its parameter."""
    parameters = [one for one in METHODS[method].parameters() if not one.in_python_only]
    return zip(list_fields(method), parameters, strict=True)


def test_a_form_can_set_up_every_method_but_that_of_parts():
    assert set(list_methods()) == {*METHODS.values()} - {PerColumn}


@pytest.mark.parametrize("method", NAMES)
def test_every_parameter_but_functions_has_a_field_and_every_field_a_parameter(method):
    pairs = [*pairs_of(method)]
    assert all(field.name == parameter.name for field, parameter in pairs)
    assert len({field.control for field, _ in pairs}) == len(pairs)


@pytest.mark.parametrize("method", NAMES)
def test_a_field_says_what_it_means_and_what_must_hold(method):
    for field, parameter in pairs_of(method):
        assert field.meaning == parameter.meaning != ""
        assert field.rule.startswith("Must ")
        assert field.required == parameter.required


@pytest.mark.parametrize("method", NAMES)
def test_what_has_few_values_is_a_choice_among_them(method):
    for field, parameter in pairs_of(method):
        inner = parameter.domain.of if isinstance(parameter.domain, Optional) else parameter.domain
        if isinstance(inner, (OneOf, Switch)):
            words = inner.choices if isinstance(inner, OneOf) else ("true", "false")
            assert set(field.choices) - {""} == set(words)
            assert field.value in field.choices
        else:
            assert field.choices == ()


@pytest.mark.parametrize("method", NAMES)
def test_a_field_begins_with_the_default(method):
    for field, parameter in pairs_of(method):
        if parameter.required or parameter.default is None:
            assert field.value == ""
        else:
            assert parameter.domain.parse(field.value) == parameter.default


@pytest.mark.parametrize("method", NAMES)
def test_a_form_that_was_not_touched_repeats_no_default(method):
    assert read_settings(method, send(method)) == {}


@pytest.mark.parametrize("method", NAMES)
def test_an_empty_form_is_that_of_the_defaults(method):
    assert read_settings(method, {}) == {}
    assert read_settings(method, {field.control: "" for field in list_fields(method)}) == {}


@pytest.mark.parametrize("method", NAMES)
def test_the_defaults_are_refused_only_where_something_is_required(method):
    required = [field.name for field in list_fields(method) if field.required]
    refusal = check_settings(method, read_settings(method, send(method)))
    assert bool(refusal) == bool(required)
    assert all(f"{name} must" in refusal for name in required)


def test_what_was_changed_is_read():
    assert read_settings("rwn", send("rwn", k=" 7 ", scale="zscore")) == {
        "k": "7", "scale": "zscore",
    }  # fmt: skip


def test_controls_of_others_are_passed_over():
    assert read_settings("rwn", send("rwn", nonsense="1") | {"csrf": "x", "k": "9"}) == {}


def test_what_was_sent_is_shown_again():
    fields = {field.name: field.value for field in list_fields("rwn", {"k": "x", "eps": "0.2"})}
    assert (fields["k"], fields["eps"], fields["q"]) == ("x", "0.2", "1.0")


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("rwn", {"k": "0"}),
        ("rwn", {"k": "many"}),
        ("rwn", {"q": "2"}),
        ("kl-theta", {"l": "2", "theta": "0.3"}),
        ("microaggregation", {"by": "nonsense"}),
        ("rwn", {"k": "9" * 5000}),
    ],
)
def test_refusals_name_the_setting(method, settings):
    refusal = check_settings(method, settings)
    assert any(re.search(rf"^{name} must|`{name}`", refusal) for name in settings)
    assert refusal.endswith(".")


def test_a_column_of_any_name_can_have_a_weight():
    assert check_settings("rwn", {"weights": "a b=0.5,=x=1,🦔=2"}) == ""


@given(method=st.sampled_from(NAMES), data=st.data())
def test_any_text_is_a_setting_or_a_refusal(method, data):
    fields = list_fields(method)
    texts = st.text() | st.sampled_from(["1", "0.5", "true", "a=1", "a,b", "-1", "nan", "1e999"])
    form = {field.control: data.draw(texts, field.name) for field in fields}
    settings = read_settings(method, form)
    if check_settings(method, settings) == "":
        assert make(method, settings).name == method
        assert len(write_settings(settings)) >= len(settings)


@given(method=st.sampled_from(NAMES), data=st.data())
def test_a_form_shown_with_settings_sends_them_back(method, data):
    fields = [field for field in list_fields(method) if not field.choices]
    given = {field.name: data.draw(st.text(min_size=1).map(str.strip)) for field in fields}
    given = {name: text for name, text in given.items() if text}
    shown = {field.control: field.value for field in list_fields(method, given)}
    usual = {field.name: field.value for field in fields}
    assert read_settings(method, shown) == {n: t for n, t in given.items() if t != usual[n]}


@pytest.mark.parametrize("method", NAMES)
def test_settings_of_a_search_are_said_without_the_defaults(method):
    usual = {p.name: p.default for p in METHODS[method].parameters() if not p.required}
    assert drop_defaults(method, usual) == {}


def test_settings_of_a_search_that_differ_are_said():
    assert drop_defaults("rwn", {"k": 7, "q": 1.0, "scale": "zscore"}) == {
        "k": 7, "scale": "zscore",
    }  # fmt: skip


@pytest.mark.parametrize("method", NAMES)
def test_a_default_is_written_as_options_read_it(method):
    for _, parameter in pairs_of(method):
        if parameter.default is not None and not parameter.required:
            again = make(method, {**need(method), parameter.name: write_value(parameter.default)})
            assert getattr(again, parameter.name) == parameter.default


def need(method):
    """Settings that a method cannot do without."""
    return {field.name: "1.0" for field in list_fields(method) if field.required}
