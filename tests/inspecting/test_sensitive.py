"""What people keep to themselves is proposed as sensitive, by name, label and content."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.inspecting.columns import Columns
from swapmeet.inspecting.sensitive import TOPICS, find_sensitive
from swapmeet.tables.frame import Table

RNG = np.random.default_rng(2)
NUMBERS = RNG.integers(0, 9, 60)


def look(frame, taken=(), **told):
    table = Table(pd.DataFrame(frame))
    columns = Columns(table, sm.Schema.guess(table, {}), **told)
    return {one.columns: one.about for one in find_sensitive(columns, taken)}


@pytest.mark.parametrize(
    ("topic", "names"),
    [
        ("health", "diagnosis Krankheit schwerbehindert santé enfermedad_1 smoker icd10"),
        ("money", "income Haushaltseinkommen Bruttolohn Vermögen salaire INCTOT ingresos tax_paid"),
        ("religion", "religion Konfession église iglesia church_attendance"),
        ("opinions and votes", "vote selfLR PartyID Zufriedenheit confiance partido trust_police"),
        ("offences", "arrests Vorstrafen délit condena convicted victim_of_theft"),
        ("sex life", "sexual_orientation Homosexuell affairs"),
    ],
)  # fmt: skip
def test_names_in_several_languages_tell_the_topic(topic, names):
    found = look(dict.fromkeys(names.split(), NUMBERS))
    assert found == {tuple(names.split()): f"about {topic}"}


def test_what_others_can_see_stays_a_key():
    names = (
        "age sex Geschlecht region educ occupation weight height environment parente participant "
        "include auswahl gesellschaft commune steuerung rooms race nationality"
    )
    assert look(dict.fromkeys(names.split(), NUMBERS)) == {}


@pytest.mark.parametrize(
    ("topic", "values"),
    [
        ("religion", ["catholic", "protestant", "none", "other"]),
        ("religion", ["römisch-katholisch", "evangelisch", "ohne", "andere"]),
        ("opinions and votes", ["agree strongly", "agree", "disagree", "no answer"]),
        ("health", ["E11.9", "I10.0", "J45.1", "F32.2"]),
        ("offences", ["theft", "assault", "other"]),
    ],
)
def test_values_tell_the_topic_where_the_name_does_not(topic, values):
    assert look({"q7": RNG.choice(values, 60)}) == {("q7",): f"about {topic}"}


def test_labels_of_values_and_of_columns_tell_it():
    labels = {"q7": {1: "Muslim", 2: "Jewish", 3: "Other"}}
    titles = {"q8": "Trust in the police", "q9": " ".join(["a long text about trust"] * 5)}
    found = look(dict.fromkeys(["q7", "q8", "q9"], NUMBERS), labels=labels, titles=titles)
    assert found == {("q7",): "about religion", ("q8",): "about opinions and votes"}


def test_one_word_of_many_is_no_evidence():
    assert look({"firm": RNG.choice(["Krebs AG", "Meier", "Weiss", "Huber", "Frei"], 60)}) == {}


def test_other_roles_and_constants_are_left_alone():
    table = Table(pd.DataFrame({"income": NUMBERS, "tax": NUMBERS, "debt": 0, "wages": NUMBERS}))
    schema = sm.Schema.guess(table, {}).assign(keep=["tax"])
    found = list(find_sensitive(Columns(table, schema), {"wages"}))
    assert [one.options for one in found] == [("--sensitive", "income")]


def test_no_value_is_shown():
    people = pd.DataFrame({"q7": RNG.choice(["Muslim", "Jewish", "Catholic"], 60)})
    shown = str(sm.inspect(people))
    assert "about religion; judging by values" in shown
    assert "Muslim" not in shown


def test_each_word_is_one_of_small_letters():
    for topic in TOPICS:
        words = f"{topic.names} {topic.values}".split()
        assert all(word.replace("*", "").isalpha() and word == word.lower() for word in words)
        assert len(topic.names.split()) == len(set(topic.names.split()))


def test_the_guide_lists_the_words():
    guide = (Path(__file__).parents[2] / "docs/guides/inspecting.md").read_text(encoding="utf-8")
    for topic in TOPICS:
        values = f"`{topic.values}`" if topic.values else ""
        assert f"| {topic.title} | `{topic.names}` | {values} |" in guide
