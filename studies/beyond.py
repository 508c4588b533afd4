"""Beyond the papers: all methods on one map per table, with the risk of the worst intruder.

Runs are kept in a journal, so that a run that was stopped goes on, and settings that are added
later are the only ones that run.
"""

from kit.study import Study
from parts.beyond.collect import QUICK
from parts.beyond.frontier import draw_frontier
from parts.beyond.one_table import make_part
from parts.beyond.rankings import compare_rankings
from parts.beyond.said import compare_measures
from parts.beyond.tables import LOADERS

STUDY = Study(
    name="beyond",
    title="Beyond the papers: all methods against the worst intruder",
    paper="All five papers, on their data and on two tables that come with Swapmeet",
    lead="Every method at many settings on seven tables. Risk is linkage by the worst intruder, "
    "who knows everything of everybody and the method, at the end of its interval that limits "
    "judge.",
    parts={
        "frontier": draw_frontier,
        "rankings": compare_rankings,
        "measures": compare_measures,
        **{table: make_part(table) for table in LOADERS},
    },
    long_parts=frozenset(LOADERS) - frozenset(QUICK),
)

if __name__ == "__main__":
    STUDY.main()
