"""K-L-θ swapping: sensitive values are permuted inside diverse clusters of similar rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from swapmeet.algorithms.groups.kl_theta.clustering import Clustering, select_role
from swapmeet.algorithms.groups.kl_theta.conditions import Conditions
from swapmeet.core.base.notes import Joining, MergeableNote
from swapmeet.core.base.params import Count, Fraction, OneOf, Switch, Tries, Weights
from swapmeet.core.release.donors import SUPPRESSED, DonorMap
from swapmeet.core.release.outcome import Outcome
from swapmeet.core.tables.schema import Role
from swapmeet.errors import ParameterError, TableError
from swapmeet.methods.base import Method
from swapmeet.methods.description import (
    Description,
    PublicSetting,
    describe_bound,
    describe_count,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.algorithms.likelihood import Evidence, Likelihood
    from swapmeet.core.base.parallel import Workers
    from swapmeet.core.base.seeds import Streams
    from swapmeet.core.tables.microdata import Microdata, Variable
    from swapmeet.core.tables.schema import Column

FEW_TRIES = 10

CAUTIONS = (
    (
        "Keys are released as they are: everybody can be found by them. Only the sensitive "
        "values are hidden, up to a guess that is right with probability theta."
    ),
    (
        "Diversity counts values, not meanings: a cluster of several similar values shows "
        "what they have in common."
    ),
    "Suppressed values show that their row fits in no cluster.",
)


@dataclass(frozen=True, kw_only=True)
class KLTheta(Method):
    """The sensitive values are permuted at random inside clusters of rows with similar keys.

    Every cluster has at least `k` rows and, in each sensitive column, at least `l` distinct values,
    none of which has a larger share of its rows than `theta`. So an intruder who finds a person by
    the keys learns the cluster, and guesses the person's value with a probability of at most
    `theta`. A larger `k` or `l` and a smaller `theta` hide more, and mix rows that are less alike.
    Keys stay as they are.

    `strategy` "balanced" grows every cluster to the same size, the least that the conditions allow.
    "paper" gives the clusters of the paper's algorithm, except that those which break a condition
    in the end are not released; it has larger clusters and is slower.

    Reference: Boger (2020), sections 3.1 and 3.2.

    >>> import swapmeet as sm
    >>> schema = sm.datasets.schema("diabetes")
    >>> release = sm.mask(sm.datasets.load("diabetes"), sm.KLTheta(), schema=schema, seed=1)
    >>> release.notes[0]
    '44 clusters of 10 to 12 rows.'
    """

    name: ClassVar[str] = "kl-theta"
    summary: ClassVar[str] = "sensitive values are permuted inside diverse clusters of similar rows"
    leaves: ClassVar[str] = (
        "Keys stay as they are: whoever knows a person's keys finds the person's row. Only "
        "sensitive columns are masked."
    )
    remedy: ClassVar[str] = "A larger k or l, or a smaller theta, lets a column change more."

    k: Annotated[
        int,
        Count(2),
        "a cluster has at least this many rows",
        Tries(3, 5, 7, 10, 15, 20, 30, 50, 75, 100),
    ] = 10
    l: Annotated[  # noqa: E741
        int,
        Count(1),
        "and at least this many distinct values in each sensitive column",
        Tries(2, 3, 5),
    ] = 5
    theta: Annotated[
        float,
        Fraction(above=True),
        "no value has a larger share of a cluster's rows than this",
        Tries(0.3, 0.5, 0.7, 0.9),
    ] = 0.3
    weights: Annotated[
        float | dict[str, float],
        Weights(),
        "weight of key columns in the distance: column=weight pairs, or one number for all nominal "
        "ones",
    ] = 1.0
    strategy: Annotated[
        str,
        OneOf(("balanced", "paper")),
        "clusters of equal size, or those of the paper's algorithm",
    ] = "balanced"
    leftover: Annotated[
        str,
        OneOf(("suppress", "refuse")),
        "rows that fit in no cluster: suppress their sensitive values, or refuse the release",
    ] = "suppress"
    together: Annotated[
        bool,
        Switch(),
        "several sensitive columns take their values from the same row, or each from another",
    ] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        conflicts = [f"KLTheta: {conflict}" for conflict in self._conditions.list_conflicts()]
        if conflicts:
            raise ParameterError("\n".join(conflicts))

    @property
    def description(self) -> Description:
        return Description(
            title="swapping in diverse clusters",
            people=f"You were put in a group of {describe_count(self.k)} people who are like you "
            "and whose sensitive values differ. These values were shuffled within the group. "
            "All your other values are published as they are, and whoever knows them may find your "
            "row, but does not learn which of the group's sensitive values is yours.",
            analysts="Columns that are not sensitive are exact, and each sensitive column has the "
            "values it had. Relations between sensitive and other columns are a little weaker.",
            settings=(
                PublicSetting("people in a cluster", describe_count(self.k)),
                PublicSetting(
                    "largest share of one value in a cluster", describe_bound(self.theta)
                ),
            ),
            cautions=CAUTIONS,
        )

    def masks(self, column: Column) -> bool:
        return column.role is Role.SENSITIVE

    @property
    def _conditions(self) -> Conditions:
        return Conditions(self.k, self.l, self.theta)

    @property
    def _clustering(self) -> Clustering:
        return Clustering(
            method=self.name,
            conditions=self._conditions,
            weights=self.weights,
            strategy=self.strategy,
        )

    def check(self, data: Microdata) -> None:
        super().check(data)
        self._clustering.check(data)

    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        order = streams.stream("order").permutation(data.n)
        labels = self._clustering.find_clusters(data, workers, order)
        left = int((labels < 0).sum())
        if left and self.leftover == "refuse":
            raise TableError(
                f"kl-theta: {left} of {data.n} rows fit in no cluster, so nothing is released. "
                'Lower `k` or `l`, raise `theta`, or choose leftover="suppress".'
            )
        sensitive = [variable.name for variable in select_role(data, Role.SENSITIVE)]
        sizes = np.bincount(labels[labels >= 0])
        donors = np.empty((len(data.variables), data.n), np.int64)
        donors[:] = np.arange(data.n)
        columns = [data.names.index(name) for name in sensitive]
        if self.together:
            donors[columns] = _permute(labels, streams.random_bits(data.n, "values"))
        else:
            for name, column in zip(sensitive, columns, strict=True):
                donors[column] = _permute(labels, streams.random_bits(data.n, "values", name))
        return Outcome(
            DonorMap(donors.T),
            facts=(
                _count_clusters(sizes[sizes > 0]),
                _say_kept(select_role(data, Role.KEY)),
            ),
            notes=_notes(left, data.n, sensitive),
        )

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:
        """Keys stay as they are, and tell whose row it is; so do sensitive values, a little.

        Clusters depend on a random order, so that an intruder can only try them out.
        """
        from swapmeet.methods.simulation import simulate_attack

        return simulate_attack(self, seen, FEW_TRIES) if seen.complete else ()


def _permute(labels: npt.NDArray[np.int64], words: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """A donor of the same cluster for each row; none for rows in no cluster."""
    from swapmeet.algorithms.exchange.permute import permute_within_groups

    donors = permute_within_groups(labels, words)
    donors[labels < 0] = SUPPRESSED
    return donors


def _count_clusters(sizes: npt.NDArray[np.int64]) -> MergeableNote:
    joins: dict[str, Joining] = {"count": sum, "low": min, "high": max}
    low, high = (int(sizes.min()), int(sizes.max())) if len(sizes) else (np.inf, 0)
    return MergeableNote.of(_say_clusters, joins, count=len(sizes), low=low, high=high)


def _say_clusters(count: int, low: int, high: int) -> str:
    if count == 0:
        return "no cluster satisfies the conditions."
    rows = f"{low}" if low == high else f"{low} to {high}"
    return f"{count} cluster{'' if count == 1 else 's'} of {rows} rows."


def _notes(left: int, rows: int, names: list[str]) -> tuple[str, ...]:
    if not left:
        return ()
    return (MergeableNote.of(_say_suppressed, {"left": sum}, left=left, rows=rows, names=names),)


def _say_kept(keys: list[Variable]) -> str:
    names = ", ".join(key.name for key in keys)
    return f"keys are released as they are, and whoever knows them finds people by them: {names}."


def _say_suppressed(left: int, rows: int, names: list[str]) -> str:
    values = f"their values of {', '.join(names)} are missing"
    return f"{left} of {rows} rows fit in no cluster and were suppressed: {values}."
