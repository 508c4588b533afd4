"""The command line in a process of the app, which ends when the app does.

The app holds the other end of standard input. Its end is the end of the app, however that came:
the run is asked to stop tidily, and is killed with all its processes if it does not.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading
import time

PATIENCE = 3.0
NICENESS = 5
"""Pages are to come at once while all cores work."""


def main() -> None:
    """Run `swapmeet` with the arguments of this process."""
    threading.Thread(target=_end_with_the_app, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    sys.argv[0] = "swapmeet"
    runpy.run_module("swapmeet", run_name="__main__", alter_sys=False)


def _end_with_the_app() -> None:
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE)
    if hasattr(os, "killpg"):
        os.killpg(os.getpgid(0), getattr(signal, "SIGKILL", signal.SIGTERM))
    os._exit(1)


if __name__ == "__main__":
    main()
