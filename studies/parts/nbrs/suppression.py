"""Suppression: who has no neighbour, and what radius and weights do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import swapmeet as sm
from kit.claim import Claim
from kit.data import SHARED
from kit.estimate import repeat
from kit.panels import Panel, draw_panels
from kit.section import Claims, Picture, Section, Table, split_paragraphs
from parts.nbrs.records import (
    EPS,
    FIRST,
    MODEL,
    SECOND,
    choose_method,
    describe_columns,
    read_records,
    release_records,
)

if TYPE_CHECKING:
    from kit.estimate import Estimate
    from kit.study import Run

MEASURES = ("linkage", "copies", "correlations")
MEASURED = {
    "suppressed": "records suppressed",
    "shift": "largest change of a coefficient",
    "linkage": "people found (linkage)",
    "copies": "unique people copied (copies)",
}


def make_suppression(run: Run) -> Section:
    """Lonely records of both calls, and a sweep over radius and weight."""
    lonely = {weight: _find_lonely(run.seed, weight) for weight in (FIRST, SECOND)}
    radii = run.choose((0.2, 0.3, 0.4, 0.6, 0.8, 1.2), (0.3, 0.6, 1.2))
    weights = run.choose((0.1, 0.2, 0.3), (0.2, 0.3))
    seeds = run.seeds(2, 1)
    found = {
        (weight, eps): repeat(lambda s, w=weight, e=eps: _measure(s, w, e), seeds)
        for weight in weights
        for eps in radii
    }
    return Section(
        title="Suppression, the radius and the weights",
        finding=f"{lonely[FIRST].sum()} and {lonely[SECOND].sum()} of 5,000 records have no "
        "neighbour and are suppressed; they are older, worked less, and many have a doctorate. "
        "With the weight of the second call, sex and degrees change in nobody else.",
        words=split_paragraphs(
            """
            The theorem says that the joint distribution comes out right as the radius goes to 0.
            But then records become lonely, or are redrawn from one or two others, and people are
            found or their whole records are in the release. Suppressed records are not a random
            part of all, so coefficients also change at small radii.

            The second call raises the weight of sex and degrees to 0.3. Then people of the other
            sex or with another degree are farther away than the radius, and these three columns
            are published as they are, except for suppressed records. With 0.2, sex and the master's
            degree change; the doctorate, which few have, still does not: a column whose standard
            deviation is s separates its two values by weight / s.
            """
        ),
        claims=[
            Claims(
                "People whose number of neighbours is that of the authors' program",
                [
                    Claim.of(f"weight {weight:g}", "5000", _count_equal(weight))
                    for weight in (FIRST, SECOND)
                ],
            ),
            Claims(
                "Records suppressed (the reference is the authors' program on the same sample)",
                [
                    Claim.of("first call, weight 0.2", "37", int(lonely[FIRST].sum())),
                    Claim.of("second call, weight 0.3", "63", int(lonely[SECOND].sum())),
                ],
            ),
        ],
        tables=[_describe_lonely(lonely), _tell_changes(run), _tell_sweep(found)],
        pictures=[_draw(found, weights, radii)],
    )


def _find_lonely(seed: int, weight: float) -> np.ndarray:
    return release_records(seed, choose_method(weight)).data.isna().all(axis=1).to_numpy()


def _count_equal(weight: float) -> int:
    """Neighbourhoods as the product tells them, against the reference, which is row by row."""
    found = sm.neighborhoods(read_records(), choose_method(weight), schema=describe_columns())
    golden = pd.read_csv(SHARED / "reference" / "rwn" / "nbrs_2018_neighbour_counts.csv")
    return int((found.sizes == golden[f"n_eps06_w0{10 * weight:.0f}"]).sum())


def _measure(seed: int, weight: float, eps: float) -> dict[str, float]:
    records = read_records()
    release = release_records(seed, choose_method(weight, eps))
    card = sm.assess(
        records, release, schema=describe_columns(), measures=list(MEASURES), limits={},
        models=[MODEL],
    )  # fmt: skip
    return {
        **{name: card[name].value for name in MEASURES},
        "suppressed": float(release.data.isna().all(axis=1).mean()),
        "shift": max(abs(one.shift) for one in card.models[0].coefficients[1:]),
    }


def _describe_lonely(lonely: dict[float, np.ndarray]) -> Table:
    records, rows = read_records(), []
    groups = {
        "all records": np.ones(len(records), bool),
        **{f"suppressed, weight {weight:g}": one for weight, one in lonely.items()},
    }
    for name, rows_of in groups.items():
        some = records[rows_of]
        rows.append(
            [
                name, len(some), float(some["age"].mean()), float((some["sex"] == 2).mean()),
                float(some["phd"].mean()), float(some["wkswrkd"].mean()),
                float(some["wageinc"].mean()),
            ]
        )  # fmt: skip
    return Table(
        "Who is suppressed",
        ["", "records", "mean age", "share of women", "share with a doctorate", "mean weeks",
         "mean income"],
        rows,
    )  # fmt: skip


def _tell_changes(run: Run) -> Table:
    """How often a column changes, by the product's own figures; and impossible degrees."""
    records, rows = read_records(), []
    for weight in (0.05, FIRST, SECOND, 1.0):
        release = release_records(run.seed, choose_method(weight))
        card = sm.assess(records, release, schema=describe_columns(), measures=[], limits={})
        changed = {one.name: one.changed for one in card.facts.columns}
        data = release.data
        both = int(((data["ms"] == 1) & (data["phd"] == 1)).sum())
        rows.append([f"{weight:g}", *(changed[name] for name in records.columns), both])
    return Table(
        f"Share of rows in which a column changes, by the weight of sex and degrees (radius {EPS}),"
        " and rows with two highest degrees, which nobody has: dummies are redrawn one by one",
        ["weight", *records.columns, "both degrees"],
        rows,
    )


def _tell_sweep(found: dict[tuple[float, float], dict[str, Estimate]]) -> Table:
    rows = [
        [f"{weight:g}, {eps:g}", *(one[name].mean for name in (*MEASURED, "correlations"))]
        for (weight, eps), one in found.items()
    ]
    return Table(
        "By weight and radius",
        ["weight, radius", *MEASURED.values(), "correlations"],
        rows,
    )


def _draw(
    found: dict[tuple[float, float], dict[str, Estimate]],
    weights: tuple[float, ...],
    radii: tuple[float, ...],
) -> Picture:
    panels = [
        Panel(
            title=title,
            across="radius",
            up="standard errors" if name == "shift" else "share",
            curves={
                f"weight {weight:g}": (radii, [found[weight, eps][name].mean for eps in radii])
                for weight in weights
            },
        )
        for name, title in MEASURED.items()
    ]
    return Picture.of(
        draw_panels(panels),
        title="What the radius trades",
        description="Four panels against the radius, a line for each weight: records suppressed "
        "and copies fall as the radius grows, changes of coefficients grow.",
        caption="A small radius suppresses records and hides the others little; a large one "
        "changes what analysts find. The paper's calls have a radius of 0.6.",
        name="nbrs-radius",
    )
