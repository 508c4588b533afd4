"""What must hold of every case: a result that keeps its promises, or one message of ours."""

from __future__ import annotations

import signal
import time
import traceback
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from swapmeet.errors import SwapmeetError, SwapmeetWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CANARY = "zqcanary"
NUMBER = "481516"
"""Cells of tables hold these; no message may."""
SECONDS = 120.0
"""A case that takes longer hangs; the first of its kind may have to compile loops."""
OK, REFUSED = "ok", "refused"


class Finding(Exception):  # noqa: N818
    """A promise that was not kept."""


class Hang(BaseException):
    """A case took too long."""


def require(holds: bool, what: str) -> None:  # noqa: FBT001
    """Raise a finding unless something holds."""
    if not holds:
        raise Finding(what)


def require_silence(text: str, where: str) -> None:
    """Raise a finding if a text shows a cell's value."""
    require(CANARY not in text and NUMBER not in text, f"{where} shows a cell's value")


def judge(case: Callable[[], None]) -> str:
    """Run a case: `OK`, `REFUSED`, or a finding, which names what went wrong and where."""
    with warnings.catch_warnings(record=True) as heard, _time_limit():
        warnings.simplefilter("always")
        try:
            case()
            verdict = OK
        except SwapmeetError as error:
            require(bool(str(error).strip()), "an error without a message")
            require_silence(str(error), f"the message of a {type(error).__name__}")
            verdict = REFUSED
        except Finding:
            raise
        except Hang:
            raise Finding(f"takes longer than {SECONDS:.0f} s") from None
        except (Exception, RecursionError) as error:
            raise Finding(_place(error)) from error
    for warning in heard:
        text = str(warning.message)
        require_silence(text, "a warning")
        ours = issubclass(warning.category, SwapmeetWarning)
        place = f"{warning.filename.split('/swapmeet/')[-1]}:{warning.lineno}"
        tells = (
            f"{warning.category.__name__} in {place}: {text.splitlines()[0][:60] if text else ''}"
        )
        require(ours, tells)
    return verdict


def _place(error: BaseException) -> str:
    """Kind and place of a foreign exception: what findings that are the same have in common."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/swapmeet/" in frame.filename]
    place = own[-1] if own else frames[-1]
    short = place.filename.split("/swapmeet/")[-1]
    return f"{type(error).__name__} in {short}:{place.lineno}"


@contextmanager
def _time_limit() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, stop)
    started = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    require(time.monotonic() - started < SECONDS, f"takes longer than {SECONDS:.0f} s")
