"""K-L-θ swapping: sensitive values are permuted inside diverse clusters of similar rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from swapmeet.algorithms.groups.kl_theta.conditions import Conditions
from swapmeet.algorithms.groups.kl_theta.sensitive import SensitiveCodes, encode_sensitive
from swapmeet.core.base.notes import Joining, MergeableNote
from swapmeet.core.base.params import Count, Fraction, OneOf, Switch, Tries, Weights
from swapmeet.core.release.donors import SUPPRESSED, DonorMap
from swapmeet.core.release.outcome import Outcome
from swapmeet.core.tables.schema import Kind, Role
from swapmeet.errors import ParameterError, SchemaError, SwapmeetError, TableError, did_you_mean
from swapmeet.methods.base import Method
from swapmeet.methods.description import (
    Description,
    PublicSetting,
    describe_bound,
    describe_count,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from swapmeet.algorithms.groups.kl_theta.keys import EncodedKeys
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
        problems = []
        if self.theta < 1 / self.l:
            problems.append(
                f"KLTheta: `theta` must be at least 1/`l`; got theta = {self.theta:g} and "
                f"l = {self.l}. Raise `theta` to {1 / self.l:.3g}, or raise `l`."
            )
        if self._conditions.most(self.k) < 1:
            problems.append(
                f"KLTheta: `theta` times `k` must be at least 1; got theta = {self.theta:g} and "
                f"k = {self.k}: a cluster of k rows could hold no value even once. Raise one."
            )
        if problems:
            raise ParameterError("\n".join(problems))

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

    def check(self, data: Microdata) -> None:
        super().check(data)
        keys, sensitive = _select_role(data, Role.KEY), _select_role(data, Role.SENSITIVE)
        problems = [*_find_missing_roles(keys, sensitive), *self._unknown_weights(keys)]
        problems += [
            f"kl-theta: no two rows agree in the key {key.name!r}, a nominal column with "
            f"{data.n} values, so no two are near. If it names people, drop it; or group its "
            "values, or give it the weight 0."
            for key in keys
            if self._weights(keys).get(key.name) != 0.0 and _all_differ(key)
        ]
        if problems:
            raise SchemaError(problems)
        data.require_finite(key.name for key in keys)
        names = tuple(variable.name for variable in sensitive)
        obstacles = [*self._conditions.obstacles(names, encode_sensitive(sensitive), data.strata)]
        if obstacles:
            raise TableError("\n".join(f"kl-theta: {obstacle}" for obstacle in obstacles))

    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        sensitive = [variable.name for variable in _select_role(data, Role.SENSITIVE)]
        values = encode_sensitive(data[name] for name in sensitive)
        labels = self._labels(data, values, streams, workers)
        sizes = np.bincount(labels[labels >= 0])
        self._require_satisfied(labels, values, sizes)
        left = int((labels < 0).sum())
        if left and self.leftover == "refuse":
            raise TableError(
                f"kl-theta: {left} of {data.n} rows fit in no cluster, so nothing is released. "
                'Lower `k` or `l`, raise `theta`, or choose leftover="suppress".'
            )
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
                _say_kept(_select_role(data, Role.KEY)),
            ),
            notes=_notes(left, data.n, sensitive),
        )

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:
        """Keys stay as they are, and tell whose row it is; so do sensitive values, a little.

        Clusters depend on a random order, so that an intruder can only try them out.
        """
        from swapmeet.methods.simulation import simulate_attack

        return simulate_attack(self, seen, FEW_TRIES) if seen.complete else ()

    def _labels(
        self, data: Microdata, values: SensitiveCodes, streams: Streams, workers: Workers
    ) -> npt.NDArray[np.int64]:
        """The cluster of each row, -1 for those in none; no cluster goes beyond a stratum."""
        keys = self._keys(data)
        order = streams.stream("order").permutation(data.n)
        parts = data.parts()
        if len(parts) == 1:
            return self._find_clusters(
                keys, values, order, lambda done: workers.progress("clusters", done, data.n)
            )
        labels = np.empty(data.n, np.int64)

        def some_strata(begin: int, end: int) -> None:
            for rows in parts[begin:end]:
                first = np.argsort(order[rows], kind="stable")
                labels[rows] = self._find_clusters(
                    keys.of(rows),
                    values.of(rows),
                    first,
                    lambda done: None,  # noqa: ARG005
                )

        workers.each(some_strata, len(parts), size=1, label="strata")
        used = 0
        for rows in parts:
            own = labels[rows]
            labels[rows] = np.where(own < 0, own, own + used)
            used += int(own.max()) + 1
        return labels

    def _keys(self, data: Microdata) -> EncodedKeys:
        from swapmeet.algorithms.groups.kl_theta.keys import Divisor, encode_keys

        keys = _select_role(data, Role.KEY)
        divisor = Divisor.LARGEST if self.strategy == "paper" else Divisor.RANGE
        return encode_keys(keys, self._weights(keys), divisor)

    def _find_clusters(
        self,
        keys: EncodedKeys,
        values: SensitiveCodes,
        order: npt.NDArray[np.int64],
        report: Callable[[int], None],
    ) -> npt.NDArray[np.int64]:
        from swapmeet.algorithms.groups.kl_theta.balanced import form_balanced_clusters
        from swapmeet.algorithms.groups.kl_theta.paper import form_paper_clusters

        if self.strategy == "paper":
            return form_paper_clusters(keys, values, self._conditions, report)
        return form_balanced_clusters(keys, values, self._conditions, order, report)

    def _require_satisfied(
        self, labels: npt.NDArray[np.int64], values: SensitiveCodes, sizes: npt.NDArray[np.int64]
    ) -> None:
        """Never release a cluster that breaks a condition, even if a program is wrong."""
        from swapmeet.algorithms.groups.kl_theta.cluster_check import check_clusters

        broken = int((sizes[~check_clusters(labels, values, self._conditions)] > 0).sum())
        if broken:
            raise SwapmeetError(
                f"kl-theta: {broken} clusters break a condition, so nothing is released. "
                "This is a mistake in Swapmeet; please report it."
            )

    def _weights(self, keys: list[Variable]) -> dict[str, float]:
        """One number is the weight of every nominal key."""
        if isinstance(self.weights, dict):
            return self.weights
        return {key.name: self.weights for key in keys if key.kind is Kind.NOMINAL}

    def _unknown_weights(self, keys: list[Variable]) -> list[str]:
        names = [key.name for key in keys]
        return [
            f"`weights`: {name!r} is not a key column{did_you_mean(name, names)}"
            for name in self._weights(keys)
            if name not in names
        ]


def _select_role(data: Microdata, role: Role) -> list[Variable]:
    return [variable for variable in data.variables if variable.role is role]


def _find_missing_roles(keys: list[Variable], sensitive: list[Variable]) -> list[str]:
    problems = []
    if not keys:
        problems.append(
            "kl-theta: no key column; clusters are made of rows with similar keys. Give the role "
            "key to what an intruder may know."
        )
    if not sensitive:
        problems.append(
            "kl-theta: no sensitive column; only these are swapped. Give the role sensitive to "
            "what an intruder must not learn."
        )
    return problems


def _all_differ(key: Variable) -> bool:
    n = len(key.values)
    return key.kind is Kind.NOMINAL and n > 2 and len(np.unique(key.values)) == n


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
