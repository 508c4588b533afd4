"""A scorecard as a terminal shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.base.sentences import figure as say_figure
from swapmeet.base.sentences import short_figure
from swapmeet.cli.figures import figure, say_interval
from swapmeet.cli.output import Output, count, percent
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.comparison.score import Judgement, Score
from swapmeet.measures.default_limits import LOSSES

if TYPE_CHECKING:
    from collections.abc import Collection

    from swapmeet.measures.scorecard import Scorecard
    from swapmeet.measures.side_by_side.answers import Answers, RareRecords
    from swapmeet.measures.side_by_side.components import PCAComparison
    from swapmeet.measures.side_by_side.interval_coverage import IntervalCoverage
    from swapmeet.measures.side_by_side.models import ModelComparison, TableComparison
    from swapmeet.measures.side_by_side.selectivity import Selectivity
    from swapmeet.measures.verdict import Reason, Verdict


LINKAGE = "linkage"
"""The measure whose intruder is that of the verdict."""


def show_card(
    output: Output,
    card: Scorecard,
    *,
    in_full: Collection[str] = (),
    whole: bool = True,
    hint: bool = True,
) -> None:
    """The verdict, then measures, then the analyses.

    Measures to be shown `in_full` have their sentence. The `whole` card has every measure, those
    with a limit in full, too; without it the card is short, and a `hint` says how to see the rest.
    """
    if whole:
        _show_all(output, card, in_full)
    else:
        _show_opening(output, card, in_full, hint=hint)
    _show_analyses(output, card)
    if card.notes:
        output.heading("Notes")
    for note in card.notes:
        output.prose(note, bullet="-")
    output.line()


def describe_card(card: Scorecard) -> dict[str, Any]:
    """The card for machines; of a profile only the queries, for it is made for pictures."""
    content = card.to_dict()
    curves = card.profile.selectivities if card.profile else ()
    return {**content, "profile": None, "selectivity": [curve.to_dict() for curve in curves]}


def _show_opening(output: Output, card: Scorecard, in_full: Collection[str], *, hint: bool) -> None:
    """The verdict in about ten lines, and what was asked for by name."""
    show_summary(output, card, in_full)
    for title, scores in card.families().items():
        _show_family(output, title, [s for s in scores if s.measure in in_full], in_full)
    rest = say_the_rest(card) if hint else ""
    if rest:
        output.line()
        output.prose(rest)


def _show_all(output: Output, card: Scorecard, in_full: Collection[str]) -> None:
    """The verdict with all that follows from it, and every measure."""
    _show_verdict(output, card)
    output.prose(_describe_intruders(card))
    full = {*in_full, *card.verdict.limits}
    for title, scores in card.families().items():
        _show_family(output, title, scores, full)
    if any(score.measure not in full for score in card):
        output.line()
        output.prose("--measure NAME shows a measure with its sentence, --measure all each.")
    summary = card.overall()
    if summary:
        output.heading("Overall")
        output.prose(summary.sentence)


def _show_analyses(output: Output, card: Scorecard) -> None:
    """Show the analyses that were ordered besides measures."""
    for comparison in card.models:
        _show_model(output, comparison)
    for coverage in card.coverage:
        _show_coverage(output, coverage)
    if card.components:
        _show_components(output, card.components)
    for table in card.tables:
        _show_table(output, table)
    for rare in card.rare:
        _show_rare(output, rare)
    for curve in card.profile.selectivities if card.profile else ():
        _show_selectivity(output, curve)
    if card.answers:
        _show_answers(output, card.answers)


def _describe_intruders(card: Scorecard) -> str:
    """Describe the number of rows, the people they belong to, and what intruders know."""
    text = (
        f"{count(card.rows)} rows; owners {card.ownership}; an intruder knows "
        f"{', '.join(card.known)}."
    )
    if LINKAGE not in card.scores:
        return text
    named = "" if card.level is Knowledge.EVERYTHING else f" ({', '.join(card.keys)})"
    return (
        f"{text} The intruder of the verdict {card.level.words}{named}, and how the table was "
        "masked."
    )


def _show_verdict(output: Output, card: Scorecard) -> None:
    """The verdict, how each limit stands, and what to do next."""
    verdict = card.verdict
    show_decision(output, card)
    show_limits(output, verdict)
    if verdict.advice:
        output.heading("What to do next")
    for advice in verdict.advice:
        output.prose(advice, bullet="-")
    output.line()


def _show_family(output: Output, title: str, scores: list[Score], full: Collection[str]) -> None:
    """A family of measures: some with their sentence, the others a line each."""
    full_scores = [score for score in scores if score.measure in full]
    folded = [score for score in scores if score.measure not in full]
    if full_scores:
        output.heading(title)
    for score in full_scores:
        _show_score(output, score)
    if folded:
        output.heading(f"More measures of {title.lower()}" if full_scores else title)
        output.table(
            ["measure", "value", "interval", "better", "range"],
            [[s.measure, "–" if s.undefined else short_figure(s.value), say_interval(s),
              str(s.direction), _range(s)] for s in folded],
        )  # fmt: skip


def _show_score(output: Output, score: Score) -> None:
    line = f"{score.measure}  {short_figure(score.value)}" if not score.undefined else score.measure
    if score.interval:
        line += f"  {say_interval(score)}"
    output.line(f"{line}  {score.direction} is better, {_range(score)}")
    output.prose(score.sentence, bullet="   ")


def _show_model(output: Output, model: ModelComparison) -> None:
    output.heading(model.formula)
    if model.undefined:
        output.prose(f"Not defined: {model.undefined}.")
        return
    output.table(
        ["term", "original", "se", "release", "se", "shift in se"],
        [
            [c.name, figure(c.original), figure(c.original_error), figure(c.released),
             figure(c.released_error), f"{c.shift:.2f}"]
            for c in model.coefficients
        ],
    )  # fmt: skip
    line = f"rows {count(model.original_rows)} and {count(model.released_rows)}"
    if model.original_r_squared is not None and model.released_r_squared is not None:
        before, after = figure(model.original_r_squared), figure(model.released_r_squared)
        line = f"R squared {before} and {after}; {line}"
    output.line(line)
    influence = model.influence
    if influence is None:
        return
    line = f"Largest Cook's distance {figure(influence.original)} and {figure(influence.released)}"
    if influence.kept is not None:
        line += f"; the most influential person's released row has {figure(influence.kept)}"
    output.line(line)


def _show_coverage(output: Output, coverage: IntervalCoverage) -> None:
    output.heading(f"Intervals of {coverage.formula}")
    if coverage.terms:
        output.table(
            ["term", "covers", "within", "bias", "sd / se", "factor", "covers then"],
            [[t.name, f"{t.coverage:.3f}", f"{t.interval[0]:.3f}-{t.interval[1]:.3f}",
              f"{t.bias:+.2f}", f"{t.ratio:.2f}", f"{t.widening:.1f}", f"{t.corrected:.3f}"]
             for t in coverage.terms],
        )  # fmt: skip
    output.prose(coverage.sentence)
    if coverage.terms:
        output.prose(
            f"From {count(coverage.replicates)} further releases. covers: how often a 95 % "
            "interval covers, over samples and releases, and then with standard errors multiplied "
            "by the factor. bias: what masking adds to the coefficient; sd: its true standard "
            "deviation; both in standard errors that the release shows (se)."
        )


def _show_components(output: Output, comparison: PCAComparison) -> None:
    output.heading(f"Principal components of {', '.join(comparison.columns)}")
    output.table(
        ["component", "original", "release", "agreement"],
        [
            [
                str(number),
                percent(c.original_share),
                percent(c.released_share),
                f"{c.agreement:.3f}",
            ]
            for number, c in enumerate(comparison.components, 1)
        ],
    )
    output.prose("original, release: share of the variance. agreement: 1 is the same direction.")


def _show_table(output: Output, table: TableComparison) -> None:
    weighted = f", weighted by {table.weight}" if table.weight else ""
    output.heading(f"Table of {', '.join(table.columns)}{weighted}")
    largest = figure(table.largest) if table.weight else table.largest
    output.prose(
        f"{percent(table.misplaced)} of the records stand in another cell; of {table.cells} cells "
        f"{table.appeared} appeared and {table.vanished} vanished, and the largest change is "
        f"{largest}."
    )


def _show_rare(output: Output, records: RareRecords) -> None:
    output.heading(records.condition)
    output.prose(records.sentence)


def _show_answers(output: Output, answers: Answers) -> None:
    """The counts of each query; conditions are the user's own, and are told by their columns."""
    output.heading("Your queries")
    other = [answer.baseline for answer in answers.answers if answer.baseline is not None]
    rows = [
        [str(number), ", ".join(answer.condition.columns), count(answer.original),
         count(answer.released), *([count(answer.baseline or 0)] if other else []),
         percent(answer.off)]
        for number, answer in enumerate(answers.answers, 1)
    ]  # fmt: skip
    more = ["other release"] if other else []
    output.table(["query", "columns", "original", "release", *more, "off"], rows)
    output.prose(answers.sentence)


