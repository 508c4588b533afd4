"""Methods of one's own are searched as Swapmeet's own ones are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.base.params import Fraction
from swapmeet.errors import ParameterError, SwapmeetWarning, UsageError
from swapmeet.methods.base import Method
from swapmeet.release.donors import DonorMap
from swapmeet.release.outcome import Outcome
from swapmeet.tuning import Study


@dataclass(frozen=True, kw_only=True)
class Shuffle(Method):
    """Permute each column by itself; `share` of the rows keep their place."""

    share: Annotated[float, Fraction(), "share of the rows that keep their place"] = 0.0

    name: ClassVar[str] = "own-shuffle"
    summary: ClassVar[str] = "permute each column"

    def outcome(self, data, streams, workers):
        donors = np.repeat(np.arange(data.n)[:, None], len(data.variables), axis=1)
        for column, name in zip(donors.T, data.names, strict=True):
            stream = streams.stream(name)
            rows = np.flatnonzero(stream.random(data.n) >= self.share)
            column[rows] = stream.permutation(rows)
        return Outcome(DonorMap(donors))


OWN = [Shuffle(), Shuffle(share=0.5), "rwn:k=3"]


@pytest.fixture
def search(numbers, cheap):
    def go(methods=OWN, **options):
        given = {"goal": cheap, "measures": [], "repeats": 2, "seed": 1, "workers": 1, "limit": {},
                 "final_repeats": 1}  # fmt: skip
        return sm.tune(numbers, methods, **given | options)

    return go


def figures(study):
    return {c.label: c.repeats["pscr"].tolist() for c in study.candidates}


def test_they_are_tried_compared_and_masked_with(search, numbers):
    study = search()
    labels = {c.label for c in study.candidates}
    assert {"own-shuffle", "own-shuffle share=0.5", "rwn k=3 q=1 weights=1"} <= labels
    own = next(c for c in study.candidates if c.label == "own-shuffle")
    assert own.method == Shuffle()
    done = sm.apply(study, numbers, candidate=own.number, seed=1)
    assert done.release.method == "own-shuffle"


def test_a_search_goes_on_from_its_journal(search, tmp_path):
    path = tmp_path / "own.jsonl"
    search(journal=path, repeats=1)
    again = search(journal=path)
    assert figures(again) == figures(search())
    assert next(c for c in again.candidates if c.label == "own-shuffle").method == Shuffle()


def test_a_journal_alone_has_the_figures_and_says_that_the_class_is_needed(search, tmp_path):
    path = tmp_path / "own.jsonl"
    made = search(journal=path)
    study = Study.load(path)
    assert {c.label.split()[0] for c in study.candidates} == {"own-shuffle", "rwn"}
    assert study.choice.best.number == made.choice.best.number
    assert study.frontier()
    with pytest.raises(ParameterError, match="own-shuffle is a method of your own"):
        _ = next(c for c in study.candidates if c.setting.name == "own-shuffle").method


def test_a_class_stands_for_its_defaults(search):
    assert [c.label for c in search([Shuffle]).candidates] == ["own-shuffle"]


def test_the_name_of_another_method_is_refused(search):
    @dataclass(frozen=True, kw_only=True)
    class Disguise(Shuffle):
        name: ClassVar[str] = "rwn"

    with pytest.raises(UsageError, match="Disguise has the name of another method, 'rwn'"):
        search([Disguise()])


def test_what_other_processes_cannot_import_is_tried_in_this_one(search):
    @dataclass(frozen=True, kw_only=True)
    class Local(Shuffle):
        name: ClassVar[str] = "own-local"

    with pytest.raises(UsageError, match="Local cannot be imported by other processes"):
        search([Local()], workers=2)
    with pytest.warns(SwapmeetWarning, match="so that all trials are made in this one"):
        assert len(search([Local()], workers=None).trials) == 2


@pytest.mark.slow
def test_processes_make_the_same_trials(search):
    assert figures(search(workers=2)) == figures(search())
