"""From a file and the options to a document and its schema."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from swapmeet import io
from swapmeet.core.base.parallel import Progress, silent
from swapmeet.core.tables.schema import Schema

if TYPE_CHECKING:
    from pathlib import Path

    from swapmeet.cli.input_options import InputOptions
    from swapmeet.cli.runfile import RunFile
    from swapmeet.io import Document


@dataclass(frozen=True)
class ReadFile:
    """An input file, read, with the schema that file, run file and options make together."""

    document: Document
    schema: Schema
    run: RunFile


def read(path: Path, options: InputOptions, run: RunFile, progress: Progress = silent) -> ReadFile:
    """Read the file; options come on top of the run file, the run file on top of the guesses."""
    reading = reading_of(options, run)
    document = io.read(path, **reading, progress=progress)
    schema = update_schema(Schema.guess(document.frame, document.kinds), options, run)
    return ReadFile(document, schema, replace(run, input=reading))


def update_schema(guessed: Schema, options: InputOptions, run: RunFile) -> Schema:
    """The schema that run file and options make of a guess."""
    assigned = {
        role: [name for text in texts for name in _split(text, guessed.names)]
        for role, texts in options.assigned.items()
    }
    return _fill_in(guessed, run).assign(**assigned)


def _fill_in(guessed: Schema, run: RunFile) -> Schema:
    """What a run file says of columns; others are as guessed, or dropped if it says so."""
    told = guessed.with_settings(run.columns)
    if not run.drops_unnamed:
        return told
    return told.assign(drop=[name for name in guessed.names if name not in run.columns])


def reading_of(options: InputOptions, run: RunFile) -> dict[str, str]:
    """How the file is to be read, by run file and options."""
    return {**run.input, **options.reading}


def _split(text: str, names: tuple[str, ...]) -> list[str]:
    """Names separated by commas; a column whose own name has a comma is taken whole."""
    if text in names:
        return [text]
    parts = text.split(",")
    return [
        part if part in names else part.strip() for part in parts if part.strip() or part in names
    ]