def _show_selectivity(output: Output, curve: Selectivity) -> None:
    output.heading(f"Queries that count {curve.target} and select by {curve.column}")
    output.table(
        ["values selected", "queries", "error"],
        [[percent(p.selectivity), count(p.queries), f"{p.value:.3f}"] for p in curve.points],
    )
    output.prose(
        "error: 0 is exact, 1 as bad as if the counted values had been dealt out at random."
    )


def _range(score: Score) -> str:
    low, high = score.bounds
    return f"from {low:g} to {high:g}" if high < float("inf") else f"from {low:g} up"


ADVICES = 2
"""Things to do next that are shown."""
STYLES = {Judgement.SAFE: "green", Judgement.NOT_SAFE: "bold red", Judgement.OPEN: "yellow"}
STANDINGS = {judgement.standing: style for judgement, style in STYLES.items()}


def show_summary(output: Output, card: Scorecard, full: Collection[str] = ()) -> None:
    """The verdict, its limits, the loss in a line and what to do next.

    Measures that are shown in `full` below are left out of the line.
    """
    verdict = card.verdict
    show_decision(output, card)
    show_limits(output, verdict)
    output.line()
    if card.by_default:
        risks = [score.measure for score in card.families()["Risk"]]
        others = [name for name in risks if name not in verdict.limits]
        _show_line(output, "Risk without a limit", card, others)
    _show_line(output, "Loss (0 is none)", card, [name for name in LOSSES if name not in full])
    if not verdict.safe:
        for advice in verdict.advice[:ADVICES]:
            output.prose(advice, bullet="-")
    output.prose(f"{count(card.rows)} rows; owners {card.ownership}.")


