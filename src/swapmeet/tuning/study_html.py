"""A study as a notebook shows it: the recommendation, the map, the frontier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.core.base.html import (
    BAD,
    GOOD,
    write_box,
    write_fold,
    write_list,
    write_mark,
    write_table,
    write_text,
)
from swapmeet.tuning.map_svg import draw_map

if TYPE_CHECKING:
    from swapmeet.tuning.frontier import FrontierPoint
    from swapmeet.tuning.study import Study

LEGEND = "Hollow: does not keep the limits. Line: no setting beats these in both risk and loss."
CHOSEN = "Red: the choice. "


def write_study(study: Study) -> str:
    """Write the recommendation, its reasons, and the settings that none beats in risk and loss."""
    choice = study.choice
    first, *others = choice.sentences or ("Nothing was tried.",)
    drawn, legend = draw_map(study), f"{CHOSEN if choice.best else ''}{LEGEND}"
    return write_box(
        write_text(repr(study).strip("<>")),
        write_mark(first, BAD if choice.best is None else GOOD),
        write_list(others),
        f"{drawn}{write_text(legend)}" if drawn else "",
        write_fold("Frontier", _write_frontier(study)) if study.frontier() else "",
        write_fold("Settings that failed", write_list(study.failures()))
        if study.trials.failures
        else "",
    )


def _write_frontier(study: Study) -> str:
    header = ["no.", "setting", "risk", "loss", "limits"]
    return write_table(header, (_list_cells(study, point) for point in study.frontier()))


def _list_cells(study: Study, point: FrontierPoint) -> tuple[str, ...]:
    candidate = point.candidate
    kept = "kept" if candidate.keeps(study.limits) else "not kept"
    return (str(candidate.number), candidate.label, f"{point.risk:.3f}", f"{point.loss:.3f}",
            kept if study.limits else "–")  # fmt: skip
