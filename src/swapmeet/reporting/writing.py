"""report(): a study or a scorecard makes a page, its twin in JSON, and pictures as files."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from swapmeet.base.atomic import (
    FolderKind,
    all_or_nothing,
    check_folder_target,
    check_target,
    write_atomically,
    write_folder_atomically,
)
from swapmeet.base.extras import require_library
from swapmeet.base.sentences import show_controls
from swapmeet.comparison.score import Judgement
from swapmeet.errors import UsageError, warn
from swapmeet.plots.svg import to_file
from swapmeet.tables.roles import check_arguments

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from swapmeet.measures.scorecard import Scorecard
    from swapmeet.release.release import Release
    from swapmeet.reporting.pictures import Picture
    from swapmeet.reporting.sources import ReleaseSummary, Sources
    from swapmeet.tables.schema import Schema
    from swapmeet.tuning import Study


PAGE, TWIN = (".html", ".htm"), ".json"


@check_arguments
def report(
    result: Study | Scorecard,
    path: str | os.PathLike[str],
    *,
    audience: str = "internal",
    study: Study | None = None,
    card: Scorecard | None = None,
    release: Release | ReleaseSummary | None = None,
    schema: Schema | None = None,
    title: str | None = None,
    reason: str | None = None,
    checksum: str | None = None,
    labels: bool = False,
    pictures: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
) -> None:
    """Write a report of a study, of a release's scorecard, or of both: one HTML file, and JSON.

    For the audience "internal" it is the decision record; for "public" it tells analysts and the
    people in the data what was done, without what would help an intruder. `release` tells the
    method and what happened to each column, `schema` the kinds and roles of columns where there is
    no study, `checksum` identifies the published file; `reason` is the decision in the curator's
    own words, which the decision record quotes. Neither audience gets a cell's value, the seed or a
    donor; `labels` lets insiders see the names of categories of ten rows or more, where pictures
    call them by their rank. Each picture is also written to the folder `pictures`, if one is given,
    with a list of them. What is for insiders is written for its owner's eyes only (mode 0600).

    >>> import tempfile, swapmeet as sm
    >>> people = sm.datasets.load("diabetes")
    >>> release = sm.mask(people, sm.RWN(k=10, weights=0.1))
    >>> card = sm.assess(people, release, measures=["pscr", "correlations"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report(card, f"{folder}/report.html", release=release)
    ...     sorted(file.name for file in Path(folder).iterdir())
    ['report.html', 'report.json']
    """
    for library in ("jinja2", "matplotlib"):
        require_library(library, "reports")
    from swapmeet.reporting.contents import build_contents, require_audience
    from swapmeet.reporting.page import render_page, tidy_reason
    from swapmeet.reporting.pictures import draw_pictures
    from swapmeet.reporting.sources import Sources

    words = tidy_reason(reason)
    require_audience(audience, labels=labels, reason=words)
    target, folder = Path(path), None if pictures is None else Path(pictures)
    check_targets(target, folder, overwrite=overwrite)
    sources = Sources.gather(
        result, study=study, card=card, release=release, schema=schema, title=title,
        reason=words, checksum=checksum,
    )  # fmt: skip
    if audience == "public":
        _warn_of_what_is_not_cleared(sources)
    drawn = draw_pictures(sources, audience, labels=labels)
    contents = build_contents(sources, audience, drawn)
    html, twin = render_page(contents, drawn), json.dumps(contents, indent=2, allow_nan=False)
    inside = audience != "public"
    with all_or_nothing():
        _write({target: html, twin_of(target): twin}, overwrite=overwrite, private=inside)
        if folder is not None:
            write_pictures(folder, drawn, overwrite=overwrite, private=inside)


def _warn_of_what_is_not_cleared(sources: Sources) -> None:
    """Tell the curator that a page for the public is about a release that is not to be one."""
    verdict, text = sources.verdict, ""
    if sources.release and sources.release.reproducible:
        text = "the seed of this release was chosen: it is not for publication, nor is this report."
    elif sources.is_without_release:
        text = "the search chose nothing, so this page is about no release."
    elif verdict and verdict.judgement is Judgement.NOT_SAFE:
        text = f"this page is about a release that is not cleared. {verdict.sentence}"
    if text:
        warn(text)


def check_targets(page: Path, pictures: Path | None, *, overwrite: bool) -> None:
    """Refuse, before any work, what cannot be written."""
    if page.suffix.lower() not in PAGE:
        raise UsageError(f"{page}: a report is an HTML file. Give it a name that ends in .html.")
    files = (page, twin_of(page))
    for one in files:
        check_target(one, overwrite=overwrite)
    if pictures is not None:
        check_pictures(pictures, files, overwrite=overwrite)


def twin_of(page: Path) -> Path:
    """Return the path for the contents of a page as JSON.

    >>> str(twin_of(Path("out/report.html")))
    'out/report.json'
    """
    return page.with_suffix(TWIN)


def _write(texts: Mapping[Path, str], *, overwrite: bool, private: bool) -> None:
    """Files, `private` ones for their owner; a name in them that is not text is shown escaped."""
    for path, text in texts.items():
        with write_atomically(path, overwrite=overwrite, private=private) as aside:
            aside.write_bytes(text.encode("utf-8", "backslashreplace"))


INDEX = "index.json"
FORMAT = "swapmeet pictures 1"
LONGEST = 60
"""So many letters of a title go into the name of its file."""
PICTURES = FolderKind(
    "a report's pictures",
    lambda names: all(name == INDEX or re.fullmatch(r"\d\d+-.*\.svg", name) for name in names),
)


def check_pictures(folder: Path, others: Iterable[Path], *, overwrite: bool) -> None:
    """Refuse, before any work, a folder that cannot be written, or that other files stand in."""
    real = os.path.realpath(folder)
    for path in others:
        if Path(os.path.realpath(path)).is_relative_to(real):
            raise UsageError(
                f"{folder}: {path} is to stand there. Give the pictures another folder."
            )
    check_folder_target(folder, overwrite=overwrite, kind=PICTURES)


def write_pictures(
    folder: Path, pictures: Sequence[Picture], *, overwrite: bool, private: bool = False
) -> None:
    """Write each picture, and the list of them, into a folder that may be its owner's alone."""
    listed = [{"file": name_file(number, picture.title), "section": picture.section,
               **picture.to_dict()} for number, picture in enumerate(pictures, 1)]  # fmt: skip
    with write_folder_atomically(
        folder, overwrite=overwrite, private=private, kind=PICTURES
    ) as aside:
        for entry, picture in zip(listed, pictures, strict=True):
            (aside / entry["file"]).write_text(
                show_controls(to_file(picture.svg)), encoding="utf-8", newline="\n"
            )
        index = json.dumps({"format": FORMAT, "pictures": listed}, indent=2)
        (aside / INDEX).write_text(f"{index}\n", encoding="utf-8", newline="\n")


def name_file(number: int, title: str) -> str:
    """A name that sorts as the page has its pictures, of letters that every system knows.

    >>> name_file(1, "Correlations before and after"), name_file(12, "Influence on y ~ C(größe)")
    ('01-correlations-before-and-after.svg', '12-influence-on-y-c-gr-e.svg')
    """
    words = re.sub(r"[^a-z0-9]+", "-", title.lower())[:LONGEST].strip("-")
    return f"{number:02d}-{words}.svg"
