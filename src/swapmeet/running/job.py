"""A job: a plan carried out on files; release, run file and audit record appear together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from swapmeet.base.atomic import all_or_nothing
from swapmeet.base.progress import Progress, silent
from swapmeet.engines.checks import choose_seed
from swapmeet.errors import SwapmeetError, UsageError
from swapmeet.io.document import Document
from swapmeet.io.place import Place, find_place
from swapmeet.measures.default_limits import DEFAULT_LIMITS
from swapmeet.plan.plan import Plan, place_beside
from swapmeet.plan.sections import ENGINES, EngineChoice, Protect
from swapmeet.running.masking import mask_prepared
from swapmeet.running.preparation import Prepared, prepare, warn_of_values
from swapmeet.running.targets import Targets
from swapmeet.running.transfer import Databases, Transfer
from swapmeet.running.workplaces import SPARK, InMemory, Site, Workplace, find_workplace

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from pathlib import Path

    from swapmeet.base.seeds import Seed
    from swapmeet.measures.scorecard import Scorecard
    from swapmeet.methods import Method


@dataclass(frozen=True)
class Masked:
    """A release and, where it was assessed, its card.

    `story` are sentences about what else was done, and `more` figures for machines.
    """

    release: Any
    more: Mapping[str, Any] = field(default_factory=dict)
    card: Scorecard | None = None
    story: tuple[str, ...] = ()


@dataclass(frozen=True)
class Done:
    """What a job made, where it is as people know it, and what must be said."""

    masked: Masked
    summary: Any
    releases: tuple[str, ...]
    targets: Targets
    notes: tuple[str, ...]


class Maker(Protocol):
    """Makes a release where the plan alone does not say how."""

    def check(self, data: Any) -> None:
        """Refuse a table that it cannot make one of."""

    def make(self, prepared: Prepared, job: Job) -> Masked:
        """The release of a table that is ready."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """A plan, the table and the release that it is for, and who watches.

    `config` is the run file or study that was read. `remedy` says what to do about columns that
    look like identifiers.
    """

    plan: Plan
    source: Document | Place | str | os.PathLike[str] | None = None
    outs: tuple[Place, ...] = ()
    audit: Path | None = None
    overwrite: bool = False
    seed: int | None = None
    progress: Progress = silent
    config: Path | None = None
    debug: bool = False
    maker: Maker | None = None
    remedy: str = ""

    @cached_property
    def method(self) -> Method:
        """The method, made once."""
        return self.plan.make_method()

    @cached_property
    def place(self) -> Place:
        """Where the table is."""
        if isinstance(self.source, Document):
            return self.source.path
        source = self.source or self.plan.input.file
        if source is None:
            raise UsageError(
                "which table? Name the file to mask, or `file` in [input] of the plan."
            )
        return find_place(source)

    @cached_property
    def goals(self) -> tuple[Place, ...]:
        """Where the release goes."""
        goals = self.outs or tuple(map(find_place, self.plan.output.release))
        if not goals:
            raise UsageError(
                "where does the release go? Name a file, or `release` in [output] of the plan."
            )
        return goals

    def draw_seed(self) -> Seed:
        """The seed given, or a fresh one."""
        return choose_seed(self.seed)

    def mask(self) -> Any:
        """The release, in memory; nothing is written."""
        self.check()
        workplace = find_workplace(Site(plan=self.plan, progress=self.progress))
        if not isinstance(workplace, InMemory):
            raise UsageError(
                "run: a plan for Spark, or for a file masked piece by piece, writes its release. "
                "Give a file for it, or leave out [engine]."
            )
        source = self.source if isinstance(self.source, Document) else self.place
        with workplace.open(source) as (engine, data):
            return self._make(self._prepare(engine, data)).release

    def run(self) -> Done:
        """Mask the table; release, run file and audit record appear together, or none of them."""
        databases, files = Databases.among([self.place, *self.goals])
        with databases.open_transfer() as transfer:
            local = transfer.settle(files)
            with transfer.commit_last(), all_or_nothing() as work:
                targets, workplace = self._check_targets(transfer, local)
                self.progress("reading", 0, 0)
                transfer.fetch(self.progress)
                source = self.source if isinstance(self.source, Document) else local[0]
                with workplace.open(source) as (engine, data):
                    prepared = self._prepare(engine, data)
                    prepared, notes = workplace.settle(prepared, self.method)
                    self.describe(prepared).save(targets.run_file, overwrite=targets.overwrite)
                    warn_of_values(prepared.schema)
                    masked = self._make(prepared)
                    summary = workplace.write(masked.release, prepared)
                transfer.stage(work, targets, prepared.schema)
            notes = tuple(transfer.name_in_notes(targets, [*summary.notes, *notes]))
            return Done(masked, summary, transfer.name_releases(targets), targets, notes)

    def find_refusal(self) -> tuple[Plan, SwapmeetError | None]:
        """The plan as it would run, and why it would be refused; nothing is written."""
        plan = self.plan
        try:
            self.check()
            workplace = find_workplace(Site(plan=plan, progress=self.progress, debug=self.debug))
            source = self.source if isinstance(self.source, Document) else self.place
            workplace.check(self.place)
            with workplace.open(source) as (engine, data):
                prepared = prepare(plan, data, engine, asked_by="mask", owned=True)
                plan = self.describe(prepared)
                prepared.require(self.remedy)
                prepared.warn_of_untied()
                warn_of_values(prepared.schema)
                workplace.try_out(prepared, self.method)
        except SwapmeetError as refusal:
            return self._name_files(plan), refusal
        return self._name_files(plan), None

    def _name_files(self, plan: Plan) -> Plan:
        """The plan, which names its table and its release."""
        outs = tuple(map(str, self.outs)) or plan.output.release
        file = plan.input.file if self.source is None else str(self.place)
        return replace(
            plan, input=replace(plan.input, file=file), output=replace(plan.output, release=outs)
        )

    def check(self) -> None:
        """Refuse what contradicts itself, before any work."""
        plan = self.plan
        if plan.engine.name not in (None, *ENGINES):
            raise UsageError(f"--engine {plan.engine.name}: must be one of {', '.join(ENGINES)}.")
        if plan.engine.master is not None and plan.engine.name != SPARK:
            raise UsageError(
                "--master is the address of a Spark cluster: give --engine spark, too."
            )
        elsewhere = plan.engine.name == SPARK or plan.engine.memory is not None
        if plan.prepare.as_inspected and elsewhere:
            raise UsageError(
                "--as-inspected looks at all rows at once, which --memory and --engine spark do "
                "not. Mask a part of the table with it, then the whole table with --config "
                "RUN_FILE."
            )
        if plan.protects and (elsewhere or plan.engine.block_rows is not None or self.maker):
            raise UsageError(
                "--protect-exposed: every row is compared with every other, again and again, in "
                "memory. Leave out --from, --memory, --block-rows and --engine spark, or mask "
                "without --protect-exposed."
            )
        limits = {one.name: one.called for one in plan.protect.declared() if one.name != "exposed"}
        given = [called for name, called in limits.items() if name in plan.protect.to_dict()]
        if given and plan.protect.exposed is None:
            raise UsageError(
                f"--{given[0].replace('_', '-')} is for --protect-exposed: give that, too."
            )
        plan.check()

    def describe(self, prepared: Prepared) -> Plan:
        """All that is needed to repeat the job, except secrets and where files are."""
        plan = prepared.plan
        name = SPARK if plan.engine.name == SPARK else None
        block_rows = getattr(prepared.engine, "block_rows", None)
        linkage = plan.protect.linkage or DEFAULT_LIMITS["linkage"]
        protect = replace(plan.protect, linkage=linkage) if plan.protects else Protect()
        content = replace(
            plan,
            input=replace(plan.input, file=None, missing=()),
            method={"name": self.method.name, **self.method.settings()},
            protect=protect,
            engine=EngineChoice(name=name, block_rows=block_rows),
            output=replace(plan.output, release=()),
        )
        return content.complete(prepared.schema)

    def _prepare(self, engine: Any, data: Any) -> Prepared:
        if self.plan.prepare.as_inspected:
            self.progress("inspecting", 0, 0)
        if self.maker is not None:
            self.maker.check(data)
        prepared = prepare(self.plan, data, engine, asked_by="mask", owned=True)
        prepared.require(self.remedy)
        prepared.warn_of_untied()
        return prepared

    def _make(self, prepared: Prepared) -> Masked:
        self.progress("masking", 0, 0)
        if self.maker is not None:
            return self.maker.make(prepared, self)
        if self.plan.protects:
            from swapmeet.running.protecting.protection import protect_by_plan

            done = protect_by_plan(prepared, self.method, self.draw_seed(), self.progress)
            more = {"protection": done.to_dict()}
            return Masked(done.release, more, done.after, tuple(done.list_steps()))
        return Masked(mask_prepared(prepared, self.method, self.draw_seed()))

    def _check_targets(self, transfer: Transfer, local: list[Path]) -> tuple[Targets, Workplace]:
        source, first, *also = local
        output = self.plan.output
        targets = Targets(
            release=first, also=tuple(also), run_file=transfer.run_file or place_beside(first),
            audit=self.audit, labels=output.labels, guard_formulas=bool(output.guard_formulas),
            overwrite=self.overwrite,
        )  # fmt: skip
        self.check()
        site = Site(plan=self.plan, targets=targets, progress=self.progress, debug=self.debug)
        workplace = find_workplace(site)
        transfer.claim()
        targets.check(source=source, config=self.config, folders=workplace.folders)
        if workplace.folders:
            transfer.databases.refuse("--engine spark reads and writes Parquet files")
        workplace.check(source)
        transfer.check(overwrite=self.overwrite)
        return targets, workplace
