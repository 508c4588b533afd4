"""Step 2: what the columns are, and who might attack."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from swapmeet.app import commands
from swapmeet.app.case import TEXTS, Case
from swapmeet.app.desk import STALE, Desk, go, is_stale, lines, take_form
from swapmeet.app.intruders import PERSONAS, find_persona, usually_known
from swapmeet.app.opening import look
from swapmeet.app.pages.data import settle
from swapmeet.app.paging import Part, cut
from swapmeet.app.proposal import list_findings
from swapmeet.app.run import RunKind, State
from swapmeet.inspecting.sensitive import TOPICS
from swapmeet.tables.role import Role

if TYPE_CHECKING:
    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response


Columns = list[dict[str, Any]]


@dataclass(frozen=True)
class RoleGroup:
    """Columns that a curator thinks of together, and the role that they are moved to."""

    role: Role
    title: str
    meaning: str
    roles: tuple[Role, ...]


GROUPS = (
    RoleGroup(Role.KEY, "Others may know it",
          "What can be seen or heard in daily life, or is in other lists of the same people. "
          "Intruders search by these columns. Masked.",
          (Role.KEY, Role.PLACE)),
    RoleGroup(Role.SENSITIVE, "Sensitive",
          "What people keep to themselves and an intruder wants to learn. Masked as well.",
          (Role.SENSITIVE,)),
    RoleGroup(Role.KEEP, "Neither",
          "Published as they are, left out, computed from others, or there to say which rows "
          "belong together.",
          tuple(role for role in Role if role not in {Role.KEY, Role.PLACE, Role.SENSITIVE})),
)  # fmt: skip
MOVES = {group.role: group.title for group in GROUPS[:2]} | {
    Role.KEEP: "Neither: publish as it is", Role.DROP: "Neither: leave out"
}  # fmt: skip
"""Buttons that move all columns that are ticked, by the role that these get."""
NOTHING_KNOWN = (
    "No column is ticked as known to the intruder. Tick at least one: nobody can be found without "
    "any. Nothing was saved."
)


async def show(request: Request) -> Response:
    """The form."""
    return _show(request)


def _show(
    request: Request, problem: str = "", status: int = 200, typed: Case | None = None
) -> Response:
    """The form with what the case says, or with what was `typed` and not saved."""
    desk = Desk.of(request)
    case = settle(desk, desk.case(request))
    if typed is not None:
        case = replace(typed, revision=case.revision)
    inspection = desk.first_look(case)
    columns: Columns = inspection.get("columns", [])
    roles = list_roles(case, columns)
    check, part = _last_check(desk, case), cut(columns, request)
    return desk.page(
        request, "roles.html", case, status=status, step="roles", found=inspection,
        columns=part, roles=roles, all_roles=list(Role), kinds=commands.KINDS,
        personas=PERSONAS, persona=find_persona(case.intruder), known=list_known(case, roles),
        problem=problem or (check.error if check and check.state is State.FAILED else ""),
        check=check.output() if check and check.state is State.DONE else {},
        reasons=list_reasons(inspection), groups=_group(part, roles), moves=MOVES, topics=TOPICS,
        findings=list_findings(case, inspection),
        awaits=desk.awaited_look(case),
        command=commands.inspect(case, desk.guesses(case)).shown,
    )  # fmt: skip


async def save(request: Request) -> Response:
    """Keep what the form says of the columns that it shows, and check it."""
    desk, form = Desk.of(request), await take_form(request)
    case = desk.case(request)
    if is_stale(form, case):
        return _show(request, STALE, 409)
    inspection = desk.first_look(case)
    columns: Columns = inspection.get("columns", [])
    case = _tick_findings(_take(case, columns, form), inspection, form)
    if case.known == ():
        return _show(request, NOTHING_KNOWN, 400, case)
    desk.space.save_case(case)
    look(desk, case, first=False)
    if form.get("then") == "protect":
        return go(case, "protect")
    part = cut(columns, request)
    at = {"page": part.page + (form.get("then") == "next")} if part.pages > 1 else {}
    return go(case, "roles", **at, **({"find": part.wanted} if part.wanted else {}))


def _group(part: Part, roles: dict[str, str]) -> list[tuple[RoleGroup, int, list[tuple[int, Any]]]]:
    """The groups, each with how many columns there are of it, and those of this page."""
    counts = Counter(roles.values())
    return [
        (one, sum(counts[role] for role in one.roles),
         [(at, column) for at, column in part.items if roles[column["name"]] in one.roles])
        for one in GROUPS
    ]  # fmt: skip


def _tick_findings(case: Case, inspection: dict[str, Any], form: FormData) -> Case:
    """The case with findings that were ticked, and without those whose tick was taken away."""
    guessed = {one["name"]: one["role"] for one in inspection.get("columns", ())}
    for at, one in enumerate(list_findings(case, inspection)):
        if f"found-{at}" not in form:
            continue
        was, ticked = form[f"found-{at}"] == "applied", bool(form.get(f"apply-{at}"))
        if ticked and not was:
            case = one.apply(case)
        elif was and not ticked:
            case = one.take_back(case, guessed)
    return case


def list_roles(case: Case, columns: Columns) -> dict[str, str]:
    """The role of each column, chosen or guessed."""
    return {one["name"]: case.role_of(one["name"], one["role"]) for one in columns}


def list_known(case: Case, roles: dict[str, str]) -> set[str]:
    """The columns that the intruder knows."""
    if case.known is not None:
        return set(case.known)
    return set(usually_known(find_persona(case.intruder), roles))


def list_reasons(inspection: dict[str, Any]) -> dict[str, list[str]]:
    """List the reason for each column's role, or for a line below the table."""
    reasons: dict[str, list[str]] = {}
    for one in inspection.get("findings", ()):
        for name in one["columns"]:
            reasons.setdefault(name, []).append(f"{one['about']}; {one['reason']}")
    return reasons


