"""From a study to a release: mask with the chosen setting, and measure what came out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from swapmeet.assessing import assess
from swapmeet.core.base.parallel import Progress, silent
from swapmeet.core.tables.frame import Table
from swapmeet.errors import InputError, ParameterError
from swapmeet.masking import mask
from swapmeet.measures.comparison import Ownership, ownership_of
from swapmeet.measures.limits import SUMMARIES, keeps
from swapmeet.measures.overall import sorting_of
from swapmeet.measures.registry import MEASURES, find
from swapmeet.tuning.subject import checksum, published

if TYPE_CHECKING:
    from swapmeet.core.release.audit import AuditRecord
    from swapmeet.core.release.release import Release
    from swapmeet.core.tables.frame import Frame
    from swapmeet.masking import Engine
    from swapmeet.measures.base import Measure
    from swapmeet.measures.scorecard import Scorecard
    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.study import Study


@dataclass(frozen=True)
class Applied:
    """A release made with a setting of a study, and its own scores.

    The medians of the study are of other releases; these are of this one. `missed` are the limits
    that it does not keep, with its figures.
    """

    candidate: Candidate
    release: Release
    card: Scorecard
    missed: dict[str, float]


def apply(
    study: Study,
    data: Frame,
    *,
    candidate: int | None = None,
    seed: int | None = None,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> Applied:
    """Mask the table of a study with its best setting, or with a numbered candidate's."""
    chosen = study.best if candidate is None else numbered(study, candidate)
    require_same_table(study, data)
    subject = study.subject
    release = mask(data, chosen.method, schema=subject.schema, seed=seed, engine=engine)
    card = assess(
        data,
        release,
        schema=subject.schema,
        known=subject.known,
        measures=measures_of(study, release.audit),
        at_most=subject.at_most,
        progress=progress,
    )
    return Applied(chosen, release, card, missed_limits(study, card))


def measures_of(study: Study, audit: AuditRecord | None) -> list[Measure]:
    """The measures of the study; for rows that are nobody's, their worst-case sortings, too."""
    settings, subject = study.subject.settings, study.subject
    measures = [find(name).from_settings(settings[name]) for name in study.subject.measures]
    owned = audit is None or audit.owned
    if ownership_of(owned, subject.known, subject.schema.masked) is not Ownership.NOBODY:
        return measures
    sortings = [name for name in map(sorting_of, settings) if name in MEASURES]
    return [*measures, *(MEASURES[name]() for name in sortings if name not in settings)]


def numbered(study: Study, number: int) -> Candidate:
    """The candidate of this number."""
    for candidate in study.candidates:
        if candidate.number == number and not candidate.failure:
            return candidate
    raise ParameterError(
        f"candidate: the study has no candidate {number} that could be tried; "
        f"they are numbered from 1 to {len(study.candidates)}."
    )


def missed_limits(study: Study, card: Scorecard) -> dict[str, float]:
    """The limits of the study that a release does not keep, with its figures."""
    figures = figures_of(study, card)
    return {
        name: figures[name]
        for name, limit in study.limits.items()
        if not keeps(name, figures[name], limit)
    }


def figures_of(study: Study, card: Scorecard) -> dict[str, float]:
    """What the card says of the study's measures, and what its goal makes of that."""
    values = {name: card.decisive(name).value for name in study.subject.measures}
    summaries = study.goal.of(values)
    return {**values, **{name: float(summaries[name]) for name in SUMMARIES}}


def require_same_table(study: Study, data: Frame) -> None:
    """Refuse a table that is not the one that was studied."""
    table, subject = Table.of(data), study.subject
    subject.schema.check(table)
    whole = published(table, subject.schema.in_order(table.names))
    if checksum(whole) != subject.data:
        raise InputError(
            f"the study is of another table ({subject.rows} rows; this has {len(table)}): its "
            "choice says nothing about this one. Search again, or give the table it is of."
        )
