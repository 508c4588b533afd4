"""The sections of a plan, whose fields declare each setting once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from swapmeet.base.options import Option, Section
from swapmeet.measures.default_limits import DEFAULT_LIMITS
from swapmeet.tables.column import Kind
from swapmeet.tables.role import Role
from swapmeet.tables.roles import PREPARING

READING = "Input format"
ORDER = "Order of the rows"
OUTPUT = "Writing"
PROTECTING = "Protection of single people"
ENGINES = ("local", "spark")
TABULATOR = ("tab", "\\t")
"""How people write a tab where a shell would swallow it."""
Code = str | int | float


@dataclass(frozen=True, kw_only=True)
class Input(Section):
    """The table that is read, and how; `missing` are codes that may stand in any column."""

    file: Annotated[str | None, Option(meaning="The table to read.", typed=False)] = None
    delimiter: Annotated[
        str | None,
        Option(meaning="Field delimiter; 'tab' for a tab.", metavar="CHAR", shown="detected",
               panel=READING),
    ] = None  # fmt: skip
    encoding: Annotated[
        str | None,
        Option(meaning="Text encoding, such as utf-8 or cp1252.", metavar="NAME", shown="detected",
               panel=READING),
    ] = None  # fmt: skip
    sheet: Annotated[
        str | None,
        Option(meaning="Sheet of an Excel workbook.", metavar="NAME", shown="the first",
               panel=READING),
    ] = None  # fmt: skip
    header: Annotated[
        bool | None,
        Option(meaning="Whether the first line of a text or an Excel sheet names the columns; "
                       "without, they are called column_1, column_2 and so on.",
               flags="--header/--no-header", shown="detected", panel=READING),
    ] = None  # fmt: skip
    missing: Annotated[
        tuple[Code, ...],
        Option(meaning="Codes that stand for a missing value in any column.", typed=False),
    ] = ()

    def __post_init__(self) -> None:
        if self.delimiter in TABULATOR:
            object.__setattr__(self, "delimiter", "\t")

    @property
    def reading(self) -> dict[str, Any]:
        """How the file is read, as far as it was said."""
        content = self.to_dict()
        return {name: content[name] for name in content if name not in ("file", "missing")}


@dataclass(frozen=True, kw_only=True)
class Prepare(Section):
    """What is done to the table before anything else."""

    recode: Annotated[
        tuple[str, ...], Option(meaning="Steps such as 'age: top 80', in order.", typed=False)
    ] = ()
    as_inspected: Annotated[
        bool,
        Option(meaning="Do all that swapmeet inspect proposes: roles, ties, codes for missing "
                       "values, columns to leave out. What options or a run file say wins. The "
                       "notes list what was done.",
               flags="--as-inspected", panel=PREPARING),
    ] = False  # fmt: skip
    whole_households: Annotated[
        bool,
        Option(meaning="Households trade as wholes: all members have the values of one household.",
               typed=False),
    ] = False  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ColumnSettings(Section):
    """What is said of one column."""

    kind: Annotated[
        str | None, Option(meaning="How its values compare.", choices=tuple(map(str, Kind)))
    ] = None
    role: Annotated[
        str | None,
        Option(meaning="What is to be done with it. "
                       + " ".join(f"{role}: {role.meaning}" for role in Role),
               choices=tuple(map(str, Role))),
    ] = None  # fmt: skip
    publish: Annotated[
        bool, Option(meaning="Publish it although it looks like a direct identifier.")
    ] = False
    missing: Annotated[
        tuple[Code, ...], Option(meaning="Codes that stand for a missing value.")
    ] = ()
    whole: Annotated[bool, Option(meaning="Of household numbers: households trade as wholes.")] = (
        False
    )


@dataclass(frozen=True, kw_only=True)
class Protect(Section):
    """Whether, and within which limits, protection is raised for people who are still exposed."""

    exposed: Annotated[
        bool | None,
        Option(meaning="Then raise protection for those people who are still found, copied or "
                       "unmoved, and for them only: values travel farther, at last cells are "
                       "suppressed. In memory.",
               called="protect_exposed", flags="--protect-exposed/--protect-alike",
               panel=PROTECTING),
    ] = None  # fmt: skip
    linkage: Annotated[
        float | None,
        Option(meaning="With --protect-exposed: nobody is to be found by links that are right more "
                       "often than this.",
               called="exposed_limit", metavar="SHARE", shown=f"{DEFAULT_LIMITS['linkage']:g}",
               panel=PROTECTING),
    ] = None  # fmt: skip
    loss: Annotated[
        float | None,
        Option(meaning="With --protect-exposed: stop before more than this is lost, from 0 to 1 "
                       "(the mean of margins, relations and screened-propensity).",
               called="loss_limit", metavar="LOSS", shown="none", panel=PROTECTING),
    ] = None  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class EngineChoice(Section):
    """Where the work is done, and within what; the release depends on name and block_rows only."""

    block_rows: Annotated[
        int | None,
        Option(meaning="Mask a larger table in blocks of about this many rows. The release depends "
                       "on it.",
               metavar="INT", shown="the whole table at once"),
    ] = None  # fmt: skip
    memory: Annotated[
        str | None,
        Option(meaning="Mask a {streamed} file piece by piece within this memory, such as 4GB. "
                       "Blocks have 1,000,000 rows, or as many as fit, unless --block-rows says "
                       "otherwise.",
               metavar="SIZE", shown="as much as the whole table needs"),
    ] = None  # fmt: skip
    name: Annotated[
        str | None,
        Option(meaning="Where the work is done: local, on this machine; or spark, which takes a "
                       "Parquet file or a folder of them, and writes a folder.",
               called="engine", metavar="NAME", shown=ENGINES[0], choices=ENGINES),
    ] = None  # fmt: skip
    master: Annotated[
        str | None,
        Option(meaning="With --engine spark: the address of the cluster, such as "
                       "spark://HOST:7077.",
               metavar="URL", shown="local[*]"),
    ] = None  # fmt: skip
    threads: Annotated[
        int | None, Option(meaning="Threads to use.", metavar="INT", shown="all cores")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Writing(Section):
    """Where the release goes, and how it is written."""

    release: Annotated[
        tuple[str, ...], Option(meaning="The files that get the release.", typed=False)
    ] = ()
    keep_order: Annotated[
        bool | None,
        Option(meaning="As in the input, which tells who is who; or random, the default.",
               flags="--keep-order/--random-order", panel=ORDER),
    ] = None  # fmt: skip
    labels: Annotated[
        str | None,
        Option(meaning="Of an SPSS or Stata file in a format without labels: 'text', the labels "
                       "instead of the codes; or 'codes', also of values that are missing.",
               metavar="HOW", shown="codes, nothing where a value is missing", panel=OUTPUT),
    ] = None  # fmt: skip
    guard_formulas: Annotated[
        bool | None,
        Option(meaning="Put an apostrophe before text of a .csv, .tsv or .txt that spreadsheets "
                       "would run as a formula, such as =…; .xlsx needs none.",
               flags="--guard-formulas", panel=OUTPUT),
    ] = None  # fmt: skip
    drop_unnamed: Annotated[
        bool | None, Option(meaning="Leave out columns that are not named.", typed=False)
    ] = None
