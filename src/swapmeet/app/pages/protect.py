"""Step 3: a method with settings, or a search for the best."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from swapmeet.app import commands
from swapmeet.app.desk import STALE, Desk, go, is_stale, take_form
from swapmeet.app.fields import PREFIX, check_settings, list_fields, list_methods, read_settings
from swapmeet.app.formatting import title_method
from swapmeet.app.intruders import find_persona
from swapmeet.app.limits import LIMITED, LimitField, list_limits, settle_limits
from swapmeet.app.pages.data import settle
from swapmeet.app.run import Run, RunKind
from swapmeet.errors import SwapmeetError
from swapmeet.methods import CLASSES, PerColumn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.datastructures import FormData, QueryParams
    from starlette.requests import Request
    from starlette.responses import Response

    from swapmeet.app.case import Case

FIRST_METHOD = "matched-swap"
BUDGETS = {"2m": "2 minutes", "10m": "10 minutes", "30m": "30 minutes", "2h": "2 hours"}
NO_SHARE = (
    "{title}: the limit must be a number from 0 to 1, such as 0.2 for 20 of 100. Nothing was saved."
)
SEARCHED = ("matched-swap", "microaggregation", "rank-swap", "rwn", "sjppds")
"""Ticked at first: they move single values of every kind of table, in different ways."""


@dataclass(frozen=True)
class Typed:
    """The contents of the page's forms: as `sent`, or else as an address says."""

    form: FormData | QueryParams
    sent: bool

    @property
    def method(self) -> str:
        """The method whose settings are shown."""
        name = str(self.form.get("method", FIRST_METHOD))
        return name if name in CLASSES and name != PerColumn.name else FIRST_METHOD

    @property
    def settings(self) -> dict[str, str]:
        """Its settings, where they are not the usual ones."""
        return read_settings(self.method, self.form)

    @property
    def searched(self) -> tuple[str, ...]:
        """The methods to search among."""
        named = tuple(str(name) for name in self.form.getlist("methods"))
        return named if named or self.sent else SEARCHED

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats to write besides the usual one."""
        return tuple(str(suffix) for suffix in self.form.getlist("formats"))

    @property
    def budget(self) -> str:
        """The time for the search."""
        return str(self.form.get("budget", ""))

    @property
    def protect(self) -> bool:
        """Return whether exposed people are to be protected more."""
        return bool(self.form.get("protect"))

    def fill(self, limits: list[LimitField]) -> list[LimitField]:
        """The limits as they were typed, where they were."""
        return [replace(one, value=str(self.form.get(f"limit-{one.name}", one.value)))
                for one in limits]  # fmt: skip


async def show(request: Request) -> Response:
    """The forms."""
    return _show(request)


def _show(
    request: Request, problem: str = "", form: FormData | None = None, status: int = 200
) -> Response:
    """The forms, with what was typed into them; the limits as they stand if they were changed."""
    desk = Desk.of(request)
    case = settle(desk, desk.case(request))
    typed = Typed(request.query_params if form is None else form, sent=form is not None)
    name, given = typed.method, typed.settings
    return desk.page(
        request, "protect.html", case, status=status, step="protect", problem=problem,
        ready=bool(desk.first_look(case)), methods=list_methods(), method=name,
        fields=list_fields(name, given),
        limits=list_limits(case) if problem == STALE else typed.fill(list_limits(case)),
        persona=find_persona(case.intruder),
        formats=_list_formats(case), usual=_usual(case), budgets=BUDGETS, typed=typed,
        searches=desk.runs(case, RunKind.SEARCH), awaits=desk.awaited_look(case),
        command=_preview(desk, case, name, given),
    )  # fmt: skip


async def show_settings(request: Request) -> Response:
    """The settings of a method, for the form."""
    desk = Desk.of(request)
    case = desk.case(request)
    name = Typed(request.query_params, sent=False).method
    return desk.page(
        request, "settings.html", case, method=name, methods=list_methods(),
        fields=list_fields(name), command=_preview(desk, case, name, {}), is_part=True,
    )  # fmt: skip


async def show_command(request: Request) -> Response:
    """The command with the settings that stand in the form."""
    desk = Desk.of(request)
    case, typed = desk.case(request), Typed(request.query_params, sent=False)
    command = _preview(desk, case, typed.method, typed.settings)
    return desk.page(request, "command.html", case, command=command)


async def save_limits(request: Request) -> Response:
    """Keep the limits that a release must keep."""
    desk, form = Desk.of(request), await take_form(request)
    case = desk.case(request)
    if is_stale(form, case):
        return _show(request, STALE, form, 409)
    if problem := _keep_limits(desk, case, form):
        return _show(request, problem, form, 400)
    typed = Typed(form, sent=True)
    named = {f"{PREFIX}{name}": text for name, text in typed.settings.items()}
    return go(case, "protect", **({"method": typed.method} if "method" in form else {}), **named)


async def mask(request: Request) -> Response:
    """Make a candidate."""
    desk, form = Desk.of(request), await take_form(request)
    case = desk.case(request)
    method = str(form.get("method", ""))
    if method not in CLASSES:
        return _show(request, "Choose a method first.", form, 400)
    settings = read_settings(method, form)
    problem = check_settings(method, settings) or _check_seed(str(form.get("seed", "")))
    if problem := problem or _keep_limits(desk, case, form):
        return _show(request, problem, form, 400)
    run = make_candidate(desk, desk.case(request), method, settings, form)
    return go(case, "compare", new=run.number)


async def search(request: Request) -> Response:
    """Search for the best method and settings."""
    desk, form = Desk.of(request), await take_form(request)
    case = desk.case(request)
    methods = [str(name) for name in form.getlist("methods") if name in CLASSES]
    if not methods:
        return _show(request, "Tick at least one method to search among.", form, 400)
    if problem := _keep_limits(desk, case, form):
        return _show(request, problem, form, 400)
    case = desk.case(request)
    budget = str(form.get("budget", "")).strip() or "2m"
    command = commands.search(case, desk.guesses(case), methods=methods, budget=budget)
    run = Run(kind=RunKind.SEARCH, case=case.key, title="Searching for the best setting",
              commands=(command,), facts={"question": case.question, "budget": budget})  # fmt: skip
    run = desk.jobs.start(run)
    return go(case, f"search/{run.number}")


def make_candidate(
    desk: Desk, case: Case, method: str, settings: Mapping[str, Any], form: FormData,
    search: Run | None = None, number: int | None = None,
) -> Run:  # fmt: skip
    """Start the run that makes and measures a candidate, be it by a setting of a `search`.

    What no options can say, such as the parts of `per-column`, the journal of the search says.
    """
    releases = _name_releases(case, form)
    seed = str(form.get("seed", "")).strip()
    if search is not None and number is not None and method == PerColumn.name:
        first = commands.mask_by_study(case, search, number, releases=releases)
    else:
        first = commands.mask(
            case, desk.guesses(case), method, settings, releases=releases, seeded=bool(seed),
            protect=bool(form.get("protect")),
        )  # fmt: skip
    facts = {
        "method": method,
        "chosen": dict(settings),
        "releases": releases,
        "question": case.question,
        "protect": bool(form.get("protect")),
        "seeded": bool(seed),
        "search": None if search is None else search.number,
        "trial": number,
    }
    run = Run(
        kind=RunKind.CANDIDATE, case=case.key, title=f"{title_method(method)}, then measuring",
        commands=(first, commands.measure(case, releases[0])), facts=facts, seed=seed,
    )  # fmt: skip
    return desk.jobs.start(run)


def _preview(desk: Desk, case: Case, method: str, settings: Mapping[str, Any]) -> str:
    return commands.mask(
        case, desk.guesses(case), method, settings, releases=[f"release{_usual(case)}"]
    ).shown


def _name_releases(case: Case, form: FormData) -> list[str]:
    formats = commands.list_formats()
    more = [str(suffix) for suffix in form.getlist("formats") if suffix in formats]
    return [f"release{suffix}" for suffix in dict.fromkeys([_usual(case), *more])]


def _usual(case: Case) -> str:
    try:
        return commands.usual_suffix(case.path)
    except SwapmeetError:
        return ".csv"


def _list_formats(case: Case) -> dict[str, str]:
    usual = _usual(case)
    return {suffix: title for suffix, title in commands.list_formats().items() if suffix != usual}


def _check_seed(text: str) -> str:
    if not text.strip() or re.fullmatch(r"[0-9]{1,77}", text.strip()):
        return ""
    return (
        "The seed must be a whole number, 0 or more, of 77 digits at most. Leave it empty for a "
        "release to publish."
    )


def _keep_limits(desk: Desk, case: Case, form: FormData) -> str:
    """Keep the limits that a form says, if it says any; what is wrong with them, in words."""
    if not any(f"limit-{name}" in form for name in LIMITED):
        return ""
    limits: dict[str, float] = {}
    for name, measure in LIMITED.items():
        text = str(form.get(f"limit-{name}", "")).strip().replace(",", ".")
        value = _to_share(text)
        if text and value is None:
            return NO_SHARE.format(title=measure.title)
        limits |= {} if value is None else {name: value}
    changed = case.change(limits=settle_limits(case, limits))
    if changed != case and is_stale(form, case):
        return STALE
    desk.space.save_case(changed)
    return ""


def _to_share(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and 0.0 <= value <= 1.0 else None


ROUTES = [
    Route("/case/{case}/protect", show),
    Route("/case/{case}/settings", show_settings),
    Route("/case/{case}/command", show_command),
    Route("/case/{case}/limits", save_limits, methods=["POST"]),
    Route("/case/{case}/mask", mask, methods=["POST"]),
    Route("/case/{case}/search", search, methods=["POST"]),
]
