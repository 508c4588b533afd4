"""Build the documentation site into `site/`: `python packaging/build_site.py [FOLDER]`.

The same as `python -m mkdocs build --strict`, without the notices that the theme prints there.
Nothing is fetched from a network, neither now nor when a page is read.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mkdocs.__main__ import cli

ROOT = Path(__file__).parents[1]


def build_site(folder: Path) -> None:
    """Build it, and refuse any warning."""
    config = str(ROOT / "mkdocs.yml")
    cli(
        ["build", "--strict", "--quiet", "--config-file", config, "--site-dir", str(folder)],
        standalone_mode=False,
    )


if __name__ == "__main__":
    named = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "site"
    build_site(named)
    sys.stdout.write(f"{named / 'index.html'}\n")
