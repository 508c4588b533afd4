"""From a file and the options to a document and its schema."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from swapmeet import io
from swapmeet.base.parallel import Progress, silent
from swapmeet.cli.input_options import split_names
from swapmeet.tables.frame import Table
from swapmeet.tables.missing_codes import assign_codes, warn_of_absent_codes
from swapmeet.tables.schema import Column, Kind, Schema
from swapmeet.tables.schema_guess import reconsider_kinds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from swapmeet.cli.input_options import InputOptions
    from swapmeet.io import Document
    from swapmeet.io.place import Place
    from swapmeet.runs.run_file import RunFile
    from swapmeet.tables.missing_codes import Code
    from swapmeet.ties.finding import Finding


@dataclass(frozen=True)
class ReadFile:
    """An input file, read, with the schema that file, run file and options make together.

    `remarks` say what was done as inspected.
    """

    document: Document
    schema: Schema
    run: RunFile
    remarks: tuple[str, ...] = ()


def read(path: Place, options: InputOptions, run: RunFile, progress: Progress = silent) -> ReadFile:
    """Read the file; options come on top of the run file, the run file on top of the guesses."""
    reading = arguments_of_read(options, run)
    require_columns(path, options, run)
    document = io.read(path, **reading, progress=progress)
    table = Table.of(document.frame)
    schema = update_schema(Schema.guess(table, document.kinds), options, run, path)
    schema = reconsider_kinds(schema, table)
    if options.missing:
        warn_of_absent_codes(schema, [table])
    file = ReadFile(document, schema, replace(run, input=reading))
    return follow_findings(file, options, run) if options.as_inspected else file


def follow_findings(read: ReadFile, options: InputOptions, run: RunFile) -> ReadFile:
    """The file with all that is found in it, but for what options or run file say."""
    from swapmeet.inspecting.proposal import propose

    said = {*options.list_named(read.schema.names), *run.columns}
    proposal = propose(read.document, read.schema, said)
    again = read_again(read, options, run, proposal.findings)
    if again is not None:
        more = propose(again.read.document, again.read.schema, said)
        read, proposal = again.read, replace(more, findings=again.join(more.findings))
    schema = proposal.apply(read.schema, Table.of(read.document.frame))
    return replace(read, schema=schema, remarks=proposal.remarks)


@dataclass(frozen=True)
class ReadAgain:
    """A file read without words that stand for missing values, and the findings that say so."""

    read: ReadFile
    word_findings: tuple[Finding, ...]

    def join(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """What is found now, and what had been said of words."""
        return (*(one for one in findings if not one.has_words), *self.word_findings)


def read_again(
    read: ReadFile, options: InputOptions, run: RunFile, findings: Iterable[Finding]
) -> ReadAgain | None:
    """A text without words for missing values: only then is seen what its numbers follow from.

    None where there is no such word.
    """
    word_findings = tuple(one for one in findings if one.has_words)
    if not word_findings or "missing" not in io.FORMATS[read.document.format].options:
        return None
    reading = arguments_of_read(options, run)
    codes = {one.columns[0]: list(map(str, one.codes)) for one in word_findings}
    said = reading.pop("missing", {})
    if not isinstance(said, dict):
        said = dict.fromkeys(read.schema.names, said)
    words = {name: [*said.get(name, ()), *codes.get(name, ())] for name in {**said, **codes}}
    document = io.read(read.document.path, **reading, missing=words)
    schema = _guess_kinds(read.schema, document, words)
    return ReadAgain(replace(read, document=document, schema=schema), word_findings)


def _guess_kinds(schema: Schema, document: Document, names: Collection[str]) -> Schema:
    """The schema with the kinds that some columns have now."""
    guessed = Schema.guess(document.frame, document.kinds)
    columns = (
        replace(guessed[one.name], role=one.role, publish=one.publish) if one.name in names else one
        for one in schema
    )
    return replace(schema, columns=tuple(columns))


def read_release(path: Place, original: ReadFile, progress: Progress = silent) -> Document:
    """A release of a file that was read: as that was, if the format is the same, in its terms."""
    from swapmeet.io.place import find_format
    from swapmeet.io.release_table import restore_columns

    same = find_format(path) == original.document.format
    reading = dict(original.run.input) if same else {}
    if "header" in io.FORMATS[find_format(path)].options:
        reading.setdefault("header", True)
    return restore_columns(io.read(path, **reading, progress=progress), original.document)


def require_columns(path: Place, options: InputOptions, run: RunFile) -> Schema | None:
    """Refuse columns that a file does not have before it is read, where they can be known.

    What is returned has the roles of all columns.
    """
    names = io.peek_names(path, **arguments_of_read(options, run))
    if not names:
        return None
    plain = Schema(tuple(Column(name, Kind.NOMINAL) for name in names))
    return update_schema(plain, options, run, path)


def update_schema(
    guessed: Schema, options: InputOptions, run: RunFile, table: Place | None = None
) -> Schema:
    """The schema that run file and options make of a guess; errors name the `table`."""
    assigned: dict[str, Any] = {
        role: [name for text in texts for name in split_names(text, guessed.names)]
        for role, texts in options.assigned.items()
    }
    if options.whole_households:
        assigned["whole_households"] = True
    schema = _add_ties(run.apply_to(guessed, table).assign(**assigned), options.ties)
    if options.recode:
        schema = replace(schema, recodes=()).assign(recode=options.recode)
    return schema.assign(missing=read_codes(options.missing, schema)) if options.missing else schema


def read_codes(texts: list[str], schema: Schema) -> dict[str, list[Code]]:
    """The codes of each column: those for all, or what stands behind the column's name and colon.

    >>> from swapmeet import Column
    >>> two = Schema((Column("age", "numeric"), Column("income", "numeric")))
    >>> read_codes(["-9,99", "age:-9"], two)
    {'age': [-9], 'income': [-9, 99]}
    """
    for_all: list[Code] = []
    own: dict[str, list[Code]] = {}
    for text in texts:
        name, colon, codes = text.rpartition(":")
        if not colon:
            for_all += _split_codes(text)
            continue
        for column in split_names(name, schema.names):
            own.setdefault(column, []).extend(_split_codes(codes))
    before = {column.name: list(column.missing) for column in schema}
    if for_all:
        before = {name: list(codes) for name, codes in assign_codes(for_all, schema.names).items()}
    return {**before, **own}


def _split_codes(text: str) -> list[Code]:
    return [_to_code(part.strip()) for part in text.split(",") if part.strip()]


def _to_code(text: str) -> Code:
    try:
        number = float(text)
    except ValueError:
        return text
    return text if number != number or abs(number) == float("inf") else _to_whole(number)


def _to_whole(number: float) -> Code:
    return int(number) if number.is_integer() else number


def _add_ties(schema: Schema, given: Mapping[str, Any]) -> Schema:
    """The schema with sets of columns, derivations and rules that options give."""
    if "together" in given:
        sets = [split_names(text, schema.names) for text in given["together"]]
        given = {**given, "together": sets}
    return schema.assign(**given) if given else schema


def reading_of(options: InputOptions, run: RunFile) -> dict[str, Any]:
    """Return how to read the file, by run file and options."""
    return {**run.input, **options.reading}


def arguments_of_read(options: InputOptions, run: RunFile) -> dict[str, Any]:
    """Return the arguments of the reader; codes for missing values may be words among numbers.

    The columns are not known yet, so a name with a comma may be one column or several.
    """
    codes = dict(run.reading.get("missing", {}))
    for text in options.missing or ():
        name, colon, listed = text.rpartition(":")
        if not colon:
            return {**reading_of(options, run), "missing": _split_codes(text)}
        codes |= dict.fromkeys((name, *split_names(name, ())), _split_codes(listed))
    return {**reading_of(options, run), **({"missing": codes} if codes else {})}
