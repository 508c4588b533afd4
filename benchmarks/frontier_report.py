"""The tables of the frontier, as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier_grid import OURS, SYNTHETIC
from frontier_people import LOADERS, MIXED, load_survey
from frontier_runs import LOSS_A, LOSS_B
from frontier_summary import (
    LIMITS,
    LOSSES,
    RISKS,
    find_best,
    list_methods,
    pick_table,
    split_ours,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from frontier_summary import Candidate

GOAL = 1 / 3
SMALL_K = 5
LINKED_BY_FIVE = 0.25
"""What a method with groups of five may link: a fifth, and chance."""


def write_report(candidates: list[Candidate]) -> str:
    """All tables, one section for each data set, and what was run."""
    parts = [*write_summary(candidates)]
    for table in LOADERS:
        for whole in (False, True):
            here = pick_table(candidates, table, whole=whole)
            if here:
                parts += write_section(table, here, whole=whole)
    return "\n".join(parts)


def write_summary(candidates: list[Candidate]) -> Iterator[str]:
    """Where the goal is met: ours as a share of the best other's loss."""
    commits = sorted({run["commit"] for one in candidates for run in one.runs})
    ours = sorted({run["commit"] for one in split_ours(candidates)[0] for run in one.runs})
    yield f"# Frontier\n\nCommits: {', '.join(commits)}; {OURS}: {', '.join(ours) or 'none'}.\n"
    yield "Ours as a share of the best other's loss at the same limit on linkage; in brackets with"
    yield "at most its inference, too. The goal is at most 0.33.\n"
    yield write_row("table", *(f"{which} ≤ {limit:g}" for which in LOSSES for limit in LIMITS))
    yield write_row(*["---"] * (1 + len(LOSSES) * len(LIMITS)))
    for table in LOADERS:
        for whole in (False, True):
            if here := pick_table(candidates, table, whole=whole):
                ratios = (say_ratios(here, limit, which) for which in LOSSES for limit in LIMITS)
                yield write_row(f"{table}{', all rows' * whole}", *ratios)
    yield ""


def say_ratios(here: list[Candidate], limit: float, which: str) -> str:
    """The ratio at equal linkage, and at equal inference."""
    ours, others = split_ours(here)
    best = find_best(others, limit, which)
    if best is None:
        return "no other"
    mine = find_best(ours, limit, which)
    careful = find_best(ours, limit, which, best.risk("inference") or 0.0)
    return f"{say_ratio(mine, best, which)} ({say_ratio(careful, best, which)})"


def say_ratio(mine: Candidate | None, other: Candidate, which: str) -> str:
    if mine is None:
        return "–"
    ratio = mine.loss(which) / max(other.loss(which), 1e-12)
    return f"**{ratio:.2f}**" if ratio <= GOAL else f"{ratio:.2f}"


def write_section(table: str, here: list[Candidate], *, whole: bool) -> Iterator[str]:
    survey = load_survey(table, whole=whole)
    yield f"## {table}{', all rows' * whole}\n\n{survey.words}\n"
    for which in LOSSES:
        yield from write_leaders(here, which)
    yield from write_equal_inference(here)
    if table in MIXED:
        yield from write_against_synthetic(here)
    yield from write_largest_k(here)


def write_leaders(here: list[Candidate], which: str) -> Iterator[str]:
    """The best setting of each method under each limit."""
    yield f"**By loss {which}**, the best of each method under a limit on linkage:\n"
    yield write_row("method", *(f"linkage ≤ {limit:g}" for limit in LIMITS))
    yield write_row(*["---"] * (1 + len(LIMITS)))
    for method in list_methods(here):
        own = [one for one in here if one.method == method]
        cells = [say_leader(find_best(own, limit, which), which) for limit in LIMITS]
        yield write_row(method, *cells)
    ratios = (say_ratios(here, limit, which) for limit in LIMITS)
    yield write_row("ours / best other (at equal inference)", *ratios) + "\n"


def say_leader(best: Candidate | None, which: str) -> str:
    if best is None:
        return "–"
    setting = best.words.removeprefix(best.method).strip()
    return f"**{say(best.loss(which))}** {setting} (inf {say(best.risk('inference'))})"


def write_equal_inference(here: list[Candidate]) -> Iterator[str]:
    """Ours with at most the inference of the best other method."""
    ours, others = split_ours(here)
    yield "**At equal inference**:\n"
    yield write_row("limit, loss", "best other", "its inference", "its loss", "ours", "inf", "loss")
    yield write_row(*["---"] * 7)
    for which in LOSSES:
        for limit in LIMITS:
            best = find_best(others, limit, which)
            if best is not None:
                shown = best.risk("inference") or 0.0
                mine = find_best(ours, limit, which, shown)
                yield write_row(
                    f"{limit:g}, {which}", best.words, say(shown), say(best.loss(which)),
                    *say_ours(mine, which),
                )  # fmt: skip
    yield ""


def say_ours(mine: Candidate | None, which: str) -> tuple[str, str, str]:
    if mine is None:
        return "none", "", ""
    return mine.words, say(mine.risk("inference")), say(mine.loss(which))


def write_against_synthetic(here: list[Candidate]) -> Iterator[str]:
    """Ours and CART, each the best by loss A under a limit of 0.1, measure by measure."""
    pair = [find_best((one for one in here if one.method == method), 0.1, "A")
            for method in (OURS, SYNTHETIC)]  # fmt: skip
    if pair[1] is None:
        return
    yield "**Against CART**, each the best by loss A with linkage ≤ 0.1:\n"
    yield from write_side_by_side([one for one in pair if one is not None])


def write_side_by_side(shown: Iterable[Candidate]) -> Iterator[str]:
    names = (*LOSS_A, *LOSS_B)
    yield write_row("", *RISKS, *names)
    yield write_row(*["---"] * (1 + len(RISKS) + len(names)))
    for one in shown:
        risks = (say(one.risk(name)) for name in RISKS)
        yield write_row(one.words, *risks, *(say(one.figure(name)) for name in names))
    yield ""


def write_largest_k(here: list[Candidate]) -> Iterator[str]:
    """The largest k of ours whose loss is still below the best other's with groups of five."""
    ours, others = split_ours(here)
    fives = [one for one in others if has_groups_of_five(one)]
    fives = [one for one in fives if (one.risk("linkage") or 0.0) <= LINKED_BY_FIVE]
    yield "**Largest k that beats the best other with k = 5** (linkage at most 0.25):\n"
    for which in LOSSES:
        best = min(fives, key=lambda one: one.loss(which), default=None)
        if best is None:
            yield f"- loss {which}: no other method with k = 5 links so few"
            continue
        better = [one for one in ours if one.loss(which) < best.loss(which)]
        last = max(better, key=lambda one: one.settings["k"], default=None)
        found = "no k" if last is None else f"{last.words} ({say(last.loss(which))})"
        yield f"- loss {which}: {found}, against {best.words} ({say(best.loss(which))})"
    yield ""


def has_groups_of_five(one: Candidate) -> bool:
    """Groups or neighbourhoods of five rows, or leaves."""
    return SMALL_K in (one.settings.get("k"), one.settings.get("min_leaf"))


def write_row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def say(value: float | None) -> str:
    """Three decimals, or two digits where these are zeros."""
    if value is None:
        return "–"
    return f"{value:.3f}" if value == 0 or abs(value) >= 0.01 else f"{value:.2g}"