def _show_line(output: Output, title: str, card: Scorecard, names: Collection[str]) -> None:
    """Measures in a line, as far as they were taken and have a value."""
    scores = [card.scores[name] for name in names if name in card.scores]
    figures = [f"{one.measure} {say_figure(one.value)}" for one in scores if not one.undefined]
    if figures:
        output.prose(f"{title}: {', '.join(figures)}.")


def show_decision(output: Output, card: Scorecard) -> None:
    """Say what is risked, and what is lost."""
    sentence = card.verdict.sentence
    output.prose(sentence, opening=max(sentence.find(" under "), 0), style=choose_style(card))
    output.prose(card.losses.sentence)


def choose_style(card: Scorecard) -> str:
    """Colour a verdict: green is what may be published, red what is not safe."""
    if card.reproducible and card.verdict.safe:
        return STYLES[Judgement.OPEN]
    return STYLES[card.verdict.judgement]


def show_limits(output: Output, verdict: Verdict) -> None:
    """Say how each limit stands."""
    if not verdict.reasons:
        return
    output.heading("Default limits" if verdict.default else "Limits")
    output.table(
        ["measure", "value", "interval", "limit", ""], list(map(_row, verdict.reasons)),
        styles=STANDINGS,
    )  # fmt: skip


def _row(reason: Reason) -> list[str]:
    score = reason.score if reason.decided else None
    value = "–" if score is None else short_figure(score.value)
    return [
        reason.measure,
        value,
        say_interval(score),
        figure(reason.limit),
        reason.judgement.standing,
    ]


def say_the_rest(card: Scorecard) -> str:
    """Say how many measures were left out, and how to take them; empty if none were."""
    if not card.left_out:
        return ""
    return (
        f"{card.left_out} more measures were not taken: --full takes all, --measure NAME one, in "
        "words."
    )
