"""The pictures of a report as files of their own, with a list of what each of them shows."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from swapmeet.base.atomic import FolderKind, check_folder_target, write_folder_atomically
from swapmeet.base.sentences import show_controls
from swapmeet.errors import UsageError
from swapmeet.plots.svg import to_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from swapmeet.reporting.pictures import Picture

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
        for told, picture in zip(listed, pictures, strict=True):
            (aside / told["file"]).write_text(
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
