"""The runs of a study, from its journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parts.beyond.candidates import Candidate, summarize
from parts.beyond.runs import Job, Journal
from parts.beyond.settings import NUMBERS, list_few_settings, list_settings
from parts.beyond.tables import LOADERS, ROWS, Survey, load_survey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kit.study import Run

QUICK = ("bodyfat", "tarragona")
"""The tables of a quick run."""
QUICK_ROWS = 300


def list_tables(run: Run) -> tuple[str, ...]:
    """The tables that a run looks at."""
    return run.choose(tuple(LOADERS), QUICK)


def load_table(run: Run, table: str) -> Survey:
    """A table, smaller in a quick run."""
    return load_survey(table, rows=run.choose(ROWS, QUICK_ROWS))


def collect(run: Run, table: str) -> list[Candidate]:
    """Every method at its settings on a table; what the journal has is not run again."""
    survey = load_table(run, table)
    journal = Journal(run.folder / "runs.jsonl")
    return summarize(journal.complete(survey, list_jobs(run, survey)))


def collect_all(run: Run) -> dict[str, list[Candidate]]:
    """Candidates by table."""
    return {table: collect(run, table) for table in list_tables(run)}


def list_jobs(run: Run, survey: Survey) -> Iterator[Job]:
    """Every method at every setting, with one seed; another `--seed` adds to the same journal."""
    list_own = run.choose(list_settings, list_few_settings)
    for method in NUMBERS:
        for settings in list_own(survey, method):
            yield method, settings, run.seed
