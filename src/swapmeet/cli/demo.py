"""swapmeet demo: mask a built-in table and see what happens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapmeet.cli import options as opt
from swapmeet.cli.help import HelpCommand
from swapmeet.cli.output import Output, count
from swapmeet.cli.progress import Bar
from swapmeet.cli.summary import changes_as_json, show_changes
from swapmeet.datasets import DATASETS, load_arrow
from swapmeet.running.targets import Targets

if TYPE_CHECKING:
    from swapmeet.release.release import Release

DEFAULT = "swapmeet-demo.csv"
DATASET = "anes96"
"""In the public domain, so that everybody may pass the release on."""
GROUP = 60
"""How many similar people trade values; with 40, votes were guessed too well in one demo of 16."""


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo", cls=HelpCommand)(run_demo)


def run_demo(
    *,
    dataset: Annotated[
        str, typer.Option(help=f"One of {', '.join(DATASETS)}.", metavar="NAME")
    ] = DATASET,
    out: Annotated[
        Path | None,
        typer.Option(help="Where to write the release.", metavar="FILE",
                     show_default=f"{DEFAULT} here"),
    ] = None,
    original: Annotated[
        Path | None,
        typer.Option(help="Also write the table itself, before it is masked, to try commands on.",
                     metavar="FILE"),
    ] = None,
    overwrite: opt.Overwrite = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:  # fmt: skip
    """Mask a built-in table of real people, show what moved and who could be found, and write it.

    The method is matched swapping, the one to begin with.
    """
    from swapmeet import io
    from swapmeet.base.atomic import all_or_nothing
    from swapmeet.engines import Local
    from swapmeet.measures.default_limits import DEFAULT_LIMITS
    from swapmeet.methods import MatchedSwap
    from swapmeet.plan.plan import PURPOSE, Plan, place_beside
    from swapmeet.running.assessing import assess
    from swapmeet.running.masking import mask

    output, target = Output(as_json, quiet), out or Path(DEFAULT)
    targets = Targets(release=target, run_file=place_beside(target), overwrite=overwrite)
    people = load_arrow(dataset)
    schema = DATASETS[dataset].schema(people.column_names)
    method = MatchedSwap(k=GROUP)
    with (
        all_or_nothing(),
        output.warnings_as_notes() as notes,
        Bar(wanted=not quiet) as bar,
    ):
        targets.check()
        if original is not None:
            targets.check(source=original)
            io.write(original, people, overwrite=overwrite)
        bar.stage("masking")
        release = mask(people, method, schema=schema, engine=Local(progress=bar))
        bar.stage("playing the intruder")
        verdict = assess(people, release, schema=schema, measures=list(DEFAULT_LIMITS)).verdict
        Plan.of(release).save(targets.run_file, overwrite=targets.overwrite)
        io.write(target, release.shuffled(), overwrite=targets.overwrite)
    output.json({"release": str(target), "run_file": str(targets.run_file), "rows": len(people),
                 "method": release.method, "settings": release.settings,
                 "columns": changes_as_json(release), "verdict": verdict.to_dict(),
                 "notes": notes})  # fmt: skip
    output.prose(f"{dataset}: {DATASETS[dataset].description}.")
    _describe_method(output, release)
    output.prose(f"Verdict: {verdict.sentence}")
    show_changes(output, release, list(dict.fromkeys([*release.notes, *notes])))
    if original is not None:
        output.line(f"original  {original}  (the table itself, as it was before)")
    output.line(f"release   {target}  (rows in random order)")
    output.line(f"run file  {targets.run_file}  ({PURPOSE})")
    output.line()
    output.prose(
        "For your own table: `swapmeet inspect FILE`, then "
        f"`swapmeet mask FILE OUT --method {method.name}`"
    )


def _describe_method(output: Output, release: Release) -> None:
    rows = count(len(release.audit.owner))
    output.prose(
        f"Masked {rows} rows by {release.method} (k = {release.settings['k']}): each value traded "
        f"places inside a group of {release.settings['k']} or more similar people, and relations "
        "between columns are kept."
    )
