"""Claims, sections and pages of studies."""

from __future__ import annotations

import json

import pytest

from kit.claim import Claim
from kit.estimate import Estimate, repeat
from kit.markdown import write_docs
from kit.panels import Panel, draw_panels
from kit.part_store import PartStore
from kit.section import Claims, Picture, Section, Table
from kit.study import Run, Study
from swapmeet.plots.style import look, sheet


def make_section(run: Run) -> Section:
    with look():
        figure = sheet(2.0)
        figure.subplots().plot([1, 2], [3, 4])
    return Section(
        title="A table & a picture",
        finding="Half of it comes out.",
        words=["A paragraph."],
        claims=[
            Claims(
                "Printed",
                [
                    Claim.of("mean", "0.50", 0.5),
                    Claim.of("median", "0.7", Estimate(0.5, 0.01), note="not found"),
                ],
            )
        ],
        tables=[Table("Ours", ["row", "value"], [["a", 1], ["b", 0.25]])],
        pictures=[
            Picture.of(
                figure, title="Line", description="It rises.", caption="A line.", name="line"
            )
        ],
    )


STUDY = Study(
    name="example", title="An example", paper="Nobody (2026)", lead="Nothing.",
    parts={"first": make_section},
)  # fmt: skip


@pytest.mark.parametrize(
    ("printed", "ours", "verdict"),
    [
        ("480.92", Estimate(480.9249), "exact"),
        ("480.92", Estimate(480.9251), "differs"),
        ("451.79", Estimate(453.9, 2.4), "agrees"),
        ("451.79", Estimate(470.0, 2.4), "differs"),
        ("", Estimate(1.0, 0.1), "ours only"),
    ],
)
def test_a_verdict_follows_from_printed_digits_and_error(printed, ours, verdict):
    assert Claim.of("", printed, ours).verdict == verdict


def test_a_margin_makes_a_claim_near_and_never_exact():
    assert Claim.of("", "0.4", 0.5, margin=0.1).verdict == "near"
    assert Claim.of("", "0.4", 0.7, margin=0.1).verdict == "differs"


def test_the_paper_has_an_error_too():
    claim = Claim.of("", "0.62", Estimate(0.65, 0.004))
    assert claim.verdict == "differs"
    assert Claim.of("", "0.62", Estimate(0.65, 0.004), paper_error=0.02).verdict == "agrees"


def test_repetitions_give_the_error_of_their_mean():
    found = repeat(lambda seed: {"x": float(seed)}, range(1, 6))["x"]
    assert found.mean == 3.0
    assert found.error == pytest.approx((2.5 / 5) ** 0.5)


def test_a_section_survives_json():
    section = make_section(Run(quick=True))
    again = Section.from_dict(json.loads(json.dumps(section.to_dict())))
    assert again.to_dict() == section.to_dict()


def test_a_finished_part_is_not_run_again_unless_the_run_differs(tmp_path):
    store = PartStore(tmp_path / "parts", Run(quick=True), afresh=False)
    assert store.find("first", make_section) is None
    store.keep("first", make_section, make_section(Run(quick=True)))
    assert store.find("first", make_section) is not None
    other_seed = PartStore(tmp_path / "parts", Run(quick=True, seed=2), afresh=False)
    assert other_seed.find("first", make_section) is None
    assert PartStore(tmp_path / "parts", Run(quick=False), afresh=False).find(
        "first", make_section
    ) is None  # fmt: skip


def test_the_command_prints_tables_and_writes_page_and_docs(tmp_path, monkeypatch, capsys):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "example.md").write_text("Head\n<!-- figures -->\nold\n<!-- end of figures -->\nFoot\n")
    monkeypatch.setattr(
        "sys.argv", ["example", "--quick", "--out", str(tmp_path), "--docs", str(docs)]
    )
    STUDY.main()
    printed = capsys.readouterr().out
    assert "1 exact, 1 differs" in printed
    page = (tmp_path / "example.html").read_text()
    assert "A table &amp; a picture" in page
    assert "<svg" in page
    assert "quick run" in page
    assert json.loads((tmp_path / "example.json").read_text())["verdicts"] == {
        "exact": 1,
        "differs": 1,
    }
    text = (docs / "example.md").read_text()
    assert "| median | 0.7 | 0.50 ± 0.01 | differs | not found |" in text
    assert "old" not in text
    assert text.endswith("Foot\n")
    assert (docs / "line.svg").read_text().startswith("<svg")


def test_docs_without_a_place_for_figures_are_left_alone(tmp_path):
    (tmp_path / "example.md").write_text("Nothing\n")
    with pytest.raises(SystemExit, match="must stand there"):
        write_docs("example", [make_section(Run(quick=True))], tmp_path)
    assert (tmp_path / "example.md").read_text() == "Nothing\n"


def test_a_name_has_one_stroke_in_all_panels_and_one_entry_in_the_legend():
    curves = {"RWN": ([1, 2], [3, 4]), "mdav": ([1, 2], [4, 3])}
    panels = [
        Panel(title="Risk", across="k", curves=curves, levels={"original": 2.0}, log="y"),
        Panel(title="Loss", across="k", curves={"mdav": curves["mdav"]}),
        Panel(title="Time", across="k", curves=curves),
    ]
    figure = draw_panels(panels)
    strokes = {
        (line.get_label(), line.get_color(), line.get_marker())
        for axes in figure.axes
        for line in axes.lines
    }
    assert len(figure.axes) == 3
    assert len(strokes) == 3
    figure.draw_without_rendering()
    assert "$" not in "".join(
        text.get_text() for text in figure.axes[0].get_yticklabels(which="both")
    )
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "RWN", "mdav", "original",
    ]  # fmt: skip
