"""Pages about a table with very many columns, which nobody wants to scroll through for minutes."""

from __future__ import annotations

import random

import pytest

pytestmark = pytest.mark.slow

TALLEST = 25_000
COLUMNS = 200
STEPS = ("data", "roles", "protect", "compare", "candidate/1", "candidate/1?tab=columns",
         "candidate/1?tab=measures", "candidate/1?tab=analyses", "decide", "release")  # fmt: skip


@pytest.fixture
def wide_file(tmp_path):
    draw = random.Random(2).randrange
    names = [f"answer_to_question_{at}" for at in range(COLUMNS)]
    rows = [",".join(str(draw(7)) for _ in names) for _ in range(120)]
    path = tmp_path / "wide.csv"
    path.write_text("\n".join([",".join(names), *rows, ""]))
    return path


def test_no_page_about_200_columns_is_endless(new_curator, wide_file):
    curator = new_curator()
    curator.open_path(wide_file)
    curator.wait_for("120 rows")
    curator.make_candidate()
    case = curator.case
    for width in (1280, 390):
        curator.page.set_viewport_size({"width": width, "height": 800})
        for step in STEPS:
            curator.page.goto(f"{case}/{step}")
            curator.page.wait_for_load_state("load")
            curator.page.evaluate(
                "for (const one of document.querySelectorAll('details')) one.open = true"
            )
            curator.page.wait_for_load_state("networkidle")
            size = curator.page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
            )
            assert size[0] <= width, step
            assert size[1] < TALLEST, (step, width, size[1])
