"""The steps that all ways to mask a file share: check, open, mask, write all or nothing, report."""

from __future__ import annotations

import shlex
from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from swapmeet.base.sentences import join_names
from swapmeet.cli.card import show_card
from swapmeet.cli.identifiers import refuse_identifiers
from swapmeet.cli.monitor import Monitor, open_monitor
from swapmeet.cli.output import Output, count
from swapmeet.cli.parameters import choose_method
from swapmeet.cli.source import arguments_of_read, reading_of, update_schema
from swapmeet.cli.summary import changes_as_json, show_changes
from swapmeet.cli.tied_columns import warn_of_untied
from swapmeet.engines.recoding import examine_recoded
from swapmeet.errors import ParameterError, warn
from swapmeet.runs.run_file import PURPOSE, RunFile
from swapmeet.runs.targets import Targets
from swapmeet.tables.missing_codes import warn_of_absent_codes
from swapmeet.tables.schema import Role
from swapmeet.tables.schema_guess import reconsider_kinds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from swapmeet.cli.mask import MaskOptions
    from swapmeet.engines.protocol import Engine, Inferred
    from swapmeet.measures.scorecard import Scorecard
    from swapmeet.methods import Method
    from swapmeet.release.release import Summary
    from swapmeet.runs.transfer import Transfer
    from swapmeet.tables.frame import Table
    from swapmeet.tables.schema import Schema


@dataclass(frozen=True)
class Masked:
    """The result: the summary of the release and, where it was assessed, its card.

    `story` are sentences about what else was done.
    """

    summary: Summary
    more: Mapping[str, Any] = field(default_factory=dict)
    card: Scorecard | None = None
    story: tuple[str, ...] = ()


class Input(Protocol):
    """An input that is open: its schema as it was guessed, and how it becomes a release."""

    @property
    def schema(self) -> Schema: ...
    @property
    def head(self) -> Table: ...

    def read_rows(self, names: tuple[str, ...]) -> Iterable[Table] | None:
        """These columns of all rows in one or more tables; None where that is too dear."""

    def settle_engine(self, method: Method, schema: Schema) -> dict[str, Any]:
        """Complete the engine with what the release depends on and is known only now."""

    def release(
        self,
        method: Method,
        schema: Schema,
        seed: int | None,
        targets: Targets,
        *,
        keep_order: bool,
    ) -> Masked:
        """Mask, and write release and audit record."""


@dataclass(frozen=True)
class EngineInput:
    """An input as an engine takes it, which infers the schema from all rows."""

    engine: Engine[Any, Any]
    data: Any

    @cached_property
    def inferred(self) -> Inferred:
        """The schema, and what must be said of how it was inferred."""
        return self.engine.infer(self.data)

    @property
    def schema(self) -> Schema:
        """As all rows show it."""
        return self.inferred.schema

    @property
    def head(self) -> Table:
        """Some rows, enough to know the columns by."""
        return self.engine.head(self.data)

    def read_rows(self, names: tuple[str, ...]) -> Iterable[Table] | None:  # noqa: ARG002
        """Nothing: it would take another pass over a large table."""
        return None

    def settle_engine(self, method: Method, schema: Schema) -> dict[str, Any]:  # noqa: ARG002
        """Nothing more."""
        return {}


