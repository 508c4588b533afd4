"""Tables that are recoded before they are masked, and how their releases are assessed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import SchemaError, TableError, UsageError

pytestmark = pytest.mark.filterwarnings("ignore:column:swapmeet.errors.SwapmeetWarning")
STEPS = ["age: top 60", "income: round 100"]
METHOD = sm.RWN(k=4, weights=0.1)
MEASURES = ["dbrl", "pscr", "margins", "correlations"]


@pytest.fixture(scope="module")
def people():
    random = np.random.default_rng(1)
    age = random.integers(18, 95, 300)
    return pd.DataFrame(
        {
            "age": age,
            "income": (age * 30 + random.normal(0, 400, 300)).round(),
            "sex": ["f", "m"] * 150,
        }
    )


@pytest.fixture(scope="module")
def release(people):
    return sm.mask(people, METHOD, seed=1, recode=STEPS)


def test_the_release_is_that_of_the_recoded_table(people, release):
    other = sm.mask(sm.recode(people, *STEPS), METHOD, seed=1)
    pd.testing.assert_frame_equal(release.data, other.data)
    assert release.data["age"].max() == 60
    assert np.array_equal(release.audit.donors, other.audit.donors)


def test_the_release_and_its_record_tell_the_steps(people, release, tmp_path):
    assert release.audit.recodes == release.schema.recodes == tuple(STEPS)
    above = int((people["age"] > 60).sum())
    assert release.recodes[0].changed == above
    assert any(f"({above} values changed)" in note for note in release.notes)
    release.audit.save(tmp_path / "record")
    assert sm.AuditRecord.load(tmp_path / "record").recodes == tuple(STEPS)


def test_blocks_are_recoded_alike(people, release):
    found = sm.mask(people, METHOD, seed=1, recode=STEPS, engine=sm.Local(block_rows=100))
    assert found.data["age"].max() == 60
    assert found.recodes == release.recodes


def test_risk_is_that_of_the_recoded_table_and_loss_that_of_the_table_as_it_was(people, release):
    recoded = sm.recode(people, *STEPS)
    card = sm.assess(people, release, measures=MEASURES)
    alone = sm.assess(recoded, sm.mask(recoded, METHOD, seed=1), measures=MEASURES)
    for risk in ("dbrl", "pscr"):
        assert card[risk].value == alone[risk].value
    for loss in ("margins", "correlations"):
        assert card[loss].value > alone[loss].value
    as_it_was = sm.assess(people, release.shuffled(), match="unknown", measures=["margins"])
    assert card["margins"].value == pytest.approx(as_it_was["margins"].value)


def test_a_table_that_is_only_recoded_is_as_risky_as_before_and_has_a_loss(people):
    """A blind measure would find nobody: the recoded values are nobody's own."""
    recoded = sm.recode(people, *STEPS)
    card = sm.assess(people, recoded, match="rows", recode=STEPS, measures=MEASURES)
    itself = sm.assess(recoded, recoded, match="rows", measures=MEASURES)
    assert card["dbrl"].value == itself["dbrl"].value
    assert card["margins"].value > 0.1
    assert itself["margins"].value == 0.0
    assert any("masking hardly changed age, income and sex" in note for note in card.notes)


def test_a_record_tells_the_steps_to_whoever_assesses(people, release):
    card = sm.assess(people, release, measures=MEASURES)
    other = sm.assess(people, release.shuffled(), audit=release.audit, measures=MEASURES)
    assert {m: card[m].value for m in MEASURES} == {m: other[m].value for m in MEASURES}
    assert [step.column for step in other.recodes] == ["age", "income"]
    assert any("Risk is measured on the recoded table" in note for note in other.notes)


def test_other_steps_than_those_of_the_release_are_refused(people, release):
    with pytest.raises(UsageError, match="recoded by other steps"):
        sm.assess(people, release, recode=["age: top 50"], measures=MEASURES)
    sm.assess(people, release, recode=STEPS, measures=["pscr"])


