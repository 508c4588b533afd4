"""The formats, and which of them a file name means."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from swapmeet.errors import UsageError

if TYPE_CHECKING:
    import os


@dataclass(frozen=True, kw_only=True)
class Format:
    """A file format: how its files end, the module that handles it, what `read` may be told."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    module: str
    options: tuple[str, ...] = ()
    library: str | None = None
    can_write: bool = True

    def require_library(self) -> None:
        """Refuse when the library that handles the format is not installed."""
        if self.library is not None and find_spec(self.library) is None:
            raise UsageError(
                f'{self.title} files need {self.library}. Run: pip install "swapmeet[formats]"'
            )


def _of_package(name: str, title: str, *suffixes: str, can_write: bool = True) -> Format:
    """A format of a statistical package."""
    return Format(
        name=name,
        title=title,
        suffixes=suffixes,
        module="statistical",
        options=("encoding",),
        library="pyreadstat",
        can_write=can_write,
    )


_TABLE = (
    Format(
        name="csv",
        title="delimited text",
        suffixes=(".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"),
        module="delimited",
        options=("delimiter", "encoding"),
    ),
    Format(name="parquet", title="Parquet", suffixes=(".parquet", ".pq"), module="columnar"),
    Format(
        name="arrow",
        title="Arrow",
        suffixes=(".arrow", ".feather", ".ipc"),
        module="columnar",
    ),
    _of_package("spss", "SPSS", ".sav", ".zsav"),
    _of_package("stata", "Stata", ".dta"),
    _of_package("sas", "SAS", ".sas7bdat", can_write=False),
    _of_package("xport", "SAS transport", ".xpt", ".xport"),
    Format(
        name="excel",
        title="Excel",
        suffixes=(".xlsx",),
        module="excel",
        library="openpyxl",
        options=("sheet",),
    ),
)

FORMATS: Final[dict[str, Format]] = {each.name: each for each in _TABLE}


def format_of(path: str | os.PathLike[str]) -> str:
    """The name of the format that the end of a file name stands for.

    >>> format_of("survey.csv.gz")
    'csv'
    >>> format_of("Survey.SAV")
    'spss'
    """
    name = Path(path).name.lower()
    for each in FORMATS.values():
        if name.endswith(each.suffixes):
            return each.name
    raise UsageError(f"{path}: unknown kind of file. The name must end in {_all_suffixes()}.")


def _all_suffixes() -> str:
    *most, last = (suffix for each in FORMATS.values() for suffix in each.suffixes)
    return f"{', '.join(most)} or {last}"
