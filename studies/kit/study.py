"""A study: the parts that regenerate a paper, run by one command."""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import swapmeet as sm
from kit.markdown import write_docs
from kit.page import write_page
from kit.part_store import PartStore
from kit.section import Section
from kit.terminal import show_section, show_summary

T = TypeVar("T")

PAGES = Path(__file__).parents[1] / "pages"
"""Where pages go unless another folder is given; git ignores it."""


@dataclass(frozen=True)
class Run:
    """How a study is run; `seed` is the first of those that its random runs take.

    `folder` is for what parts share, such as the journal of a search, which goes on where it
    stopped unless the run is to begin `afresh`.
    """

    quick: bool
    seed: int = 1
    folder: Path = field(default=PAGES, repr=False)
    afresh: bool = field(default=False, repr=False)

    def choose(self, full: T, quick: T) -> T:
        """What the full run takes, or the quick one."""
        return quick if self.quick else full

    def seeds(self, full: int, quick: int) -> range:
        """Seeds for so many repetitions."""
        return range(self.seed, self.seed + self.choose(full, quick))


Part = Callable[[Run], Section]


@dataclass(frozen=True, kw_only=True)
class Study:
    """A paper, and the parts that regenerate it, by name and in the order of the page.

    A quick run leaves `long_parts` out unless they are asked for.
    """

    name: str
    title: str
    paper: str
    lead: str
    parts: dict[str, Part]
    long_parts: frozenset[str] = frozenset()

    def main(self) -> None:
        """The command: run the parts, show each, write the page."""
        options = self._read_options()
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        folder = options.out / f".{self.name}"
        folder.mkdir(parents=True, exist_ok=True)
        run = Run(options.quick, options.seed, folder, options.afresh)
        store = PartStore(folder, run, afresh=options.afresh)
        sections = {name: self._run_part(name, run, store) for name in self._choose(options)}
        show_summary(sections.values())
        page = write_page(self, run, sections, options.out / f"{self.name}.html")
        print(f"\n{page}")
        if options.docs:
            write_docs(self.name, sections.values(), options.docs)

    def _choose(self, options: argparse.Namespace) -> list[str]:
        left_out = self.long_parts if options.quick else frozenset()
        return options.only or [name for name in self.parts if name not in left_out]

    def _run_part(self, name: str, run: Run, store: PartStore) -> Section:
        begin = time.perf_counter()
        part = self.parts[name]
        section = store.find(name, part) or store.keep(name, part, part(run))
        show_section(section, time.perf_counter() - begin)
        return section

    def _read_options(self) -> argparse.Namespace:
        reader = argparse.ArgumentParser(description=f"{self.title}. {self.lead}")
        reader.add_argument("--quick", action="store_true", help="about a minute: fewer runs")
        reader.add_argument(
            "--only", nargs="+", metavar="PART", choices=list(self.parts),
            help=f"some parts: {', '.join(self.parts)}",
        )  # fmt: skip
        reader.add_argument("--out", type=Path, default=PAGES, help="folder for the page")
        reader.add_argument("--seed", type=int, default=1, help="the first seed of random runs")
        reader.add_argument(
            "--afresh", action="store_true", help="run parts anew that were finished before"
        )
        reader.add_argument(
            "--docs", type=Path, metavar="FOLDER", help="also write the tables of the site's page"
        )
        return reader.parse_args(sys.argv[1:])
