"""`python -m swapmeet`: the command line, for anyone who has no scripts folder on the path."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]
    from swapmeet.cli import main

    main()
