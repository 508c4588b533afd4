"""assess(): an original and a release make a scorecard."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.core.base.parallel import Progress, Workers, count_cores, silent
from swapmeet.core.release.release import Release
from swapmeet.core.tables.frame import Frame, Table
from swapmeet.core.tables.microdata import Microdata
from swapmeet.core.tables.schema import Schema, fit_schema
from swapmeet.core.tables.schema_guess import FIRST, HEAD
from swapmeet.engines import Spark
from swapmeet.engines.spark.engine import is_spark
from swapmeet.errors import UsageError
from swapmeet.measures.comparison import Comparison, Ownership, ownership_of
from swapmeet.measures.scorecard import Scorecard
from swapmeet.measures.scoring import score_all
from swapmeet.measures.side_by_side.conditions import Condition
from swapmeet.measures.side_by_side.formulas import Formula
from swapmeet.measures.side_by_side.models import compare_model
from swapmeet.measures.side_by_side.pca import compare_pca
from swapmeet.measures.side_by_side.profile import make_profile
from swapmeet.measures.side_by_side.rare import compare_rare
from swapmeet.measures.side_by_side.tables import compare_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from swapmeet.core.release.audit import AuditRecord
    from swapmeet.measures.base import Measure

    Rows = npt.NDArray[np.int64]
from swapmeet.measures.matching import (
    ROWS,
    UNKNOWN,
    _attributed,
    common_columns,
    known_columns,
    notes_on,
    owners,
    ownership_by,
)
from swapmeet.measures.registry import chosen_measures


def assess(
    original: Frame,
    release: Release | Frame,
    *,
    schema: Schema | None = None,
    audit: AuditRecord | None = None,
    match: str = UNKNOWN,
    known: Iterable[str] | None = None,
    measures: Iterable[str | Measure] | None = None,
    models: Iterable[str] = (),
    pca: Sequence[str] = (),
    tables: Iterable[Sequence[str]] = (),
    rare: Iterable[str] = (),
    profile: bool = False,
    selectivity: Iterable[tuple[str, str]] = (),
    at_most: int | None = 20_000,
    threads: int | None = None,
    progress: Progress = silent,
) -> Scorecard:
    """Measure what an intruder can do with a release and what an analyst loses.

    A release made here knows its owners. For one from elsewhere give the `audit` record, or say
    how rows match: "rows" (in the same order) or the name of an id column; otherwise the measures
    that need the true owner are not defined. `known` are the columns an intruder knows, by default
    all masked ones. At most `at_most` random rows are linked with all others. `models` are
    formulas to fit to both tables, `pca` columns whose principal components to compare, `tables`
    lists of columns to tabulate, `rare` conditions whose rows to follow. With `profile`, the card
    holds what pictures show, with the influence of rows on the models; `selectivity` adds pairs of
    a column to count and one to select by.

    >>> import swapmeet as sm
    >>> people = sm.datasets.load("diabetes")
    >>> release = sm.mask(people, sm.RWN(k=10, weights=0.1), seed=1)
    >>> card = sm.assess(people, release, measures=["pscr", "correlations"])
    >>> 0 < card["pscr"].value < 0.2
    True
    """
    if is_spark(original):
        asked = {"models": models, "pca": pca, "tables": tables, "rare": rare,
                 "selectivity": selectivity, "profile": [profile] if profile else []}  # fmt: skip
        _require_nothing_more(asked, audit)
        return _assessed_by_spark(
            original, release, schema, match, known, chosen_measures(measures), at_most,
            Workers(threads or count_cores(), progress),
        )  # fmt: skip
    before = Table.of(original)
    after = Table.of(release.data if isinstance(release, Release) else release)
    schema = fit_schema(schema, before, "assess")
    chosen, formulas = chosen_measures(measures), [Formula.parse(text) for text in models]
    conditions, pairs = [Condition(text) for text in rare], list(selectivity)
    columns = common_columns(before, after, schema)
    masked = tuple(column.name for column in columns if column.role.masked)
    known = known_columns(known, columns)
    if isinstance(release, Release):
        audit = release.audit
        rows: Rows | None = _attributed(audit, np.arange(len(before)))
    else:
        rows = owners(len(before), len(after), audit, match, lambda: (before, after))
    one, other = Microdata.of_both(before, after, columns)
    comparison = Comparison(
        original=one,
        released=other if rows is None else other.take(rows),
        masked=masked,
        known=known,
        ownership=ownership_by(audit, match, known, masked),
        at_most=at_most,
        workers=Workers(threads or count_cores()),
    )
    analyses: dict[str, Any] = {
        "models": tuple(compare_model(comparison, formula) for formula in formulas),
        "components": compare_pca(comparison, list(pca)) if pca else None,
        "tables": tuple(compare_table(comparison, list(names)) for names in tables),
        "rare": tuple(
            compare_rare(before, after, condition, rows, owners_known=comparison.owners_known)
            for condition in conditions
        ),
        "profile": make_profile(comparison, formulas=formulas, selectivities=pairs)
        if profile or pairs
        else None,
    }
    return Scorecard(
        scores=score_all(comparison, chosen, Workers(threads or count_cores(), progress)),
        rows=one.n,
        known=comparison.known,
        ownership=comparison.ownership,
        notes=tuple(notes_on(comparison, schema)),
        **analyses,
    )


def _require_nothing_more(asked: Mapping[str, Any], audit: AuditRecord | None) -> None:
    """Refuse what needs tables in memory."""
    more = [name for name, what in asked.items() if list(what)]
    if more:
        raise UsageError(f"assess: `{more[0]}` needs tables in memory, not Spark frames.")
    if audit is not None:
        raise UsageError(
            "assess: with Spark frames give the release that `mask` made itself, which knows the "
            "owners of its rows, or `match` them by a column."
        )


def _assessed_by_spark(
    original: Any, release: Any, schema: Schema | None, match: str,
    known: Iterable[str] | None, measures: list[Measure], at_most: int | None, workers: Workers,
) -> Scorecard:  # fmt: skip
    """The card of Spark frames, whose rows stay in the cluster."""
    from swapmeet.engines.spark.pair import side_by_side, sides_of_frames, sides_of_release
    from swapmeet.engines.spark.release import SparkRelease

    is_release, engine = isinstance(release, SparkRelease), Spark()
    after = release.data if is_release else release
    if not is_spark(after):
        raise UsageError("assess: original and release must both be Spark frames, or neither.")
    if match == ROWS and not is_release:
        raise UsageError(
            "match: rows of Spark frames have no order. Name a column that identifies them."
        )
    head = Table(engine.head(original, HEAD if schema is None else FIRST))
    schema = fit_schema(release.schema if is_release and schema is None else schema, head, "assess")
    columns = common_columns(head, Table(engine.head(after, FIRST)), schema)
    masked = tuple(column.name for column in columns if column.role.masked)
    known = known_columns(known, columns)
    by_column = None if match == UNKNOWN else match
    found = (
        sides_of_release(release)
        if is_release
        else nullcontext(sides_of_frames(original, after, by_column))
    )
    with found as sides:
        if sides.owned is None:
            ownership = ownership_by(None, match, known, masked)
        else:
            ownership = ownership_of(sides.owned, known, masked)
        make = partial(_spark_comparison, masked, known, ownership, at_most, workers.threads)
        with side_by_side(sides, columns, make) as comparison:
            scores = score_all(comparison, measures, workers)
            notes = tuple(notes_on(comparison, schema))
    return Scorecard(scores, sides.rows, known, ownership, notes)


def _spark_comparison(
    masked: tuple[str, ...], known: tuple[str, ...], ownership: Ownership, at_most: int | None,
    threads: int, one: Microdata, other: Microdata, **more: Any,
) -> Comparison:  # fmt: skip
    from swapmeet.engines.spark.compare import SparkComparison

    return SparkComparison(one, other, masked, known, ownership, at_most, Workers(threads), **more)
