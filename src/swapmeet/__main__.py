"""`python -m swapmeet`: the command line, for whoever has no scripts folder on the path."""

from __future__ import annotations

from swapmeet.cli import main

if __name__ == "__main__":
    main()
