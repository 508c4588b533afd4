"""The sources of a report, and how its release was made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from swapmeet.comparison.score import Direction, Family, Score
from swapmeet.errors import SwapmeetError, UsageError
from swapmeet.measures.default_limits import are_default
from swapmeet.measures.limits import SUMMARIES
from swapmeet.measures.overall import describe_losses
from swapmeet.measures.scorecard import Scorecard
from swapmeet.measures.side_by_side.facts import ColumnFacts, Extent, ReleaseFacts
from swapmeet.methods import METHODS, Method, make
from swapmeet.methods.description import Description
from swapmeet.reporting.figures import quote
from swapmeet.tables.recoding.recode import Recode, parse_recodes
from swapmeet.tables.schema import Column, Role, Schema
from swapmeet.tables.ties import find_sets
from swapmeet.tuning import Candidate, Study
from swapmeet.tuning.chosen_release import compute_figures
from swapmeet.tuning.trial import Setting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.measures.verdict import Verdict
    from swapmeet.release.changes import ColumnChange
    from swapmeet.release.release import Release


@dataclass(frozen=True)
class ReleaseSummary:
    """The method of a release, its settings, and what became of each column.

    A `Release` has all of it; of a release that is a file, the run file beside it tells the method
    and the settings. `recodes` are the steps before masking, as they were written. `protects` tells
    whether protection was raised for single people afterwards.
    """

    method: str
    settings: Mapping[str, Any]
    changes: tuple[ColumnChange, ...] = ()
    notes: tuple[str, ...] = ()
    reproducible: bool = False
    recodes: tuple[str, ...] = ()
    protects: bool = False

    @classmethod
    def of(cls, release: Release | ReleaseSummary) -> Self | ReleaseSummary:
        """The facts of a release; neither its data nor its audit record are kept."""
        if isinstance(release, ReleaseSummary):
            return release
        return cls(
            release.method, release.settings, release.changes, release.notes,
            release.reproducible, release.schema.recodes, release.protection is not None,
        )  # fmt: skip

    @property
    def facts(self) -> ReleaseFacts | None:
        """Facts on the masked columns, as masking itself counted; None where it did not."""
        columns = tuple(_describe_change(change) for change in self.changes)
        return ReleaseFacts(columns=columns) if columns else None

    def is_untouched(self, name: str) -> bool:
        """Return whether it is known that no value of the column was moved, made or suppressed."""
        change = next((c for c in self.changes if c.name == name), None)
        return change is not None and not change.moved + change.suppressed + change.made


def _describe_change(change: ColumnChange) -> ColumnFacts:
    known = not np.isnan(change.changed)
    return ColumnFacts(
        name=change.name,
        kind="",
        masked=True,
        changed=change.changed if known else None,
        clearly_changed=change.changed if known else None,
        suppressed=change.suppressed if known else None,
    )


@dataclass(frozen=True, kw_only=True)
class Sources:
    """A study, a scorecard, or both, and what is known of the release and of the file."""

    study: Study | None = None
    card: Scorecard | None = None
    release: ReleaseSummary | None = None
    schema: Schema | None = None
    title: str | None = None
    reason: str | None = None
    checksum: str | None = None

    @classmethod
    def gather(
        cls, result: Study | Scorecard, *, study: Study | None, card: Scorecard | None,
        release: Release | ReleaseSummary | None, **more: Any,
    ) -> Self:  # fmt: skip
        """Put each thing in its place; refuse what is given twice or does not fit together."""
        if isinstance(result, Study) and study is None:
            study = result
        elif isinstance(result, Scorecard) and card is None:
            card = result
        else:
            raise UsageError(
                "report: give a Study or a Scorecard first, and the other one, if there is one, as "
                f"`card` or `study`; got a {type(result).__name__}."
            )
        if study and card and study.setup.rows != card.rows:
            raise UsageError(
                f"report: the study is of {study.setup.rows} rows and the scorecard of "
                f"{card.rows}. Give those of the same table."
            )
        summary = None if release is None else ReleaseSummary.of(release)
        return cls(study=study, card=card, release=summary, **more)

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return self.card.rows if self.card else self.study.setup.rows if self.study else 0

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that the intruder is assumed to know."""
        return self.card.known if self.card else self.study.setup.known if self.study else ()

    @property
    def limits(self) -> Mapping[str, float]:
        """The limits that the release must keep: those of the study, if there is one."""
        if self.verdict:
            return self.verdict.limits
        assert self.study is not None
        return self.tried.fit_limits(self.study.limits) if self.tried else self.study.limits

    @cached_property
    def verdict(self) -> Verdict | None:
        """The verdict on the release; None where no release was measured."""
        if self.card is None:
            return None
        chosen = self.card.reproducible or bool(self.release and self.release.reproducible)
        card = replace(self.card, reproducible=chosen)
        if self.study is None:
            return card.verdict
        if are_default(self.study.limits):
            return replace(card, limits=None).verdict
        return card.judge(self.study.limits, others=self._summaries)

    @property
    def losses(self) -> str | None:
        """The losses for analysts, in a sentence; None where no release was measured."""
        return self.card.losses.sentence if self.card else None

    @property
    def public_losses(self) -> str | None:
        """The same by what may be published: public figures, and no count of removed values."""
        if self.card is None:
            return None
        scores = {name: score for name, score in self.card.scores.items() if score.public}
        facts = self.card.facts and replace(
            self.card.facts,
            columns=tuple(replace(one, missing_after=None) for one in self.card.facts.columns),
        )
        return describe_losses(scores, facts).sentence

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the table, with kinds and roles, where they are known."""
        return () if self._schema is None else tuple(self._schema)

    @cached_property
    def parents(self) -> dict[str, tuple[str, ...]]:
        """The columns that were computed anew, and those that each follows from."""
        if self._schema is None:
            return {}
        return {one.name: one.parents for one in self._schema.ties.derivations}

    @cached_property
    def sets(self) -> tuple[tuple[str, ...], ...]:
        """The sets of columns that moved as one."""
        return () if self._schema is None else find_sets(self._schema)

    @property
    def _schema(self) -> Schema | None:
        return self.schema or (self.study.setup.schema if self.study else None)

    @cached_property
    def setting(self) -> Setting | None:
        """The method and the settings of the release; without one, those that the study chose."""
        if self.release:
            return _complete(self.release)
        best = self.study.choice.best if self.study else None
        return best.setting if best else None

    @property
    def is_without_release(self) -> bool:
        """Return whether there is no release and no setting for one: the search chose nothing."""
        return self.card is None and self.setting is None

    @cached_property
    def method(self) -> Method | None:
        """The method with its settings; None where it is not one of ours."""
        if self.setting is None or self.setting.name not in METHODS:
            return None
        try:
            return self.setting.method
        except SwapmeetError:
            return None

    @cached_property
    def recodes(self) -> tuple[Recode, ...]:
        """The steps that the table went through before it was masked."""
        texts = tuple(step.text for step in self.card.recodes) if self.card else ()
        texts = texts or (self.release.recodes if self.release else ())
        if not texts and self.card is None and self.study:
            texts = self.study.setup.schema.recodes
        return parse_recodes(texts)

    def describe_steps(self) -> str:
        """The steps in one sentence, without values of people; empty where there are none."""
        steps = "; ".join(f"{quote(step.column)} was {step.step.words}" for step in self.recodes)
        return f"Before masking, {steps}." if steps else ""

    @property
    def description(self) -> Description:
        """The method's description of itself; general words where it is not known."""
        return self.method.description if self.method else Description()

    @property
    def label(self) -> str:
        """The method with what differs from its defaults, for people."""
        if self.setting is None:
            return ""
        return self.setting.label if self.method else self.setting.name

    @cached_property
    def _summaries(self) -> dict[str, Score]:
        """Risk, loss and score of the release, as the goal of the study has them."""
        assert self.study is not None and self.card is not None  # noqa: PT018
        if not set(self.card.scores).issuperset(self.study.setup.measures):
            return {}
        figures = compute_figures(self.study, self.card)
        return {
            name: Score(name, figures[name], "", Direction.LOWER, (0.0, 1.0), Family.RISK)
            for name in SUMMARIES
        }

    @property
    def tried(self) -> Candidate | None:
        """The candidate of the study with the setting of the release, if it was tried."""
        setting = self.setting
        candidates = self.study.candidates if self.study else ()
        return next((c for c in candidates if c.setting == setting and not c.failure), None)

    @cached_property
    def facts(self) -> ReleaseFacts | None:
        """Facts on the release: from its card, or else as masking itself counted."""
        if self.card and self.card.facts:
            return self.card.facts
        return self.release.facts if self.release else None

    def find_facts(self, name: str) -> ColumnFacts | None:
        """Find the facts on a column, if they are known."""
        columns = self.facts.columns if self.facts else ()
        return next((column for column in columns if column.name == name), None)

    def list_exact(self) -> list[str]:
        """The columns that are published as they are: by their figures, or because nothing was
        to be done to them.
        """
        names = [column.name for column in self.facts.columns] if self.facts else []
        named = {column.name: column for column in self.columns if column.role is not Role.DROP}
        return [n for n in dict.fromkeys((*named, *names)) if self._is_exact(n, named.get(n))]

    def is_masked(self, column: Column) -> bool:
        """Return whether values of a column were moved, made or suppressed."""
        return not self._is_exact(column.name, column)

    def list_units(self) -> list[str]:
        """The columns that number households or persons; masking numbers them anew."""
        return [column.name for column in self.columns if column.role.is_unit]

    def _is_exact(self, name: str, column: Column | None) -> bool:
        if column is not None and column.role.is_unit:
            return False
        facts = self.find_facts(name)
        if facts is None and any(step.column == name for step in self.recodes):
            return False
        if facts is not None and facts.extent is not Extent.UNKNOWN:
            return facts.extent is Extent.EXACT
        if self.release and self.release.is_untouched(name):
            return True
        if column is None:
            return facts is not None and not facts.masked
        if column.role is Role.DERIVED:
            return False
        return not (self.method.masks(column) if self.method else column.role.masked)


def _complete(release: ReleaseSummary) -> Setting:
    """The setting with all defaults, so that it compares; as it is for methods from elsewhere."""
    if release.method in METHODS:
        try:
            return Setting.of(make(release.method, release.settings))
        except SwapmeetError:
            pass
    return Setting(release.method, dict(release.settings))
