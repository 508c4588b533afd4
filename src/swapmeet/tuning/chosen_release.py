"""From a study to a release: mask with the chosen setting, and measure what came out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from swapmeet.base.parallel import Progress, silent
from swapmeet.base.sentences import join_names
from swapmeet.comparison.score import Family
from swapmeet.engines import Local, choose_engine
from swapmeet.engines.checks import choose_seed
from swapmeet.errors import InputError, ParameterError, SchemaError, warn
from swapmeet.io.document import Document, get_frame
from swapmeet.measures.analyses import fit_analyses
from swapmeet.measures.default_limits import list_default_limits
from swapmeet.measures.limits import SUMMARIES, keeps
from swapmeet.measures.registry import chosen_measures, find
from swapmeet.plan.plan import Plan
from swapmeet.running.assessing import assess
from swapmeet.running.masking import mask_prepared
from swapmeet.running.preparation import Prepared, prepare
from swapmeet.tables.frame import Frame, Table
from swapmeet.tables.roles import check_arguments
from swapmeet.tuning.study_setup import UNSURE, DataMark, read_published

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from swapmeet.base.seeds import Seed
    from swapmeet.measures.base import Measure
    from swapmeet.measures.scorecard import Scorecard
    from swapmeet.release.release import Release
    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.study import Study

SHOWN = 5
"""Columns that a refusal names."""


@dataclass(frozen=True)
class ChosenRelease:
    """A release made with a setting of a study, and its own scores.

    The medians of the study are of other releases; these are of this one. `missed` are the limits
    that it does not keep, with its figures.
    """

    candidate: Candidate
    release: Release
    card: Scorecard
    missed: dict[str, float]


@check_arguments
def apply(
    study: Study,
    data: Frame | Document,
    *,
    candidate: int | None = None,
    seed: int | None = None,
    engine: Local | None = None,
    publish: Iterable[str] = (),
    progress: Progress = silent,
) -> ChosenRelease:
    """Mask the table of a study with its best setting, or with a numbered candidate's.

    `publish` are columns that are published although they look like direct identifiers.
    """
    chosen = study.best if candidate is None else find_candidate(study, candidate)
    require_same_table(study, get_frame(data))
    schema = study.setup.schema.assign(publish=publish)
    progress("masking", 0, 0)
    engine = choose_engine(data, engine, progress)
    prepared = prepare(Plan(), data, engine, asked_by="apply", schema=schema)
    return apply_prepared(study, prepared, chosen, choose_seed(seed), progress)


def apply_prepared(
    study: Study, prepared: Prepared, chosen: Candidate, seed: Seed, progress: Progress
) -> ChosenRelease:
    """The same for a table of the study that is ready, and one of the candidates."""
    data, setup, schema = prepared.document or prepared.original, study.setup, prepared.schema
    limits = {n: v for n, v in chosen.fit_limits(study.limits).items() if n not in SUMMARIES}
    release = mask_prepared(prepared, chosen.method, seed)
    card = assess(
        prepared,
        release,
        known=setup.known_by_name,
        intruder=setup.level,
        measures=_fit_measures(study, get_frame(data)),
        limits=None if limits == list_default_limits({one.role for one in schema}) else limits,
        at_most=setup.at_most,
        progress=progress,
    )
    return ChosenRelease(chosen, release, card, find_missed_limits(study, chosen, card))


def select_measures(study: Study) -> list[Measure]:
    """The measures of the study, with their settings."""
    settings = study.setup.settings
    return [find(name).from_settings(settings[name]) for name in study.setup.measures]


def select_for_report(study: Study) -> list[Measure]:
    """The measures of the study, and the losses that every other release is measured by."""
    own = {measure.name: measure for measure in select_measures(study)}
    losses = {m.name: m for m in chosen_measures(None) if m.family is Family.UTILITY}
    return [*(losses | own).values()]


def _fit_measures(study: Study, data: Frame) -> list[Measure]:
    """The measures of the study for its table."""
    table = Table.of(data)
    return fit_analyses(select_measures(study), table, read_published(table, study.setup.schema))


def find_candidate(study: Study, number: int) -> Candidate:
    """The candidate of this number."""
    for candidate in study.candidates:
        if candidate.number == number and not candidate.failure:
            return candidate
    raise ParameterError(
        f"candidate: the study has no candidate {number}, or its method failed; "
        f"candidates are numbered from 1 to {len(study.candidates)}."
    )


def find_missed_limits(study: Study, chosen: Candidate, card: Scorecard) -> dict[str, float]:
    """The limits of the study that a release does not keep, with what they are compared with."""
    figures = compute_figures(study, card)
    return {
        name: figures[name]
        for name, limit in chosen.fit_limits(study.limits).items()
        if not (keeps(name, figures[name], limit) if name in SUMMARIES else card[name].keeps(limit))
    }


def compute_figures(study: Study, card: Scorecard) -> dict[str, float]:
    """Compute what limits are compared with: unfavourable ends, and risk, loss and score.

    These have no interval, and are made of the values.
    """
    scores = [card[name] for name in study.setup.measures]
    summaries = study.goal.of({score.measure: score.value for score in scores})
    ends = {score.measure: score.unfavourable for score in scores}
    return {**ends, **{name: float(summaries[name]) for name in SUMMARIES}}


def require_same_table(study: Study, data: Frame) -> None:
    """Refuse a table that is not the one that was studied."""
    table, setup = Table.of(data), study.setup
    require_columns(study, table.names)
    try:
        setup.schema.check(table)
    except SchemaError as problems:
        raise _refuse_table(f"with columns of other types: {problems}") from None
    mark = DataMark.of(read_published(table, setup.schema.in_order(table.names)))
    if len(table) != setup.rows or setup.has_other_data(mark):
        rows = f"{setup.rows:,} rows; this one has {len(table):,}"
        if len(table) == setup.rows:
            rows = f"also {setup.rows:,} rows, but other values"
        raise _refuse_table(rows)
    if not mark.is_comparable(setup.data):
        warn(UNSURE)


def require_columns(study: Study, names: Sequence[str]) -> None:
    """Refuse a table that lacks columns of the study, or has others."""
    own = study.setup.schema.names
    lacking = [name for name in own if name not in names]
    if lacking:
        raise _refuse_table(f"with {_list_columns(lacking)}, which this one lacks")
    more = [name for name in names if name not in own]
    if more:
        raise _refuse_table(f"without {_list_columns(more)}, which this one has")


def _list_columns(names: Sequence[str]) -> str:
    some = names[:SHOWN]
    more = len(names) - len(some)
    shown = join_names([*some, f"{more} more"] if more else some)
    return f"the column{'s' if len(names) > 1 else ''} {shown}"


def _refuse_table(difference: str) -> InputError:
    return InputError(
        f"the study was made with another table ({difference}), so that its choice does not apply "
        "to this one. Search again with this table, or give the table of the study."
    )
