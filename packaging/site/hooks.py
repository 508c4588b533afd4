"""What MkDocs calls while it builds the site: pages made from the program itself are added."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

from api_pages import make_api_pages
from command_pages import make_command_pages
from declarations import (
    describe_measure,
    describe_method,
    make_format_table,
    make_lists,
    make_plan_tables,
)
from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
AT_THE_ROOT = {"SECURITY.md": "security.md", "CONTRIBUTING.md": "contributing.md",
               "CHANGELOG.md": "changes.md"}  # fmt: skip
LINK = re.compile(r"(\]\()([^)#:\s]+)((?:#[^)\s]*)?\))")
FORMATS = "<!-- what formats keep -->"
PLANS = "<!-- what plans say -->"


def make_pages() -> dict[str, str]:
    """All pages that are made, by their place in the site."""
    copies = {
        place: _move_links((ROOT / name).read_text(), None) for name, place in AT_THE_ROOT.items()
    }
    return {**copies, **make_command_pages(), **make_api_pages(), **make_lists()}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is made to what is written."""
    for place, text in make_pages().items():
        files.append(File.generated(config, place, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Add what is declared to the pages of methods, measures and formats; mend links."""
    folder, name = posixpath.split(page.file.src_uri)
    stem = name.removesuffix(".md")
    if folder == "reference/methods" and stem != "index":
        markdown += describe_method(stem)
    if folder == "reference/measures" and stem != "index":
        markdown += describe_measure(stem)
    if FORMATS in markdown:
        markdown = markdown.replace(FORMATS, make_format_table())
    if PLANS in markdown:
        markdown = markdown.replace(PLANS, make_plan_tables())
    return markdown if page.file.generated_by else _move_links(markdown, folder)


def _move_links(markdown: str, folder: str | None) -> str:
    """Links to files beside `docs` lead to their copies, links to folders to their lists.

    `folder` is that of the page inside `docs`; None stands for files beside it.
    """
    here = "" if folder is None else posixpath.join("docs", folder)

    def move(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(here, link[2]))
        place = AT_THE_ROOT.get(target) or target.removeprefix("docs/")
        if link[2].endswith("/"):
            place += "/index.md"
        elif place == target:
            return link[0]
        return f"{link[1]}{posixpath.relpath(place, folder or '.')}{link[3]}"

    return LINK.sub(move, markdown)
