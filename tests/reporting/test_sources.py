from __future__ import annotations

from dataclasses import replace

import pytest

import swapmeet as sm
from swapmeet.errors import UsageError
from swapmeet.reporting import ReleaseSummary
from swapmeet.reporting.sources import Sources


def gathered(result, **given):
    return Sources.gather(result, **{"study": None, "card": None, "release": None, **given})


def test_each_thing_finds_its_place(study, card):
    assert gathered(study).study is study
    assert gathered(card).card is card
    for both in (gathered(study, card=card), gathered(card, study=study)):
        assert (both.study, both.card) == (study, card)


@pytest.mark.parametrize("wrong", [None, 3, "report.html"])
def test_other_things_are_refused(wrong, study):
    with pytest.raises(UsageError, match="give a Study or a Scorecard"):
        gathered(wrong)


def test_two_studies_are_refused(study):
    with pytest.raises(UsageError, match="got a Study"):
        gathered(study, study=study)


def test_study_and_card_of_different_tables_are_refused(study, card):
    other = replace(card, rows=7)
    with pytest.raises(UsageError, match="150 rows and the scorecard of 7"):
        gathered(study, card=other)


def test_the_setting_is_that_of_the_release_or_else_the_chosen_one(study, card, release):
    assert gathered(study).setting == study.best.setting
    assert gathered(card).setting is None
    other = ReleaseSummary("rwn", {"k": 3})
    assert gathered(study, release=other).setting.settings["k"] == 3
    assert gathered(study, release=release).tried is study.best
    assert gathered(study, release=other).tried is None


def test_settings_from_a_run_file_compare_with_those_of_the_study(study):
    told = dict(study.best.setting.settings)
    told.pop("scale")
    assert gathered(study, release=ReleaseSummary("rwn", told)).tried is study.best


def test_a_method_from_elsewhere_has_a_label(card):
    assert gathered(card, release=ReleaseSummary("mine", {"z": 1})).label == "mine"


def test_a_column_that_did_not_move_is_not_masked(study, release):
    column = sm.Column("income", sm.Kind.NUMERIC, sm.Role.SENSITIVE)
    assert gathered(study, release=release).is_masked(column)
    still = replace(release.changes[0], name="income", moved=0.0, changed=0.0)
    untouched = ReleaseSummary("rwn", {}, changes=(still,))
    assert not gathered(study, release=untouched).is_masked(column)
