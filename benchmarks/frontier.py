"""Which method loses least at the same risk? The frontier of all methods on seven tables.

Every method masks every table at the settings of a grid, with two seeds where it draws. Risk is
`linkage` by the worst intruder, who knows everything of everybody and the method, at the end of its
interval that a verdict judges; beside it stand `inference`, `dbrl` and `copies`. Loss A is the mean
of `propensity` (4 · PS), `pil` and `cbil`; the last two look at numeric and ordinal columns only.
Loss B is the mean of `margins`, `associations`, `prediction` (0 where it is below), `queries` and
`coefficients`. It is no untouched test of matched swapping: that it keeps classes of numbers
(`order="classes"`), and how much these weigh, was chosen by `queries` on these very tables; its
`order="pairs"` was not. Of adult, svcensus and randhie 4,000 random rows
are taken; `--whole` repeats on all rows the settings that lead there.

    python benchmarks/frontier.py results.jsonl --report report.md --pictures pictures

Each run adds a line to the file of results, and runs that stand there are skipped, so that it can
be stopped and taken up again at any time; `--redo METHOD` runs again what another commit made. The
whole grid takes about an hour and a half on one core, `--show` none: it only reads the file.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from frontier_grid import NUMBERS, draws_at_random, list_settings
from frontier_people import LARGE, LOADERS, load_survey
from frontier_picture import draw_pictures
from frontier_report import write_report
from frontier_runs import Results, describe_run, find_commit, name_run, run
from frontier_summary import list_leaders, summarize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from frontier_grid import Settings
    from frontier_people import Survey

Job = tuple["Survey", str, "Settings", int]


def main() -> None:
    options = parse_options()
    warnings.simplefilter("ignore")
    results = Results(options.results)
    if not options.show:
        run_all(options, results)
    candidates = summarize(results.read().values())
    if options.report:
        options.report.write_text(write_report(candidates))
    if options.pictures:
        draw_pictures(candidates, options.pictures)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path, help="file of results, one line for each run")
    parser.add_argument("--tables", nargs="+", default=list(LOADERS), choices=list(LOADERS))
    parser.add_argument("--methods", nargs="+", default=list(NUMBERS), choices=list(NUMBERS))
    parser.add_argument("--redo", nargs="+", default=[], help="methods whose old runs are stale")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--most", type=int, help="so many settings of a method, the first ones")
    parser.add_argument("--whole", action="store_true", help="the leaders, on all rows")
    parser.add_argument("--show", action="store_true", help="run nothing")
    parser.add_argument("--report", type=Path, help="file for the tables")
    parser.add_argument("--pictures", type=Path, help="folder for the pictures")
    return parser.parse_args()


def run_all(options: argparse.Namespace, results: Results) -> None:
    """What is not in the file yet."""
    lines, commit = results.read(), find_commit()
    for survey, method, settings, seed in list_jobs(options, results):
        old = lines.get(name_run(describe_run(survey, method, settings, seed)))
        if old and not (method in options.redo and old["commit"] != commit):
            continue
        line = run(survey, method, settings, seed, options.threads)
        results.add(line)
        print(survey.name, method, settings, seed, line.get("seconds", "refused"), flush=True)


def list_jobs(options: argparse.Namespace, results: Results) -> Iterator[Job]:
    """All runs, the first seed first; with `--whole` those of the leaders of a sample."""
    for seed in range(1, options.seeds + 1):
        for table in options.tables:
            if options.whole and table not in LARGE:
                continue
            survey = load_survey(table, whole=options.whole)
            for method in options.methods:
                for settings in choose_settings(options, results, table, method):
                    if seed == 1 or draws_at_random(method, settings):
                        yield survey, method, settings, seed


def choose_settings(
    options: argparse.Namespace, results: Results, table: str, method: str
) -> list[Settings]:
    """The grid, or the settings that lead at some limit; of either the first ones if so asked."""
    if not options.whole:
        return [*list_settings(table, method)][: options.most]
    leaders = list_leaders(summarize(results.read().values()), table)
    return [leader.settings for leader in leaders if leader.method == method][: options.most]


if __name__ == "__main__":
    main()
