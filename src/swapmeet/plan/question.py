"""A question: what is asked of an original and its release, as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Self

from swapmeet.base.options import Option, Section
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.comparison.score import Judgement
from swapmeet.errors import ParameterError
from swapmeet.io.place import Place, find_place
from swapmeet.measures.default_limits import ALL, DEFAULT_LIMITS, say_limits
from swapmeet.measures.matching import UNKNOWN
from swapmeet.measures.side_by_side.interval_coverage import REPLICATES

if TYPE_CHECKING:
    from swapmeet.measures.verdict import Verdict

INTRUDER = "What the intruder knows"
WHAT = "What is measured"
AT_MOST = 20_000
"""People who are sought where nobody says how many."""


@dataclass(frozen=True, kw_only=True)
class Question(Section):
    """What is measured, about whom, who knows rows, and what limits must be kept.

    A run file has it in the section `[question]`, which `assess`, `compare`, `tune` and `report`
    heed where options say nothing else.

    >>> Question.of({"limit": ["linkage=0.1"], "known": ["age, sex"]}).to_dict()
    {'known': ['age', 'sex'], 'limits': {'linkage': 0.1}}
    """

    match: Annotated[
        str,
        Option(meaning="Without an audit record: 'rows' if the rows are in the same order, or the "
                       "name of a column that identifies them in both files.",
               metavar="HOW", shown="unknown", panel=INTRUDER),
    ] = UNKNOWN  # fmt: skip
    control: Annotated[
        str | None,
        Option(meaning="A file of people of the same population who are not in FILE, with the same "
                       "columns: can an intruder tell who is in the file?",
               metavar="FILE", panel=INTRUDER),
    ] = None  # fmt: skip
    known: Annotated[
        tuple[str, ...] | None,
        Option(meaning="Columns that the intruder knows.", metavar="NAMES",
               shown="all masked columns", panel=INTRUDER),
    ] = None  # fmt: skip
    intruder: Annotated[
        str,
        Option(meaning="Whom the intruder of the verdict knows the keys of: 'target', the person "
                       "sought; 'keys', everybody; or 'everything', which is everything of "
                       "everybody.",
               metavar="HOW", panel=INTRUDER, choices=tuple(map(str, Knowledge))),
    ] = str(Knowledge.KEYS)  # fmt: skip
    at_most: Annotated[
        int,
        Option(meaning="Link at most this many rows, drawn at random, with all others.",
               metavar="INT", least=1, panel=INTRUDER),
    ] = AT_MOST  # fmt: skip
    measures: Annotated[
        tuple[str, ...] | None,
        Option(meaning="Only these measures (more: swapmeet measures), with parameters as in "
                       "queries:target=illness; 'all' for all, each with its sentence.",
               called="measure", metavar="NAMES", shown="what limits are on, and first losses",
               panel=WHAT),
    ] = None  # fmt: skip
    limits: Annotated[
        Mapping[str, float] | None,
        Option(meaning="A limit, such as linkage=0.2: exit code 4 if it is not met. Replaces the "
                       "default limits; 'none' for no verdict.",
               called="limit", metavar="NAME=VALUE", shown=say_limits(DEFAULT_LIMITS), panel=WHAT),
    ] = None  # fmt: skip
    models: Annotated[
        tuple[str, ...],
        Option(meaning="A model to fit to both files, such as 'wage ~ age + C(sex)', 'logistic: "
                       "ill ~ age', 'huber: wage ~ age', 'poisson: visits ~ age', 'loglinear: "
                       "sex*region' or 'wage ~ age, weight=w'.",
               called="model", metavar="FORMULA", panel=WHAT),
    ] = ()  # fmt: skip
    coverage: Annotated[
        tuple[str, ...],
        Option(meaning="A model, as in --model: how often do intervals that an analyst computes "
                       "from such a release cover the truth? Makes further releases; the method is "
                       "that of the audit record or of the run file.",
               metavar="FORMULA", panel=WHAT),
    ] = ()  # fmt: skip
    replicates: Annotated[
        int,
        Option(meaning="How many further releases --coverage makes of all rows, and as many of "
                       "halves of them.",
               metavar="N", panel=WHAT),
    ] = REPLICATES  # fmt: skip
    pca: Annotated[
        tuple[str, ...],
        Option(meaning="Columns whose principal components to compare.", metavar="NAMES",
               panel=WHAT),
    ] = ()  # fmt: skip
    tables: Annotated[
        tuple[str, ...],
        Option(meaning="Columns to tabulate in both files, with weight=NAME by survey weights; "
                       "repeat for more tables.",
               called="table", metavar="NAMES", panel=WHAT),
    ] = ()  # fmt: skip
    rare: Annotated[
        tuple[str, ...],
        Option(meaning="A condition whose rows to follow, such as 'sex = \"f\" and age < 31'.",
               metavar="CONDITION", panel=WHAT),
    ] = ()  # fmt: skip
    selectivity: Annotated[
        tuple[str, ...],
        Option(meaning="Random queries by how much they select: the column to count and the column "
                       "to select by, such as occupation:age; others may follow with how much of "
                       "each, as in occupation:age:race=3|sex=2.",
               metavar="NAMES", panel=WHAT),
    ] = ()  # fmt: skip
    queries: Annotated[
        str | None,
        Option(meaning="A text with a condition in each line, as for --rare: how many rows meet "
                       "each in both files.",
               metavar="FILE", panel=WHAT),
    ] = None  # fmt: skip
    baseline: Annotated[
        str | None,
        Option(meaning="Another release of FILE, to compare the errors of --queries with.",
               metavar="FILE", panel=WHAT),
    ] = None  # fmt: skip

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Pick what was asked from the options of a command; names may be separated by commas."""
        from swapmeet.measures.limits import parse_limits

        listed = {name: split(given.get(name)) for name in ("known", "measure", "pca",
                  "selectivity")}  # fmt: skip
        known = None if given.get("known") is None else listed.pop("known")
        named = {**given, **listed, "known": known, "measure": listed["measure"] or None}
        return super().of({**named, "limit": parse_limits(split(given.get("limit")))})

    @property
    def level(self) -> Knowledge:
        """Of whom the intruder of the verdict knows the keys."""
        return Knowledge.parse(self.intruder)

    @property
    def table_columns(self) -> list[list[str]]:
        """The columns of each table."""
        return [split([text]) for text in self.tables]

    @property
    def selections(self) -> list[tuple[Any, ...]]:
        """What each of the random queries counts, and what it selects by."""
        return [_pair(text) for text in self.selectivity]

    @property
    def places(self) -> list[Place]:
        """The tables that it needs besides the original and the release."""
        return [find_place(one) for one in (self.control, self.baseline) if one is not None]

    @property
    def names_all(self) -> bool:
        """Return whether all measures were asked for."""
        return ALL in (self.measures or ())

    def ask(self, **more: Any) -> Self:
        """The question with other settings."""
        return replace(self, **more)

    @property
    def names_measured(self) -> list[str]:
        """The measures that were asked for by name, or as 'all'."""
        from swapmeet.measures.registry import MEASURES

        named = [text.partition(":")[0] for text in self.measures or ()]
        return [*MEASURES, *named] if self.names_all else named

    def asks_for_figures_only(self, verdict: Verdict) -> bool:
        """Return whether nobody asked for the verdict that was not reached.

        No limits say so; measures without a limit do where they leave out what the default limits
        are on.
        """
        from swapmeet.measures.verdict import conclude

        measured = [reason for reason in verdict.reasons if reason.score is not None]
        left_out = self.limits is None and self.measures is not None
        figures = left_out and len(measured) < len(verdict.reasons)
        return not verdict.reasons or (
            figures and (not measured or conclude(measured) is Judgement.SAFE)
        )


def split(texts: Iterable[str] | None) -> list[str]:
    """The names in an option that may be repeated, and may list several separated by commas.

    >>> split(["age, sex", "region"]), split(None)
    (['age', 'sex', 'region'], [])
    """
    return [part.strip() for text in texts or () for part in text.split(",") if part.strip()]


def _pair(text: str) -> tuple[Any, ...]:
    counted, selected, others, *_ = (part.strip() for part in (*text.split(":", 2), "", ""))
    try:
        if not (counted and selected):
            raise ValueError
        sizes = [pair.rpartition("=") for pair in others.split("|")] if others else []
        counts = {name.strip(): float(number) for name, _, number in sizes}
        if not all(name and 0.0 < size < float("inf") for name, size in counts.items()):
            raise ValueError
    except ValueError:
        raise ParameterError(
            "--selectivity: write COUNTED:SELECTED, such as occupation:age, or with others to "
            f"select by, such as occupation:age:race=3|sex=2; got {text!r}."
        ) from None
    return (counted, selected, counts) if counts else (counted, selected)
