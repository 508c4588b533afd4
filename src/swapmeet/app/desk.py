"""The things that every page needs: private folder, work under way, templates and keys."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse

from swapmeet.app.formatting import FILTERS
from swapmeet.app.guard import Keys, are_same
from swapmeet.app.run import Run, RunKind, State
from swapmeet.base.sentences import show_controls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from starlette.datastructures import FormData
    from starlette.requests import Request

    from swapmeet.app.case import Case
    from swapmeet.app.jobs import Jobs
    from swapmeet.app.workspace import Workspace


STEPS = {
    "data": "Data",
    "roles": "Roles and intruder",
    "protect": "Protect",
    "compare": "Compare",
    "decide": "Decide",
    "release": "Release",
}
NO_CASE = "This file is not open any more. Open it again on the first page."
NO_RUN = "This is not there any more; it was discarded."


@dataclass(frozen=True)
class Desk:
    """The app as its pages see it."""

    space: Workspace
    jobs: Jobs
    keys: Keys
    stop: Callable[[], None]

    @classmethod
    def of(cls, request: Request) -> Desk:
        """The one that a request is for."""
        return cast("Desk", request.app.state.desk)

    # what a request is about

    def case(self, request: Request) -> Case:
        """The case that the address names."""
        case = self.space.find_case(request.path_params["case"])
        if case is None:
            raise HTTPException(404, NO_CASE)
        return case

    def run(self, request: Request, kind: RunKind | str) -> Run:
        """The run of a kind whose number is in the address."""
        name = f"{kind}-{request.path_params['run']}"
        run = self.space.find_run(request.path_params["case"], name)
        if run is None:
            raise HTTPException(404, NO_RUN)
        return run

    def runs(self, case: Case, kind: RunKind) -> list[Run]:
        """The runs of a case that are of a kind."""
        return [run for run in self.space.runs(case.key) if run.kind is kind]

    def candidates(self, case: Case) -> list[Run]:
        """The candidates that were made and measured."""
        return [run for run in self.runs(case, RunKind.CANDIDATE) if "sentence" in run.facts]

    def first_look(self, case: Case) -> dict[str, Any]:
        """Return what `inspect` found before the curator said anything; empty if it has not run."""
        done = [run for run in self.first_looks(case) if run.state is State.DONE]
        return done[-1].output() if done else {}

    def first_looks(self, case: Case) -> list[Run]:
        """The looks at the file before the curator said anything; one each time it was read."""
        return [run for run in self.runs(case, RunKind.INSPECTION) if run.facts.get("first")]

    def awaited_look(self, case: Case) -> list[Run]:
        """The first look, while a page has nothing to show without it."""
        return self.first_looks(case)[-1:] if not self.first_look(case) else []

    def guesses(self, case: Case) -> dict[str, str]:
        """The kinds of the columns as guessed."""
        return {one["name"]: one["kind"] for one in self.first_look(case).get("columns", ())}

    def in_sight(self, case: Case) -> Run | None:
        """The candidate whose verdict is always in sight: the chosen one, or the newest."""
        candidates = self.candidates(case)
        chosen = [run for run in candidates if run.number == case.candidate]
        return next(reversed(chosen or candidates), None)

    # answers

    def page(
        self,
        request: Request,
        name: str,
        case: Case | None = None,
        *,
        status: int = 200,
        awaits: Iterable[Run] = (),
        **content: Any,
    ) -> HTMLResponse:
        """A page, or a part of one; it is loaded anew when a run ends that it `awaits`."""
        template = load_templates().get_template(name)
        common: dict[str, Any] = {
            "case": case, "steps": STEPS, "csrf": self.keys.form, "path": request.url.path,
            "problem": "", "command": "", "awaited": [r.name for r in awaits if r.state.is_open],
        }  # fmt: skip
        if case is not None:
            common["in_sight"] = self.in_sight(case)
            common["jobs"] = self.jobs.open_jobs(case.key)
            common["find_ahead"] = self.jobs.find_ahead
        return HTMLResponse(template.render(common | content), status)


@cache
def load_templates() -> Environment:
    """The templates of the pages, with what they need to write figures and names."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates"), encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_show,
    )
    environment.filters |= FILTERS
    return environment


def _show(value: Any) -> Any:
    """The value; in a text, control characters are shown as escapes."""
    return show_controls(value) if type(value) is str else value


def go(case: Case, step: str, **query: Any) -> RedirectResponse:
    """The answer to whatever was asked for by a form: on to a page."""
    more = f"?{urlencode(query)}" if query else ""
    return RedirectResponse(f"/case/{case.key}/{step}{more}", 303)


def lines(form: FormData | Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The lines of a text that somebody typed, without empty ones."""
    return tuple(line.strip() for line in str(form.get(name, "")).splitlines() if line.strip())


CONTROL = "csrf"
MOST_CONTROLS = 20_000
STRANGE = "This form is not from a page of this app. Load the page again, and send it from there."
STALE = (
    "The page was out of date: something was changed in another tab or browser meanwhile. Nothing "
    "was saved. This is how it stands now; make your change again."
)


async def take_form(request: Request) -> FormData:
    """The form of a request, which must carry the key of this start of the app."""
    form = await request.form(max_files=0, max_fields=MOST_CONTROLS)
    require_own(request, str(form.get(CONTROL, "")))
    return form


def is_stale(form: FormData, case: Case) -> bool:
    """Return whether a form shows a case as it was before somebody changed it."""
    return str(form.get("revision")) != str(case.revision)


def require_own(request: Request, key: str) -> None:
    """Refuse a form that is not from a page of the app."""
    if not are_same(key, Desk.of(request).keys.form):
        raise HTTPException(403, STRANGE)