@dataclass(frozen=True)
class Route:
    """A way to mask a file: in memory, piece by piece, on a cluster, by the choice of a study.

    `folders` tells whether the release is a folder.
    """

    options: MaskOptions
    run_file: RunFile
    folders: ClassVar[bool] = False
    remedies: ClassVar[Mapping[str, str]] = {}

    @property
    def method(self) -> Method:
        """The method to mask with."""
        return choose_method(self.options.method, self.options.parameters, self.run_file.method)

    @property
    def reading(self) -> dict[str, Any]:
        """The way to read the input."""
        return reading_of(self.options.input, self.run_file)

    @property
    def arguments_of_read(self) -> dict[str, Any]:
        """The arguments of the reader, with codes for missing values."""
        return arguments_of_read(self.options.input, self.run_file)

    @property
    @abstractmethod
    def engine(self) -> dict[str, Any]:
        """The engine: what the release depends on besides data, method and seed."""

    @abstractmethod
    def check(self, targets: Targets) -> None:
        """Refuse what this way cannot do, before any work."""

    @abstractmethod
    def open(self, bar: Monitor) -> AbstractContextManager[Input]:
        """The input, for as long as the context lasts."""

    def follow_findings(
        self, source: Input, schema: Schema
    ) -> tuple[Input, Schema, tuple[str, ...]]:
        """The input, its schema with all that is found in it, and remarks on that."""
        return source, schema, ()

    def list_next(self, release: str) -> Mapping[str, Sequence[str]]:  # noqa: ARG002
        """The commands that come next for a release, by what they give; none unless it is told."""
        return {}

    @property
    def keep_order(self) -> bool:
        """Return whether the rows of the release are to be in the order of the input."""
        given = self.options.keep_order
        return bool(self.run_file.output.get("keep_order") if given is None else given)

    @property
    def guard_formulas(self) -> bool:
        """Return whether text that spreadsheets would run is guarded, by options or run file."""
        given = self.options.guard_formulas
        return bool(self.run_file.output.get("guard_formulas") if given is None else given)

    @property
    def labels(self) -> str | None:
        """The way to write labelled values to a file without labels, by options or run file."""
        return self.options.labels or self.run_file.output.get("labels")

    @property
    def protection(self) -> dict[str, Any]:
        """Return whether protection is raised for exposed people, and within which limits."""
        return {}

    @property
    def block_rows(self) -> int | None:
        """Rows per block, if options or run file name them."""
        return self.options.block_rows or self.run_file.engine.get("block_rows")


def run(route: Route, transfer: Transfer) -> None:
    """Mask a file; release, run file and audit record appear together, or none of them does."""
    from swapmeet.base.atomic import all_or_nothing

    options, kept = route.options, route.keep_order
    output, seed = Output(options.as_json, options.quiet), parse_seed(options.seed)
    bar, method = open_monitor(options.progress, quiet=options.quiet), route.method
    with (
        transfer.commit_last(),
        all_or_nothing() as work,
        output.warnings_as_notes() as notes,
        bar,
    ):
        targets = _check_targets(route, transfer)
        bar.stage("reading")
        transfer.fetch(bar)
        with route.open(bar) as source:
            source, schema, remarks = _settle_schema(route, source)
            settled = source.settle_engine(method, schema)
            done = _describe_run(route, schema, targets, settled)
            done.save(targets.run_file, overwrite=targets.overwrite)
            masked = source.release(method, schema, seed, targets, keep_order=kept)
        transfer.stage(work, targets, schema)
    notes = transfer.name_in_notes(targets, [*remarks, *masked.summary.notes, *notes])
    releases = transfer.name_releases(targets)
    _show(output, targets, releases, masked, notes, keep_order=kept)
    for result, words in route.list_next(releases[0]).items():
        output.line(f"{result:<8}  {shlex.join(['swapmeet', *words])}")


def _settle_schema(route: Route, source: Input) -> tuple[Input, Schema, tuple[str, ...]]:
    """Settle what the columns are, and warn of what seems to be wrong with that.

    The input may be read anew for it; remarks say what was done as inspected.
    """
    schema = update_schema(source.schema, route.options.input, route.run_file)
    if not isinstance(source, EngineInput):
        schema = reconsider_kinds(schema, source.head)
    if route.options.input.missing and (rows := source.read_rows(schema.coded)) is not None:
        warn_of_absent_codes(schema, rows)
    remarks: tuple[str, ...] = ()
    if route.options.input.as_inspected:
        source, schema, remarks = route.follow_findings(source, schema)
    schema = examine_recoded(schema, source.head)
    refuse_identifiers(schema, **route.remedies)
    schema.warn_of_concerns()
    _warn_of_unnamed(schema, route.run_file)
    _warn_of_values(schema)
    if not remarks:
        warn_of_untied(schema, source.head)
    return source, schema, remarks


