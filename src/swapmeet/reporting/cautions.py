"""What a release is not protected against: short honest lists for those who decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.reporting.figures import listed

if TYPE_CHECKING:
    from collections.abc import Mapping

REAL_VALUES = (
    "Values are real: an extreme value is released as it is, with this or another row. Who knows "
    "that somebody has the highest value of a column learns that value."
)
ALIKE = (
    "People whose neighbours are all alike keep what they have in common, and whoever finds the "
    "group learns it."
)
CAUTIONS: dict[str, tuple[str, ...]] = {
    "rwn": (
        (
            "With q below 1, each value stays true with probability 1 - q, and a row may keep "
            "several true values together; with q = 1 a neighbour may still have the same value."
        ),
        "Nominal columns hardly change unless their weight in the distance is small.",
        REAL_VALUES,
        ALIKE,
    ),
    "nbrs": (
        "Records that were not chosen (1 - q of them) are released as they are.",
        (
            "That a record was suppressed tells that it was alone; where balls hold one or two "
            "records, little is hidden."
        ),
        REAL_VALUES,
    ),
    "sjppds": (
        (
            "A row keeps its vector of bins: whoever knows a person's values and the bins finds "
            "the row. With many bins every vector is unique."
        ),
        (
            "A value alone in its bin stays: in skewed columns these are the extremes. `min_bin` "
            "merges bins."
        ),
        REAL_VALUES,
    ),
    "mews": (
        (
            "The combinations of values that trade together are released as they are; only their "
            "link to the rest of the row is broken. Who knows these values finds them."
        ),
        "Rows alone in their cell, and the odd one out of a cell, keep their values.",
        "Who knows the grid finds a row's cell, and in small cells its partner.",
    ),
    "meds": (
        (
            "The combinations of values that trade together are released as they are; only their "
            "link to the rest of the row is broken. Who knows these values finds them."
        ),
        "With an odd k, one row of each group keeps its values.",
        "Who knows the groups names a row's partner with probability 1 / (k - 1).",
    ),
    "microaggregation": (
        (
            "Means tell: a group whose members have nearly the same value publishes it, and who "
            "knows all members but one can compute the last one's value."
        ),
        "By single columns (`by` = columns) rows do not become alike, and most are found again.",
        "Columns that are not masked together may tell the rows of a group apart.",
    ),
    "kl-theta": (
        (
            "Keys are released as they are: everybody can be found by them. Only the sensitive "
            "values are hidden, up to a guess that is right with probability theta."
        ),
        (
            "Diversity counts values, not meanings: a cluster of several similar values tells "
            "what they have in common."
        ),
        "Suppressed rows tell that they fit in no cluster.",
    ),
    "rank-swap": (
        (
            "The window is a promise that an intruder can use: the true value is within it for "
            "sure, in every column, and the intersection over columns may hold one person only. "
            "The variants distribution and buckets do not keep within it."
        ),
        REAL_VALUES,
    ),
    "noise": (
        (
            "Small noise on a column with large gaps between its values is undone by rounding to "
            "the nearest of them; extremes stay extreme."
        ),
        (
            "Noise that is independent from column to column averages out over columns that tell "
            "the same; correlated noise does not."
        ),
        "Nominal columns cannot get noise: they are released as they are, or masked otherwise.",
    ),
    "cart": (
        (
            "A leaf whose rows agree releases what they agree on; in tables with few distinct "
            "values draws may put a real record together again."
        ),
        REAL_VALUES,
    ),
    "data-shuffle": (
        (
            "Columns whose ranks agree perfectly travel together; in a very small stratum whole "
            "records may."
        ),
        "Predictors are released as they are, and who knows them learns what they predict.",
        REAL_VALUES,
    ),
    "per-column": (
        "Columns that no part names are released as they are.",
        "What is said of each method holds for its columns.",
    ),
}
GENERAL = (
    (
        "Attributes can be inferred from relations: what the release tells about people like "
        "somebody is told about that person, too, whether or not they are in the data."
    ),
    (
        "Releases of the same people add up: a second release of this table, or of an overlapping "
        "one, can be compared with the first, and each needs to be judged together with the "
        "others."
    ),
    (
        "The figures are about the intruder described above. One who knows more, or other "
        "columns, may do better."
    ),
    "Seed and audit record undo the masking. They must stay apart from the release.",
)


def cautions_of(method: str, settings: Mapping[str, Any]) -> list[str]:
    """What a method does not protect against; of a combination, for each of its methods.

    >>> cautions_of("mews", {})[1]
    'Rows alone in their cell, and the odd one out of a cell, keep their values.'
    """
    own = list(CAUTIONS.get(method, ()))
    for part in settings.get("parts", ()):
        about = listed(part["columns"])
        own += [f"{about} ({part['name']}): {one}" for one in cautions_of(part["name"], part)]
    return own
