from __future__ import annotations

import json
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from method_examples import EXAMPLES

import swapmeet as sm
from swapmeet.errors import ParameterError, Stopped, UsageError
from swapmeet.intruders.links.family import IntruderFamily
from swapmeet.intruders.links.protected import LIST, SOME
from swapmeet.methods import METHODS
from swapmeet.release.audit import AuditRecord
from swapmeet.testing.examples import add_missing, fit_example, make_example, make_household_example
from swapmeet.testing.examples import make_people as make_mixed_people

pytestmark = pytest.mark.filterwarnings("ignore")


def test_fewer_people_are_above_the_limit_than_before(protected):
    summary = protected.summary
    assert summary.exposed > 5
    assert summary.left < summary.exposed / 3
    assert summary.left == len(protected.exposed)
    assert protected.after["linkage"].value < protected.before["linkage"].value


def test_who_was_exposed_at_first_was_treated_or_is_still_listed(protected):
    at_first = protected.exposure_before.list_above(protected.summary.limit)
    assert set(at_first) <= {*protected.protected.tolist(), *protected.exposed.tolist()}


def test_the_donor_map_tells_where_every_released_value_comes_from(people, protected):
    release = protected.release
    for j, name in enumerate(release.audit.columns):
        donors = release.audit.donors[:, j]
        moved = donors >= 0
        expected = people[name].to_numpy()[donors[moved]]
        assert (release.data[name].to_numpy()[moved] == expected).all()
        assert release.data[name].isna().to_numpy()[donors == -1].all()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_release(people, protected):
    again = sm.protect(people, sm.RWN(k=2, weights=0.1), sensitive=["income"], seed=3)
    assert again.release.data.equals(protected.release.data)
    assert again.to_dict() == protected.to_dict()
    other = sm.protect(people, sm.RWN(k=2, weights=0.1), sensitive=["income"], seed=4)
    assert not other.release.data.equals(protected.release.data)


def test_assess_with_the_saved_record_says_what_protect_said(tmp_path, people, protected):
    protected.release.audit.save(tmp_path / "a.audit")
    audit = AuditRecord.load(tmp_path / "a.audit")
    card = sm.assess(
        people, protected.release.shuffled(), audit=audit, schema=protected.release.schema,
        measures=["linkage", "copies", "margins"], limits={},
    )  # fmt: skip
    for name in ("linkage", "copies", "margins"):
        assert card[name].value == protected.after[name].value
    ways = [one.get("knows of protection") for one in card["linkage"].details["intruders"]]
    assert any(ways)
    assert np.array_equal(audit.protection.exposed, protected.exposed)
    assert np.array_equal(audit.protection.protected, protected.protected)


def test_a_record_with_a_damaged_protection_is_refused(tmp_path, protected):
    audit = protected.release.audit
    wrong = replace(audit.protection, step_of_row=audit.protection.step_of_row + 50)
    replace(audit, protection=wrong).save(tmp_path / "a.audit")
    with pytest.raises(sm.SwapmeetError, match="an audit record is needed"):
        AuditRecord.load(tmp_path / "a.audit")


def test_nothing_that_is_told_names_a_person(people, protected):
    told = json.dumps(protected.to_dict()) + repr(protected) + str(protected.after)
    told += repr(protected.release) + repr(protected.exposure) + repr(protected.release.audit)
    told += "".join(protected.release.notes) + repr(protected.release.audit.protection)
    for value in people["income"]:
        assert f"{value}" not in told
    assert str(protected.exposed.tolist()) not in told
    assert "900000" not in told


def test_limits_of_loss_are_kept(people):
    done = sm.protect(
        people, sm.RWN(k=2, weights=0.1), sensitive=["income"], seed=3, loss=0.0, at_most=60
    )
    assert done.summary.left == done.summary.exposed
    assert not any(step.taken for step in done.summary.steps)
    assert "loss limit" in done.summary.stopped
    plain = sm.mask(people, sm.RWN(k=2, weights=0.1), sensitive=["income"], seed=3)
    assert done.release.data.equals(plain.data)


def test_nobody_exposed_leaves_the_release_as_it_was():
    rng = np.random.default_rng(1)
    crowd = pd.DataFrame({"a": rng.integers(0, 2, 200), "b": rng.integers(0, 2, 200)})
    done = sm.protect(crowd, sm.MatchedSwap(k=20), seed=1)
    assert done.summary.exposed == done.summary.left == 0
    assert done.release.data.equals(sm.mask(crowd, sm.MatchedSwap(k=20), seed=1).data)
    assert "Nobody of 200 people" in done.release.notes[-1]


def test_what_needs_memory_is_refused_elsewhere(people):
    with pytest.raises(UsageError, match="block_rows"):
        sm.protect(people, sm.RWN(k=2), engine=sm.Local(block_rows=20))
    with pytest.raises(UsageError, match="in memory"):
        sm.protect(people, sm.RWN(k=2), engine=sm.Spark())
    with pytest.raises(ParameterError, match="loss"):
        sm.protect(people, sm.RWN(k=2), loss=2.0)
    with pytest.raises(ParameterError, match="at_most"):
        sm.protect(people, sm.RWN(k=2), at_most=0)


