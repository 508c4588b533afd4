"""From a file and the options to a document and its schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from swapmeet import io
from swapmeet.cli.runfile import RunFile
from swapmeet.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from swapmeet.io import Document

ASSIGNED = ("key", "sensitive", "keep", "strata", "drop", "numeric", "ordinal", "nominal")


@dataclass(frozen=True)
class Source:
    """An input file, read, with the schema that file, run file and options make together."""

    document: Document
    schema: Schema
    run: RunFile


def read(path: Path, options: Mapping[str, Any]) -> Source:
    """Read the file; options come on top of the run file, the run file on top of the guesses."""
    run = RunFile.load(options["config"]) if options.get("config") else RunFile()
    reading = {**run.input, **_given(options, ("delimiter", "encoding", "sheet"))}
    document = io.read(path, **reading)
    guessed = Schema.infer(document.frame, hints=document.kinds)
    schema = guessed.updated(run.columns).assign(**_assigned(options, guessed.names))
    return Source(document, schema, RunFile(run.columns, run.method, reading, run.output))


def _given(options: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: options[name] for name in names if options.get(name) is not None}


def _assigned(options: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, list[str]]:
    return {
        option: [name for text in options.get(option) or () for name in _split(text, names)]
        for option in ASSIGNED
    }


def _split(text: str, names: tuple[str, ...]) -> list[str]:
    """Names separated by commas; a column whose own name has a comma is taken whole."""
    return [text] if text in names else [part.strip() for part in text.split(",")]
