"""Whom and what do intruders find in releases of every method? Writes docs/explanation/limits.md.

Each method masks four tables at two settings, with a fixed seed, and each release is judged by the
default limits. `--quick` tries 400 rows of one table and prints instead of writing.
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from measure import SHARED

import swapmeet as sm
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.tables.schema import Kind, Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.comparison.score import Score

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "limits.md"
BEGIN, END = "<!-- figures -->\n", "<!-- end of figures -->\n"
SEED = 13
ROWS = 4_000
QUICK_ROWS = 400
NUMBERS_ONLY = {
    "sjppds", "mews", "meds", "rank-swap", "data-shuffle", "ipso", "microaggregation", "noise",
}  # fmt: skip
MEASURES = ["dbrl", "linkage", "copies", "inference", "membership"]
HEAD = (
    "| method | `dbrl` | target | keys | everything | copies | by chance | inference | membership "
    "| limits exceeded |\n|" + " --- |" * 10
)


@dataclass(frozen=True)
class Table:
    """A table, what its columns are, and how it is introduced."""

    name: str
    words: str
    people: pd.DataFrame
    schema: sm.Schema

    def keep_numbers(self) -> Table:
        """Without its nominal columns, which some methods cannot mask."""
        columns = tuple(
            replace(column, kind=Kind.NUMERIC)
            for column in self.schema.columns
            if column.kind is not Kind.NOMINAL
        )
        names = [column.name for column in columns]
        return Table(self.name, self.words, self.people[names], sm.Schema(columns))

    def split_roles(self) -> tuple[list[str], list[str]]:
        """The keys, and the other columns."""
        keys = list(self.schema.having(Role.KEY))
        return keys, [name for name in self.people if name not in keys]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small table, printed only")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    begun = time.perf_counter()
    text = ""
    for table in load_tables(quick=quick):
        text += "\n".join(write_table(table))
        if not quick:
            write_page(text)
    print(text if quick else f"{PAGE.name} written in {time.perf_counter() - begun:.0f} s")


def load_tables(*, quick: bool) -> Iterator[Table]:
    """The tables of the page, one after the other."""
    fair = sm.datasets.load("fair"), sm.datasets.schema("fair")
    if quick:
        yield Table("fair", "a few of its rows", draw(fair[0], QUICK_ROWS), fair[1])
        return
    words = "6,366 married women; eight keys, `affairs` is sensitive"
    yield Table("fair", words, *fair)
    yield load_census()
    yield load_adult()
    words = "4,000 random rows of 20,190 years of insured people; three sensitive columns"
    people = draw(sm.datasets.load("randhie"), ROWS)
    yield Table("randhie", words, people, sm.datasets.schema("randhie"))


def load_census() -> Table:
    """The microdata of the SJPPDS paper without their weight: twelve amounts of money."""
    people = pd.read_csv(SHARED / "data" / "census.csv").drop(columns="AFNLWGT").astype(float)
    schema = sm.Schema.infer(people).assign(
        numeric=list(people), key=list(people)[:6], sensitive=list(people)[6:]
    )
    words = "1,080 tax payers; of twelve amounts of money the first six are keys"
    return Table("census", words, people, schema)


def load_adult() -> Table:
    """Adult without its weight and the second name of education; income is 1 above 50,000."""
    whole = pd.read_csv(SHARED / "data" / "adult.csv.gz").drop(columns=["fnlwgt", "education"])
    people = draw(whole.assign(income=(whole["income"] == ">50K").astype(int)), ROWS)
    numbers = ["age", "education-num", "capital-gain", "capital-loss", "hours-per-week", "income"]
    nominal = [name for name in people if name not in numbers]
    schema = sm.Schema.infer(people).assign(
        numeric=numbers, nominal=nominal, sensitive=["occupation", "income"]
    )
    words = "4,000 random people of 32,561; `occupation` and `income` are sensitive"
    return Table("adult", words, people, schema)


def draw(people: pd.DataFrame, rows: int) -> pd.DataFrame:
    """Random rows, always the same."""
    return people.sample(rows, random_state=SEED).reset_index(drop=True)


def _link(name: str) -> str:
    return f"[`{name}`](../reference/methods/{name}.md)"


def list_methods(keys: list[str], others: list[str]) -> Iterator[tuple[str, sm.Method]]:
    """Every method, mildly and strongly set, and how it is called on the page."""
    yield f"{_link('matched-swap')}, k = 5", sm.MatchedSwap(k=5)
    yield "… k = 30", sm.MatchedSwap(k=30)
    yield f"{_link('rwn')}, k = 5", sm.RWN(k=5)
    yield "… k = 100, nominal columns weigh 0.2", sm.RWN(k=100, weights=0.2)
    yield f"{_link('nbrs')}, eps = 1", sm.NBRS(eps=1.0, q=1.0)
    yield "… eps = 3", sm.NBRS(eps=3.0, q=1.0)
    yield f"{_link('sjppds')}, 10 bins", sm.SJPPDS(bins=10)
    yield "… 2 bins", sm.SJPPDS(bins=2)
    yield f"{_link('mews')}, 4 intervals, all columns", sm.MEWS(bins=4)
    yield f"{_link('meds')}, k = 5, all columns", sm.MEDS(k=5)
    yield "… k = 50, keys only", sm.MEDS(k=50, columns=keys)
    yield f"{_link('kl-theta')}, K = 5", sm.KLTheta(k=5, l=2, theta=0.9)
    yield "… K = 50", sm.KLTheta(k=50, l=2, theta=0.9)
    yield f"{_link('record-swap')}, keys, rate 0.1", _swap_records(keys, 3, 0.1)
    yield "… rate 1", _swap_records(keys, 3, 1.0)
    yield f"{_link('rank-swap')}, window 0.1", sm.RankSwap(window=0.1)
    yield "… window 0.5", sm.RankSwap(window=0.5)
    yield _link("data-shuffle"), sm.DataShuffle()
    yield "… two keys as predictors", sm.DataShuffle(predictors=keys[:2])
    yield _link("ipso"), sm.IPSO()
    yield "… two keys as predictors", sm.IPSO(predictors=keys[:2])
    yield f"{_link('microaggregation')}, k = 3", sm.Microaggregation(k=3)
    yield "… k = 10, permuted", sm.Microaggregation(k=10, permute=True)
    yield f"{_link('noise')}, level 0.1", sm.Noise(level=0.1)
    yield "… level 1", sm.Noise(level=1.0)
    yield f"{_link('cart')}, leaves of 5", sm.Cart(min_leaf=5)
    yield "… of 50", sm.Cart(min_leaf=50)
    parts = [(sm.RWN(k=100, weights=0.2), keys), (sm.RWN(k=100, weights=0.2), others)]
    yield f"{_link('per-column')}, RWN twice", sm.PerColumn(parts=parts)


def _swap_records(keys: list[str], k: int, rate: float) -> sm.Method:
    """Records trade all keys as one."""
    return sm.RecordSwap(columns=keys, k=k, swap_rate=rate)


def write_table(table: Table) -> Iterator[str]:
    """The figures of one table, a line for each method and setting."""
    yield f"### {table.name}\n\n{table.words[0].upper()}{table.words[1:]}.\n\n{HEAD}"
    for (words, numbers), (_, whole) in zip(
        list_methods(*table.keep_numbers().split_roles()),
        list_methods(*table.split_roles()), strict=True,
    ):  # fmt: skip
        fit, method = (
            (table.keep_numbers(), numbers) if whole.name in NUMBERS_ONLY else (table, whole)
        )
        yield f"| {words} | {' | '.join(list_figures(fit, method))} |"
    yield "\n"


def list_figures(table: Table, method: sm.Method) -> Iterator[str]:
    """What stands in a line after the method."""
    begun = time.perf_counter()
    try:
        release = sm.mask(table.people, method, schema=table.schema, seed=SEED)
    except sm.SwapmeetError as refusal:
        print(f"{table.name}, {method.name}: refused. {refusal}", flush=True)
        yield from ["refused", *[""] * 8]
        return
    card = sm.assess(table.people, release, schema=table.schema, measures=MEASURES)
    print(f"{table.name}, {method.name}: {time.perf_counter() - begun:.1f} s", flush=True)
    yield say_score(card["dbrl"])
    levels = card["linkage"].details.get("by level", {})
    for level in Knowledge:
        yield say(levels[level]["share"], *levels[level]["interval"]) if levels else "–"
    yield say_score(card["copies"])
    chances = (card["copies"].details[f"share of {of} by chance"] for of in ("people", "rows"))
    yield f"{100 * max(chances):.0f}"
    yield from (say_score(card[name]) for name in ("inference", "membership"))
    yield ", ".join(r.measure for r in card.verdict.reasons if not r.met) or "none"


def say_score(score: Score) -> str:
    if score.undefined or score.interval is None:
        return "–"
    return say(score.value, *score.interval)


def say(value: float, low: float, high: float) -> str:
    """A share and its interval, of 100."""
    return f"**{100 * value:.0f}** {100 * low:.0f}–{100 * high:.0f}"


def write_page(text: str) -> None:
    """Put the figures between their marks."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{text}{END}{after}")


if __name__ == "__main__":
    main()
