"""Figures as inline SVG for a page, and as files."""

from __future__ import annotations

import re
import warnings
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree

from swapmeet.base.atomic import write_atomically
from swapmeet.errors import UsageError
from swapmeet.plots.style import look

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    Element = ElementTree.Element

NAMESPACE = "http://www.w3.org/2000/svg"
NO_METADATA: dict[str, dict[str, Any]] = {
    ".svg": {"Creator": None, "Date": None, "Format": None, "Type": None},
    ".png": {"Software": None},
    ".pdf": {"Creator": None, "Producer": None, "CreationDate": None},
}
"""Formats, and what their files would tell of when and by what they were made."""
CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""What names of columns may hold and XML may not."""
LINK = re.compile(r"url\(#([^)]+)\)")


def to_svg(figure: Figure, *, title: str, description: str) -> str:
    """The figure as an `<svg>` element that stands in a page, as wide as there is room.

    The title names the picture, the description tells in words what it shows, for those who do not
    see it. The same figure gives the same text, without style in a tag, which strict pages block.
    Identifiers begin with letters derived from the
    title: figures of one page need different titles. Raster images are refused, since an image may
    hold more than it shows.

    >>> from swapmeet.plots.style import sheet
    >>> to_svg(sheet(2.0), title="Nothing", description="An empty sheet.")[:46]
    '<svg xmlns="http://www.w3.org/2000/svg" role="'
    """
    prefix = f"p{sha256(title.encode()).hexdigest()[:8]}"
    root = ElementTree.fromstring(CONTROLS.sub(b"", _drawn(figure, prefix)))
    svg = _stripped(root)
    if any(element.tag == "image" for element in svg.iter()):
        raise UsageError("to_svg: the figure holds a raster image. Draw it with shapes.")
    _rename(svg, prefix)
    _describe(svg, prefix, title, description)
    return ElementTree.tostring(svg, encoding="unicode")


def to_file(element: str) -> str:
    """The element of `to_svg` as the text of a file of its own, which has a size.

    >>> to_file('<svg viewBox="0 0 72 36" width="100%"></svg>').split(" ", 1)[1]
    'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 72 36" width="72pt" height="36pt"></svg>'
    """
    start, end, rest = element.partition(">")
    width, height = re.findall(r"[\d.]+", start.partition('viewBox="')[2])[2:4]
    named = start if "xmlns=" in start else start.replace("<svg", f'<svg xmlns="{NAMESPACE}"', 1)
    sized = named.replace('width="100%"', f'width="{width}pt" height="{height}pt"', 1)
    return f"{sized}{end}{rest}"


def save(figure: Figure, path: str | Path, *, overwrite: bool = False) -> None:
    """Write the figure to a .svg, .png or .pdf file, which appears whole or not at all."""
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in NO_METADATA:
        raise UsageError(f"{path.name}: pictures are saved as {', '.join(NO_METADATA)}.")
    with write_atomically(path, overwrite=overwrite) as aside, look():
        content = _content(figure, ending, salt=path.stem)
        aside.write_bytes(content)


def _drawn(figure: Figure, salt: str) -> bytes:
    with look():
        return _content(figure, ".svg", salt)


def _content(figure: Figure, ending: str, salt: str) -> bytes:
    from matplotlib import rc_context

    buffer = BytesIO()
    with rc_context({"svg.hashsalt": salt}), warnings.catch_warnings():
        if ending == ".svg":  # its text is drawn with the fonts of anyone who reads it
            warnings.filterwarnings("ignore", "Glyph .* missing from font")
        _settle(figure)
        figure.savefig(buffer, format=ending[1:], metadata=NO_METADATA[ending])
    return buffer.getvalue()


def _settle(figure: Figure) -> None:
    """Lay the parts out for good; it takes two rounds, and more would shift them by a hair."""
    if figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
        figure.draw_without_rendering()
        figure.set_layout_engine("none")


def _stripped(root: Element) -> Element:
    """The tree without namespaces, metadata and rules of style, which would hold for the page.

    Styles of single elements become attributes: pages that are careful allow no style in a tag.
    """
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        for name in [name for name in element.attrib if "}" in name]:
            element.set(name.rpartition("}")[2], element.attrib.pop(name))
        element.attrib.update(list_attributes(element.attrib.pop("style", "")))
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag in {"metadata", "style"}]:
            parent.remove(child)
    return root


def _rename(root: Element, prefix: str) -> None:
    """Begin each identifier, and each link to one, with the prefix."""
    for element in root.iter():
        for name, value in element.attrib.items():
            if name == "id":
                element.set(name, f"{prefix}-{value}")
            elif name == "href" and value.startswith("#"):
                element.set(name, f"#{prefix}-{value[1:]}")
            else:
                element.set(name, LINK.sub(rf"url(#{prefix}-\1)", value))


def _describe(root: Element, prefix: str, title: str, description: str) -> None:
    """Make the root an image with a name, that fills the width it is given."""
    box = root.attrib["viewBox"]
    root.attrib.clear()
    root.attrib.update({
        "xmlns": NAMESPACE, "role": "img", "viewBox": box, "width": "100%",
        "preserveAspectRatio": "xMidYMid meet",
        "stroke-linejoin": "round", "stroke-linecap": "butt",
        "aria-labelledby": f"{prefix}-title {prefix}-desc",
    })  # fmt: skip
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ElementTree.Element(tag, {"id": f"{prefix}-{tag}"})
        element.text = text
        root.insert(place, element)


_DECLARATION: Final = re.compile(r"""([\w-]+)\s*:\s*((?:'[^']*'|"[^"]*"|[^;'"])+)""")
_FONT: Final = re.compile(r"(?P<words>.*?)(?P<size>[\d.]+(?:px|pt|em|%))(?:/\S+)?\s+(?P<family>.+)")
_WORDS: Final = {
    "font-style": r"italic|oblique",
    "font-variant": r"small-caps",
    "font-weight": r"bold|bolder|lighter|\d00",
    "font-stretch": r"(?:(?:ultra|extra|semi)-)?(?:condensed|expanded)",
}


def list_attributes(style: str) -> dict[str, str]:
    """The declarations of a style as attributes.

    >>> list_attributes("fill: #d5762b; stroke-dasharray: 5,1.5")
    {'fill': '#d5762b', 'stroke-dasharray': '5,1.5'}
    >>> list_attributes("font: bold 9px 'DejaVu Sans', sans-serif; text-anchor: end")["font-size"]
    '9px'
    """
    attributes: dict[str, str] = {}
    for name, value in _DECLARATION.findall(style):
        attributes |= _split_font(value.strip()) if name == "font" else {name: value.strip()}
    return attributes


def _split_font(value: str) -> dict[str, str]:
    """The parts of a font that is told in one line."""
    font = _FONT.fullmatch(value)
    if font is None:
        return {}
    words = font["words"].split()
    attributes = {
        name: word
        for name, pattern in _WORDS.items()
        for word in words
        if re.fullmatch(pattern, word)
    }
    return {**attributes, "font-size": font["size"], "font-family": font["family"]}
