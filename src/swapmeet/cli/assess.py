"""swapmeet assess: what an intruder can do with a release, and what an analyst loses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from swapmeet.cli import options as opt
from swapmeet.cli.help import Command
from swapmeet.cli.output import Output, count, percent
from swapmeet.cli.progress import Bar
from swapmeet.errors import LimitError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.analyses import (
        ModelComparison,
        PCAComparison,
        RareRecords,
        TableComparison,
    )
    from swapmeet.assessing import Scorecard
    from swapmeet.cli.runfile import RunFile
    from swapmeet.measures import Score

INTRUDER = "What is known"
WHAT = "What is measured"

Released = Annotated[
    Path, typer.Argument(help="The release, as it was or will be published.", metavar="RELEASE")
]
Audit = Annotated[
    Path | None,
    typer.Option(help="The audit record of the release: tells the true owner of each row.",
                 metavar="FILE", show_default=False, rich_help_panel=INTRUDER),
]  # fmt: skip
Match = Annotated[
    str,
    typer.Option(help="Without an audit record: 'rows' if the rows are in the same order, or the "
                      "name of a column that identifies them in both files.",
                 metavar="HOW", show_default="unknown", rich_help_panel=INTRUDER),
]  # fmt: skip
Known = Annotated[
    opt.Names,
    typer.Option(help="Columns an intruder knows.", metavar="NAMES",
                 show_default="all masked ones", rich_help_panel=INTRUDER),
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
AtMost = Annotated[
    int,
    typer.Option(help="Rows that are linked with all others; of more, a random sample.",
                 metavar="INT", rich_help_panel=WHAT, min=1),
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
    known: Known = None,
    measure: Measures = None,
    limit: Limit = None,
    model: Model = None,
    pca: Components = None,
    table: Tables = None,
    rare: Rare = None,
    at_most: AtMost = 20_000,
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
    from swapmeet import io
    from swapmeet.assessing import assess
    from swapmeet.cli import source
    from swapmeet.release import AuditRecord

    output = Output(as_json, quiet)
    limits, chosen = _limits(limit), _measures(measure, limit)
    run = _run_file(config, release)
    with output.warnings_as_notes(), Bar(wanted=not output.quiet) as bar:
        bar.stage("reading")
        read = source.read(file, given, run, bar)
        released = io.read(release, **read.run.input, progress=bar)
        record = None if audit is None else AuditRecord.load(audit)
        bar.stage("measuring")
        card = assess(
            read.document.frame,
            released.frame,
            schema=read.schema,
            audit=record,
            match=match,
            known=None if known is None else _split(known),
            measures=chosen,
            models=model or (),
            pca=_split(pca or ()),
            tables=[_split([text]) for text in table or ()],
            rare=rare or (),
            at_most=at_most,
            progress=bar,
        )
    missed = card.beyond(limits)
    output.json({**card.to_dict(), "limits": limits, "not met": list(missed)})
    _show(output, card, limits)
    if missed:
        raise LimitError("\n".join(_missed(score, limits[name]) for name, score in missed.items()))


def _missed(score: Score, limit: float) -> str:
    found = "not defined here" if score.undefined else f"{figure(score.value)}"
    return f"limit not met: {score.measure} is {found}, the limit is {figure(limit)}."


def _run_file(config: Path | None, release: Path) -> RunFile:
    from swapmeet.cli.runfile import RunFile

    beside = RunFile.beside(release)
    return RunFile.load(config or (beside if beside.exists() else None))


def _split(names: Iterable[str]) -> list[str]:
    return [name.strip() for text in names for name in text.split(",") if name.strip()]


def _limits(texts: list[str] | None) -> dict[str, float]:
    from swapmeet.assessing import MEASURES

    limits = {}
    for text in _split(texts or ()):
        name, _, number = text.partition("=")
        try:
            limits[name.strip()] = float(number)
        except ValueError:
            raise ParameterError(
                f"--limit must be NAME=NUMBER, such as dbrl=0.2; got {text!r}."
            ) from None
    unknown = [name for name in limits if name not in MEASURES]
    if unknown:
        raise ParameterError(
            "\n".join(f"--limit: no measure {n!r}{did_you_mean(n, MEASURES)}" for n in unknown)
        )
    return limits


def _measures(asked: list[str] | None, limits: list[str] | None) -> list[str] | None:
    """The measures asked for, and those that a limit needs; None are all."""
    if not asked:
        return None
    named = {text.partition(":")[0].strip(): text for text in _split(asked)}
    return list(({name: name for name in _limits(limits)} | named).values())


def _show(output: Output, card: Scorecard, limits: dict[str, float]) -> None:
    output.prose(
        f"{count(card.rows)} rows; owners {card.ownership}; an intruder knows "
        f"{', '.join(card.known)}."
    )
    for title, scores in card.families().items():
        output.heading(title)
        for score in scores:
            _show_score(output, score, limits.get(score.measure))
    summary = card.overall()
    if summary:
        output.heading("Overall")
        output.prose(summary.sentence)
    for comparison in card.models:
        _show_model(output, comparison)
    if card.components:
        _show_components(output, card.components)
    for table in card.tables:
        _show_table(output, table)
    for found in card.rare:
        _show_rare(output, found)
    if card.notes:
        output.heading("Notes")
    for note in card.notes:
        output.prose(note, bullet="-")
    output.line()


def _show_score(output: Output, score: Score, limit: float | None) -> None:
    line = f"{score.measure}  {figure(score.value)}" if not score.undefined else score.measure
    if score.interval:
        line += f"  [{figure(score.interval[0])}, {figure(score.interval[1])}]"
    line += f"  {score.direction} is better, {_range(score)}"
    if limit is not None:
        line += f"; limit {figure(limit)} {'met' if score.keeps(limit) else 'NOT MET'}"
    output.line(line)
    output.prose(score.sentence, bullet="   ")


def _show_model(output: Output, model: ModelComparison) -> None:
    output.heading(model.formula)
    output.table(
        ["term", "original", "se", "release", "se", "shift in se"],
        [
            [c.name, figure(c.original), figure(c.original_error), figure(c.released),
             figure(c.released_error), f"{c.shift:.2f}"]
            for c in model.coefficients
        ],
    )  # fmt: skip
    output.line(
        f"R squared {figure(model.original_r_squared)} and {figure(model.released_r_squared)}; "
        f"rows {count(model.original_rows)} and {count(model.released_rows)}"
    )
    influence = model.influence
    told = f"Largest Cook's distance {figure(influence.original)} and {figure(influence.released)}"
    if influence.kept is not None:
        told += f"; the most influential person's released row has {figure(influence.kept)}"
    output.line(told)


def _show_components(output: Output, found: PCAComparison) -> None:
    output.heading(f"Principal components of {', '.join(found.columns)}")
    output.table(
        ["component", "original", "release", "agreement"],
        [
            [
                str(number),
                percent(c.original_share),
                percent(c.released_share),
                f"{c.agreement:.3f}",
            ]
            for number, c in enumerate(found.components, 1)
        ],
    )
    output.prose("original, release: share of the variance. agreement: 1 is the same direction.")


def _show_table(output: Output, table: TableComparison) -> None:
    output.heading(f"Table of {', '.join(table.columns)}")
    output.prose(
        f"{percent(table.misplaced)} of the records stand in another cell; of {table.cells} cells "
        f"{table.appeared} appeared and {table.vanished} vanished, and the largest change is "
        f"{table.largest}."
    )


def _show_rare(output: Output, found: RareRecords) -> None:
    output.heading(found.condition)
    output.prose(found.sentence)


def _range(score: Score) -> str:
    low, high = score.bounds
    return f"from {low:g} to {high:g}" if high < float("inf") else f"from {low:g} up"


def figure(value: Any) -> str:
    """A number for people.

    >>> figure(0.123456), figure(1234567.0), figure(0.0), figure(3)
    ('0.1235', '1.235e+06', '0', '3')
    """
    return f"{value:.4g}"
