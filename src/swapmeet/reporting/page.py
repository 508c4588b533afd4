"""The page: contents and pictures put into a template."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from swapmeet.base.extras import require_library
from swapmeet.base.sentences import join_names, show_controls
from swapmeet.reporting import figures
from swapmeet.reporting.pictures import SECTIONS, Picture

TEMPLATES = Path(__file__).with_name("templates")
FILTERS = ("figure", "coarse", "span", "percent", "count", "bounds", "setting")


def render_page(contents: Mapping[str, Any], pictures: Sequence[Picture]) -> str:
    """One HTML file that needs nothing else; all text from outside is escaped."""
    shown = {section: [p for p in pictures if p.section == section] for section in SECTIONS}
    return render_template(f"{contents['audience']}.html", report=contents, pictures=shown)


def render_template(
    name: str,
    *,
    folders: Sequence[Path] = (),
    filters: Mapping[str, Callable[[Any], str]] | None = None,
    **values: Any,
) -> str:
    """A template of these folders, or of reports, with the style and the policy of all pages."""
    require_library("jinja2", "reports")
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([*folders, TEMPLATES], encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=escape_controls,
    )
    environment.filters |= {name: getattr(figures, name) for name in FILTERS}
    environment.filters |= {"join_names": join_names, "paragraphs": split_paragraphs}
    environment.filters |= filters or {}
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    template = environment.get_template(name)
    return show_controls(template.render(**values, style=style, policy=write_policy([style])))


def find_policy(page: str) -> str:
    """The Content-Security-Policy of a page, for anyone who serves it: its style, and nothing else.

    >>> find_policy("<style>p { color: red; }</style><p>Hi")[:39]
    "default-src 'none'; style-src 'sha256-p"
    """
    return write_policy(re.findall(r"<style>(.*?)</style>", page, re.DOTALL))


def write_policy(styles: Iterable[str]) -> str:
    """The policy that allows these styles, known by their hashes; no script, no image, no link."""
    digests = (sha256(style.encode()).digest() for style in styles)
    hashes = " ".join(f"'sha256-{b64encode(digest).decode()}'" for digest in digests)
    return "default-src 'none'; style-src " + (hashes or "'none'")


def escape_controls(value: Any) -> Any:
    r"""The value; in a text, control codes are escaped, which no page may hold.

    >>> escape_controls("age\x01\n"), escape_controls(3)
    ('age\\x01\n', 3)
    """
    if type(value) is not str:
        return value
    return "".join(
        c if c.isprintable() or c.isspace() else c.encode("unicode_escape").decode() for c in value
    )


def tidy_reason(text: str | None) -> str | None:
    r"""The words, with line ends of one sort and none around them; None if there are none.

    >>> tidy_reason(" We publish.\r\n\r\nThe risk is low.\n"), tidy_reason(" ")
    ('We publish.\n\nThe risk is low.', None)
    """
    return (text or "").replace("\r\n", "\n").replace("\r", "\n").strip() or None


def split_paragraphs(text: str) -> list[str]:
    r"""The paragraphs of a text, between which there are blank lines.

    >>> split_paragraphs("We publish.\nSoon.\n \n\nThe risk is low.")
    ['We publish.\nSoon.', 'The risk is low.']
    """
    return re.split(r"\n\s*\n", text)
