"""Guesses about people from a release, beyond what strangers' data would reveal."""

from __future__ import annotations

from typing import Any

from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.comparison.score import SAMPLED, Score
from swapmeet.intruders.guesses.guess_result import guess_all
from swapmeet.intruders.guesses.secrets import list_all_secrets, list_known, list_secrets
from swapmeet.measures.base import RiskMeasure


class Inference(RiskMeasure):
    """Excess of an intruder's right guesses of a person's value over those from strangers' data.

    Each sensitive column is unknown in turn (each masked one, if none is named). The intruder knows
    the keys, or at the level "everything" all other columns, and guesses in four ways: from the
    nearest released row; from the row that agrees exactly in most values, rare ones first; by the
    most frequent value of the five nearest rows; by that of a leaf of a tree grown on the release.
    Each way is tried with all that is known, and with the columns that moved together with the
    unknown one. Another intruder looks at parts only: at random halves of what is known, and at the
    columns that came from the same person as the unknown one clearly more often than is usual in
    the release; from the nearest row, and from the one that agrees most. The worse of the two
    counts, so that more knowledge never means less risk. Categories and columns of few values must
    be guessed exactly, other numbers within 5 % of their standard deviation. Rows that are equally
    good share the guess.

    The same guess is made once more without the person: without the row in their place and every
    row in which they gave the unknown cell or a known one. What is still guessed then, others' data
    reveal about everybody, and that is what a release is for. The value is the difference of the
    two shares of right guesses, for the column and way where it is largest; these are chosen on one
    half of the people and judged on the other, in both directions. Leaving rows out agrees with
    holding people out before masking: on halves of the census data, RWN (k = 5) gains 0.26 and
    0.25, RWN (k = 50) 0.05 and 0.06, CART (leaf 5) 0.52 and 0.52; in coarse tables and small
    neighbourhoods it is stricter (`fair`, RWN with k = 5: 0.31 and 0.20).

    If people are given who are not in the file (`control`), their values are guessed instead of
    leaving rows out. Where it is not known who gave which cell, the second guess is the best one
    from the original data of all others. Values that were made, such as means of groups, are
    nobody's; only the row in the person's place is left out then.

    An unchanged release scores 1 less what strangers' data reveal, one with shuffled columns 0.
    """

    name = "inference"
    growth = "people × rows × columns × secrets; beyond 100 columns 10 secrets, and fewer people"
    remedy = (
        "Some values can be guessed from the other columns. Mask the guessed columns, or the "
        "keys, more strongly."
    )
    question = "What can an intruder learn about a person that other people's data do not reveal?"
    in_sample = ", in which known values of other rows are not found"
    by_pairs = True

    def score(self, comparison: Comparison) -> Score:
        guesses = guess_all(comparison, comparison.level)
        guessed, secrets = list_secrets(comparison), comparison.once(list_all_secrets)
        return self.make_score(
            guesses.excess.value,
            guesses.sentence + _tell_asked(len(guessed), len(secrets)),
            interval=guesses.excess.interval,
            details={**guesses.details, **_look_beside(comparison)},
            hidden=SAMPLED if len(guessed) < len(secrets) else "",
            finding=guesses.finding,
            finding_in=100,
        )


def _tell_asked(guessed: int, secrets: int) -> str:
    if guessed == secrets:
        return ""
    return (
        f" {guessed} of {secrets:,} columns, drawn at random, were guessed; others may be guessed "
        "more often. Name the sensitive ones."
    )


def _look_beside(comparison: Comparison) -> dict[str, Any]:
    """Guess as an intruder who knows everything else, where the keys are not everything."""
    level, secrets = Knowledge.EVERYTHING, list_secrets(comparison)
    if all(set(list_known(comparison, secret, comparison.level))
           == set(list_known(comparison, secret, level)) for secret in secrets):  # fmt: skip
        return {}
    excess = guess_all(comparison, level).excess
    return {
        "excess knowing every other column": excess.value,
        "at most, knowing every other column": excess.interval[1],
    }
