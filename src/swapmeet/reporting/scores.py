"""The scores of a release beside what the search found, measure by measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.measures.limits import keeps, sign
from swapmeet.measures.registry import MEASURES
from swapmeet.measures.risk import RISKS

if TYPE_CHECKING:
    from swapmeet.reporting.sources import Sources
    from swapmeet.tuning import Candidate

RISK, UTILITY = "Risk", "Utility"


def families(sources: Sources) -> list[dict[str, Any]]:
    """The scores of risk and those of utility, in the order in which they were measured."""
    names = list(sources.card.scores) if sources.card else []
    if sources.tried and sources.study:
        names += [n for n in sources.study.setup.measures if n not in names]
    rows = [_row(name, sources) for name in names]
    parts = {RISK: [r for r in rows if r["measure"] in RISKS],
             UTILITY: [r for r in rows if r["measure"] not in RISKS]}  # fmt: skip
    return [{"family": family, "scores": own} for family, own in parts.items() if own]


def _row(name: str, sources: Sources) -> dict[str, Any]:
    measure = MEASURES.get(name)
    score = sources.card.scores.get(name) if sources.card else None
    limit = sources.limits.get(name)
    told: dict[str, Any] = {
        "measure": name,
        "question": measure.question if measure else "",
        "value": None,
        "interval": None,
        "sentence": "",
        "undefined": None,
        "limit": None if limit is None else {"value": limit, "sign": sign(name)},
        "met": None,
        "tuned": _tuned(name, sources.tried),
    }
    if measure:
        told |= {"better": str(measure.direction), "bounds": list(measure.bounds)}
    if score:
        told |= {n: v for n, v in score.to_dict().items() if n != "details"}
        told["met"] = (
            None
            if limit is None
            else bool(keeps(name, sources.limited.get(name, score.value), limit))
        )
    return told


def _tuned(name: str, candidate: Candidate | None) -> dict[str, Any] | None:
    if candidate is None or name not in candidate.repeats:
        return None
    median = candidate.median(name)
    undefined = median != median
    interval = None if undefined else list(candidate.interval(name))
    return {"median": None if undefined else median, "interval": interval,
            "repeats": len(candidate)}  # fmt: skip
