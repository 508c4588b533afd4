"""The risk-utility map of the app as a picture of its own, for the README.

    python packaging/draw_map.py docs/assets/map.svg

It masks a built-in table in several ways, measures each release, searches for half a minute, and
draws what the page *Compare* of the app shows, with its own template, style and figures. Seeds are
fixed; how many settings the search tries depends on the machine.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import swapmeet as sm
from swapmeet.app.case import Case
from swapmeet.app.desk import load_templates
from swapmeet.app.formatting import label_setting
from swapmeet.app.pages.compare import HEIGHT, WIDTH, draw_map
from swapmeet.app.run import Run, RunKind, read_figures
from swapmeet.measures.default_limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLE, SEED, BUDGET = "anes96", 7, "30s"
SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("matched-swap", {"k": 15}),
    ("matched-swap", {"k": 60}),
    ("microaggregation", {"k": 5}),
    ("rank-swap", {"window": 0.3}),
    ("rwn", {"k": 20}),
    ("cart", {}),
)
STYLE = Path(sm.__file__).with_name("app") / "static" / "app.css"
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif'
LINE, MARGIN, COLUMN = 24, 16, 428
SHAPES = r"<li>(<svg.*?</svg>) <span>(.*?)</span></li>"


def main(path: Path) -> None:
    """Write the picture."""
    candidates, searches = list(mask_and_measure()), [search()]
    drawn = draw_map(candidates, searches, DEFAULT_LIMITS["linkage"])
    page = load_templates().get_template("map.html")
    figure = page.render(map=drawn, case=Case(name=TABLE, source=""))
    path.write_text(compose(figure, candidates), encoding="utf-8")


def mask_and_measure() -> Iterator[Run]:
    """Make each setting a candidate, as the app does."""
    people = sm.datasets.load(TABLE)
    roles = {"sensitive": sm.datasets.DATASETS[TABLE].sensitive}
    for number, (method, settings) in enumerate(SETTINGS, 1):
        maker = sm.METHODS[method](**settings)
        release = sm.mask(people, maker, seed=SEED, **roles)
        card = sm.assess(people, release).to_dict()
        facts = {"method": method, "chosen": settings, **read_figures(card)}
        yield Run(
            kind=RunKind.CANDIDATE, case="", title="", commands=(), number=number, facts=facts
        )


def search() -> Run:
    """Search, and keep what was tried."""
    dataset = sm.datasets.DATASETS[TABLE]
    study = sm.tune(sm.datasets.load(TABLE), budget=BUDGET, seed=SEED, sensitive=dataset.sensitive)
    points = [
        {"risk": one.median("risk"), "loss": one.median("loss"), "checked": one.checked}
        for one in study.candidates
        if not one.failure
    ]
    return Run(kind=RunKind.SEARCH, case="", title="", commands=(), facts={"points": points})


def compose(figure: str, candidates: list[Run]) -> str:
    """One SVG with the drawing of the page, its legend below, and the names of candidates."""
    drawing = figure[figure.index("<svg") : figure.index("</svg>") + len("</svg>")]
    drawing = re.sub(r'<a href="[^"]*"( class="\w+")[^>]*>', r"<g\1>", drawing)
    drawing = drawing.replace("</a>", "</g>").replace(
        "<svg ", f'<svg width="{WIDTH}" height="{HEIGHT}" ', 1
    )
    names = [f"{run.number}: {label_setting(run.facts)}" for run in candidates]
    legend = re.findall(SHAPES, figure)
    lines = max(len(names), len(legend))
    height = HEIGHT + LINE * lines + 16
    parts = [drawing]
    for at, (shape, words) in enumerate(legend):
        y = HEIGHT + 8 + LINE * at
        parts.append(
            shape.replace("<svg ", f'<svg x="{MARGIN}" y="{y}" width="32" height="20" ', 1)
        )
        short = words.partition(", and")[0]
        parts.append(f'<text class="ink" x="{MARGIN + 42}" y="{y + 14}">{short}</text>')
    parts += [f'<text class="ink" x="{COLUMN}" y="{HEIGHT + 22 + LINE * at}">{name}</text>'
              for at, name in enumerate(names)]  # fmt: skip
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="map" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" aria-label="Risk and loss of six releases">'
        f"<style>{read_style()}</style>"
        f'<rect class="ground" width="{WIDTH}" height="{height}"/>{"".join(parts)}</svg>\n'
    )


def read_style() -> str:
    """The colours of the app, light and dark, and its rules about the map."""
    style = STYLE.read_text(encoding="utf-8")
    colours = style[: style.index("* { box-sizing")]
    start = style.index(".map text {")
    rules = style[start : style.index(".hit {")]
    return (
        f"{colours}{rules} .hit {{ fill: none; }} .ground {{ fill: var(--paper); }} "
        f"text {{ font-family: {FONT}; }} .map .ink {{ fill: var(--ink); font-size: 12px; }}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
