"""swapmeet assess --memory: files of any size, assessed piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.cli import options as opt
from swapmeet.cli.parameters import flag
from swapmeet.cli.runfile import RunFile
from swapmeet.cli.source import reading_of, schema_on
from swapmeet.errors import UsageError

if TYPE_CHECKING:
    from swapmeet.core.base.parallel import Progress
    from swapmeet.measures.scorecard import Scorecard

IN_MEMORY = ("model", "pca", "table", "rare")
"""What needs both tables in memory."""


def assess_stream(
    given: dict[str, Any], measures: list[str] | None, progress: Progress
) -> Scorecard:
    """The card of files that are not read as a whole."""
    from swapmeet.core.base.parallel import Workers, count_cores
    from swapmeet.engines.files import assess_sources, schema_of
    from swapmeet.engines.files.assess import both_opened

    told = [name for name in IN_MEMORY if given[name]]
    if told:
        raise UsageError(
            f"{flag(told[0])}: needs both tables in memory. Leave it out, or leave out --memory."
        )
    run, known = RunFile.of_release(given["release"], given["config"]), given["known"]
    workers = Workers(count_cores(), progress)
    reading = {**reading_of(given, run), "workers": workers}
    with both_opened(given["file"], given["release"], **reading) as (before, after):
        return assess_sources(
            before,
            after,
            audit=given["audit"],
            match=given["match"],
            schema=schema_on(schema_of(before), given, run),
            known=None if known is None else opt.split(known),
            measures=measures,
            at_most=given["at_most"],
            memory=given["memory"],
            workers=workers,
        )
