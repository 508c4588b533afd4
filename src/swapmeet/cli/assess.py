"""swapmeet assess: what an intruder can do with a release, and what an analyst loses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from swapmeet.cli import options as opt
from swapmeet.cli.assess_stream import assess_stream
from swapmeet.cli.card import figure, show_card
from swapmeet.cli.help import Command
from swapmeet.cli.output import Output
from swapmeet.cli.progress import Bar
from swapmeet.cli.runfile import RunFile
from swapmeet.errors import LimitError, ParameterError

if TYPE_CHECKING:
    from swapmeet.measures.score import Score
    from swapmeet.measures.scorecard import Scorecard

WHAT = "What is measured"

Released = Annotated[
    Path, typer.Argument(help="The release, as it was or will be published.", metavar="RELEASE")
]
Audit = Annotated[
    Path | None,
    typer.Option(help="The audit record of the release: tells the true owner of each row.",
                 metavar="FILE", show_default=False, rich_help_panel=opt.INTRUDER),
]  # fmt: skip
Match = Annotated[
    str,
    typer.Option(help="Without an audit record: 'rows' if the rows are in the same order, or the "
                      "name of a column that identifies them in both files.",
                 metavar="HOW", show_default="unknown", rich_help_panel=opt.INTRUDER),
]  # fmt: skip
Measures = Annotated[
    opt.Names,
    typer.Option("--measure", help="Only these measures (more: swapmeet measures), with parameters "
                                   "as in queries:target=illness.",
                 metavar="NAMES", show_default="all", rich_help_panel=WHAT),
]  # fmt: skip
Limit = Annotated[
    opt.Names,
    typer.Option(help="A limit, such as dbrl=0.2: exit code 4 if it is not met.",
                 metavar="NAME=VALUE", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip
Model = Annotated[
    opt.Names,
    typer.Option(help="A linear model to fit to both files, such as 'wage ~ age + C(sex)'.",
                 metavar="FORMULA", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip
Components = Annotated[
    opt.Names,
    typer.Option("--pca", help="Columns whose principal components to compare.",
                 metavar="NAMES", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip
Tables = Annotated[
    opt.Names,
    typer.Option("--table", help="Columns to tabulate in both files; repeat for more tables.",
                 metavar="NAMES", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip
Rare = Annotated[
    opt.Names,
    typer.Option(help="A condition whose rows to follow, such as 'sex = \"f\" and age < 31'.",
                 metavar="CONDITION", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip

Memory = Annotated[
    str | None,
    typer.Option(help=f"Assess {opt.STREAMED} files piece by piece in this memory, such as 4GB.",
                 metavar="SIZE", show_default="as much as both tables need"),
]  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("assess", cls=Command)(assess_files)


def assess_files(
    file: opt.Input,
    release: Released,
    *,
    audit: Audit = None,
    match: Match = "unknown",
    known: opt.Known = None,
    measure: Measures = None,
    limit: Limit = None,
    model: Model = None,
    pca: Components = None,
    table: Tables = None,
    rare: Rare = None,
    at_most: opt.AtMost = 20_000,
    memory: Memory = None,
    key: opt.Key = None,
    sensitive: opt.Sensitive = None,
    keep: opt.Keep = None,
    strata: opt.Strata = None,
    drop: opt.Drop = None,
    numeric: opt.Numeric = None,
    ordinal: opt.Ordinal = None,
    nominal: opt.Nominal = None,
    config: opt.Config = None,
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None,
    sheet: opt.Sheet = None,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:
    """Measure the risk and the loss of RELEASE, which was made of FILE.

    Roles and kinds come from the run file beside the release, if there is one. No value is shown,
    only names and figures.
    """
    given = dict(locals())
    output = Output(as_json, quiet)
    limits = _limits(limit)
    chosen = _measures(measure, limits)
    with output.warnings_as_notes(), Bar(wanted=not output.quiet) as bar:
        bar.stage("reading")
        if memory is None:
            card = _assessed(given, chosen, bar)
        else:
            card = assess_stream(given, chosen, bar)
    missed = card.beyond(limits)
    output.json({**card.to_dict(), "limits": limits, "not met": list(missed)})
    show_card(output, card, limits)
    if missed:
        raise LimitError("\n".join(_missed(score, limits[name]) for name, score in missed.items()))


def _assessed(given: dict[str, Any], measures: list[str] | None, bar: Bar) -> Scorecard:
    """The card of files that are read as a whole."""
    from swapmeet import io
    from swapmeet.assessing import assess
    from swapmeet.cli import source

    release, audit, known = given["release"], given["audit"], given["known"]
    read = source.read(given["file"], given, RunFile.of_release(release, given["config"]), bar)
    released = io.read(release, **read.run.input, progress=bar)
    record = source.audit_record(audit)
    bar.stage("measuring")
    return assess(
        read.document.frame,
        released.frame,
        schema=read.schema,
        audit=record,
        match=given["match"],
        known=None if known is None else opt.split(known),
        measures=measures,
        models=given["model"] or (),
        pca=opt.split(given["pca"]),
        tables=[opt.split([text]) for text in given["table"] or ()],
        rare=given["rare"] or (),
        at_most=given["at_most"],
        progress=bar,
    )


def _missed(score: Score, limit: float) -> str:
    found = "not defined here" if score.undefined else f"{figure(score.value)}"
    return f"limit not met: {score.measure} is {found}, the limit is {figure(limit)}."


def _limits(texts: list[str] | None) -> dict[str, float]:
    from swapmeet.measures.limits import SUMMARIES, parsed

    limits = parsed(opt.split(texts))
    summaries = [name for name in limits if name in SUMMARIES]
    if summaries:
        raise ParameterError(
            f"limit: {', '.join(summaries)}: what a search makes of several measures. "
            "Limit the measures themselves."
        )
    return limits


def _measures(asked: list[str] | None, limits: dict[str, float]) -> list[str] | None:
    """The measures asked for, and those that a limit needs; None are all."""
    if not asked:
        return None
    named = {text.partition(":")[0].strip(): text for text in opt.split(asked)}
    return list(({name: name for name in limits} | named).values())
