"""What does matched swapping keep? Writes the table of docs/reference/methods/matched-swap.md.

Four tables, masked at three sizes of groups by matched swapping, by permuting inside groups
(microaggregation) and by RWN, with a fixed seed.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from surveys import load_survey

import swapmeet as sm
from swapmeet.measures.risk.linkage import Linkage
from swapmeet.measures.utility.queries import Queries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from surveys import Survey

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "methods" / "matched-swap.md"
BEGIN, END = "<!-- kept -->\n", "<!-- end of kept -->\n"
TABLES = ("census", "tarragona", "fair", "adult")
SIZES = (5, 10, 30)
SEED = 13
LOSSES = ("correlations", "associations", "propensity", "queries")
HEAD = (
    f"| table | k | method | {' | '.join(LOSSES)} | linkage |\n"
    f"|{' --- |' * 3}{' ---: |' * (len(LOSSES) + 1)}\n"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="+", default=TABLES, help="print these tables only")
    asked = parser.parse_args().tables
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    text = HEAD
    for name in asked:
        for line in list_lines(load_survey(name)):
            print(line, end="", flush=True)
            text += line
    if tuple(asked) == TABLES:
        write_page(text)


def list_lines(survey: Survey) -> Iterator[str]:
    """A line for each size of groups and each method."""
    for k in SIZES:
        for words, method in list_methods(k):
            figures = " | ".join(list_figures(survey, method))
            yield f"| {survey.name} | {k} | {words} | {figures} |\n"


def list_methods(k: int) -> Iterator[tuple[str, sm.Method]]:
    """The method, its start without the trades, and the neighbourhoods of RWN."""
    yield "**matched**", sm.MatchedSwap(k=k)
    yield "permuted", sm.Microaggregation(k=k, permute=True)
    yield "RWN", sm.RWN(k=k, weights=0.2)


def list_figures(survey: Survey, method: sm.Method) -> Iterator[str]:
    """What is lost, and whom the worst intruder finds who knows everything of everybody."""
    release = sm.mask(survey.people, method, schema=survey.schema, seed=SEED)
    card = sm.assess(
        survey.people, release, schema=survey.schema, limits={}, intruder="everything",
        measures=[*LOSSES[:-1], Queries(target=survey.counted), Linkage()],
    )  # fmt: skip
    yield from (say_loss(card[name].value) for name in LOSSES)
    yield f"{card['linkage'].value:.2f}"


def say_loss(value: float) -> str:
    """With the digits that matter; the smallest are as good as none."""
    if value < 0.00005:
        return "0"
    return f"{value:.4f}" if value < 0.001 else f"{value:.3f}"


def write_page(text: str) -> None:
    """Put the table between its marks."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}{text}{END}{rest.partition(END)[2]}")


if __name__ == "__main__":
    main()
