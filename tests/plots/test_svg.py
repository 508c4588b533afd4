from __future__ import annotations

import re
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import UsageError
from swapmeet.inspecting.neighborhoods import crowding as crowding_of
from swapmeet.plots import (
    correlations,
    crowding,
    distributions,
    influence,
    loadings,
    scree,
    selectivity,
)
from swapmeet.plots.style import SERIES, look, sheet
from swapmeet.plots.svg import save, to_file, to_svg

SVG = "{http://www.w3.org/2000/svg}"


def figure():
    with look():
        made = sheet(2.5)
        one, other = made.subplots(1, 2)
        one.plot([0, 1, 2], [1, 3, 2], label="a < b & $c$", **SERIES[1].line())
        other.bar([0, 1], [2, 5], color=SERIES[1].colour)
        made.legend(loc="outside lower center")
    return made


@cache
def text_of(title="Lines", description="A line & two bars."):
    return to_svg(figure(), title=title, description=description)


def ids(text):
    return [
        element.attrib["id"]
        for element in ElementTree.fromstring(text).iter()
        if "id" in element.attrib
    ]


def test_an_element_for_a_page_and_no_more():
    text = text_of()
    assert text.startswith("<svg xmlns=")
    assert text.endswith("</svg>")
    for absent in ("<?xml", "DOCTYPE", "<script", "<style", "<image", "metadata", "data:", "20260"):
        assert absent not in text


def test_styles_are_attributes_which_strict_pages_allow():
    with look():
        made = sheet(2.5)
        axes = made.subplots()
        axes.bar([0, 1], [2, 5], hatch="//", alpha=0.5, color=SERIES[1].colour)
        axes.plot([0, 1], [1, 3], **SERIES[1].line())
        axes.set_title("Bold", weight="bold", style="italic")
    text = to_svg(made, title="Styles", description="None.")
    assert " style=" not in text
    told = {name for element in ElementTree.fromstring(text).iter() for name in element.attrib}
    assert {"fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size",
            "font-family", "font-weight", "font-style", "text-anchor"} <= told  # fmt: skip
    assert f'fill="{SERIES[1].colour}"' in text


def test_letters_that_our_font_lacks_are_left_to_that_of_the_reader():
    with look():
        made = sheet(2.0)
        made.subplots().set_xlabel("性别\x1b")
    assert "性别<" in to_svg(made, title="Letters", description="None.")


def test_it_fills_the_width_and_keeps_its_shape():
    root = ElementTree.fromstring(text_of())
    assert root.attrib["width"] == "100%"
    assert "height" not in root.attrib
    assert root.attrib["viewBox"] == "0 0 518.4 180"


def test_a_file_of_its_own_has_a_name_for_its_language_and_a_size():
    bare = text_of().replace(' xmlns="http://www.w3.org/2000/svg"', "")
    assert to_file(bare) == to_file(text_of())
    root = ElementTree.fromstring(to_file(bare))
    assert root.tag == f"{SVG}svg"
    assert (root.attrib["width"], root.attrib["height"]) == ("518.4pt", "180pt")


def test_it_has_a_name_and_a_description_for_those_who_do_not_see_it():
    root = ElementTree.fromstring(text_of("Lines & bars", "Two <bars>."))
    title, description = root[0], root[1]
    assert (title.tag, title.text) == (f"{SVG}title", "Lines & bars")
    assert (description.tag, description.text) == (f"{SVG}desc", "Two <bars>.")
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"].split() == [title.attrib["id"], description.attrib["id"]]


def test_text_stays_text_as_it_is_written():
    written = "".join(ElementTree.fromstring(text_of()).itertext())
    assert "a < b & $c$" in written


@pytest.mark.slow
def test_identifiers_are_unique_also_beside_another_figure():
    one, other = ids(text_of("One")), ids(text_of("Other"))
    assert len(one) > 10
    assert len({*one, *other}) == len(one) + len(other)


def test_links_lead_to_identifiers_of_the_same_figure():
    text = text_of()
    links = re.findall(r'(?:url\(#|href="#)([^)"]+)', text)
    assert links
    assert set(links) <= set(ids(text))


@pytest.mark.slow
def test_the_same_figure_gives_the_same_text():
    drawn = figure()
    first = to_svg(drawn, title="Lines", description="")
    assert first == to_svg(drawn, title="Lines", description="")
    assert first == to_svg(figure(), title="Lines", description="")


def test_raster_images_are_refused():
    with look():
        made = sheet(2.0)
        made.subplots().imshow([[0.123456, 1.0]])
    with pytest.raises(UsageError, match="raster image"):
        to_svg(made, title="Image", description="")


@pytest.mark.slow_beyond(1)
@pytest.mark.parametrize(
    ("name", "start"), [("a.svg", b"<?xml"), ("a.PNG", b"\x89PNG"), ("a.pdf", b"%PDF")]
)
def test_files_are_the_same_each_time_and_say_nothing_of_their_making(tmp_path, name, start):
    path = tmp_path / name
    save(figure(), path)
    content = path.read_bytes()
    assert content.startswith(start)
    for told in (b"Matplotlib", b"matplotlib v", b"CreationDate", b"dc:date"):
        assert told not in content
    save(figure(), path, overwrite=True)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_other_endings_and_existing_files_are_refused(tmp_path):
    with pytest.raises(UsageError, match=r"saved as \.svg, \.png, \.pdf"):
        save(figure(), tmp_path / "a.gif")
    (tmp_path / "a.svg").write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        save(figure(), tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text() == "mine"


@pytest.mark.slow
def test_pictures_of_a_release_hold_no_value_of_a_cell_and_no_seed(masked):
    rng = np.random.default_rng(1)
    people = pd.DataFrame(
        {
            "age": rng.normal(40, 9, 300).round(4),
            "wage": rng.lognormal(10, 1, 300).round(4),
            "job": rng.choice(["Archivist", "Baker", "Zookeeper"], 300, p=[0.6, 0.39, 0.01]),
        }
    )
    release = masked(people, sm.RWN(k=5, weights=0.1), seed=987654321)
    card = sm.assess(
        people, release, measures=["dcr"], models=["wage ~ age"], profile=True,
        selectivity=[("job", "age")],
    )  # fmt: skip
    found = card.profile
    pictures = {
        "correlations": correlations.draw(found.correlations),
        "scree": scree.draw(found.components),
        "loadings": loadings.draw(found.components),
        "distributions": distributions.draw(found.distributions),
        "influence": influence.draw(found.influences[0]),
        "selectivity": selectivity.draw(found.selectivities),
        "crowding": crowding.draw(crowding_of(people, sm.RWN(k=5, weights=0.1))),
    }
    text = "".join(to_svg(made, title=t, description="") for t, made in pictures.items())
    values = [repr(value) for name in ("age", "wage") for value in people[name]]
    assert not [value for value in values if value in text]
    for secret in ("Archivist", "Baker", "Zookeeper", "987654321"):
        assert secret not in text
