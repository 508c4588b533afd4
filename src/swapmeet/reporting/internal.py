"""The decision record: all that those who decide, and those who come after them, need to know."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from swapmeet.base.sentences import join_names, percent
from swapmeet.comparison.comparison import Ownership
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.measures.limits import SUMMARIES
from swapmeet.measures.side_by_side.facts import ColumnFacts, Extent
from swapmeet.reporting.analysts import describe_correlations, describe_spread, describe_ties
from swapmeet.reporting.figures import quote
from swapmeet.reporting.people import describe_rule
from swapmeet.reporting.scores import (
    RISK,
    describe_measure,
    group_scores,
    list_known,
    summarize_search,
)
from swapmeet.tables.conditions import Condition
from swapmeet.tables.role import Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.methods import Method
    from swapmeet.release.changes import ColumnChange
    from swapmeet.reporting.sources import Sources


NO_RELEASE = "No release was measured; in the search, trials know the owner of each row."
OWNERS = {
    Ownership.TRUE: "The audit record says who owns each released row: risk is measured against "
    "the truth.",
    Ownership.CLAIMED: "The user says which released row belongs to whom; no audit record confirms "
    "it.",
    Ownership.UNKNOWN: "It is not known which released row belongs to whom, so measures that need "
    "it are not defined.",
    Ownership.NOBODY: "The released rows are synthetic and belong to nobody: measures that need an "
    "owner are not defined, and meet no limit.",
}
UNFIT = "The seed was chosen: this release is fit for tests and studies, not for publication."


def build_internal(sources: Sources) -> dict[str, Any]:
    """Build a decision record, part by part; a part that has nothing to say is None."""
    scores = group_scores(sources)
    return {
        "verdict": _verdict(sources),
        "losses": sources.losses,
        "reason": sources.reason,
        "summary": list(_summary(sources)),
        "data": {"rows": sources.rows, "columns": [_column(c, sources) for c in sources.columns]},
        "threats": _threats(sources),
        "search": summarize_search(sources.study) if sources.study else None,
        "setting": _setting(sources),
        "scores": scores,
        "changes": list_changes(sources),
        "analyses": _analyses(sources),
        "rare": _rare(sources),
        "not_protected": _not_protected(sources, scores),
        "notes": _notes(sources),
        "data_mark": str(sources.study.setup.data) if sources.study else None,
    }


def _verdict(sources: Sources) -> dict[str, Any]:
    """The verdict on the release; without one, what the search says of its choice."""
    verdict = sources.verdict
    if verdict is None:
        return {"good": None if _is_open(sources) else False, "words": _describe_search(sources)}
    fit = not (sources.release and sources.release.reproducible)
    good = verdict.safe and fit if verdict.decided else None
    return {"good": good, "words": verdict.sentence, **verdict.to_dict()}


def _is_open(sources: Sources) -> bool:
    """Return whether a setting may keep the limits, as far as the search has looked."""
    tried = sources.study.candidates if sources.study else ()
    return sources.setting is not None or any(c.keeps(sources.limits) for c in tried)


def _describe_search(sources: Sources) -> str:
    """That there is no release to judge, and how the choice of the search stands to the limits."""
    tried, limits = sources.tried, sources.limits
    words = "No verdict yet: no release was measured."
    if sources.setting is None and sources.study:
        return " ".join((words, *sources.study.choice.sentences[:1]))
    if tried is None or not limits or not tried.keeps(limits):
        return words
    later = tried.find_open(limits)
    if later:
        was = "was" if len(later) == 1 else "were"
        return f"{words} In the search, {join_names(later)} of this setting {was} not measured."
    return f"{words} In the search, this setting kept the limits."


def _missed_limits(sources: Sources) -> Iterator[str]:
    for reason in sources.verdict.reasons if sources.verdict else ():
        if not reason.met:
            standing = reason.judgement.standing.lower()
            yield f"The limit on {reason.measure} is {standing}: {reason.finding}."


def _summary(sources: Sources) -> Iterator[str]:
    if sources.release:
        yield from _describe_release(sources)
    if sources.recodes:
        yield sources.describe_steps()
    if sources.study:
        yield from sources.study.choice.sentences
        if sources.study.interrupted:
            yield "The search was interrupted: not all settings were tried."
    else:
        yield "No search for alternatives was made."
    missed = list(_missed_limits(sources))
    yield from missed
    if sources.verdict and sources.verdict.safe:
        yield "The release keeps all limits."
    yield from describe_release(sources)
    if sources.verdict:
        yield from sources.verdict.advice
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
        "known": _is_known(column, sources),
    }


def _threats(sources: Sources) -> dict[str, Any]:
    card, study = sources.card, sources.study
    names = list(card.scores) if card else list_known(study) if study else []
    return {
        "known": list(sources.known),
        "verdict": _describe_intruder(sources),
        "owners": OWNERS[card.ownership] if card else NO_RELEASE,
        "at_most": study.setup.at_most if study else None,
        "open": [c.name for c in sources.columns
                 if c.role.kept and c.name not in sources.known and not _knows_everything(sources)],
        "measures": [m for m in (describe_measure(n, sources) for n in names)
                     if m["family"] == RISK],
    }  # fmt: skip


def _describe_intruder(sources: Sources) -> str:
    """Describe what the intruder of the verdict knows, where a release was judged."""
    if sources.card is None or not sources.card.keys:
        return ""
    named = "" if _knows_everything(sources) else f" ({join_names(sources.card.keys)})"
    return (
        f"The intruder of the verdict {sources.card.level.words}{named}, and how the table was "
        "masked; that of the papers' measures"
    )


def _is_known(column: Any, sources: Sources) -> bool:
    """Return whether the intruder of the verdict knows a column; without one, that of the study."""
    if _knows_everything(sources):
        return column.role is not Role.DROP
    keys = sources.card.keys if sources.card else ()
    return column.name in (keys or sources.known)


def _knows_everything(sources: Sources) -> bool:
    """Return whether the intruder of the verdict knows all that is published."""
    return sources.card is not None and sources.card.level is Knowledge.EVERYTHING


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
        "summary": " ".join(describe_rule(sources)),
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


def _analyses(sources: Sources) -> dict[str, Any] | None:
    card = sources.card
    if card is None or not (card.models or card.coverage or card.components or card.tables):
        return None
    return {
        "models": [model.to_dict() for model in card.models],
        "coverage": [coverage.to_dict() for coverage in card.coverage],
        "components": card.components.to_dict() if card.components else None,
        "tables": [table.to_dict() for table in card.tables],
    }


def _rare(sources: Sources) -> list[dict[str, Any]]:
    """Without the values that a condition names: they are somebody's."""
    return [
        {**records.to_dict(), "sentence": records.sentence,
         "condition": f"a condition on {join_names(Condition(records.condition).columns)}"}
        for records in (sources.card.rare if sources.card else ())
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
        "unmasked": sources.list_exact(),
        "hardly": [c.name for c in sources.facts.having(Extent.HARDLY)] if sources.facts else [],
        "undefined": undefined,
        "unmeasured": [n for n in sources.limits
                       if sources.card and n not in {*sources.card.scores, *SUMMARIES}],
        "general": list(GENERAL),
    }  # fmt: skip