@pytest.mark.slow
def test_kinds_that_a_file_declares_are_those_of_mask(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"sex": rng.choice([1.0, 2.0], 40), "age": rng.integers(18, 90, 40) * 1.0})
    labels = {"sex": {1.0: "female", 2.0: "male"}}
    pyreadstat.write_sav(frame, tmp_path / "a.sav", variable_value_labels=labels)
    document = sm.read(tmp_path / "a.sav")
    done = sm.protect(document, sm.RWN(k=3), seed=1)
    assert done.release.schema == sm.mask(document, sm.RWN(k=3), seed=1).schema
    done.release.write(tmp_path / "b.csv", like=document, audit=tmp_path / "b.audit")
    audit = AuditRecord.load(tmp_path / "b.audit")
    card = sm.assess(document, sm.read(tmp_path / "b.csv"), audit=audit)
    assert card.verdict.sentence == done.after.verdict.sentence
    assert card["linkage"].value == done.after["linkage"].value


@pytest.mark.slow
def test_limits_on_other_measures_only_leave_the_usual_one_for_single_people(people):
    for limits in ({}, {"copies": 0.01}):
        done = sm.protect(people, sm.RWN(k=2, weights=0.1), sensitive=["income"], limits=limits)
        assert done.summary.limit == 0.2
        assert list(done.after.verdict.to_dict()["limits"]) == list(limits)


def test_whoever_watches_may_stop_it(people):
    def stop(label, done, total):
        if label == "protecting":
            raise Stopped

    with pytest.raises(Stopped):
        sm.protect(people, sm.RWN(k=2), progress=stop, seed=1)


def test_a_protected_release_cannot_be_pickled_with_its_secrets(protected):
    with pytest.raises(UsageError):
        pickle.dumps(protected.release)


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_protected_after(name):
    method = EXAMPLES[name][0]
    example = fit_example(method, make_example("small", add_missing(make_mixed_people(45))))
    done = sm.protect(example.data, method, schema=example.schema, seed=1)
    summary, release = done.summary, done.release
    assert summary.left <= summary.exposed
    assert list(release.data.columns) == list(example.schema.published)
    before = example.data[release.data.columns]
    assert release.data.dtypes.map(str).equals(before.dtypes.map(str))
    card = sm.assess(
        example.data, release.shuffled(), audit=release.audit, schema=example.schema,
        measures=["linkage", "copies"], limits={},
    )  # fmt: skip
    for one in ("linkage", "copies"):
        assert card[one].value == pytest.approx(done.after[one].value, nan_ok=True)


@pytest.mark.slow
def test_households_are_protected_as_wholes():
    example = make_household_example(40)
    done = sm.protect(example.data, sm.RWN(k=3, weights=0.1), schema=example.schema, seed=1)
    assert 0 < done.summary.left < done.summary.exposed or not done.summary.left
    data, homes = done.release.data, example.data["household"].to_numpy()
    for name in ("water", "rooms"):
        for home in np.unique(homes):
            values = data.loc[homes == home, name]
            assert values.nunique(dropna=False) == 1


@pytest.mark.slow
def test_whose_household_is_found_is_exposed():
    example = make_household_example(60)
    done = sm.protect(example.data, sm.RWN(k=2, weights=0.1), schema=example.schema, seed=2)
    first = done.exposure_before.list_above(done.summary.limit)
    worst = max(done.before["linkage"].value, done.before["household-linkage"].value)
    assert len(first) / len(example.data) > worst / 2
    assert done.after["household-linkage"].value < done.before["household-linkage"].value
    if not done.summary.left:
        assert done.after["household-linkage"].value <= done.summary.limit


@pytest.mark.slow
def test_ties_rules_recodes_and_missing_codes_survive():
    rng = np.random.default_rng(3)
    n = 80
    a = rng.integers(1, 50, n)
    b = rng.integers(1, 50, n)
    frame = pd.DataFrame({
        "age": rng.integers(18, 95, n), "a": a, "b": b, "total": a + b,
        "x": rng.integers(0, 9, n), "y": rng.normal(size=n).round(2),
    })  # fmt: skip
    frame.loc[frame.index[:6], "x"] = -9
    done = sm.protect(
        frame, sm.RWN(k=2), seed=2, sensitive=["y"], recode=["age: top 80"], missing={"x": [-9]},
        together=["x,y"], derive=["total = a + b"], rule=["age >= 18"],
    )  # fmt: skip
    data, audit = done.release.data, done.release.audit
    assert data["age"].max() <= 80
    there = data[["a", "b"]].notna().all(axis=1)
    assert (data.loc[there, "total"] == data.loc[there, "a"] + data.loc[there, "b"]).all()
    x, y = (audit.donors[:, audit.columns.index(name)] for name in ("x", "y"))
    assert np.array_equal(x, y)
    assert (data["age"].dropna() >= 18).all()
    assert done.summary.left < done.summary.exposed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not any(one.released for one in done.after.ties)


@pytest.mark.slow
def test_everybody_who_knows_of_the_protection_looks_for_everybody(monkeypatch, people):
    """Steps that follow each other blur what a list of people gives away: more is not worse."""
    tried = set()

    def watch(family, posterior):
        for one in search(family, posterior):
            if family.everybody:
                tried.add((one.aware, one.next_best))
            yield one

    search = IntruderFamily._who_know_of_protection
    monkeypatch.setattr(IntruderFamily, "_who_know_of_protection", watch)
    sm.protect(people, sm.RWN(k=2, weights=0.1), sensitive=["income"], seed=3)
    assert tried == {(who, after) for who in (SOME, LIST) for after in (False, True)}
