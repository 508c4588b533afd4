"""swapmeet report: a study, a release, or both, made into a page that people can read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from swapmeet.base.atomic import all_or_nothing, is_empty
from swapmeet.cli import options as opt
from swapmeet.cli.assess import Audit, restore_method
from swapmeet.cli.card import describe_card
from swapmeet.cli.help import HelpCommand
from swapmeet.cli.monitor import BAR, open_monitor
from swapmeet.cli.output import Output
from swapmeet.cli.parameters import flag
from swapmeet.cli.plan_options import with_options
from swapmeet.cli.table_names import name_tables
from swapmeet.errors import UsageError
from swapmeet.io.database import DatabaseTable
from swapmeet.io.place import Place, find_place
from swapmeet.plan.plan import Plan
from swapmeet.plan.question import Question
from swapmeet.plan.sections import OUTPUT
from swapmeet.running.targets import are_same

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from swapmeet.base.parallel import Progress
    from swapmeet.measures.base import Measure
    from swapmeet.measures.scorecard import Scorecard
    from swapmeet.release.audit import AuditRecord
    from swapmeet.release.changes import ColumnChange
    from swapmeet.reporting import ReleaseSummary
    from swapmeet.tables.frame import Frame
    from swapmeet.tables.schema import Schema
    from swapmeet.tuning import Study

FROM = "What to report"

Out = Annotated[
    Path,
    typer.Argument(help="The page to write; its contents are also written beside it as JSON.",
                   metavar="OUT.html"),
]  # fmt: skip
Journal = Annotated[
    Path | None,
    typer.Option("--study", help="The journal of a search.", metavar="FILE", show_default=False,
                 rich_help_panel=FROM),
]  # fmt: skip
Original = Annotated[
    Place | None,
    typer.Option("--file", help="The table that was masked; --release is needed, too.",
                 metavar="FILE", show_default=False, rich_help_panel=FROM, parser=find_place),
]  # fmt: skip
Released = Annotated[
    Place | None,
    typer.Option("--release", help="The release, as it was or will be published.",
                 metavar="FILE", show_default=False, rich_help_panel=FROM, parser=find_place),
]  # fmt: skip
Audience = Annotated[
    str,
    typer.Option(help="internal: the decision record; public: for analysts and for the people in "
                      "the data.",
                 metavar="NAME", rich_help_panel=OUTPUT),
]  # fmt: skip
Public = Annotated[
    Path | None,
    typer.Option("--public", help="Write the public report of the same results to this page, too: "
                                  "all is measured once.",
                 metavar="FILE.html", show_default=False, rich_help_panel=OUTPUT),
]  # fmt: skip
Title = Annotated[
    str | None,
    typer.Option(help="The heading of the page.", metavar="TEXT", show_default=False,
                 rich_help_panel=OUTPUT),
]  # fmt: skip
Reason = Annotated[
    str | None,
    typer.Option(help="The decision in your own words; the internal report quotes it below the "
                      "verdict.",
                 metavar="TEXT", show_default=False, rich_help_panel=OUTPUT),
]  # fmt: skip
Labels = Annotated[
    bool,
    typer.Option("--labels", help="Name categories of ten rows or more in pictures by their values "
                                  "instead of their ranks; for the internal report only.",
                 metavar=opt.FLAG, rich_help_panel=OUTPUT),
]  # fmt: skip
Pictures = Annotated[
    Path | None,
    typer.Option("--pictures", help="Write each picture also to a file of its own (SVG) in this "
                                    "folder, with a list of them.",
                 metavar="FOLDER", show_default=False, rich_help_panel=OUTPUT),
]  # fmt: skip
ASKS = "match known intruder measure limit model coverage replicates pca table rare selectivity"
COMMON = "file release study audience audit measure limit reason title labels overwrite"
"""Options that many need."""


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report", cls=HelpCommand.showing(COMMON))(with_options(report_files, asks=ASKS))


def report_files(
    out: Out,
    *,
    study: Journal = None,
    file: Original = None,
    release: Released = None,
    audience: Audience = "internal",
    public: Public = None,
    title: Title = None,
    reason: Reason = None,
    labels: Labels = False,
    pictures: Pictures = None,
    audit: Audit = None,
    question: Question,
    config: opt.Config = None,
    overwrite: opt.Overwrite = False,
    as_json: opt.Json = False,
    progress: opt.Progress = BAR,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:
    """Write a report of a search, of a release or of both to OUT.html.

    A release is measured first. Roles, intruder and measures are those of the study, if one is
    given; the run file beside the release says how it was made. The page is self-contained: no
    scripts, no network. It contains no value of the data, no seed and no donor; --labels adds the
    names of categories.
    """
    given = dict(locals())
    from swapmeet.reporting import report
    from swapmeet.reporting.contents import require_audience
    from swapmeet.reporting.page import tidy_reason
    from swapmeet.reporting.writing import twin_of

    output = Output(as_json, quiet)
    require_audience(audience, flag, labels=labels, reason=tidy_reason(reason))
    _check(given)
    with output.warnings_as_notes() as notes, open_monitor(progress, quiet=quiet) as bar:
        bar.stage("reading")
        searched = _study(study)
        measurement = None if file is None else _measured(given, searched, bar)
        bar.stage("writing")
        card, more = measurement or (None, {})
        result = card if searched is None else searched
        assert result is not None
        more["card" if searched else "study"] = card if searched else None
        with all_or_nothing():
            report(
                result, out, audience=audience, title=title, reason=reason, labels=labels,
                pictures=pictures, overwrite=overwrite, **more,
            )  # fmt: skip
            if public is not None:
                report(result, public, audience="public", title=title, overwrite=overwrite, **more)
    twin = twin_of(out)
    output.json({
        "report": str(out), "contents": str(twin), "audience": audience,
        "public": None if public is None else str(public),
        "pictures": None if pictures is None else str(pictures),
        "assessment": None if card is None else describe_card(card), "notes": notes,
    })  # fmt: skip
    output.line(f"report    {out}  ({audience})")
    output.line(f"contents  {twin}  (the same as JSON)")
    if public is not None:
        output.line(f"report    {public}  (public)")
    if pictures is not None:
        output.line(f"pictures  {pictures}  (each as SVG)")
    for note in notes:
        output.prose(note, bullet="-")


def _check(given: dict[str, Any]) -> None:
    """Refuse, before any work, what cannot be reported or would overwrite an input."""
    from swapmeet.reporting.writing import check_targets, twin_of

    out, file, release = given["out"], given["file"], given["release"]
    if (file is None) != (release is None):
        raise UsageError("report: --file and --release go together: the original and its release.")
    if file is None and given["study"] is None:
        raise UsageError("report: give --study, or --file and --release, or all three.")
    if given["question"].limits and given["study"] is not None:
        raise UsageError("report: the limits are those of the study. Leave out --limit.")
    if file is None and given["audit"] is not None:
        raise UsageError("report: --audit belongs to a release; give --file and --release, too.")
    name_tables([place for place in (file, release) if place is not None], None)
    public = given["public"]
    if public is not None and (given["audience"] == "public" or are_same(public, out)):
        raise UsageError(
            "report: --public is a second page beside the internal one. Give it another name, and "
            "leave out --audience public."
        )
    pages = [page for page in (out, public) if page is not None]
    check_targets(out, given["pictures"], overwrite=True)
    if public is not None:
        check_targets(public, None, overwrite=True)
    read = [given[name] for name in ("study", "file", "release", "audit", "config")]
    targets = [one for page in pages for one in (page, twin_of(page))]
    targets += [] if given["pictures"] is None else [given["pictures"]]
    for target in targets:
        if any(isinstance(path, Path) and are_same(target, path) for path in read):
            raise UsageError(
                f"{target}: is an input of this run and is never overwritten. "
                "Give the report another name."
            )
        if target.exists() and not is_empty(target) and not given["overwrite"]:
            raise UsageError(
                f"{target}: exists already. Choose another name, or give --overwrite to replace it."
            )


def _study(path: Path | None) -> Study | None:
    from swapmeet.tuning import Study

    return None if path is None else Study.load(path)


def _measured(
    given: dict[str, Any], study: Study | None, progress: Progress
) -> tuple[Scorecard, dict[str, Any]]:
    """The scorecard of the release, and what else a report wants to know of it."""
    from swapmeet.release.audit import AuditRecord
    from swapmeet.running.assessing import ask
    from swapmeet.running.preparation import prepare, read_prepared, read_release

    run = Plan.beside(given["release"], given["config"])
    read = read_prepared(run, given["file"], asked_by="report", examine=False, progress=progress)
    assert read.document is not None
    released = read_release(given["release"], read, progress)
    audit = None if given["audit"] is None else AuditRecord.load(given["audit"])
    question: Question = given["question"].over(run.question)
    if study is not None:
        schema = _schema(study, read.document.frame)
        read = prepare(
            run, read.document, read.engine, asked_by="report", schema=schema, examine=False
        )
        question = question.ask(
            known=question.known or study.setup.known_by_name,
            intruder=str(study.setup.level), at_most=study.setup.at_most,
        )  # fmt: skip
    card = ask(
        question, read, released.frame, audit=audit, profile=True, progress=progress,
        measures=_measures(question, study),
        method=restore_method(run, audit) if question.coverage else None,
    )  # fmt: skip
    assert read.document is not None
    card = _label_categories(_drop_idle(card, study), read.document.labels)
    schema = _drop_unpublished(read.schema, released.frame)
    schema = replace(schema, recodes=tuple(step.text for step in card.recodes))
    changes = () if audit is None else _changes(read.document.frame, released.frame, schema, audit)
    return card, {
        "schema": schema,
        "release": _summary(run, changes, schema, audit),
        "checksum": _checksum(given["release"]),
    }


def _drop_idle(card: Scorecard, study: Study | None) -> Scorecard:
    """The card without losses that its study did not measure and that are about nothing here."""
    if study is None:
        return card
    own = study.setup.measures
    return replace(card, scores={n: s for n, s in card.scores.items() if s.applies or n in own})


def _label_categories(card: Scorecard, labels: Mapping[str, Mapping[Any, str]]) -> Scorecard:
    """The card with the file's own words for categories, which pictures show on demand."""
    if card.profile is None or not labels:
        return card
    spelled = {
        column: {f"{v:g}" if isinstance(v, float) else str(v): text for v, text in words.items()}
        for column, words in labels.items()
    }
    return replace(card, profile=card.profile.rename_categories(spelled))


