"""Who may read a file. On Windows, modes do not tell."""

from __future__ import annotations

import os


def is_private(path):
    """Whether nobody but the owner may read a file or enter a folder, as far as modes tell."""
    return os.name == "nt" or path.stat().st_mode & 0o077 == 0


def may_do_anything():
    """Whether modes keep whoever runs the tests from nothing."""
    return not hasattr(os, "geteuid") or os.geteuid() == 0
