"""swapmeet mask --from: a file masked with the choice of a study, and assessed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from swapmeet import io
from swapmeet.cli.parameters import flag
from swapmeet.errors import LimitError, UsageError
from swapmeet.plan.plan import Plan
from swapmeet.running.job import Job, Masked
from swapmeet.tuning import ChosenRelease, Study
from swapmeet.tuning.chosen_release import (
    apply_prepared,
    find_candidate,
    require_columns,
    require_same_table,
)

if TYPE_CHECKING:
    from pathlib import Path

    from swapmeet.io.document import Document
    from swapmeet.running.preparation import Prepared
    from swapmeet.tuning.candidate import Candidate

DECIDED = ("role", "kind")
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
    method = chosen.method
    plan = replace(plan, method={"name": method.name, **method.settings()})
    maker = StudyMaker(study, chosen, path)
    return replace(job, plan=plan, maker=maker, remedy=REMEDY, config=path)


@dataclass(frozen=True)
class StudyMaker:
    """Makes a release with a candidate of a study, and assesses it."""

    study: Study
    chosen: Candidate
    path: Path

    def check(self, data: Document) -> None:
        """Refuse a table that is not the one that was studied."""
        require_same_table(self.study, data.frame)

    def make(self, prepared: Prepared, job: Job) -> Masked:
        """Mask the table, assess the release, and hand it on if it keeps the limits."""
        applied = apply_prepared(self.study, prepared, self.chosen, job.draw_seed(), job.progress)
        _require_limits(self.study, applied)
        more = {
            "study": str(self.path),
            "candidate": applied.candidate.number,
            "assessment": applied.card.to_dict(),
        }
        return Masked(applied.release, more, applied.card)


def _require_nothing_else(job: Job) -> None:
    """With a study, method and roles are decided; only how to read and write is not."""
    plan = job.plan
    given = ["method" if name == "name" else name for name in plan.method]
    given += ["config"] if job.config else []
    given += [one.called for one in plan.engine.declared()
              if one.name != "threads" and getattr(plan.engine, one.name) is not None]  # fmt: skip
    given += [facts[what] for facts in plan.columns.values() for what in facts if what in DECIDED]
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