def _schema(study: Study, frame: Frame) -> Schema:
    from swapmeet.tuning.chosen_release import require_same_table

    require_same_table(study, frame)
    return study.setup.schema


def _drop_unpublished(schema: Schema, released: Frame) -> Schema:
    """The schema in which columns are dropped that the release lacks, for no run file says so."""
    from swapmeet.tables.frame import Table
    from swapmeet.tables.schema import Role

    there = Table.of(released).names
    columns = (one if one.name in there else replace(one, role=Role.DROP) for one in schema)
    return replace(schema, columns=tuple(columns))


def _measures(question: Question, study: Study | None) -> Sequence[str | Measure] | None:
    from swapmeet.tuning.chosen_release import select_for_report

    if question.measures is not None or study is None:
        return question.measures
    return select_for_report(study)


def _summary(
    run: Plan, changes: tuple[ColumnChange, ...], schema: Schema, audit: AuditRecord | None
) -> ReleaseSummary | None:
    """Summarize how the release was made, from its run file or else from its audit record."""
    from swapmeet.release.audit_files import describe_method
    from swapmeet.reporting import ReleaseSummary

    stored = None if audit is None else describe_method(audit.method)
    recorded = {} if stored is None else {"name": stored["name"], **stored["settings"]}
    settings = dict(run.method or recorded)
    name = settings.pop("name", None)
    if name is None:
        return None
    protection = None if audit is None else audit.protection
    return ReleaseSummary(
        name, settings, changes, () if protection is None else (protection.sentence,),
        reproducible=audit is not None and audit.seed.chosen, recodes=schema.recodes,
        protects=run.protects or protection is not None,
    )  # fmt: skip


def _changes(
    original: Frame, released: Frame, schema: Schema, audit: AuditRecord
) -> tuple[ColumnChange, ...]:
    """Return what masking did to each column that the record names, recoded or not."""
    import numpy as np

    from swapmeet.engines.local import Local
    from swapmeet.engines.local.pair import TableRows
    from swapmeet.engines.recoding import recode_data
    from swapmeet.release.changes import ChangeCounts
    from swapmeet.release.donors import DonorMap
    from swapmeet.release.record_check import check_record
    from swapmeet.tables.frame import Table, reorder
    from swapmeet.tables.microdata import Microdata

    audit, _ = check_record(audit, TableRows(Table(released)))
    data = Microdata.of(recode_data(Local(), Table(original), schema).data, schema)
    there = tuple(one for one in data.variables if one.name in audit.columns)
    donors = audit.donors[:, [audit.columns.index(one.name) for one in there]]
    in_order = Table(reorder(released, np.argsort(audit.owner)))
    counts = ChangeCounts.of(replace(data, variables=there), DonorMap(donors), in_order)
    return counts.shares(data.n)


def _checksum(path: Place) -> str | None:
    """That of the published file; a table of a database has none."""
    import hashlib

    if isinstance(path, DatabaseTable):
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
