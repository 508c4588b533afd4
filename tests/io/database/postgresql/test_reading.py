from __future__ import annotations

import pytest

from swapmeet.io.database.postgresql.reading import _add_patience

OURS = "connect_timeout=20&application_name=swapmeet"


@pytest.mark.parametrize(
    ("url", "whole"),
    [
        ("postgresql://h/d", f"postgresql://h/d?{OURS}"),
        (
            "postgresql://h/d?options=-c%20search_path%3Da+b",
            f"postgresql://h/d?options=-c%20search_path%3Da+b&{OURS}",
        ),
        (
            "postgresql://h/d?connect_timeout=3",
            "postgresql://h/d?connect_timeout=3&application_name=swapmeet",
        ),
    ],
)
def test_settings_of_the_address_stay_as_they_are(url, whole):
    assert _add_patience(url) == whole
