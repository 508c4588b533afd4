"""What a report is made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from swapmeet.errors import SwapmeetError, UsageError
from swapmeet.measures.scorecard import Scorecard
from swapmeet.methods import METHODS, make
from swapmeet.reporting.made import Made
from swapmeet.reporting.masked import touches
from swapmeet.tuning import Study
from swapmeet.tuning.chosen_release import compute_figures
from swapmeet.tuning.trial import Setting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.core.release.release import Release
    from swapmeet.core.tables.schema import Column, Schema
    from swapmeet.tuning import Candidate


@dataclass(frozen=True, kw_only=True)
class Sources:
    """A study, a scorecard, or both, and what is known of the release and of the file."""

    study: Study | None = None
    card: Scorecard | None = None
    made: Made | None = None
    schema: Schema | None = None
    title: str | None = None
    checksum: str | None = None

    @classmethod
    def gather(
        cls, result: Study | Scorecard, *, study: Study | None, card: Scorecard | None,
        release: Release | Made | None, **more: Any,
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
        made = None if release is None else Made.of(release)
        return cls(study=study, card=card, made=made, **more)

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return self.card.rows if self.card else self.study.setup.rows if self.study else 0

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that the intruder is taken to know."""
        return self.card.known if self.card else self.study.setup.known if self.study else ()

    @property
    def limits(self) -> Mapping[str, float]:
        """The limits that were set."""
        return self.study.limits if self.study else {}

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the table, with kinds and roles, where they are known."""
        schema = self.schema or (self.study.setup.schema if self.study else None)
        return () if schema is None else tuple(schema)

    @cached_property
    def setting(self) -> Setting | None:
        """The method and the settings of the release; without one, those that the study chose."""
        if self.made:
            return _complete(self.made)
        best = self.study.choice.best if self.study else None
        return best.setting if best else None

    @property
    def label(self) -> str:
        """The method with what differs from its defaults, for people."""
        setting = self.setting
        if setting is None:
            return ""
        return setting.label if setting.name in METHODS else setting.name

    @cached_property
    def limited(self) -> dict[str, float]:
        """What the release has where there are limits: NaN where a measure is not defined."""
        if not (self.card and self.study):
            return {}
        measured = set(self.card.scores).issuperset(self.study.setup.measures)
        known = compute_figures(self.study, self.card) if measured else {
            name: score.value for name, score in self.card.scores.items()
        }  # fmt: skip
        return {name: known[name] for name in self.limits if name in known}

    @property
    def tried(self) -> Candidate | None:
        """What the study knows of the setting of the release, if it was tried."""
        setting = self.setting
        candidates = self.study.candidates if self.study else ()
        return next((c for c in candidates if c.setting == setting and not c.failure), None)

    def is_masked(self, column: Column) -> bool:
        """Whether values of a column were moved, made or suppressed."""
        if self.made and self.made.left_alone(column.name):
            return False
        setting = self.setting
        return column.role.masked if setting is None else (
            touches(setting.name, setting.settings, column)
        )  # fmt: skip


def _complete(made: Made) -> Setting:
    """The setting with all defaults, so that it compares; as it is for methods from elsewhere."""
    if made.method in METHODS:
        try:
            return Setting.of(make(made.method, made.settings))
        except SwapmeetError:
            pass
    return Setting(made.method, dict(made.settings))
