"""From a file and the options to a document and its schema."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from swapmeet import io
from swapmeet.cli.runfile import INPUT
from swapmeet.core.base.parallel import Progress, silent
from swapmeet.core.tables.schema import Kind, Role, Schema

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from swapmeet.cli.runfile import RunFile
    from swapmeet.core.release.audit import AuditRecord
    from swapmeet.io import Document

ASSIGNED = tuple(map(str, (*Role, *Kind)))
TABULATOR = ("tab", "\\t")
"""How people write a tabulator where a shell would swallow it."""


@dataclass(frozen=True)
class Source:
    """An input file, read, with the schema that file, run file and options make together."""

    document: Document
    schema: Schema
    run: RunFile


def read(
    path: Path, options: Mapping[str, Any], run: RunFile, progress: Progress = silent
) -> Source:
    """Read the file; options come on top of the run file, the run file on top of the guesses."""
    reading = reading_of(options, run)
    document = io.read(path, **reading, progress=progress)
    schema = schema_on(Schema.guess(document.frame, document.kinds), options, run)
    return Source(document, schema, replace(run, input=reading))


def schema_on(guessed: Schema, options: Mapping[str, Any], run: RunFile) -> Schema:
    """The schema that run file and options make of a guess."""
    return guessed.with_settings(run.columns).assign(**assigned(options, guessed.names))


def reading_of(options: Mapping[str, Any], run: RunFile) -> dict[str, str]:
    """How the file is to be read, by run file and options."""
    return {**run.input, **_given(options)}


def _given(options: Mapping[str, Any]) -> dict[str, str]:
    given = {name: options[name] for name in INPUT if options.get(name) is not None}
    if given.get("delimiter") in TABULATOR:
        given["delimiter"] = "\t"
    return given


def assigned(options: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, list[str]]:
    """The columns that the options give a role or kind."""
    return {
        option: [name for text in options.get(option) or () for name in _split(text, names)]
        for option in ASSIGNED
    }


def _split(text: str, names: tuple[str, ...]) -> list[str]:
    """Names separated by commas; a column whose own name has a comma is taken whole."""
    if text in names:
        return [text]
    parts = text.split(",")
    return [
        part if part in names else part.strip() for part in parts if part.strip() or part in names
    ]


def audit_record(path: Path | None) -> AuditRecord | None:
    """The audit record at a path, if there is one."""
    from swapmeet.engines.spark.audit import audit_at

    return None if path is None else audit_at(path)