def _describe_run(
    route: Route, schema: Schema, targets: Targets, settled: Mapping[str, Any]
) -> RunFile:
    """All that is needed to repeat the run, except secrets."""
    method = route.method
    return RunFile.describe(
        schema,
        method={"name": method.name, **method.settings()},
        protect=route.protection,
        input=route.reading,
        engine={**route.engine, **settled},
        output={"keep_order": route.keep_order, **targets.spelling},
    )


def _warn_of_unnamed(schema: Schema, run_file: RunFile) -> None:
    """Say how many columns are dropped because a run file does not name them."""
    if not run_file.drops_unnamed:
        return
    dropped = [name for name in schema.having(Role.DROP) if name not in run_file.columns]
    if dropped:
        columns = "1 column is" if len(dropped) == 1 else f"{len(dropped)} columns are"
        warn(f"{columns} not named in the run file, and dropped.")


def _warn_of_values(schema: Schema) -> None:
    """Say that steps which name the values they suppress are not for everybody's eyes."""
    if not schema.recodes:
        return
    from swapmeet.tables.recoding.recode import parse_recodes

    names = [step.column for step in parse_recodes(schema.recodes) if step.names_people]
    if names:
        warn(
            f"the run file names the values of {join_names(dict.fromkeys(names))} that are "
            "suppressed. Give it only to those who may know these values."
        )


def _check_targets(route: Route, transfer: Transfer) -> Targets:
    options = route.options
    targets = Targets(
        release=options.out,
        also=options.also,
        run_file=transfer.run_file or RunFile.beside(options.out),
        audit=options.audit,
        labels=route.labels,
        guard_formulas=route.guard_formulas,
        overwrite=options.overwrite,
    )
    read = options.study or options.config
    transfer.claim()
    targets.check(source=options.file, config=read, folders=route.folders)
    route.check(targets)
    transfer.check(overwrite=options.overwrite)
    return targets


def parse_seed(text: str | None) -> int | None:
    """The seed that a text stands for; the refusal does not repeat it."""
    from swapmeet.base.seeds import Seed

    if text is None:
        return None
    try:
        number = int(text)
    except ValueError:
        raise ParameterError("`seed` must be a whole number, such as 1.") from None
    Seed.chosen_by_user(number)
    return number


def _show(
    output: Output,
    targets: Targets,
    releases: tuple[str, ...],
    masked: Masked,
    notes: list[str],
    *,
    keep_order: bool,
) -> None:
    """Say what was done and where it is."""
    release, audit = masked.summary, targets.audit
    notes = list(dict.fromkeys(notes))
    output.json(
        {
            "release": releases[0],
            "releases": list(releases),
            "run_file": str(targets.run_file),
            "audit": str(audit) if audit else None,
            "rows": release.rows,
            "method": release.method,
            "settings": release.settings,
            "recodes": [step.to_dict() for step in release.recodes],
            "keep_order": keep_order,
            "reproducible": release.reproducible,
            "columns": changes_as_json(release),
            "rules": [rule._asdict() for rule in release.rules],
            "notes": notes,
            **masked.more,
        }
    )
    output.prose(f"Masked {count(release.rows)} rows with {release.method}.")
    show_changes(output, release, notes)
    if masked.story:
        output.heading("Protection of single people")
        for sentence in masked.story:
            output.prose(sentence, bullet="-")
        output.line()
    order = "in the order of the input: this tells who is who" if keep_order else "in random order"
    for name in releases:
        output.line(f"release   {name}  (rows {order})")
    output.line(f"run file  {targets.run_file}  ({PURPOSE})")
    if audit:
        output.line(f"audit     {audit}  (secret: anyone who has it can undo the masking)")
    if masked.card is not None:
        output.line()
        show_card(output, masked.card, whole=False, hint=False)
