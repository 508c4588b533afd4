"""Analyses of both tables in memory: coverage of intervals, queries, rare records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from swapmeet.base.progress import quieten
from swapmeet.base.seeds import Seed
from swapmeet.comparison.score import Undefined
from swapmeet.comparison.weights import find_weight_name
from swapmeet.engines.local.pair import pair_tables, table_of
from swapmeet.engines.local.trial import TrialData
from swapmeet.engines.provenance import restore_method
from swapmeet.engines.ties import fit_ties
from swapmeet.errors import SwapmeetError, UsageError
from swapmeet.measures.side_by_side.answers import Answers, compare_answers, compare_rare
from swapmeet.measures.side_by_side.interval_coverage import (
    PART,
    IntervalCoverage,
    Replicates,
    cover,
)
from swapmeet.release.audit import AuditRecord
from swapmeet.release.release import Release
from swapmeet.tables.frame import Table, reorder
from swapmeet.tables.microdata import Microdata

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from swapmeet.base.parallel import Workers
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.engines.inquiry import Analyses, Inquiry
    from swapmeet.engines.protocol import Request
    from swapmeet.measures.side_by_side.fit import Estimate
    from swapmeet.measures.side_by_side.model import Model
    from swapmeet.methods import Method
    from swapmeet.tables.conditions import Condition
    from swapmeet.tables.recoding.recoded import Recoded
    from swapmeet.tables.schema import Schema

    Estimates = tuple[Estimate | None, ...]


def find_method_of(release: Any, inquiry: Inquiry) -> Method | None:
    """The method of the release, if further releases are to be made; refuse if it is unknown."""
    if inquiry.method is not None or not inquiry.analyses.coverage:
        return inquiry.method
    return find_method(release, inquiry.audit)


def cover_models(
    original: Any,
    recoded: Recoded[Any],
    schema: Schema,
    method: Method | None,
    inquiry: Inquiry,
    comparison: Comparison,
) -> tuple[IntervalCoverage, ...]:
    """Estimate the coverage of the models' intervals, from further releases by the same method."""
    if method is None or not inquiry.analyses.coverage:
        return ()
    releases = ReplicateReleases(
        table=recoded.data, schema=schema, method=method, seed=Seed.fresh(),
        workers=inquiry.workers, before=original if recoded.results else None,
    )  # fmt: skip
    weight = find_weight_name(comparison)
    models = tuple(model.weigh_by(weight) for model in inquiry.analyses.coverage)
    return cover_intervals(releases, models, inquiry.replicates)


def ask_queries(original: Any, release: Any, analyses: Analyses) -> Answers | None:
    """The user's own queries, asked of both tables and of the other release."""
    if not analyses.queries:
        return None
    return compare_answers(original, table_of(release), analyses.queries, analyses.baseline)


def follow_rare(
    original: Any,
    release: Any,
    request: Request,
    comparison: Comparison,
    conditions: tuple[Condition, ...],
) -> tuple[Any, ...]:
    """Fate of the rows that meet each condition."""
    if not conditions:
        return ()
    pair = pair_tables(original, release, request.read_audit(), request.match)
    return tuple(
        compare_rare(
            pair.original, pair.released, condition, pair.places,
            owners_known=comparison.owners_known,
        )
        for condition in conditions
    )  # fmt: skip


UNFITTED = "the model cannot be fitted to the original; --model (`models=`) tells why"


def cover_intervals(
    releases: ReplicateReleases, models: Sequence[Model], number: int
) -> tuple[IntervalCoverage, ...]:
    """One result for each model, from `number` releases of all rows and as many of parts."""
    like = releases.original
    for model in models:
        model.check(like)
    originals = [_try_to_fit(like, like, model) for model in models]

    def fit_all(data: Microdata) -> Estimates:
        return tuple(_try_to_fit(data, like, model) for model in models)

    whole = releases.each_of_whole(number, lambda _, released: fit_all(released))
    parts = releases.each_of_parts(
        number, lambda part, released: (fit_all(part), fit_all(released))
    )
    return tuple(
        cover(model.text, original, _gather(whole, parts, j, releases.seed))
        if original is not None
        else IntervalCoverage(formula=model.text, replicates=0, undefined=UNFITTED)
        for j, (model, original) in enumerate(zip(models, originals, strict=True))
    )


