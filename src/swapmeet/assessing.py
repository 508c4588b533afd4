"""assess(): an original and a release make a scorecard."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.analyses import (
    compare_model,
    compare_pca,
    compare_table,
    rare_records,
)
from swapmeet.blocks import Progress, Workers, cores, silent
from swapmeet.conditions import Condition
from swapmeet.engines import Spark
from swapmeet.engines.spark.engine import is_spark
from swapmeet.errors import ParameterError, SchemaError, TableError, UsageError, did_you_mean
from swapmeet.formulas import Formula
from swapmeet.frame import Frame, Table, shared_codes
from swapmeet.matching import not_identifying, require_as_many, require_in_both
from swapmeet.measures import (
    Comparison,
    Measure,
    Ownership,
    Score,
    ownership_of,
)
from swapmeet.microdata import Microdata
from swapmeet.profiles import profile as profile_of
from swapmeet.release import AuditRecord, Release
from swapmeet.risk import RISKS
from swapmeet.schema import Kind, Role, Schema, fitted
from swapmeet.scorecard import Scorecard
from swapmeet.scoring import Scoring
from swapmeet.survey.guessing import FIRST, HEAD
from swapmeet.utility import UTILITIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    Rows = npt.NDArray[np.int64]

UNKNOWN, ROWS = "unknown", "rows"
"""How released rows match original ones, unless by the name of a column."""
MEASURES: dict[str, type[Measure]] = {**RISKS, **UTILITIES}
"""All measures, by the name the command line knows them by."""


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
            Workers(threads or cores(), progress),
        )  # fmt: skip
    before = Table.of(original)
    after = Table.of(release.data if isinstance(release, Release) else release)
    schema = fitted(schema, before, "assess")
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
        workers=Workers(threads or cores()),
    )
    analyses: dict[str, Any] = {
        "models": tuple(compare_model(comparison, formula) for formula in formulas),
        "components": compare_pca(comparison, list(pca)) if pca else None,
        "tables": tuple(compare_table(comparison, list(names)) for names in tables),
        "rare": tuple(
            rare_records(before, after, condition, rows, owners_known=comparison.owners_known)
            for condition in conditions
        ),
        "profile": profile_of(comparison, formulas=formulas, selectivities=pairs)
        if profile or pairs
        else None,
    }
    return Scorecard(
        scores=_scores(chosen, comparison, Workers(threads or cores(), progress)),
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
    from swapmeet.engines.spark.pairing import side_by_side, sides_of_frames, sides_of_release
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
    schema = fitted(release.schema if is_release and schema is None else schema, head, "assess")
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
            scores = Scoring(comparison).scores(measures, workers)
            notes = tuple(notes_on(comparison, schema))
    return Scorecard(scores, sides.rows, known, ownership, notes)


def _spark_comparison(
    masked: tuple[str, ...], known: tuple[str, ...], ownership: Ownership, at_most: int | None,
    threads: int, one: Microdata, other: Microdata, **more: Any,
) -> Comparison:  # fmt: skip
    from swapmeet.engines.spark.comparison import SparkComparison

    return SparkComparison(one, other, masked, known, ownership, at_most, Workers(threads), **more)


def _scores(measures: list[Measure], comparison: Comparison, workers: Workers) -> dict[str, Score]:
    """The score of each measure; several are taken at once.

    Linear algebra has one thread meanwhile: its matrices are small, and the limit holds for the
    whole process, so that a measure could not set and lift it beside others.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    found: dict[str, Score] = {}

    def some_measures(begin: int, end: int) -> None:
        for measure in measures[begin:end]:
            found[measure.name] = measure.score_or_reason(comparison)

    with threadpool_limits(1, "blas"):
        workers.each(some_measures, len(measures), size=1, label="measures")
    return {measure.name: found[measure.name] for measure in measures}


def make(text: str) -> Measure:
    """The measure of this name, with parameters if some follow.

    >>> make("queries:target=occupation:conditions=2").settings()["conditions"]
    2
    """
    name, *pairs = text.split(":")
    settings = {}
    for pair in pairs:
        parameter, sign, value = pair.partition("=")
        if not sign:
            raise ParameterError(f"{name}: write parameters as {name}:name=value; got {pair!r}.")
        settings[parameter.strip()] = value.strip()
    return find(name.strip()).from_settings(settings)


def find(name: str) -> type[Measure]:
    """The measure of this name."""
    if name not in MEASURES:
        raise ParameterError(
            f"no measure {name!r}{did_you_mean(name, MEASURES)} There are {', '.join(MEASURES)}."
        )
    return MEASURES[name]


