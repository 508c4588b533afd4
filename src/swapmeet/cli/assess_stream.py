"""swapmeet assess --memory: Parquet files of any size, assessed piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.cli import options as opt
from swapmeet.cli.mask_stream import require_no_text_options, schema_of
from swapmeet.cli.parameters import flag
from swapmeet.cli.runfile import RunFile
from swapmeet.errors import UsageError

if TYPE_CHECKING:
    from swapmeet.assessing import Scorecard
    from swapmeet.blocks import Progress

IN_MEMORY = ("model", "pca", "table", "rare")
"""What needs both tables in memory."""


def assess_stream(
    given: dict[str, Any], measures: list[str] | None, progress: Progress
) -> Scorecard:
    """The card of files that are not read as a whole."""
    from swapmeet.cli.source import audit_record
    from swapmeet.streaming import assess_file

    require_no_text_options(given)
    told = [name for name in IN_MEMORY if given[name]]
    if told:
        raise UsageError(
            f"{flag(told[0])}: needs both tables in memory. Leave it out, or leave out --memory."
        )
    known = given["known"]
    return assess_file(
        given["file"],
        given["release"],
        audit=audit_record(given["audit"]),
        match=given["match"],
        schema=schema_of(given, RunFile.of_release(given["release"], given["config"]), "assess"),
        known=None if known is None else opt.split(known),
        measures=measures,
        at_most=given["at_most"],
        memory=given["memory"],
        progress=progress,
    )