def _notes(sources: Sources) -> list[str]:
    notes = [*(sources.release.notes if sources.release else ()),
             *(sources.card.notes if sources.card else ()), *describe_ties(sources)]  # fmt: skip
    return list(dict.fromkeys(notes))


GENERAL = (
    (
        "Attributes can be inferred from relations. What the release shows about people like "
        "somebody it also shows about that person, whether or not they are in the data."
    ),
    (
        "Releases of the same people add up. A second release of this table, or of an overlapping "
        "one, can be compared with the first, and must be judged together with it."
    ),
    (
        "The figures are about the intruder described above. One who knows more, or other "
        "columns, may find more people."
    ),
    "Seed and audit record undo the masking. They must stay apart from the release.",
)


NO_COVERAGE = (
    "How often intervals that analysts compute from such a release cover the truth was not "
    "measured: name a model with --coverage (in Python `assess(coverage=[...])`)."
)
NOT_EXACT = (Extent.HARDLY, Extent.PARTLY, Extent.MOSTLY, Extent.UNKNOWN)
COUNTED = ("moved", "changed", "suppressed", "made")
COMPARED = ("clearly_changed", "missing_before", "missing_after", "spread")


def describe_release(sources: Sources) -> Iterator[str]:
    """Describe what became of the columns, the rows and their relations."""
    facts = sources.facts
    if facts is None:
        return
    for extent in (Extent.EXACT, Extent.HARDLY, Extent.PARTLY, Extent.MOSTLY):
        columns = facts.having(extent)
        if columns:
            yield f"{str(extent).capitalize()}: {join_names(quote(c.name) for c in columns)}."
    if facts.same_rows is not None:
        if facts.same_rows:
            share = percent(facts.same_rows)
            yield f"{share} of the rows are identical, or nearly identical, to their originals."
        else:
            yield "No row is identical, or nearly identical, to its original."
    yield from describe_spread(facts)
    if facts.correlations:
        yield from describe_correlations(facts.correlations)
    if sources.card and not sources.card.coverage and facts.having(*NOT_EXACT):
        yield NO_COVERAGE


def list_changes(sources: Sources) -> list[dict[str, Any]] | None:
    """List what became of each column: as compared, and as masking itself counted."""
    counted = {one.name: one for one in sources.release.changes} if sources.release else {}
    compared = {one.name: one for one in sources.facts.columns} if sources.facts else {}
    names = dict.fromkeys((*compared, *counted))
    return [_list_change(n, counted.get(n), compared.get(n)) for n in names] or None


def _list_change(
    name: str, counted: ColumnChange | None, compared: ColumnFacts | None
) -> dict[str, Any]:
    """One column; None is what is not known."""
    both = [asdict(one) for one in (counted, compared) if one is not None]
    known = {n: v for one in both for n, v in one.items() if v is not None}
    row = {field: known.get(field) for field in (*COUNTED, *COMPARED)}
    return {"name": name, **row, "extent": str(compared.extent) if compared else ""}
