"""The decision record: all that those who decide, and those who come after them, need to know."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.core.base.sentences import join_names
from swapmeet.core.tables.schema import Role
from swapmeet.measures.comparison import Ownership
from swapmeet.measures.limits import keeps, sign
from swapmeet.measures.side_by_side.conditions import Condition
from swapmeet.reporting.candidates import summarize_search
from swapmeet.reporting.cautions import GENERAL
from swapmeet.reporting.figures import figure
from swapmeet.reporting.scores import RISK, describe_measure, group_scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.methods import Method
    from swapmeet.reporting.sources import Sources

OWNERS = {
    Ownership.TRUE: "The audit record says who owns each released row: risk is measured against "
    "the truth.",
    Ownership.CLAIMED: "Which released row belongs to whom is what the user says, not what an "
    "audit record says.",
    Ownership.UNKNOWN: "Which released row belongs to whom is not known: measures that need it are "
    "not defined.",
    Ownership.NOBODY: "The released rows are synthetic and belong to nobody: measures that need an "
    "owner have the values of worst-case sorting, which may be too favourable.",
}
UNFIT = "The seed was chosen: this release is fit for tests and studies, not for publication."


def build_internal(sources: Sources) -> dict[str, Any]:
    """The contents of a decision record, part by part; a part that has nothing to say is None."""
    scores = group_scores(sources)
    return {
        "verdict": _verdict(sources),
        "summary": list(_summary(sources)),
        "data": {"rows": sources.rows, "columns": [_column(c, sources) for c in sources.columns]},
        "threats": _threats(sources),
        "search": summarize_search(sources.study) if sources.study else None,
        "setting": _setting(sources),
        "scores": scores,
        "changes": _changes(sources),
        "analyses": _analyses(sources),
        "rare": _rare(sources),
        "not_protected": _not_protected(sources, scores),
        "notes": _notes(sources),
        "data_checksum": sources.study.setup.data if sources.study else None,
    }


def _verdict(sources: Sources) -> dict[str, Any]:
    """Whether limits were set, and met: by the release if it was measured, else in the search."""
    missed = list(_missed_limits(sources))
    if sources.release and sources.release.reproducible:
        return {"good": False, "words": "Not for publication: the seed was chosen"}
    if not sources.limits:
        return {"good": None, "words": "No limit was set"}
    if missed or (sources.card is None and sources.setting is None):
        return {"good": False, "words": "Limits are not met"}
    return {"good": True, "words": "All limits are met"}


def _missed_limits(sources: Sources) -> Iterator[str]:
    for name, limit in sources.limits.items():
        value, where = sources.limited.get(name), ""
        if value is None and sources.tried:
            value, where = sources.tried.median(name), " in the search"
        if value is not None and not keeps(name, value, limit):
            found = "not defined" if np.isnan(value) else figure(value)
            yield f"{name} is {found}{where}; the limit, {sign(name)} {limit:g}, is not met."


def _summary(sources: Sources) -> Iterator[str]:
    if sources.release:
        yield from _describe_release(sources)
    if sources.study:
        yield from sources.study.choice.sentences
        if sources.study.interrupted:
            yield "The search was interrupted: not all settings were tried."
    else:
        yield "No search was made: the setting is the curator's own choice."
    missed = list(_missed_limits(sources))
    yield from missed
    if sources.card and sources.limits and not missed:
        yield "The release keeps all limits."
    overall = sources.card.overall() if sources.card else None
    if overall:
        yield overall.sentence


def _describe_release(sources: Sources) -> Iterator[str]:
    setting, study = sources.setting, sources.study
    assert setting is not None
    yield f"The release was made with {sources.label}."
    best = study.choice.best if study else None
    if best and best.setting == setting:
        yield "This is the setting that the search recommends."
    elif best:
        yield f"The search recommends another setting: {best.label}."
    if sources.release and sources.release.reproducible:
        yield UNFIT


def _column(column: Any, sources: Sources) -> dict[str, Any]:
    return {
        "name": column.name,
        "kind": str(column.kind),
        "role": str(column.role),
        "meaning": column.role.meaning,
        "masked": sources.is_masked(column),
        "known": column.name in sources.known,
    }


def _threats(sources: Sources) -> dict[str, Any]:
    card, study = sources.card, sources.study
    names = list(card.scores) if card else list(study.setup.measures) if study else []
    return {
        "known": list(sources.known),
        "owners": OWNERS[card.ownership if card else Ownership.TRUE],
        "at_most": study.setup.at_most if study else None,
        "open": [c.name for c in sources.columns
                 if c.role in {Role.KEEP, Role.STRATA} and c.name not in sources.known],
        "measures": [m for m in (describe_measure(n, sources) for n in names)
                     if m["family"] == RISK],
    }  # fmt: skip


def _setting(sources: Sources) -> dict[str, Any] | None:
    setting, method = sources.setting, sources.method
    if setting is None:
        return None
    if method is None:
        return {
            "method": setting.name, "summary": "", "label": sources.label, "parts": [],
            "parameters": [{"name": n, "value": v, "meaning": "", "default": False}
                           for n, v in setting.settings.items()],
        }  # fmt: skip
    return {
        "method": method.name,
        "summary": method.summary,
        "label": sources.label,
        "parameters": [] if method.submethods else _parameters(method),
        "parts": [
            {"method": part.name, "columns": list(columns), "parameters": _parameters(part)}
            for part, columns in method.submethods
        ],
    }


def _parameters(method: Method) -> list[dict[str, Any]]:
    settings = method.settings()
    return [
        {"name": p.name, "value": settings[p.name], "meaning": p.meaning,
         "default": settings[p.name] == p.default}
        for p in method.parameters()
        if p.name in settings
    ]  # fmt: skip


def _changes(sources: Sources) -> list[dict[str, Any]] | None:
    if not sources.release or not sources.release.changes:
        return None
    return [asdict(change) for change in sources.release.changes]


def _analyses(sources: Sources) -> dict[str, Any] | None:
    card = sources.card
    if card is None or not (card.models or card.components or card.tables):
        return None
    return {
        "models": [model.to_dict() for model in card.models],
        "components": card.components.to_dict() if card.components else None,
        "tables": [table.to_dict() for table in card.tables],
    }


def _rare(sources: Sources) -> list[dict[str, Any]]:
    """Without the values that a condition names: they are somebody's."""
    return [
        {**found.to_dict(), "sentence": found.sentence,
         "condition": f"a condition on {join_names(Condition(found.condition).columns)}"}
        for found in (sources.card.rare if sources.card else ())
    ]  # fmt: skip


def _not_protected(sources: Sources, scores: list[dict[str, Any]]) -> dict[str, Any]:
    undefined = [
        {"measure": row["measure"], "reason": row["undefined"]}
        for family in scores
        for row in family["scores"]
        if family["family"] == RISK and row["undefined"]
    ]
    return {
        "method": list(sources.description.cautions),
        "unmasked": [c.name for c in sources.columns
                     if c.role is not Role.DROP and not sources.is_masked(c)],
        "undefined": undefined,
        "unmeasured": [n for n in sources.limits
                       if sources.card and n not in sources.limited],
        "general": list(GENERAL),
    }  # fmt: skip


def _notes(sources: Sources) -> list[str]:
    notes = [*(sources.release.notes if sources.release else ()),
             *(sources.card.notes if sources.card else ())]  # fmt: skip
    return list(dict.fromkeys(notes))
