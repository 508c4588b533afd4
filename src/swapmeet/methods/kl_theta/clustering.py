"""K-L-θ clusters of a table: rows that are alike in their keys and diverse in what is sensitive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.parallel import Workers
from swapmeet.errors import SchemaError, SwapmeetError, TableError, did_you_mean
from swapmeet.methods.kl_theta.conditions import (
    Conditions,
    EncodedKeys,
    SensitiveCodes,
    StrictConditions,
    WholeColumn,
    encode_sensitive,
)
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind, Role


@dataclass(frozen=True, kw_only=True)
class Clustering:
    """The conditions on a cluster, the weights of keys in the distance, and how clusters grow.

    `method` is the method that asks, for messages. One number is the weight of every nominal key.
    """

    method: str
    conditions: Conditions
    weights: float | dict[str, float]
    strategy: str = "balanced"
    strict: StrictConditions | None = None

    def check(self, data: Microdata) -> None:
        """Refuse, before any work, a table that has no such clusters."""
        keys, sensitive = select_role(data, Role.KEY), select_role(data, Role.SENSITIVE)
        problems = [*self._list_missing_roles(keys, sensitive), *self._list_unknown_weights(keys)]
        problems += [
            f"{self.method}: no two rows agree in the key {key.name!r}, a nominal column with "
            f"{data.n} values, so no two are near. If it names people, drop it; or group its "
            "values, or give it the weight 0."
            for key in keys
            if self._weights(keys).get(key.name) != 0.0 and _all_differ(key)
        ]
        if problems:
            raise SchemaError(problems)
        data.require_finite(key.name for key in keys)
        names = tuple(variable.name for variable in sensitive)
        values = encode_sensitive(sensitive)
        obstacles = [*self.conditions.obstacles(names, values, data.strata)]
        if self.strict is not None and not obstacles:
            wholes, strata = list_wholes(sensitive, values), data.strata.astype(np.int64)
            obstacles += self.strict.list_obstacles(names, values, wholes, strata)
        if obstacles:
            raise TableError("\n".join(f"{self.method}: {obstacle}" for obstacle in obstacles))

    def find_clusters(self, data: Microdata, workers: Workers, order: Ints | None = None) -> Ints:
        """The cluster of each row, -1 for those in none; no cluster goes beyond a stratum.

        Clusters begin with the rows that come first in a given order, or with those whose keys are
        the most unusual. Those of the strategy "paper" do not depend on it.
        """
        sensitive = select_role(data, Role.SENSITIVE)
        keys, values = self._encode_keys(data), encode_sensitive(sensitive)
        parts = data.parts()
        if len(parts) == 1:
            labels = self._grow(
                keys, values, order, lambda done: workers.progress("clusters", done, data.n)
            )
        else:
            labels = self._grow_in_strata(keys, values, order, parts, workers)
        if self.strict is not None:
            wholes = list_wholes(sensitive, values)
            labels = self._tighten(labels, keys, values, wholes, parts, workers)
            self._require_strict(labels, values, wholes)
        self._require_satisfied(labels, values)
        return labels

    def _tighten(
        self,
        labels: Ints,
        keys: EncodedKeys,
        values: SensitiveCodes,
        wholes: list[WholeColumn],
        parts: list[Ints],
        workers: Workers,
    ) -> Ints:
        """Merge clusters until they satisfy the stricter conditions, stratum by stratum."""
        from swapmeet.methods.kl_theta.tighten import tighten_clusters

        assert self.strict is not None
        merged, done = labels.copy(), 0
        for rows in parts:
            part = values._replace(codes=np.ascontiguousarray(values.codes[rows]))
            own = number_groups(labels[rows])
            own = tighten_clusters(
                own, keys.of(rows), part, self.strict, wholes,
                lambda count, done=done: workers.progress("merging", done + count, len(labels)),  # type: ignore[misc]
            )  # fmt: skip
            merged[rows] = np.where(own < 0, own, labels.max(initial=0) + 1 + done + own)
            done += len(rows)
        return number_groups(merged)

    def _require_strict(
        self, labels: Ints, values: SensitiveCodes, wholes: list[WholeColumn]
    ) -> None:
        assert self.strict is not None
        inside = np.flatnonzero(labels >= 0)
        if not len(inside):  # all are suppressed
            return
        part = values._replace(codes=values.codes[inside])
        self._refuse_broken(len(self.strict.find_short(labels[inside], part, wholes)))

    def _grow_in_strata(
        self,
        keys: EncodedKeys,
        values: SensitiveCodes,
        order: Ints | None,
        parts: list[Ints],
        workers: Workers,
    ) -> Ints:
        labels = np.empty(len(keys.numbers), np.int64)

        def some_strata(begin: int, end: int) -> None:
            for rows in parts[begin:end]:
                first = None if order is None else np.argsort(order[rows], kind="stable")
                labels[rows] = self._grow(
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

    def _grow(
        self,
        keys: EncodedKeys,
        values: SensitiveCodes,
        order: Ints | None,
        report: Callable[[int], None],
    ) -> Ints:
        from swapmeet.methods.kl_theta.balanced import form_balanced_clusters
        from swapmeet.methods.kl_theta.paper import form_paper_clusters

        if self.strategy == "paper":
            return form_paper_clusters(keys, values, self.conditions, report)
        if order is None:
            order = _order_from_outskirts(keys)
        return form_balanced_clusters(keys, values, self.conditions, order, report)

    def _require_satisfied(self, labels: Ints, values: SensitiveCodes) -> None:
        """Never hand out a cluster that breaks a condition, even if a program is wrong."""
        from swapmeet.methods.kl_theta.paper import check_clusters

        sizes = np.bincount(labels[labels >= 0])
        broken = sizes[~check_clusters(labels, values, self.conditions)] > 0
        self._refuse_broken(int(broken.sum()))

    def _refuse_broken(self, broken: int) -> None:
        if broken:
            raise SwapmeetError(
                f"{self.method}: {broken} clusters break a condition, so nothing is released. "
                "This is a mistake in Swapmeet; please report it."
            )

    def _encode_keys(self, data: Microdata) -> EncodedKeys:
        from swapmeet.methods.kl_theta.conditions import Divisor, encode_keys

        keys = select_role(data, Role.KEY)
        divisor = Divisor.LARGEST if self.strategy == "paper" else Divisor.RANGE
        return encode_keys(keys, self._weights(keys), divisor)

    def _weights(self, keys: list[Variable]) -> dict[str, float]:
        if isinstance(self.weights, dict):
            return self.weights
        return {key.name: self.weights for key in keys if key.kind is Kind.NOMINAL}

    def _list_unknown_weights(self, keys: list[Variable]) -> Iterator[str]:
        names = [key.name for key in keys]
        for name in self._weights(keys):
            if name not in names:
                yield f"`weights`: {name!r} is not a key column{did_you_mean(name, names)}"

    def _list_missing_roles(self, keys: list[Variable], sensitive: list[Variable]) -> Iterator[str]:
        if not keys:
            yield (
                f"{self.method}: needs at least one key column. Give the role key to what an "
                "intruder may know."
            )
        if not sensitive:
            yield (
                f"{self.method}: needs at least one sensitive column. Give the role sensitive to "
                "what an intruder must not learn."
            )


def list_wholes(variables: list[Variable], values: SensitiveCodes) -> list[WholeColumn]:
    """The sensitive columns of the whole table."""
    from swapmeet.methods.kl_theta.conditions import WholeColumn

    return [
        WholeColumn.of(variable, codes, int(first))
        for variable, codes, first in zip(variables, values.codes.T, values.ranges, strict=False)
    ]


def number_groups(labels: Ints) -> Ints:
    """The same groups, numbered without gaps; -1 stays.

    >>> number_groups(np.array([7, -1, 3, 7]))
    array([ 1, -1,  0,  1])
    """
    there = labels >= 0
    numbered = np.full(len(labels), -1)
    numbered[there] = np.unique(labels[there], return_inverse=True)[1]
    return numbered


def select_role(data: Microdata, role: Role) -> list[Variable]:
    """The columns of a role."""
    return [variable for variable in data.variables if variable.role is role]


def _all_differ(key: Variable) -> bool:
    n = len(key.values)
    return key.kind is Kind.NOMINAL and n > 2 and len(np.unique(key.values)) == n


def _order_from_outskirts(keys: EncodedKeys) -> Ints:
    """The rows, the farthest from the middle first, and those of rare levels; ties as they come."""
    distances = ((keys.numbers - keys.numbers.mean(axis=0)) ** 2) @ keys.weights
    for marks, cost in zip(keys.marks.T, keys.costs, strict=True):
        distances += cost * (1.0 - _find_shares(marks))
    return np.argsort(-distances, kind="stable")


def _find_shares(marks: Ints) -> Floats:
    """The share of the rows that have each row's level."""
    _, levels, counts = np.unique(marks, return_inverse=True, return_counts=True)
    return np.asarray(counts[levels] / len(marks))
