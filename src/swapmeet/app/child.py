"""The command line in a process of the app, which ends when the app does.

The app holds the other end of standard input. It may say there, in a line of JSON, what to run:
anybody on the machine can read the list of processes, and their arguments with it. Its end is the
end of the app, however that came: the run is asked to stop tidily, and is killed with all its
processes if it does not.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
import threading
import time

PATIENCE = 3.0
SECRETLY = "-"
"""The argument that stands for those in the line."""
NICENESS = 5
"""Pages are to come at once while all cores work."""


def main() -> None:
    """Run `swapmeet` with the arguments of this process, or those that the app tells it."""
    if sys.argv[1:] == [SECRETLY]:
        sys.argv[1:] = _read_arguments()
    threading.Thread(target=_end_with_the_app, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    sys.argv[0] = "swapmeet"
    runpy.run_module("swapmeet", run_name="__main__", alter_sys=False)


def _read_arguments() -> list[str]:
    """The line; nothing follows it until the app ends."""
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(0, 1 << 16)
        if not piece:
            sys.exit(1)
        line += piece
    return list(json.loads(line))


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
