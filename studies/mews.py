"""MEWS and MEDS (Li and Shen 2010): Tables 1 and 2, the lemmas, widths and histograms."""

from kit.study import Study
from parts.mews.degrees import compute_degrees
from parts.mews.histograms import compare_histograms
from parts.mews.lemmas import compare_lemmas
from parts.mews.table_one import compute_table_one
from parts.mews.verdict import judge
from parts.mews.widths import prune_widths

STUDY = Study(
    name="mews",
    title="MEWS and MEDS again",
    paper="Li, Shen (2010), Multivariate equi-width data swapping for private data publication",
    lead="Blocks of columns trade places inside cells of equal width (MEWS) or groups of equal "
    "size (MEDS). What the paper prints of their privacy and of correlations, computed again.",
    parts={
        "table-1": compute_table_one,
        "lemmas": compare_lemmas,
        "table-2": compute_degrees,
        "histograms": compare_histograms,
        "widths": prune_widths,
        "verdict": judge,
    },
)

if __name__ == "__main__":
    STUDY.main()
