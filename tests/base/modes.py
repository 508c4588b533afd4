"""Who may read a file. On Windows, modes do not tell."""

from __future__ import annotations

import os
import stat


def is_private(path):
    """Whether the owner, and nobody else, may read and write a file, or enter a folder, too."""
    wanted = 0o700 if path.is_dir() else 0o600
    return os.name == "nt" or stat.S_IMODE(path.stat().st_mode) == wanted


def may_do_anything():
    """Whether modes keep whoever runs the tests from nothing."""
    return not hasattr(os, "geteuid") or os.geteuid() == 0
