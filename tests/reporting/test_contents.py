from __future__ import annotations

import json

import numpy as np
import pytest

from swapmeet import __version__
from swapmeet.errors import ParameterError
from swapmeet.reporting.contents import build_contents, to_plain
from swapmeet.reporting.sources import Sources


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_contents_are_json_and_survive_it(study, card, release, audience):
    sources = Sources.gather(study, study=None, card=card, release=release, checksum="f00d")
    told = build_contents(sources, audience)
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["audience"] == audience
    assert told["provenance"]["swapmeet"] == __version__
    assert told["provenance"]["checksum"] == "f00d"


def test_only_insiders_learn_the_versions_of_libraries(card):
    assert "numpy" in build_contents(Sources(card=card), "internal")["provenance"]["versions"]
    assert "versions" not in build_contents(Sources(card=card), "public")["provenance"]


def test_a_title_of_ones_own(card):
    assert (
        build_contents(Sources(card=card, title="Wages <2026>"), "public")["title"]
        == "Wages <2026>"
    )


def test_other_audiences_are_refused(card):
    with pytest.raises(ParameterError, match="no audience 'publik'; did you mean 'public'"):
        build_contents(Sources(card=card), "publik")


def test_numbers_of_numpy_become_plain():
    told = to_plain({"a": np.float64(0.5), "b": np.bool_(True), "c": [np.int64(3), np.nan]})
    assert json.dumps(told) == '{"a": 0.5, "b": true, "c": [3, null]}'
