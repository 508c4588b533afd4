"""report(): a study or a scorecard makes a page that people can read, and its twin in JSON."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from swapmeet.core.base.atomic import all_or_nothing, check_target, write_atomically
from swapmeet.core.base.extras import require_library
from swapmeet.errors import SwapmeetWarning, UsageError

if TYPE_CHECKING:
    import os

    from swapmeet.core.release.release import Release
    from swapmeet.core.tables.schema import Schema
    from swapmeet.measures.scorecard import Scorecard
    from swapmeet.reporting.release_summary import ReleaseSummary
    from swapmeet.reporting.sources import Sources
    from swapmeet.tuning import Study

PAGE, TWIN = (".html", ".htm"), ".json"


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
    checksum: str | None = None,
    labels: bool = False,
    overwrite: bool = False,
) -> None:
    """Write a report of a study, of a release's scorecard, or of both: one HTML file, and JSON.

    For the audience "internal" it is the decision record; for "public" it tells analysts and the
    people in the data what was done, without what would help an intruder. `release` tells the
    method and what happened to each column, `schema` the kinds and roles of columns where there is
    no study, `checksum` identifies the published file. Neither audience gets a cell's value, the
    seed or a donor; `labels` lets insiders see the names of categories of ten rows or more, where
    pictures call them by their rank.

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
    from swapmeet.reporting.page import render_page
    from swapmeet.reporting.pictures import draw_pictures
    from swapmeet.reporting.sources import Sources

    require_audience(audience)
    if labels and audience == "public":
        raise UsageError("report: `labels` names categories, which are for insiders. Leave it out.")
    target = check_targets(path, overwrite=overwrite)
    sources = Sources.gather(
        result, study=study, card=card, release=release, schema=schema, title=title,
        checksum=checksum,
    )  # fmt: skip
    if audience == "public":
        _warn_of_what_is_not_cleared(sources)
    drawn = draw_pictures(sources, audience, labels=labels)
    contents = build_contents(sources, audience, drawn)
    _write(
        target,
        render_page(contents, drawn),
        json.dumps(contents, indent=2, allow_nan=False),
        overwrite,
    )


def _warn_of_what_is_not_cleared(sources: Sources) -> None:
    """Tell the curator that a page for the public is about a release that is not to be one."""
    verdict, told = sources.verdict, ""
    if sources.release and sources.release.reproducible:
        told = "the seed of this release was chosen: it is not for publication, nor is this report."
    elif verdict and verdict.decided and not verdict.safe:
        told = f"this page is about a release that is not cleared. {verdict.sentence}"
    if told:
        warnings.warn(told, SwapmeetWarning, stacklevel=3)


def check_targets(path: str | os.PathLike[str], *, overwrite: bool) -> Path:
    """The path of the page, if it and its twin can be written."""
    target = Path(path)
    if target.suffix.lower() not in PAGE:
        raise UsageError(f"{target}: a report is an HTML file. Give it a name that ends in .html.")
    for one in (target, twin_of(target)):
        check_target(one, overwrite=overwrite)
    return target


def twin_of(page: Path) -> Path:
    """Where the contents of a page are written as JSON.

    >>> str(twin_of(Path("out/report.html")))
    'out/report.json'
    """
    return page.with_suffix(TWIN)


def _write(target: Path, html: str, twin: str, overwrite: bool) -> None:  # noqa: FBT001
    """Both files, or none; a name that is not text is shown escaped."""
    with all_or_nothing():
        for path, text in ((target, html), (twin_of(target), twin)):
            with write_atomically(path, overwrite=overwrite) as aside:
                aside.write_bytes(text.encode("utf-8", "backslashreplace"))
