"""Candidates that nobody made: pages show them as they show others."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace

from swapmeet.app.case import Case
from swapmeet.app.run import Command, Run, RunKind, State, summarize
from swapmeet.measures.overall import WHOLE_LOSS

MADE = {"method": "rwn", "settings": {"k": 5}, "rows": 60, "reproducible": False,
        "keep_order": False, "columns": [], "notes": []}  # fmt: skip
NOTE = (
    "wgt: published unmasked, and not counted as known to the intruder. If it may be known, say so."
)


def read_command(page):
    """The command that a page, or a part of one, shows."""
    return read_text(page[page.index('id="command"') :].partition(">")[2].partition("</code>")[0])


def read_text(page):
    """What a page says, without its tags; words of a command are in tags of their own."""
    return html.unescape(re.sub("<[^>]+>", "", page))


def open_case(site, path):
    path.write_text("age,sex\n30,f\n40,m\n")
    return site.space.add_case(Case(name=path.name, source=str(path), proposed=True))


def add_candidate(site, case, risk=0.1, everything=0.1, safe=True, loss=0.3):
    """A candidate with one limit, of 0.2, on linkage."""
    reason = {"measure": "linkage", "value": risk, "interval": [risk / 2, 2 * risk], "limit": 0.2,
              "met": safe, "finding": "an intruder finds people", "undecided": None}  # fmt: skip
    verdict = {"safe": safe, "decided": True, "sentence": "This is the verdict.", "advice": [],
               "reasons": [reason]}  # fmt: skip
    linkage = {"measure": "linkage", "value": risk, "interval": [risk / 2, 2 * risk],
               "better": "lower", "bounds": [0, 1], "sentence": "Some are found.",
               "details": {"by level": {"everything": {"share": everything}}}}  # fmt: skip
    losses = {"toll": "Costly", "sentence": "Costly: much is lost."}
    parts = [{"measure": name, "value": loss} for name in WHOLE_LOSS]
    scores = [linkage, *({**linkage, **one, "interval": None} for one in parts)]
    card = {"verdict": verdict, "losses": losses, "scores": scores, "notes": [NOTE]}
    facts = {"question": case.question, "releases": ["release.csv"], "method": "rwn"}
    run = site.space.add_run(
        Run(kind=RunKind.CANDIDATE, case=case.key, title="Masking", state=State.DONE, facts=facts,
            commands=(Command((), "swapmeet mask"), Command((), "swapmeet report")))
    )  # fmt: skip
    for number, content in enumerate((MADE, {"assessment": card}), 1):
        run.output_path(number).write_text(json.dumps(content))
    run = replace(run, facts={**facts, **summarize(run)})
    site.space.save_run(run)
    return run
