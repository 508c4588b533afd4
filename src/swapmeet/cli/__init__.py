"""The command line. Importing it is cheap; each command loads what it needs when it runs."""

from __future__ import annotations

from swapmeet.cli.entry_point import run


def main() -> None:
    """Run the command line; a refusal becomes one message and an exit code."""
    run()