def test_two_releases_are_compared_each_by_its_own_steps(people, release):
    plain = sm.mask(people, METHOD, seed=1)
    pair = sm.compare(people, plain, release, measures=["margins"])
    assert [len(card.recodes) for card in pair.cards] == [0, 2]
    assert pair.cards[1]["margins"].value > pair.cards[0]["margins"].value


def test_a_study_of_recoded_tables_measures_as_assess_does(people):
    study = sm.tune(
        people, ["rwn:k=4:weights=0.1"], limit={}, measures=MEASURES, repeats=1, final_repeats=1,
        seed=1, workers=1, recode=STEPS,
    )  # fmt: skip
    chosen = sm.apply(study, people, seed=1)
    assert chosen.release.schema.recodes == tuple(STEPS)
    plain = sm.assess(people, sm.mask(people, METHOD, seed=1), measures=["margins"])
    assert chosen.card["margins"].value > plain["margins"].value
    assert study.best.median("margins") == pytest.approx(chosen.card["margins"].value, abs=0.05)


def test_a_journal_of_other_steps_is_refused(people, tmp_path):
    def tune(steps):
        return sm.tune(
            people, ["rwn:k=4:weights=0.1"], limit={}, measures=["margins"], repeats=1,
            final_repeats=1, workers=1, recode=steps, journal=tmp_path / "study.jsonl",
        )  # fmt: skip

    tune(STEPS)
    assert sm.Study.load(tmp_path / "study.jsonl").setup.schema.recodes == tuple(STEPS)
    with pytest.raises(sm.SwapmeetError, match="recoded in another way"):
        tune(STEPS[:1])


def test_control_people_are_recoded_like_those_in_the_file(people, release):
    control = people.assign(age=people["age"] + 1)
    card = sm.assess(people, release, control=control, measures=["membership"])
    same = sm.assess(people, release, control=sm.recode(control, *STEPS), measures=["membership"])
    assert card["membership"].value == same["membership"].value


def test_what_a_step_coarsened_is_no_identifier_any_more():
    contact = [f"person{i}@example.org" for i in range(180)] + ["staff"] * 10 + ["guest"] * 10
    frame = pd.DataFrame({"contact": contact, "x": np.arange(200) % 50})
    assert sm.Schema.guess(frame, {})["contact"].identifier
    schema = sm.Schema.guess(frame, {}).assign(recode=["contact: group rare 2 = somebody"])
    assert not sm.mask(frame, METHOD, schema=schema).schema["contact"].identifier


def test_a_column_that_numbers_households_is_not_recoded(people):
    frame = people.assign(home=np.arange(300) // 3)
    with pytest.raises(SchemaError, match="'home' tells which rows belong together"):
        sm.mask(frame, METHOD, household=["home"], recode=["home: round 10"])


def test_a_table_that_is_left_with_one_value_is_not_masked(people):
    with pytest.raises(TableError, match="leave one value in column 'age'"):
        sm.mask(people, METHOD, recode=["age: top 18"])


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_reports_name_the_steps_without_values_of_people(people, tmp_path, audience):
    frame = people.assign(job=["cook", "nurse", "astronaut"] * 100)
    release = sm.mask(frame, METHOD, recode=[*STEPS, "job: suppress astronaut"])
    card = sm.assess(frame, release, measures=["margins"])
    page = tmp_path / "report.html"
    sm.report(card, page, release=release, schema=release.schema, audience=audience)
    text = page.read_text()
    assert "age was top-coded at 60" in text
    assert "income was rounded to multiples of 100" in text
    assert "job was emptied of 1 named value" in text
    assert "astronaut" not in text + page.with_suffix(".json").read_text()


def test_what_a_column_is_computed_from_is_not_recoded(people):
    frame = people.assign(double=people["income"] * 2)
    with pytest.raises(SchemaError, match="'double' is computed from 'income'"):
        sm.mask(frame, METHOD, derive=["double = income * 2"], recode=STEPS)


def test_a_recoded_table_is_inspected(people):
    before, after = sm.inspect(people), sm.inspect(people, recode=STEPS)
    assert after.all_keys.unique < before.all_keys.unique
