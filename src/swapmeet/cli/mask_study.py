"""swapmeet mask --from: a file masked with the choice of a study, and assessed."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from swapmeet import io
from swapmeet.cli.mask_memory import MemoryInput, MemoryRoute
from swapmeet.cli.mask_run import Masked
from swapmeet.cli.parameters import flag
from swapmeet.errors import LimitError, UsageError
from swapmeet.runs.run_file import RunFile
from swapmeet.tuning import Study
from swapmeet.tuning.chosen_release import find_candidate, require_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from swapmeet.cli.mask import MaskOptions
    from swapmeet.cli.monitor import Monitor
    from swapmeet.methods import Method
    from swapmeet.runs.targets import Targets
    from swapmeet.tables.schema import Schema
    from swapmeet.tuning import ChosenRelease

DECIDED = ("method", "config", "block_rows", "memory", "engine", "master")
"""Options that the study has settled, besides roles, kinds and the method's parameters."""


@dataclass(frozen=True)
class StudyRoute(MemoryRoute):
    """Method, roles and kinds are those of a study; the release is written if it keeps limits."""

    study: Study
    remedies: ClassVar[Mapping[str, str]] = {
        "remedy": "Search again without it: `swapmeet tune FILE --drop {name}`."
    }

    @classmethod
    def of(cls, options: MaskOptions) -> Self:
        """The way of options that leave to the study what it has decided."""
        _require_nothing_else(options)
        assert options.study is not None
        study = Study.load(options.study)
        schema = study.setup.schema
        prepare = {"recode": list(schema.recodes)} if schema.recodes else {}
        run = RunFile(columns=schema.to_dict(), prepare=prepare, ties=schema.ties.to_dict())
        return cls(options, run, study)

    @property
    def method(self) -> Method:
        """That of the candidate asked for, or of the best."""
        number = self.options.candidate
        return (self.study.best if number is None else find_candidate(self.study, number)).method

    def list_next(self, release: str) -> Mapping[str, Sequence[str]]:
        """Both reports, where an audit record was written."""
        if self.options.audit is None:
            return {}
        words = ("--study", str(self.options.study), "--file", self.source, "--release", release,
                "--audit", str(self.options.audit))  # fmt: skip
        return {
            "report": ("report", "internal.html", *words),
            "public": ("report", "public.html", "--audience", "public", *words),
        }

    @contextmanager
    def open(self, bar: Monitor) -> Iterator[StudyInput]:
        """Read the file, if it can be the table of the study."""
        names = io.peek_names(self.options.file, **self.arguments_of_read)
        if names:
            require_columns(self.study, names)
        with super().open(bar) as read:
            require_columns(self.study, read.head.names)
            yield StudyInput(read.document, read.local, bar, self.study, self.options)


@dataclass(frozen=True)
class StudyInput(MemoryInput):
    """A document that was read, to be masked with the choice of a study."""

    study: Study
    options: MaskOptions

    def release(
        self,
        method: Method,  # noqa: ARG002
        schema: Schema,
        seed: int | None,
        targets: Targets,
        *,
        keep_order: bool,
    ) -> Masked:
        """Mask the table, assess the release, and write it if it keeps the limits."""
        from swapmeet.tuning import apply

        self.bar.stage("masking")
        applied = apply(
            self.study, self.document, candidate=self.options.candidate, seed=seed,
            engine=self.local, progress=self.bar,
            publish=[column.name for column in schema if column.publish],
        )  # fmt: skip
        _require_limits(self.study, applied)
        release = self.write(applied.release, targets, keep_order=keep_order)
        more = {
            "study": str(self.options.study),
            "candidate": applied.candidate.number,
            "assessment": applied.card.to_dict(),
        }
        return Masked(release, more, applied.card)


def _require_nothing_else(options: MaskOptions) -> None:
    """With a study, method and roles are decided."""
    given = [name for name in DECIDED if getattr(options, name)]
    given += [name for name in options.input.assigned if name != "publish"]
    given += ["recode"] if options.input.recode else []
    given += options.input.ties
    given += ["as_inspected"] if options.input.as_inspected else []
    given += options.parameters
    if given:
        raise UsageError(
            f"{', '.join(map(flag, given))}: with --from, method, roles and kinds are the study's. "
            "Leave it out, or search again."
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
