"""What was done, in plain words, for the people in the data and for those who analyse it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from swapmeet.reporting.figures import listed
from swapmeet.reporting.told import chance, crowd

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Settings = Mapping[str, Any]

CANDOUR = (
    "No such protection is perfect: someone who already knows much about you might still guess "
    "something right. But they cannot be sure that what they see is yours."
)
"""For the people in the data, whatever the method."""

ADVICE = (
    (
        "Standard errors and p-values of usual software do not include the uncertainty that "
        "masking adds: read intervals as a little too narrow, and results near a threshold with "
        "caution."
    ),
    (
        "Do not draw conclusions about single records or link records with other sources: a row "
        "does not describe one real person."
    ),
    "Figures about small groups are the least reliable. Prefer groups of a hundred or more.",
    (
        "Missing values moved or stayed like other values; a missing value need not be that of "
        "the person whose row it stands in."
    ),
    "Columns marked as published unmasked are exact.",
)
"""For analysts, whatever the method."""


@dataclass(frozen=True)
class Words:
    """A method's full name, what it did to a person's values, and what that means for analyses."""

    title: str
    people: Callable[[Settings], str]
    analysts: str


def _rwn(settings: Settings) -> str:
    q = float(settings.get("q", 1.0))
    whose = f"that of a person who is similar to you, one of {crowd(settings.get('k', 5))}"
    if q == 1.0:
        return (
            f"Each of your values was replaced by {whose}, drawn anew for each value. It may "
            "happen to be the same as yours."
        )
    return (
        f"Each of your values was replaced, {chance(q)}, by {whose}. Even if somebody found your "
        "record, they could not tell which of its values are still yours."
    )


def _nbrs(settings: Settings) -> str:
    return (
        f"Your record was chosen for masking {chance(float(settings.get('q', 1.0)))}. If it was, "
        "each of its values was replaced by that of a person who is similar to you; if nobody is, "
        "the values were removed."
    )


def _sjppds(settings: Settings) -> str:  # noqa: ARG001
    return (
        "Each of your values traded places with that of another person who has a value in the "
        "same range, and not all with the same person. Where nobody else had a value in that "
        "range, yours stayed."
    )


def _mews(settings: Settings) -> str:  # noqa: ARG001
    return (
        "A block of your values traded places with the same block of another person whose values "
        "lie in the same ranges. Where there was no such person, the block stayed."
    )


def _meds(settings: Settings) -> str:
    return (
        "A block of your values traded places with the same block of another person, one of "
        f"{crowd(settings.get('k', 5))} who are most like you."
    )


def _microaggregation(settings: Settings) -> str:
    group = f"a group of {crowd(settings.get('k', 3))} people who are like you"
    if settings.get("permute"):
        return f"Each of your values traded places with that of somebody in {group}."
    if settings.get("by") == "columns":
        return (
            "Each of your values was replaced by the average of some values that are close to it, "
            "each taken by itself."
        )
    return (
        f"Each of your values was replaced by the average of {group}: all of them now have the "
        "same values."
    )


def _kl_theta(settings: Settings) -> str:
    return (
        f"You were put in a group of {crowd(settings.get('k', 10))} people who are like you and "
        "whose sensitive values differ. These values were shuffled within the group. Somebody who "
        "finds the group does not learn which of its values is yours."
    )


def _rank_swap(settings: Settings) -> str:
    told = (
        "Each of your values traded places with that of another person who has a similar value, a "
        "little higher or lower, and not all with the same person."
    )
    if settings.get("top") or settings.get("bottom"):
        told += " The most extreme values were replaced by their average."
    return told


def _noise(settings: Settings) -> str:  # noqa: ARG001
    return (
        "A random number was added to each of your numbers, or taken from it, so that it is no "
        "longer exact."
    )


def _cart(settings: Settings) -> str:
    return (
        "The published records are put together from values of different people: each value was "
        f"drawn at random from {crowd(settings.get('min_leaf', 5))} people with similar values in "
        "other respects. No published record is yours."
    )


def _data_shuffle(settings: Settings) -> str:  # noqa: ARG001
    return (
        "The values of each column, yours among them, were dealt out anew among all people, in "
        "such a way that relations between columns stay. The values in a published record belong "
        "to different people."
    )


def _per_column(settings: Settings) -> str:
    parts = [
        f"As for {listed(part['columns'])}: {people(part['name'], part)}"
        for part in settings.get("parts", ())
    ]
    return " ".join(["Your values were masked in different ways.", *parts])


WORDS: dict[str, Words] = {
    "rwn": Words(
        "randomization within neighbourhoods",
        _rwn,
        "Relations between columns are kept, and tend to be a little weaker than in the original. "
        "Values may occur more or less often than they did.",
    ),
    "nbrs": Words(
        "redrawing records within a ball",
        _nbrs,
        "Relations between columns are kept, and tend to be a little weaker than in the original. "
        "Records without neighbours have missing values, so that what is missing is not missing "
        "at random.",
    ),
    "sjppds": Words(
        "sequential joint probability preserving data shuffling",
        _sjppds,
        "Each column has exactly the values it had. Relations between columns are a little weaker "
        "on a scale finer than the bins.",
    ),
    "mews": Words(
        "multivariate equi-width data swapping",
        _mews,
        "Each column has exactly the values it had, and relations among the columns that traded "
        "together are exact. Their relations to the other columns are a little weaker.",
    ),
    "meds": Words(
        "multivariate equi-depth data swapping",
        _meds,
        "Each column has exactly the values it had, and relations among the columns that traded "
        "together are exact. Their relations to the other columns are a little weaker.",
    ),
    "microaggregation": Words(
        "microaggregation",
        _microaggregation,
        "Means are kept. Where values became those of a group, variances are too small and "
        "correlations tend to be too strong; extremes are gone.",
    ),
    "kl-theta": Words(
        "swapping in diverse clusters",
        _kl_theta,
        "Columns that are not sensitive are exact, and each sensitive column has the values it "
        "had. Relations between sensitive and other columns are a little weaker.",
    ),
    "rank-swap": Words(
        "rank swapping",
        _rank_swap,
        "Each column has the values it had, apart from extremes that were averaged. Correlations "
        "tend to be weaker than in the original.",
    ),
    "noise": Words(
        "noise addition",
        _noise,
        "Means are kept up to chance. Variances are larger by that of the noise, and relations "
        "are weaker unless the noise follows them; models for measurement error can correct this.",
    ),
    "cart": Words(
        "synthesis by regression trees",
        _cart,
        "The data are synthetic: relations that the trees found are kept, others may be missing. "
        "Confirm important findings on the original data where that can be arranged.",
    ),
    "data-shuffle": Words(
        "data shuffling",
        _data_shuffle,
        "Each column has exactly the values it had, and rank correlations are kept. Relations "
        "that "
        "are not monotone, such as U-shapes and interactions, are lost.",
    ),
    "per-column": Words(
        "different methods for different columns",
        _per_column,
        "Relations between columns that were masked by different methods are the weakest.",
    ),
}
UNKNOWN = Words(
    "a masking method",
    lambda _: "Your values were changed before publication, so that they are no longer yours.",
    "How values were changed is not known to this report.",
)


def words_of(method: str | None) -> Words:
    """The words for a method; general ones for a method from elsewhere."""
    return WORDS.get(method or "", UNKNOWN)


def people(method: str | None, settings: Settings) -> str:
    """What happened to a person's values.

    >>> people("rwn", {"k": 20, "q": 0.8})[:66]
    'Each of your values was replaced, in about 8 of 10 cases, by that '
    """
    return words_of(method).people(settings)
