"""Files of statistical packages (SPSS, Stata, SAS), which pyreadstat reads and writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from swapmeet.io.feature import Feature
from swapmeet.io.format import Format

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.io.document import Document


@dataclass(frozen=True, kw_only=True)
class StatisticalFormat(Format):
    """The format of a statistical package: labels, missing codes and display formats survive.

    `reader` and `writer` are pyreadstat's functions for it, `settings` what its writer accepts
    besides the labels of columns and the display formats. A column name fits the pattern
    `column_name`, has at most `name_bytes` bytes and is none of the `reserved` words. Where text
    `is_padded`, it is stored in a fixed width.
    """

    reader: str
    writer: str = ""
    settings: frozenset[str] = frozenset()
    column_name: str = ""
    name_bytes: int = 0
    reserved: str = "(?!)"
    is_padded: bool = False
    options: tuple[str, ...] = ("encoding",)
    libraries: tuple[str, ...] = ("pyreadstat", "pandas")
    module: str = "swapmeet.io.statistical.file"

    def find_features(self, document: Document, names: Iterable[str]) -> dict[Feature, Any]:
        """Return what the file says about these columns."""
        from swapmeet.io.statistical.values import find_features

        return find_features(document, names)


_CARRIED: Final = frozenset({Feature.COLUMN_LABELS, Feature.VALUE_LABELS})
SPSS: Final = StatisticalFormat(
    name="spss",
    title="SPSS",
    suffixes=(".sav", ".zsav"),
    reader="read_sav",
    writer="write_sav",
    settings=frozenset({
        "variable_value_labels", "missing_ranges", "variable_measure", "variable_display_width",
        "row_compress", "compress",
    }),
    column_name=r"[^\W\d_][\w.$#@]*|@[\w.$#@]*",
    name_bytes=64,
    reserved=r"(?i:all|and|by|eq|ge|gt|le|lt|ne|not|or|to|with)",
    is_padded=True,
    keeps=_CARRIED | {
        Feature.TEXT_LABELS, Feature.MISSING_CODES, Feature.MEASURES, Feature.RESPONSE_SETS,
        Feature.WEIGHT,
    },
    carries=_CARRIED,
)  # fmt: skip
STATA: Final = StatisticalFormat(
    name="stata",
    title="Stata",
    suffixes=(".dta",),
    reader="read_dta",
    writer="write_dta",
    settings=frozenset({"variable_value_labels", "missing_user_values", "version"}),
    column_name=r"[^\W\d]\w*",
    name_bytes=32,
    reserved=r"byte|double|float|if|in|int|long|using|with|strL|str\d+"
    r"|_(?:all|b|coef|cons|n|N|pi|pred|rc|skip)",
    keeps=_CARRIED | {Feature.MISSING_CODES},
    carries=_CARRIED,
)
SAS: Final = StatisticalFormat(
    name="sas",
    title="SAS",
    suffixes=(".sas7bdat",),
    reader="read_sas7bdat",
    can_write=False,
    alternative=".xpt, which SAS reads, or .csv or .parquet",
)
SAS_TRANSPORT: Final = StatisticalFormat(
    name="xport",
    title="SAS transport",
    suffixes=(".xpt", ".xport"),
    reader="read_xport",
    writer="write_xport",
    settings=frozenset({"file_format_version"}),
    column_name=r"[A-Za-z_]\w*",
    name_bytes=32,
    is_padded=True,
    keeps=frozenset({Feature.COLUMN_LABELS}),
    carries=frozenset({Feature.COLUMN_LABELS}),
)
