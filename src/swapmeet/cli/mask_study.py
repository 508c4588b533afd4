"""swapmeet mask --from: a file masked with the choice of a study, and assessed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from swapmeet import io
from swapmeet.cli.parameters import flag
from swapmeet.errors import LimitError, UsageError
from swapmeet.plan.plan import Plan
from swapmeet.running.job import Job, Masked
from swapmeet.tuning import Study
from swapmeet.tuning.chosen_release import apply_prepared, find_candidate, require_columns

if TYPE_CHECKING:
    from pathlib import Path

    from swapmeet.running.preparation import Prepared
    from swapmeet.tuning import ChosenRelease

REMEDY = "Search again without it: `swapmeet tune FILE --drop {name}`."


def follow_study(job: Job, path: Path, number: int | None) -> Job:
    """The job by the choice of a study; the release is written if it keeps the limits."""
    _require_nothing_else(job)
    study = Study.load(path)
    chosen = study.best if number is None else find_candidate(study, number)
    plan = job.plan.over(Plan.of_schema(study.setup.schema, whole=True))
    names = io.peek_names(job.place, **plan.reading)
    if names:
        require_columns(study, names)

    def make(prepared: Prepared, job: Job) -> Masked:
        """Mask the table, assess the release, and hand it on if it keeps the limits."""
        applied = apply_prepared(study, prepared, chosen, job.draw_seed(), job.progress)
        _require_limits(study, applied)
        more = {
            "study": str(path),
            "candidate": applied.candidate.number,
            "assessment": applied.card.to_dict(),
        }
        return Masked(applied.release, more, applied.card)

    method = chosen.method
    plan = replace(plan, method={"name": method.name, **method.settings()})
    return replace(job, plan=plan, make=make, remedy=REMEDY, config=path)


def _require_nothing_else(job: Job) -> None:
    """With a study, method and roles are decided; only how to read and write is not."""
    plan = job.plan
    given = [*plan.method, *(["config"] if job.config else [])]
    given += [n for n in ("block_rows", "memory", "name", "master") if getattr(plan.engine, n)]
    given += [what for facts in plan.columns.values() for what in ("role", "kind") if what in facts]
    given += [*plan.prepare.to_dict(), *plan.ties.to_dict()]
    if given:
        raise UsageError(
            f"{', '.join(map(flag, dict.fromkeys(given)))}: with --from, method, roles and kinds "
            "are the study's. Leave it out, or search again."
        )


def _require_limits(study: Study, applied: ChosenRelease) -> None:
    if applied.missed:
        figures = ", ".join(
            f"{name} {value:.4g} (limit {study.limits[name]:g})"
            for name, value in applied.missed.items()
        )
        raise LimitError(
            f"this release of {applied.candidate.label} does not keep the limits, though the "
            f"median of the trials did: {figures}. Nothing was written. Run again for another "
            "draw, or take a safer candidate: --candidate NUMBER."
        )
