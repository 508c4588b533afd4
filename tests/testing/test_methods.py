from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.methods import Method
from swapmeet.release.donors import DonorMap
from swapmeet.release.outcome import Outcome
from swapmeet.tables.schema import Role
from swapmeet.testing import check_method, examples, only
from swapmeet.testing import methods as testing

COUNTER = itertools.count()


@dataclass(frozen=True, kw_only=True)
class Shuffle(Method):
    """A method that keeps the contract: permute every column inside its stratum."""

    name: ClassVar[str] = "shuffle"
    summary: ClassVar[str] = "permute every column"

    def outcome(self, data, streams, workers):
        return Outcome(DonorMap(self.donors(data, streams, workers)))

    def donors(self, data, streams, workers):
        found = np.repeat(np.arange(data.n)[:, None], len(data.variables), axis=1)
        for column, name in zip(found.T, data.names, strict=True):
            stream = streams.stream(name)
            for stratum in np.unique(data.strata):
                rows = np.flatnonzero(data.strata == stratum)
                column[rows] = stream.permutation(rows)
        return found


class Identity(Shuffle):
    def donors(self, data, streams, workers):
        return np.repeat(np.arange(data.n)[:, None], len(data.variables), axis=1)


class Deterministic(Shuffle):
    def donors(self, data, streams, workers):
        return np.roll(Identity.donors(self, data, streams, workers), 1, axis=0)


class Unseeded(Shuffle):
    def donors(self, data, streams, workers):
        return super().donors(data, streams.within(next(COUNTER)), workers)


class Threaded(Shuffle):
    def donors(self, data, streams, workers):
        return super().donors(data, streams.within(workers.threads == 1), workers)


class LeavesStrata(Shuffle):
    def donors(self, data, streams, workers):
        return super().donors(replace(data, strata=np.zeros(data.n, np.int32)), streams, workers)


class OutOfRange(Shuffle):
    def donors(self, data, streams, workers):
        return super().donors(data, streams, workers) + 1


class WrongShape(Shuffle):
    def donors(self, data, streams, workers):
        return super().donors(data, streams, workers)[:, :1]


class Talkative(Shuffle):
    def __repr__(self):
        return f"Talkative(last town seen: Town-{482_911})"


class TellsTheSeed(Shuffle):
    def __repr__(self):
        return f"TellsTheSeed({testing.SEED})"


class Refusing(Shuffle):
    def donors(self, data, streams, workers):
        raise sm.SwapmeetError("today not")


@pytest.mark.slow
def test_a_good_method_passes():
    check_method(Shuffle())


@pytest.mark.slow_case(
    "LeavesStrata-on the example 'strata': moves values of '.*' out of their stratum"
)
@pytest.mark.parametrize(
    ("method", "failure"),
    [
        (Identity, "leaves every value with its row"),
        (Deterministic, "gives 1 releases for 4 seeds|out of their stratum"),
        (Unseeded, "gives two releases for one seed"),
        (Threaded, "depends on the number of threads"),
        pytest.param(
            LeavesStrata, "on the example 'strata': moves values of '.*' out of their stratum",
            marks=pytest.mark.slow,
        ),
        (OutOfRange, "fails on 'plain': DonorMap: donors must be row numbers"),
        (WrongShape, "fails on 'plain': shuffle: a method must return one donor for each cell"),
        (Talkative, "shows secrets in the repr of its Talkative"),
        (TellsTheSeed, "shows secrets in the repr of its TellsTheSeed"),
        (Refusing, "Refusing fails on 'plain': today not"),
    ],
)  # fmt: skip
def test_a_bad_method_fails_with_a_reason(method, failure):
    with pytest.raises(AssertionError, match=failure):
        check_method(method())


def test_rwn_that_moves_nothing_fails_like_the_identity():
    with pytest.raises(AssertionError, match="leaves every value with its row"):
        check_method(sm.RWN(k=3, q=0))


# a release that is spoilt after masking


def spoilt(monkeypatch, change):
    """Let `testing` see releases that `change` has changed."""

    def mask_and_spoil(*args, **options):
        return change(sm.mask(*args, **options))

    monkeypatch.setattr(testing, "mask", mask_and_spoil)


def with_data(change):
    return lambda release: replace(release, data=change(release.data))


@pytest.mark.parametrize(
    ("change", "failure"),
    [
        (lambda data: data.to_dict(), "returns a dict"),
        (lambda data: data[data.columns[::-1]], "returns the columns"),
        (lambda data: data.assign(id=1), "returns the columns"),
        (lambda data: data.drop(columns="weight"), "returns the columns"),
        (lambda data: data.astype({"age": float}), "changes the dtype of 'age'"),
        (lambda data: data.astype({"grade": str}), "changes the dtype of 'grade'"),
        (lambda data: data.set_index(np.arange(len(data)) + 1), "publishes the index"),
        (lambda data: data.assign(income=data["income"] * 2), "values of 'income' that are not"),
        (lambda data: data.assign(weight=data["weight"] * 2), "values of 'weight' that are not"),
        (lambda data: data.assign(town=data["town"].where(data.index != 3)), "values of 'town'"),
    ],
)
def test_a_spoilt_release_fails(monkeypatch, change, failure):
    spoilt(monkeypatch, with_data(change))
    with pytest.raises(AssertionError, match=failure):
        check_method(Shuffle())


def test_altered_input_fails(monkeypatch):
    def mask_and_alter(data, *args, **options):
        release = sm.mask(data, *args, **options)
        data.loc[data.index[0], "age"] = 17
        return release

    monkeypatch.setattr(testing, "mask", mask_and_alter)
    with pytest.raises(AssertionError, match="alters column 'age' of its input"):
        check_method(Shuffle(), on=examples()[:1])


def test_moved_keep_columns_fail():
    plain = examples()[0]
    trial = testing._make_trial(Shuffle(), plain)
    trial.release.audit.donors[:, trial.release.audit.columns.index("weight")] = 0
    with pytest.raises(AssertionError, match="moves values of 'weight'"):
        testing.check_untouched_columns(trial)


# the examples


def test_examples_have_what_they_promise():
    made = {example.label: example for example in examples()}
    assert {"plain", "missing values", "ties", "duplicates", "strata", "pyarrow"} <= set(made)
    plain = made["plain"].data
    assert plain["income"].is_unique
    assert not plain.isna().any(axis=None)
    assert made["missing values"].data[list(made["plain"].schema.masked)].isna().any().all()
    assert made["ties"].data["income"].nunique() < 10
    assert made["duplicates"].data.duplicated().sum() == 180
    assert made["strata"].data["region"].isna().any()
    assert made["strata"].schema.having(Role.STRATA) == ("region",)
    assert "person-" not in repr(made["plain"])


def test_examples_are_the_same_every_time():
    one, two = examples()[1], examples()[1]
    assert one.data.equals(two.data)
    assert one.data is not two.data


@pytest.mark.slow
def test_method_for_some_columns_is_checked_on_those():
    fewer = [only(example, "income", "age") for example in examples()]
    assert all(example.schema.masked == ("income", "age") for example in fewer)
    check_method(sm.PerColumn(parts=[(Shuffle(), ["income", "age"])]), on=fewer)
