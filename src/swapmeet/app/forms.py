"""Forms as they arrive: only those of the app itself are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

from swapmeet.app.desk import Desk
from swapmeet.app.guard import are_same

if TYPE_CHECKING:
    from starlette.datastructures import FormData
    from starlette.requests import Request

    from swapmeet.app.case import Case

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
