"""Figures 4 to 8: the methods side by side, each with its best setting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kit.claim import Claim
from kit.section import Claims, Picture, Section, Table
from parts.sjppds.drawing import Boxes, draw_boxes
from parts.sjppds.settings import COMPARED, LOSS, RISK, choose, group_by_method
from parts.sjppds.tables import REAL, SIMULATED
from parts.sjppds.trials import REPEATS, TABLES, search_real, search_simulated

if TYPE_CHECKING:
    import numpy.typing as npt

    from kit.study import Run
    from parts.sjppds.settings import Tried

    Floats = npt.NDArray[np.float64]

SCORE = "overall score"
NAMES = {"dbrl": "DBRL", "rid": "RID", "sdid": "SDID", "propensity": "4·PS", "pil": "PIL",
         "cbil": "CBIL", SCORE: SCORE}  # fmt: skip
EXPERIMENTS = (*REAL, *SIMULATED)
FIGURES = dict(zip(EXPERIMENTS, (5, 6, 7, 8), strict=True))
MICRO = ("micro-mdav", "micro-pca", "micro-pppca")
HIGHER = {"rid": 0.04, "sdid": 0.015}
"""Bounds that the text states for SJPPDS in all experiments."""

TENDED = (
    "The text says “tended to”. On tarragona correlated noise has less, and the paper's PS there "
    "are those of a regression that diverged."
)

Figures = dict[str, dict[str, Boxes]]


def run(run: Run) -> Section:
    """Compare the best settings, as the paper does and with true owners."""
    paper, owners = gather(run, "paper"), gather(run, "owners")
    return Section(
        title="The methods side by side",
        finding="With the risk by sorting, SJPPDS has the best score in all four experiments, as "
        "the paper says. With true owners it takes part in one of them only: on census and on "
        "every simulated table no setting of its grid keeps DBRL below 0.2.",
        words=[
            (
                "Of each method the setting with the best score among those with DBRL below 0.2 "
                f"is taken; on census and tarragona boxes hold {REPEATS} releases of it, on "
                f"simulated data one release of each of {TABLES} tables (the paper: 30). "
                "Microaggregation is not random. Rows of d-shuffle belong to nobody, and sorting "
                "is all there is for them."
            ),
        ],
        claims=[
            Claims("Experiments, of four", [*_count(paper)]),
            Claims("With true owners", _count_owners(run, owners)),
        ],
        tables=[_list(paper, name) for name in EXPERIMENTS],
        pictures=[
            _draw_scores(paper, owners),
            *(_draw_measures(paper[name], name) for name in EXPERIMENTS),
        ],
    )


def gather(run: Run, view: str) -> Figures:
    """By experiment and measure, the figures of each method's best setting."""
    real = {
        name: _collect([group_by_method(tried)], view) for name, tried in search_real(run).items()
    }
    made = {
        kind: _collect([group_by_method(tried) for tried in tables], view)
        for kind, tables in search_simulated(run).items()
    }
    return {**real, **made}


def _collect(tables: list[dict[str, list[Tried]]], view: str) -> dict[str, Boxes]:
    found: dict[str, Boxes] = {measure: {} for measure in (SCORE, *RISK, *LOSS)}
    for method in COMPARED:
        best = [one for own in tables if (one := choose(own[method], view)) is not None]
        for measure in found:
            figures = [
                one.score(view) if measure == SCORE else one.figures(measure, view) for one in best
            ]
            found[measure][method] = np.concatenate(figures) if figures else np.array([])
    return found


def median(values: Floats) -> float:
    """The median; NaN where no setting was allowed."""
    return float(np.median(values)) if len(values) else float("nan")


def find_best(boxes: Boxes) -> str:
    """The method with the lowest median."""
    return min((m for m in boxes if len(boxes[m])), key=lambda m: median(boxes[m]))


def _count(found: Figures) -> list[Claim]:
    def best(measure: str) -> int:
        return sum(find_best(found[name][measure]) == "sjppds" for name in EXPERIMENTS)

    claims = [
        Claim.of(f"SJPPDS has the lowest median {NAMES[measure]}", "4", best(measure), because=note)
        for measure, note in (
            (SCORE, "another method is ahead in one"),
            ("propensity", TENDED),
            ("pil", ""),
            ("cbil", ""),
        )
    ]
    claims += [
        Claim.of(
            f"SJPPDS has a median {NAMES[measure]} below {bound}", "4",
            sum(median(found[name][measure]["sjppds"]) < bound for name in EXPERIMENTS),
            because="the bound is read from the text; the chosen number of bins moves it",
        )
        for measure, bound in HIGHER.items()
    ]  # fmt: skip
    claims.append(
        Claim.of(
            "SJPPDS has a higher RID than all others", "4",
            sum(
                find_best({m: -x for m, x in found[name]["rid"].items()}) == "sjppds"
                for name in EXPERIMENTS
            ),
        )
    )  # fmt: skip
    firms = found["tarragona"]["sdid"]
    claims.append(
        Claim.of(
            "tarragona: microaggregations with a higher SDID than SJPPDS", "3",
            sum(median(firms[m]) > median(firms["sjppds"]) for m in MICRO),
            because="other groups are chosen here, and pppca's are small",
        )
    )  # fmt: skip
    return claims


def _count_owners(run: Run, owners: Figures) -> list[Claim]:
    tables = sum(len(found) for found in search_simulated(run).values())
    return [
        Claim.of(
            "experiments in which a setting of SJPPDS keeps DBRL below 0.2", "4",
            sum(len(owners[name][SCORE]["sjppds"]) > 0 for name in EXPERIMENTS),
            note="Values stay in their bins, so the nearest row is mostly the owner's; the paper "
            "measures this risk by sorting.",
        ),
        Claim.of(
            f"simulated tables, of {tables}, with such a setting", "",
            sum(len(owners[kind][SCORE]["sjppds"]) for kind in SIMULATED),
        ),
    ]  # fmt: skip


def _list(found: Figures, name: str) -> Table:
    boxes = found[name]
    rows = [[method, *(median(boxes[measure][method]) for measure in boxes)] for method in COMPARED]
    return Table(
        f"{name}: medians of the best settings, risk as in the paper",
        ["method", *(NAMES[measure] for measure in boxes)],
        rows,
    )


def _draw_scores(paper: Figures, owners: Figures) -> Picture:
    panels = {
        name: {**paper[name][SCORE], "sjppds, true": owners[name][SCORE]["sjppds"]}
        for name in EXPERIMENTS
    }
    ordered = {
        name: {"sjppds": boxes["sjppds"], "sjppds, true": boxes["sjppds, true"], **boxes}
        for name, boxes in panels.items()
    }
    return Picture.of(
        draw_boxes(ordered, columns=2),
        title="Figure 4: overall scores of the best settings",
        description="Boxes of the overall score for each method on census, tarragona and the "
        "simulated tables; lower is better. SJPPDS by sorting has the lowest in all four; with "
        "true owners it has a box on tarragona only.",
        caption="Lower is better. “sjppds, true”: with true owners, where a setting keeps DBRL "
        "below 0.2.",
        name="sjppds-scores",
    )


def _draw_measures(found: dict[str, Boxes], name: str) -> Picture:
    panels = {NAMES[measure]: found[measure] for measure in (*RISK, *LOSS)}
    return Picture.of(
        draw_boxes(panels, columns=3),
        title=f"Figure {FIGURES[name]}: measures on {name}",
        description=f"Boxes of the three measures of risk and the three of loss on {name}, for the "
        "best setting of each method.",
        caption="Risk in the upper row, loss in the lower one; lower is better.",
    )
