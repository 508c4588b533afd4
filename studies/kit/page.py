"""The page of a study: one HTML file by the code of reports, and its twin in JSON."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import swapmeet as sm
from kit.claim import VERDICTS
from kit.numbers import show_cell, show_ours
from swapmeet.base.atomic import all_or_nothing, write_atomically
from swapmeet.reporting.page import render_template

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kit.section import Section
    from kit.study import Run, Study

TEMPLATES = Path(__file__).with_name("templates")


def write_page(study: Study, run: Run, sections: Mapping[str, Section], path: Path) -> Path:
    """Write the page and its twin, and say where."""
    contents = describe_study(study, run, sections)
    html = render_template(
        "study.html",
        folders=[TEMPLATES],
        filters={"cell": show_cell},
        report=contents,
        sections={name: _prepare(one) for name, one in sections.items()},
    )
    twin = json.dumps(contents, indent=1, allow_nan=True)
    with all_or_nothing():
        for target, text in ((path, html), (path.with_suffix(".json"), twin)):
            with write_atomically(target, overwrite=True) as aside:
                aside.write_text(text, encoding="utf-8")
    return path


def describe_study(study: Study, run: Run, sections: Mapping[str, Section]) -> dict[str, Any]:
    """Everything on the page but the drawings."""
    claims = [claim for one in sections.values() for group in one.claims for claim in group.claims]
    counts = Counter(claim.verdict for claim in claims)
    plain = {name: one.to_dict() for name, one in sections.items()}
    for section in plain.values():
        for picture in section["pictures"]:
            del picture["svg"]
    return {
        "title": study.title,
        "paper": study.paper,
        "lead": study.lead,
        "quick": run.quick,
        "verdicts": {name: counts[name] for name in VERDICTS if counts[name]},
        "meanings": VERDICTS,
        "sections": plain,
        "provenance": {"swapmeet": sm.__version__, "date": date.today().isoformat()},
    }


def _prepare(section: Section) -> dict[str, Any]:
    """A section with its numbers as they are shown."""
    shown = section.to_dict()
    for plain, group in zip(shown["claims"], section.claims, strict=True):
        for one, claim in zip(plain["claims"], group.claims, strict=True):
            one["shown"] = show_ours(claim)
    return shown
