"""The owner of the program at the other end of a connection on this machine.

Browsers send the cookies of a host to all its ports: whoever gets the user to open a page of a
server of theirs on this machine learns the cookie. It is of no use to them where the system tells
which user a connection belongs to.
"""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
LOCAL, REMOTE, USER = 1, 2, 7
"""Where a line of these tables has both ends of a connection, and its owner."""


def is_stranger(client: tuple[str, int] | None, server: tuple[str, int]) -> bool:
    """Return whether a connection belongs to another user; not where the system does not tell.

    The administrator is no stranger: they forward connections, and can read everything anyway.
    """
    if client is None or not hasattr(os, "getuid"):
        return False
    return bool(_find_owners(client, server) - {0, os.getuid()})


def _find_owners(client: tuple[str, int], server: tuple[str, int]) -> set[int]:
    owners: set[int] = set()
    for table in TABLES:
        with suppress(OSError, ValueError, IndexError):
            ends = [_write(end) for end in (client, server)]
            for line in table.read_text(encoding="ascii").splitlines()[1:]:
                words = line.split()
                if words[LOCAL].endswith(ends[0]) and words[REMOTE].endswith(ends[1]):
                    owners.add(int(words[USER]))
    return owners


def _write(end: tuple[str, int]) -> str:
    """One end of a connection as the tables have it, that of version 6 after zeros and ones."""
    address = int.from_bytes(socket.inet_aton(end[0]), sys.byteorder)
    return f"{address:08X}:{end[1]:04X}"
