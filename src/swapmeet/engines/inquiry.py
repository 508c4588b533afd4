"""What it takes to answer a question: measures, limits, records, and analyses beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from swapmeet.comparison.comparison import Comparison, Ownership
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.comparison.score import Family, Score
from swapmeet.errors import UsageError
from swapmeet.measures.registry import ALL, chosen_measures
from swapmeet.measures.side_by_side.components import compare_pca
from swapmeet.measures.side_by_side.interval_coverage import REPLICATES
from swapmeet.measures.side_by_side.models import compare_model, compare_table
from swapmeet.measures.side_by_side.profile import make_profile

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from swapmeet.base.parallel import Workers
    from swapmeet.engines.protocol import Engine
    from swapmeet.measures.base import Measure
    from swapmeet.measures.side_by_side.model import Model
    from swapmeet.methods import Method
    from swapmeet.release.audit import AuditRecord
    from swapmeet.tables.conditions import Condition
    from swapmeet.tables.frame import Table
    from swapmeet.tables.schema import Schema


MEMBERSHIP = "membership"
"""The measure that is about synthetic rows or people outside the file."""


@dataclass(frozen=True, kw_only=True)
class Analyses:
    """Run the analyses of both tables; they need them in memory."""

    models: tuple[Model, ...] = ()
    pca: tuple[str, ...] = ()
    tables: tuple[tuple[str, ...], ...] = ()
    rare: tuple[Condition, ...] = ()
    profile: bool = False
    selectivity: tuple[tuple[Any, ...], ...] = ()
    queries: tuple[Condition, ...] = ()
    baseline: Table | None = None
    coverage: tuple[Model, ...] = ()

    def require(self, engine: Engine[Any, Any]) -> None:
        """Refuse what needs tables in memory where they are elsewhere."""
        if self.baseline is not None and not self.queries:
            raise UsageError("assess: `baseline` is for `queries`. Name some, or leave it out.")
        names = [name for name, value in vars(self).items() if value]
        if names and not engine.in_memory:
            raise UsageError(f"assess: `{names[0]}` needs tables in memory.")

    def check(self, comparison: Comparison) -> None:
        """Refuse models of columns that cannot be used, before anything is measured."""
        for model in (*self.models, *self.coverage):
            model.check(comparison.original)

    def run(self, comparison: Comparison) -> dict[str, Any]:
        """Analyses beside the scores, by the names of the card; rare records aside."""
        pairs = list(self.selectivity)
        plain = [model.formula for model in self.models if model.is_plain]
        return {
            "models": tuple(compare_model(comparison, model) for model in self.models),
            "components": compare_pca(comparison, list(self.pca)) if self.pca else None,
            "tables": tuple(compare_table(comparison, list(names)) for names in self.tables),
            "profile": make_profile(comparison, formulas=plain, selectivities=pairs)
            if self.profile or pairs
            else None,
        }


@dataclass(frozen=True, kw_only=True)
class Inquiry:
    """A question with all that it takes to answer it: records, tables, measures, threads.

    Without `measures` the default ones are taken, as far as they apply.
    """

    audit: AuditRecord | str | os.PathLike[str] | None
    match: str
    known: Iterable[str] | None
    measures: tuple[str | Measure, ...] | None
    at_most: int | None
    workers: Workers
    level: Knowledge = Knowledge.KEYS
    analyses: Analyses = field(default_factory=Analyses)
    limits: Mapping[str, float] | None = None
    control: Any = None
    method: Method | None = None
    replicates: int = REPLICATES

    def choose_measures(self) -> list[Measure]:
        """The measures asked for or else the default ones, and those that a limit needs."""
        chosen = chosen_measures(self.measures)
        named = {measure.name for measure in chosen}
        return [*chosen_measures([n for n in self.limits or () if n not in named]), *chosen]

    def leave_out_idle(
        self, measures: list[Measure], schema: Schema, ownership: Ownership
    ) -> list[Measure]:
        """Leave out what nobody named and what finds nothing here to measure.

        Whether people can be told to be in the file is asked of synthetic rows, or with a control.
        """
        if self.measures is not None and ALL not in self.measures:
            return measures
        others = ownership is Ownership.NOBODY or self.control is not None or self.measures
        limited = self.limits or ()
        return [
            m for m in measures
            if m.name in limited
            or (all(map(schema.having, m.needs)) and (others or m.name != MEMBERSHIP))
        ]  # fmt: skip

    def drop_inapplicable(self, scores: dict[str, Score]) -> dict[str, Score]:
        """Drop losses that nobody named and that are about nothing here, such as ties."""
        if self.measures is not None:
            return scores
        return {
            name: one for name, one in scores.items() if one.applies or one.family is Family.RISK
        }