def chosen_measures(measures: Iterable[str | Measure] | None) -> list[Measure]:
    """The measures asked for, by name or as they are; None are all."""
    if measures is None:
        return [measure() for measure in MEASURES.values()]
    chosen = [make(m) if isinstance(m, str) else m for m in measures]
    strange = [m for m in chosen if not isinstance(m, Measure)]
    if strange:
        raise UsageError(
            "assess: `measures` must be names or measures, such as 'dbrl' or DCR(scale=\"raw\"); "
            f"got a {type(strange[0]).__name__}."
        )
    return chosen


def common_columns(before: Table, after: Table, schema: Schema) -> list[Any]:
    """The published columns that both tables have and that can be compared."""
    if len(before) == 0:
        raise TableError("the original has no rows; there is nothing to compare.")
    common = [schema[name] for name in schema.published if name in after.names]
    problems = [
        f"column {c.name!r} is {c.kind} and holds {after.family(c.name)} in the release. "
        "Read both files in the same way, or drop the column."
        for c in common
        if c.kind is not Kind.NOMINAL and not before.is_ordered(c.name)
        and not after.has_numbers(c.name)
    ]  # fmt: skip
    if problems:
        raise SchemaError(problems)
    if not any(column.role.masked for column in common):
        problem = (
            "original and release have no masked column in common. Compare a release with the "
            "table it was made of, and give at least one column the role key or sensitive."
        )
        raise SchemaError([problem])
    return common


def ownership_by(
    audit: AuditRecord | None, match: str, known: tuple[str, ...], masked: tuple[str, ...]
) -> Ownership:
    """How it is known whose rows are released."""
    if audit is not None:
        return ownership_of(audit.owned, known, masked)
    return Ownership.UNKNOWN if match == UNKNOWN else Ownership.CLAIMED


def owners(
    before: int,
    after: int,
    audit: AuditRecord | None,
    match: str,
    tables: Callable[[], tuple[Table, Table]],
) -> Rows | None:
    """The released rows in the order of the rows they stand for; None where they are in order.

    Original and release have so many rows; `tables` are asked for if a column is to match them.
    """
    require_as_many(before, after)
    if audit is not None:
        if len(audit.owner) != before:
            raise TableError(
                f"the audit record is of {len(audit.owner)} rows, the tables have {before}: "
                "it belongs to another release."
            )
        return _attributed(audit, np.argsort(audit.owner))
    return None if match in {UNKNOWN, ROWS} else _by_id(*tables(), match)


def _attributed(audit: AuditRecord, rows: Rows) -> Rows:
    """For each person the place of their row, by who gave its values; `rows` are the row's places.

    A record that was moved as a whole would otherwise pass for hidden, though it is released as it
    was: it is the row of the person whose record it is.
    """
    return rows[audit.map.rows_of_people()] if audit.owned else rows


def _by_id(before: Table, after: Table, name: str) -> Rows:
    require_in_both(name, before.names, after.names)
    one, other = shared_codes(before, after, name)
    distinct = np.array_equal(np.sort(one.codes), np.arange(len(before)))
    if not distinct or not np.array_equal(np.sort(other.codes), np.arange(len(before))):
        raise not_identifying(name)
    places = np.empty(len(before), np.int64)
    places[other.codes] = np.arange(len(before))
    return places[one.codes]


def known_columns(known: Iterable[str] | None, columns: list[Any]) -> tuple[str, ...]:
    """The columns an intruder knows: those named, or all masked ones."""
    names = tuple(c.name for c in columns)
    if known is None:
        return tuple(c.name for c in columns if c.role.masked)
    known = tuple(known)
    unknown = [name for name in known if name not in names]
    if unknown or not known:
        raise SchemaError(
            [f"known: {name!r} is not a column of both tables{did_you_mean(name, names)}"
             for name in unknown]
            or ["known: name at least one column that the intruder knows."]
        )  # fmt: skip
    return known


def notes_on(comparison: Comparison, schema: Schema) -> Iterator[str]:
    """What a reader of the card should know."""
    variables = comparison.original.variables
    absent = [name for name in schema.published if name not in comparison.original.names]
    if absent:
        yield f"{', '.join(absent)}: not in the release, and not compared."
    kept = [
        v.name for v in variables
        if v.role in {Role.KEEP, Role.STRATA} and v.name not in comparison.known
    ]  # fmt: skip
    if kept:
        yield (
            f"{', '.join(kept)}: published unmasked, and not counted as known to the intruder. "
            "If they may be known, say so."
        )
