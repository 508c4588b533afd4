"""Stop a run when somebody asks for it, also where a library swallows that."""

from __future__ import annotations

import signal
import sys
import threading

from swapmeet.errors import Stopped

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
REMINDED_AFTER = 0.1


def listen() -> None:
    """Stop tidily when asked to, unless the one who started the program told it not to listen."""
    if threading.current_thread() is not threading.main_thread():
        return
    for name in SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


def mind_what_is_swallowed() -> None:
    """Ask again for a stop that came while a library called back, and drop its other complaints.

    What is raised in a callback, such as those of the compiler, or while an object is removed,
    goes nowhere. Libraries also complain while they tidy up after an error that has been told.
    """
    if sys.unraisablehook is sys.__unraisablehook__:
        sys.unraisablehook = _hear


def _stop(*_: object) -> None:
    raise Stopped


def _hear(unraisable: sys.UnraisableHookArgs) -> None:
    if isinstance(unraisable.exc_value, Stopped):
        reminder = threading.Timer(REMINDED_AFTER, _remind)
        reminder.daemon = True
        reminder.start()
    elif "--debug" in sys.argv:
        sys.__unraisablehook__(unraisable)


def _remind() -> None:
    """Send a signal that is listened to; to the main thread, which may be waiting."""
    for name in SIGNALS:
        number = getattr(signal, name, None)
        if number is None or signal.getsignal(number) is not _stop:
            continue
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(threading.main_thread().ident or 0, number)
        else:
            signal.raise_signal(number)
        return