def _take(case: Case, columns: Columns, form: FormData) -> Case:
    """The case as the form says; another intruder knows what such one usually knows."""
    roles, kinds, publish = dict(case.roles), dict(case.kinds), set(case.publish)
    known = list_known(case, list_roles(case, columns))
    before = set(known)
    for at, column in enumerate(columns):
        name = column["name"]
        if f"role-{at}" not in form:
            continue
        roles[name] = _choose(form, f"role-{at}", list(Role), column["role"])
        if form.get(f"pick-{at}") and form.get("move") in MOVES:
            roles[name] = str(form["move"])
        kinds[name] = _choose(form, f"kind-{at}", commands.KINDS, column["kind"])
        (known.add if form.get(f"known-{at}") else known.discard)(name)
        (publish.add if form.get(f"publish-{at}") else publish.discard)(name)
    guesses = {one["name"]: one for one in columns}
    case = case.change(
        roles={n: r for n, r in roles.items() if n not in guesses or r != guesses[n]["role"]},
        kinds={n: k for n, k in kinds.items() if n not in guesses or k != guesses[n]["kind"]},
        publish=tuple(sorted(publish)),
        whole_households=bool(form.get("whole_households")),
        **{name: lines(form, name) for name in TEXTS},
    )
    persona = find_persona(str(form.get("intruder", case.intruder)))
    if persona.key != find_persona(case.intruder).key and known == before:
        return case.change(intruder=persona.key, known=None)
    case = case.change(intruder=persona.key)
    return case.change(known=_settle_known(case, columns, before, known))


def _settle_known(
    case: Case, columns: Columns, before: set[str], known: set[str]
) -> tuple[str, ...] | None:
    """Return the ticked columns; none if they are the intruder's usual ones, or untouched."""
    roles = list_roles(case, columns)
    published = {name for name, role in roles.items() if role != Role.DROP}
    if case.known is None and known == before:
        return None
    usual = set(usually_known(find_persona(case.intruder), roles))
    chosen = known & published
    return None if chosen == usual else tuple(n for n in roles if n in chosen)


def _choose(form: FormData, control: str, choices: Any, usual: str) -> str:
    text = str(form.get(control, ""))
    return text if text in set(choices) else usual


def _last_check(desk: Desk, case: Case) -> Any:
    checks = [run for run in desk.runs(case, RunKind.INSPECTION) if not run.facts.get("first")]
    return checks[-1] if checks else None


ROUTES = [
    Route("/case/{case}/roles", show),
    Route("/case/{case}/roles", save, methods=["POST"]),
]
