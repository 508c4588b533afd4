from __future__ import annotations

from swapmeet.reporting.scores import group_scores
from swapmeet.reporting.sources import Sources


def rows(sources):
    return {row["measure"]: row for family in group_scores(sources) for row in family["scores"]}


def test_scores_of_the_release_stand_beside_the_medians_of_the_search(study, card, release):
    sources = Sources.gather(study, study=None, card=card, release=release)
    found = rows(sources)["dbrl"]
    assert found["value"] == card["dbrl"].value
    assert found["interval"] == list(card["dbrl"].interval)
    assert found["tuned"]["median"] == study.best.median("dbrl")
    assert found["tuned"]["repeats"] == 3
    assert found["limit"] == {"value": 0.5, "sign": "at most"}
    assert found["met"] is card["dbrl"].keeps(0.5)


def test_values_of_single_rows_and_details_are_left_out(card):
    found = rows(Sources(card=card))
    assert card["pscr"].records is not None
    assert not {"records", "details"} & set(found["pscr"])


def test_a_study_alone_has_medians_only(study):
    found = rows(Sources(study=study))
    assert found["dbrl"]["value"] is None
    assert found["dbrl"]["tuned"]["median"] == study.best.median("dbrl")


def test_risk_comes_before_utility(card):
    assert [family["family"] for family in group_scores(Sources(card=card))] == ["Risk", "Utility"]
