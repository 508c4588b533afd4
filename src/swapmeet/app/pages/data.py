"""Step 1: what is in the file, and how it was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from swapmeet.app.desk import Desk, go, take_form
from swapmeet.app.opening import look
from swapmeet.app.paging import cut
from swapmeet.app.proposal import propose
from swapmeet.app.run import State
from swapmeet.errors import SwapmeetError
from swapmeet.io.formats import format_at

if TYPE_CHECKING:
    from starlette.requests import Request

    from swapmeet.app.case import Case

READING = ("delimiter", "encoding", "sheet")
HEADER = {"yes": True, "no": False}


async def lead(request: Request) -> Response:
    """The address of a case without a step."""
    return RedirectResponse(f"/case/{request.path_params['case']}/data", 303)


async def show(request: Request) -> Response:
    """The columns: types, kinds, labels, codes for missing values; never a value."""
    desk = Desk.of(request)
    case = settle(desk, desk.case(request))
    looks = desk.first_looks(case)
    run = looks[-1] if looks else None
    inspection = desk.first_look(case) if run and run.state is State.DONE else {}
    problem = run.error if run and run.state in {State.FAILED, State.STOPPED} else ""
    return desk.page(
        request, "data.html", case, step="data", found=inspection, problem=problem,
        columns=cut(inspection.get("columns", []), request), options=_list_options(case),
        command=run.commands[0].shown if run else "", awaits=looks,
    )  # fmt: skip


async def read_again(request: Request) -> Response:
    """Read the file in another way, and look at it anew; what was said of its columns is kept."""
    desk, form = Desk.of(request), await take_form(request)
    case = desk.case(request)
    reading: dict[str, Any] = {
        name: text for name in READING if (text := str(form.get(name, "")).strip())
    }
    header = str(form.get("header", ""))
    if header in HEADER:
        reading["header"] = HEADER[header]
    case = case.change(reading=reading, proposed=False)
    desk.space.save_case(case)
    look(desk, case, first=True)
    return go(case, "data")


def settle(desk: Desk, case: Case) -> Case:
    """The case with the proposals that follow from the last first look, once that is done."""
    looks = desk.first_looks(case)
    if case.proposed or not looks or looks[-1].state is not State.DONE:
        return case
    former, inspection = [{}, *(run.output() for run in looks if run.state is State.DONE)][-2:]
    if not inspection:
        return case
    case = propose(case, inspection, former or None)
    desk.space.save_case(case)
    return case


def _list_options(case: Case) -> tuple[str, ...]:
    """List other ways to read such a file."""
    try:
        return tuple(format_at(case.path).options)
    except SwapmeetError:
        return ()


ROUTES = [
    Route("/case/{case}", lead),
    Route("/case/{case}/data", show),
    Route("/case/{case}/reading", read_again, methods=["POST"]),
]
