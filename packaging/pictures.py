"""Make the README's picture of a verdict at a terminal: `python packaging/pictures.py`.

The commands run in this process on built-in data, and what the last one prints becomes an SVG that
loads nothing, not even a font.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from swapmeet.cli import main

TERMINAL = Path(__file__).parents[1] / "docs" / "assets" / "terminal.svg"
WIDTH = 80
ROLES = "--sensitive PID,income,vote --together popul,logpopul --audit run.audit"
PREPARATION = (
    "swapmeet demo --original voters.csv --quiet",
    f"swapmeet mask voters.csv release.csv --method matched-swap --k 60 {ROLES} --quiet",
)
SHOWN = "swapmeet assess voters.csv release.csv --audit run.audit"
SVG = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" role="img"
 xmlns="http://www.w3.org/2000/svg">
<title>{description}</title>
<style>
.{unique_id}-matrix {{
font: {char_height}px/{line_height}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace
}}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g></g>
</svg>
"""
BOLD = r"^(Safe|Not safe|Not decided)[^:]*|^Default limits.*|\bNOT MET\b|\bmet\b"


def draw_terminal(target: Path) -> None:
    """Run the commands in a folder of their own and draw what the last one prints."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        os.environ["COLUMNS"] = str(WIDTH)
        for command in PREPARATION:
            run_command(command)
        printed = run_command(SHOWN).strip()
    screen = Text(f"$ {SHOWN}\n\n", style="bold").append(Text(printed, style="not bold"))
    screen.highlight_regex(re.compile(BOLD, re.MULTILINE), "bold green")
    console = Console(record=True, width=WIDTH + 2, file=io.StringIO(), highlight=False)
    console.print(screen, soft_wrap=True)
    svg = console.export_svg(title="swapmeet", code_format=SVG.replace("{description}", SHOWN),
                             unique_id="terminal")  # fmt: skip
    target.write_text(svg)


def run_command(command: str) -> str:
    """What a command prints; a verdict that is not safe ends with 4, which is no failure here."""
    printed, sys.argv = io.StringIO(), command.split()
    with contextlib.redirect_stdout(printed):
        try:
            main()
        except SystemExit as end:
            if end.code not in (None, 0, 4):
                raise
    return printed.getvalue()


if __name__ == "__main__":
    draw_terminal(Path(sys.argv[1]) if len(sys.argv) > 1 else TERMINAL)
