"""How a scorecard is shown in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.cli.output import Output, count, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.measures.score import Score
    from swapmeet.measures.scorecard import Scorecard
    from swapmeet.measures.side_by_side.models import ModelComparison
    from swapmeet.measures.side_by_side.pca import PCAComparison
    from swapmeet.measures.side_by_side.rare import RareRecords
    from swapmeet.measures.side_by_side.tables import TableComparison


def show_card(output: Output, card: Scorecard, limits: Mapping[str, float]) -> None:
    """All scores with their sentences, then the analyses."""
    output.prose(
        f"{count(card.rows)} rows; owners {card.ownership}; an intruder knows "
        f"{', '.join(card.known)}."
    )
    for title, scores in card.families().items():
        output.heading(title)
        for score in scores:
            _show_score(output, score, _verdict(card, score.measure, limits))
    summary = card.overall()
    if summary:
        output.heading("Overall")
        output.prose(summary.sentence)
    for comparison in card.models:
        _show_model(output, comparison)
    if card.components:
        _show_components(output, card.components)
    for table in card.tables:
        _show_table(output, table)
    for found in card.rare:
        _show_rare(output, found)
    if card.notes:
        output.heading("Notes")
    for note in card.notes:
        output.prose(note, bullet="-")
    output.line()


def _verdict(card: Scorecard, name: str, limits: Mapping[str, float]) -> str:
    """Whether the limit of a measure is kept, and by which measure if another decides."""
    if name not in limits:
        return ""
    decisive = card.decisive(name)
    kept = "met" if decisive.keeps(limits[name]) else "NOT MET"
    by = "" if decisive.measure == name else f" by {decisive.measure}"
    return f"; limit {figure(limits[name])} {kept}{by}"


def _show_score(output: Output, score: Score, verdict: str) -> None:
    line = f"{score.measure}  {figure(score.value)}" if not score.undefined else score.measure
    if score.interval:
        line += f"  [{figure(score.interval[0])}, {figure(score.interval[1])}]"
    line += f"  {score.direction} is better, {_range(score)}"
    output.line(line + verdict)
    output.prose(score.sentence, bullet="   ")


def _show_model(output: Output, model: ModelComparison) -> None:
    output.heading(model.formula)
    output.table(
        ["term", "original", "se", "release", "se", "shift in se"],
        [
            [c.name, figure(c.original), figure(c.original_error), figure(c.released),
             figure(c.released_error), f"{c.shift:.2f}"]
            for c in model.coefficients
        ],
    )  # fmt: skip
    output.line(
        f"R squared {figure(model.original_r_squared)} and {figure(model.released_r_squared)}; "
        f"rows {count(model.original_rows)} and {count(model.released_rows)}"
    )
    influence = model.influence
    told = f"Largest Cook's distance {figure(influence.original)} and {figure(influence.released)}"
    if influence.kept is not None:
        told += f"; the most influential person's released row has {figure(influence.kept)}"
    output.line(told)


def _show_components(output: Output, found: PCAComparison) -> None:
    output.heading(f"Principal components of {', '.join(found.columns)}")
    output.table(
        ["component", "original", "release", "agreement"],
        [
            [
                str(number),
                percent(c.original_share),
                percent(c.released_share),
                f"{c.agreement:.3f}",
            ]
            for number, c in enumerate(found.components, 1)
        ],
    )
    output.prose("original, release: share of the variance. agreement: 1 is the same direction.")


def _show_table(output: Output, table: TableComparison) -> None:
    output.heading(f"Table of {', '.join(table.columns)}")
    output.prose(
        f"{percent(table.misplaced)} of the records stand in another cell; of {table.cells} cells "
        f"{table.appeared} appeared and {table.vanished} vanished, and the largest change is "
        f"{table.largest}."
    )


def _show_rare(output: Output, found: RareRecords) -> None:
    output.heading(found.condition)
    output.prose(found.sentence)


def _range(score: Score) -> str:
    low, high = score.bounds
    return f"from {low:g} to {high:g}" if high < float("inf") else f"from {low:g} up"


def figure(value: Any) -> str:
    """A number for people.

    >>> figure(0.123456), figure(1234567.0), figure(0.0), figure(3)
    ('0.1235', '1.235e+06', '0', '3')
    """
    return f"{value:.4g}"