def find_method(release: Any, audit: AuditRecord | str | os.PathLike[str] | None) -> Method:
    """The method of a release, from itself or from its audit record."""
    if isinstance(release, Release):
        record: AuditRecord | None = release.audit
    else:
        record = (
            audit if audit is None or isinstance(audit, AuditRecord) else AuditRecord.load(audit)
        )
    method: Method | None = None if record is None else restore_method(record.method)
    if method is None:
        raise UsageError(
            "coverage: it must be known how the release was made, for further ones are made the "
            "same way. Give the release itself, its audit record, or the method (on the command "
            "line the run file: --config)."
        )
    return method


def _gather(
    whole: Sequence[Estimates | None],
    parts: Sequence[tuple[Estimates, Estimates] | None],
    j: int,
    seed: Seed,
) -> Replicates:
    """Return what there is about model j."""
    fits = [
        estimates[j] for estimates in whole if estimates is not None and estimates[j] is not None
    ]
    pairs = [(part[0][j], part[1][j]) for part in parts if part is not None]
    return Replicates(
        whole=[one for one in fits if one is not None],
        parts=[(one, other) for one, other in pairs if one is not None and other is not None],
        failed=len(whole) - len(fits),
        stream=seed.stream("resampling", j),
    )


def _try_to_fit(data: Microdata, like: Microdata, model: Model) -> Estimate | None:
    try:
        return model.estimate(data, like)
    except (SwapmeetError, Undefined):
        return None


_Outcome = TypeVar("_Outcome")
LABEL = "replicate releases"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ReplicateReleases:
    """A table, and the method that masks it again and again, with seeds below `seed`.

    `before` is the table before it was recoded, if it was: what estimates are compared with.

    No such release leaves the memory, and none has to do with the one that is published.
    """

    table: Table
    schema: Schema
    method: Method
    seed: Seed
    workers: Workers
    before: Table | None = None

    @cached_property
    def original(self) -> Microdata:
        """The published columns of the table, as it was before it was recoded."""
        return self._arrays.before or self._arrays.published

    def each_of_whole(
        self, number: int, look: Callable[[Microdata, Microdata], _Outcome]
    ) -> list[_Outcome | None]:
        """Return what `look` finds in the table and each release of it; None where that failed."""
        data = self._arrays

        def find(i: int) -> _Outcome:
            return _look(data, self.method, self.seed.derive("replicate", i), look)

        return self._each(number, find)

    def each_of_parts(
        self, number: int, look: Callable[[Microdata, Microdata], _Outcome]
    ) -> list[_Outcome | None]:
        """The same of random parts of the rows, each with a release of that part."""
        data = self._arrays
        rows = max(round(PART * len(self.table)), 1)

        def find(i: int) -> _Outcome:
            chosen = self.seed.stream("rows of a part", i).permutation(len(self.table))[:rows]
            part = _take(data, np.sort(chosen))
            return _look(part, self.method, self.seed.derive("part", i), look)

        return self._each(number, find)

    def _each(self, number: int, find: Callable[[int], _Outcome]) -> list[_Outcome | None]:
        outcomes: list[_Outcome | None] = [None] * number

        def work(begin: int, end: int) -> None:
            for i in range(begin, end):
                try:
                    outcomes[i] = find(i)
                except SwapmeetError:
                    outcomes[i] = None

        self.workers.each(work, number, size=1, label=LABEL)
        return outcomes

    @cached_property
    def _arrays(self) -> TrialData:
        columns = [self.schema[name] for name in self.schema.compared]
        tables = (self.table,) if self.before is None else (self.before, self.table)
        published = Microdata.of_all(tables, columns)
        ties = fit_ties(self.schema, lambda: [self.table])
        masked = Microdata.of(self.table, self.schema, self.method.find_context(self.schema))
        return TrialData(
            frame=self.table.native,
            masked=ties.rests.put_into(masked, self.table),
            published=published[-1],
            before=None if self.before is None else published[0],
            known=self.schema.masked,
            at_most=None,
            ties=ties,
            progress=quieten(self.workers.progress),
        )


def _look(
    data: TrialData,
    method: Method,
    seed: Seed,
    look: Callable[[Microdata, Microdata], _Outcome],
) -> _Outcome:
    _, comparison = data.compare_both(method, seed)
    return look(comparison.original, comparison.released)


def _take(data: TrialData, rows: Any) -> TrialData:
    frame = reorder(data.frame, rows)
    before = None if data.before is None else data.before.take(rows)
    return replace(
        data, frame=frame, masked=data.masked.take(rows), published=data.published.take(rows),
        before=before,
    )  # fmt: skip
