"""What does a search advise, and what would a larger one have chosen?

Five tables of people, of larger ones 4,000 random rows. The small search is what somebody would run
first; the larger one goes on from its journal with more time and more repeats, so that it knows all
that the small one knew. Risk is `linkage` at the end of its interval that a limit judges.

    python benchmarks/tune_advice.py FOLDER --small 90s                   # five searches
    python benchmarks/tune_advice.py FOLDER --small 90s --large 10m       # and the larger ones

Searches that are in the folder of journals are not made again.
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from typing import TYPE_CHECKING

from surveys import load_survey

import swapmeet as sm
from swapmeet.tuning import Study

if TYPE_CHECKING:
    from swapmeet.tuning.study import Choice

TABLES = ("fair", "randhie", "adult", "svcensus", "census")
HEAD = "| table | search | advice | linkage | loss | repeats | settings tried | time | how sure |"


@dataclass(frozen=True)
class Search:
    """One search: its table, its name, its journal and what it may cost."""

    table: str
    name: str
    journal: Path
    budget: str
    final_repeats: int

    def run(self) -> str:
        """Make it, unless it was made; its row of the table."""
        seconds = self.journal.with_suffix(".seconds")
        if not seconds.exists():
            seconds.write_text(f"{self._search():.0f}")
        return self._describe(Study.load(self.journal), seconds.read_text())

    def _search(self) -> float:
        survey, begin = load_survey(self.table), time.monotonic()
        sm.tune(
            survey.people, schema=survey.schema, budget=self.budget, journal=self.journal,
            final_repeats=self.final_repeats, workers=1,
        )  # fmt: skip
        return time.monotonic() - begin

    def _describe(self, study: Study, seconds: str) -> str:
        choice = study.choice
        chosen = choice.best or choice.nearest
        assert chosen is not None
        label = chosen.label if choice.best else f"none is safe; nearest {chosen.label}"
        cells = [
            self.table, f"{self.name}, {self.budget}", label,
            f"{chosen.unfavourable('linkage'):.3f}", f"{chosen.median('loss'):.4f}",
            str(len(chosen)), str(len(study.trials.settings) - len(study.trials.failures)),
            f"{seconds} s", describe_certainty(choice),
        ]  # fmt: skip
        return f"| {' | '.join(cells)} |"


def describe_certainty(choice: Choice) -> str:
    """Whether the choice is better than the other finalists."""
    tied = sum(found.tied for found in choice.differences)
    open_ones = sum(not found.known for found in choice.differences)
    if choice.best is None:
        return "–"
    if open_ones:
        return f"{open_ones} of {len(choice.differences)} others tried too seldom"
    return f"one of {tied + 1} that cannot be told apart" if tied else "better than all others"


def main() -> None:
    options = parse_options()
    warnings.simplefilter("ignore")
    options.folder.mkdir(exist_ok=True)
    print(HEAD)
    print("| --- " * HEAD.count(" |") + "|")
    for table in options.tables:
        small = Search(table, "small", options.folder / f"{table}.jsonl", options.small, 20)
        print(small.run(), flush=True)
        if options.large:
            journal = options.folder / f"{table}.large.jsonl"
            if not journal.exists():
                copyfile(small.journal, journal)
            print(Search(table, "large", journal, options.large, 40).run(), flush=True)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the journals are kept")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=TABLES)
    parser.add_argument("--small", default="90s", help="time of a small search")
    parser.add_argument("--large", help="time of a larger search; none by default")
    return parser.parse_args()


if __name__ == "__main__":
    main()
