"""Information preserving statistical obfuscation (Burridge 2003).

Synthetic numbers keep a regression; arrays have one line per column.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, NamedTuple

import numpy as np

from swapmeet.algorithms.normal import condition, find_root, fit_pairs, list_patterns, whiten
from swapmeet.base.arrays import Flags, Floats, Ints
from swapmeet.base.notes import MergeableNote, list_counts, sum_by_column
from swapmeet.base.parallel import Workers
from swapmeet.base.params import Names, OneOf, Optional
from swapmeet.base.seeds import Streams
from swapmeet.base.sentences import count
from swapmeet.errors import SchemaError, TableError, did_you_mean
from swapmeet.intruders.evidence import Evidence, Gaussian, Likelihood
from swapmeet.methods.base import WITH_ORDER, Method
from swapmeet.methods.description import Description, PublicSetting
from swapmeet.release.donors import MADE, DonorMap
from swapmeet.release.outcome import Outcome
from swapmeet.tables.microdata import Microdata, Variable, refuse_infinite
from swapmeet.tables.schema import Column, Kind, Role, Schema

SPARE = 5
"""Rows are redrawn by themselves only if so many more of them than needed are free to vary."""
SETTLED = 1e-12
"""Predictors determine a column of which they leave no more than this share of the variance."""
RANK = 1e-10
"""A predictor adds nothing if others leave no more than this share of its length."""


class Exact(StrEnum):
    """Statistics that are exactly those of the original: Burridge's A, B and C."""

    NONE = "none"
    COEFFICIENTS = "coefficients"
    COVARIANCE = "covariance"


class Redrawn(NamedTuple):
    """New values, which cells stay because nothing varies, and how many rows are not exact."""

    values: Floats
    settled: Flags
    inexact: int


def need_rows(predictors: int, responses: int) -> int:
    """The fewest rows that can be redrawn.

    >>> need_rows(1, 2)
    9
    """
    return 1 + predictors + responses + SPARE


def redraw(predictors: Floats, responses: Floats, noise: Floats, exact: Exact) -> Redrawn:
    """New responses; `noise` are normal numbers of the same shape, and NaN is missing.

    Rows in which the same columns are missing keep their own regression, so that every analysis
    of complete rows gives what it gave. Where such rows are too few, they are drawn from the normal
    distribution that fits all rows.
    """
    known = np.vstack([~np.isnan(predictors), ~np.isnan(responses)])
    free = np.arange(len(known)) >= len(predictors)
    draws = Redrawn(responses.copy(), np.zeros(responses.shape, np.bool_), 0)
    rest: list[tuple[Flags, Ints]] = []
    for pattern, rows in list_patterns(known):
        hidden = np.flatnonzero(pattern[free])
        if not len(hidden):
            continue
        given = np.flatnonzero(pattern[~free])
        basis = _find_basis(predictors[np.ix_(given, rows)])
        if len(rows) - len(basis) < len(hidden) + SPARE:
            rest.append((pattern, rows))
            continue
        cells = np.ix_(hidden, rows)
        values, settled = _redraw_complete(basis, responses[cells], noise[cells], exact)
        draws.values[cells] = values
        draws.settled[cells] = settled[:, np.newaxis]
    if rest:
        _redraw_rest(rest, np.vstack([predictors, responses]), free, noise, draws)
    return draws._replace(inexact=sum(len(rows) for _, rows in rest))


def _find_basis(predictors: Floats) -> Floats:
    """Orthonormal lines that span the constant and the predictors; collinear ones count once."""
    from scipy.linalg import qr

    n = predictors.shape[1]
    constant = np.full((1, n), n**-0.5)
    if not len(predictors):
        return constant
    centred, spread = _standardise(predictors)
    axes, upper, _ = qr(centred[spread > 0].T, mode="economic", pivoting=True)
    lengths = np.abs(np.diag(upper))
    kept = axes.T[: len(lengths)][lengths > RANK * n**0.5]
    return np.vstack([constant, kept])


def _standardise(columns: Floats) -> tuple[Floats, Floats]:
    """Columns with mean 0 and length sqrt(n), or all 0; and their spread."""
    centred = columns - columns.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1)
    spread[spread <= SETTLED * np.abs(columns).max(axis=1, initial=0.0)] = 0.0
    scale = np.where(spread > 0, spread, 1.0)[:, np.newaxis]
    return np.where(spread[:, np.newaxis] > 0, centred / scale, 0.0), spread


def _redraw_complete(
    basis: Floats, responses: Floats, noise: Floats, exact: Exact
) -> tuple[Floats, Flags]:
    """New responses of rows without missing values, and which of them cannot vary."""
    scores, spread = _standardise(responses)
    residuals = _project_off(basis, scores)
    products = residuals @ residuals.T
    freedom = responses.shape[1] - len(basis)
    drawn = noise if exact is Exact.NONE else _project_off(basis, noise)
    if exact is Exact.COVARIANCE:
        values, vectors = np.linalg.eigh(drawn @ drawn.T)
        drawn = (vectors / np.sqrt(values)) @ (vectors.T @ drawn)
        drawn = find_root(products) @ drawn
    else:
        drawn = find_root(products / freedom) @ drawn
    settled = np.diag(products) <= SETTLED * responses.shape[1]
    made = responses + (drawn - residuals) * spread[:, np.newaxis]
    return np.where(settled[:, np.newaxis], responses, made), settled


def _project_off(basis: Floats, columns: Floats) -> Floats:
    """Project columns off the basis; twice, so that rounding leaves nothing along it."""
    for _ in range(2):
        columns = columns - (columns @ basis.T) @ basis
    return columns


def _redraw_rest(
    patterns: list[tuple[Flags, Ints]], columns: Floats, free: Flags, noise: Floats, draws: Redrawn
) -> None:
    """Draw rows from the normal law with the means and pairwise covariances of all rows."""
    fit = fit_pairs(columns)
    scores = fit.standardise(columns)
    for pattern, rows in patterns:
        hidden, given = pattern & free, pattern & ~free
        weights, root = condition(fit.correlations, hidden, given)
        cells = np.ix_(np.flatnonzero(pattern[free]), rows)
        drawn = weights @ scores[np.ix_(given, rows)] + root @ noise[cells]
        settled = (root**2).sum(axis=1) <= SETTLED
        made = fit.centre[hidden] + drawn * fit.spread[hidden]
        draws.values[cells] = np.where(settled[:, np.newaxis], draws.values[cells], made)
        draws.settled[cells] = settled[:, np.newaxis]


LEAST_WIDTH = 1e-6
"""The least spread of residuals, in standard deviations of the column, that an attack reckons with.
"""

CAUTIONS = (
    "In a small stratum the figures that are kept exactly reveal much about its few people.",
    (
        "A column that is nearly a sum of others which are kept can be computed from them, for "
        "everybody."
    ),
)
PREDICTORS = (
    "Predictors are released as they are, and an intruder who knows them learns what they predict: "
    "the better they predict, the nearer a released value is to the person's own."
)
WORDS = {
    Exact.COVARIANCE: "means, variances, correlations and linear regressions",
    Exact.COEFFICIENTS: "means and coefficients of linear regressions",
    Exact.NONE: "nothing",
}


@dataclass(frozen=True, kw_only=True)
class IPSO(Method):
    """Numbers are drawn again from a normal law, so that linear regressions stay exactly the same.

    The columns are regressed on the `predictors`; the fitted value stays, the residual is drawn
    again. With `exact` covariance (Burridge's variant C) the residuals are then turned and
    stretched until their covariances are those of the original: coefficients, standard errors, R²,
    means and correlations of the release are the original's to the last digits. With coefficients
    (B) the coefficients are, with none (A) nothing is, except for chance. Without predictors there
    is no regression, and means and covariances are exact. Predictors that the schema masks stay in
    place, as do those with the role keep.

    Only means, variances and linear relations are kept: the shape of a column is that of a normal
    law, so that values may be negative where nobody's is. Columns of whole numbers get whole ones
    (`whole` keep), which moves the exact figures by what rounding does.

    Departure: rows in which the same columns are missing keep a regression of their own; where they
    are too few, they are drawn from the normal distribution that fits all rows, and are counted.

    Reference: Burridge (2003), Information preserving statistical obfuscation.

    >>> import swapmeet as sm
    >>> people = sm.datasets.load("diabetes")[["bmi", "bp"]]
    >>> release = sm.mask(people, sm.IPSO(), seed=1)
    >>> bool(abs(release.data.corr() - people.corr()).max(axis=None) < 1e-9)
    True
    """

    name = "ipso"
    title = "information preserving statistical obfuscation"
    summary = "numbers are drawn anew, with exactly the same means and regressions"
    makes_values = True
    is_synthetic = True
    leaves = "Predictors stay as they are."
    takes = frozenset({Kind.NUMERIC})
    remedy = "Fewer predictors let a column change more."

    predictors: Annotated[
        tuple[str, ...] | None,
        Optional(Names()),
        "columns that stay in place, released as they are, and predict the others (default: none)",
    ] = None
    exact: Annotated[
        str,
        OneOf(tuple(Exact)),
        "what is exactly the original's: covariance (and coefficients), coefficients, or none",
    ] = "covariance"
    whole: Annotated[
        str,
        OneOf(("keep", "ignore")),
        "columns of whole numbers only: their new values are rounded (keep) or not (ignore)",
    ] = "keep"

    @property
    def description(self) -> Description:
        return Description(
            title=self.title,
            people="Each number is replaced by one that is drawn at random, so that averages and "
            "relations in the whole table stay as they are.",
            analysts="The data are synthetic: linear models of these columns give what the "
            "original gives as far as they were kept, and anything else, such as quantiles, "
            "tails, bent relations and interactions, is that of a normal distribution.",
            settings=(
                PublicSetting("kept exactly, except for rounding", WORDS[Exact(self.exact)]),
            ),
            cautions=(PREDICTORS, *CAUTIONS) if self.predictors else CAUTIONS,
        )

    @property
    def keeps_owners(self) -> bool:
        return bool(self.predictors)

    def masks(self, column: Column) -> bool:
        return column.role.masked and column.name not in (self.predictors or ())

    def find_context(self, schema: Schema) -> tuple[str, ...]:
        """The predictors that are kept anyway."""
        for name in self.predictors or ():
            if name not in schema.names:
                raise SchemaError(
                    [f"ipso: `predictors`: no column {name!r}{did_you_mean(name, schema.names)}"]
                )
        return tuple(n for n in self.predictors or () if schema[n].role is Role.KEEP)

    def refused_columns(self, data: Microdata) -> tuple[str, ...]:
        refused = super().refused_columns(data)
        return tuple(name for name in refused if name not in (self.predictors or ()))

    def fewest_rows(self, data: Microdata) -> int:
        return need_rows(*map(len, self._split(data)))

    def check(self, data: Microdata) -> None:
        super().check(data)
        given, hidden = self._split(data)
        absent = set(self.predictors or ()) - {v.name for v in given}
        problems = [
            f"ipso: `predictors`: {n!r} is neither masked nor kept." for n in sorted(absent)
        ]
        problems += [_refuse_nominal(v.name) for v in given if v.kind not in WITH_ORDER]
        if not hidden:
            problems.append("`predictors`: all masked columns predict, none is left to draw anew.")
        if problems:
            raise SchemaError(problems)
        refuse_infinite({v.name: v.beyond for v in (*given, *hidden)})
        _require_rows(data, self.fewest_rows(data))

    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        given, hidden = self._split(data)
        known, old, noise = (np.empty((len(v), data.n)) for v in (given, hidden, hidden))
        for line, variable in zip((*known, *old), (*given, *hidden), strict=True):
            line[:] = variable.values

        def draw(begin: int, end: int) -> None:
            for j in range(begin, end):
                noise[j] = streams.normal(data.n, "noise", hidden[j].name)

        workers.each(draw, len(hidden), size=1, label="random numbers")
        made, stays, inexact = np.empty_like(old), np.isnan(old), 0
        for rows in data.parts():
            part = redraw(known[:, rows], old[:, rows], noise[:, rows], Exact(self.exact))
            made[:, rows] = part.values
            stays[:, rows] |= part.settled
            inexact += part.inexact
        rounded = [j for j, v in enumerate(hidden) if self.whole == "keep" and v.statistics.whole]
        made[rounded] = np.rint(made[rounded])
        return Outcome(
            DonorMap(_list_donors(data, hidden, stays)),
            made={v.name: values for v, values in zip(hidden, made, strict=True)},
            facts=_list_facts(hidden, made, rounded),
            notes=self._notes(data, hidden, stays & ~np.isnan(old), inexact),
        )

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:
        """A row lies around what the predictors of its person say, with the residuals' spread.

        The person's own values of the other columns say nothing more: the row was drawn without
        them, but for where they are missing. That predictors agree counts besides.
        """
        given, hidden = self._split(seen.people)
        hidden = [v for v in hidden if v.statistics.varies]
        if not given or not hidden:
            return ()
        fit = fit_pairs(np.array([v.values for v in (*given, *hidden)]))
        free = np.arange(len(given) + len(hidden)) >= len(given)
        weights, root = condition(fit.correlations, free, ~free)
        people = fit.standardise(np.array([v.values for v in (*given, *hidden)]))
        fits = weights @ np.nan_to_num(people[~free])
        fits[np.isnan(people[free])] = np.nan
        rows = np.array([seen.released[v.name].values for v in hidden])
        rows = (rows - fit.centre[free]) / fit.spread[free]
        width = np.maximum(np.sqrt((root**2).sum(axis=1, keepdims=True)), LEAST_WIDTH)
        both = whiten(np.hstack([fits, rows]) / width, root @ root.T / (width * width.T))
        names = tuple(v.name for v in hidden)
        return (Gaussian(names, both[:, : seen.people.n], both[:, seen.people.n :]),)

    def _split(self, data: Microdata) -> tuple[list[Variable], list[Variable]]:
        """The predictors that are there, and the columns that are drawn again."""
        names = self.predictors or ()
        kept = (v for v in data.context if not v.role.masked)
        given = [v for v in (*data.variables, *kept) if v.name in names]
        return given, [v for v in data.variables if v.name not in names]

    def _notes(
        self, data: Microdata, hidden: list[Variable], settled: Flags, inexact: int
    ) -> tuple[str, ...]:
        notes: list[str] = []
        if self.predictors:
            names = ", ".join(self.predictors)
            notes.append(f"predictors stay in place and are released as they are: {names}.")
        if settled.any():
            counts = {v.name: int(n) for v, n in zip(hidden, settled.sum(axis=1), strict=True)}
            notes.append(MergeableNote.of(_say_settled, {"counts": sum_by_column}, counts=counts))
        if inexact:
            notes.append(MergeableNote.of(_say_inexact, {"some": sum}, rows=data.n, some=inexact))
        return tuple(notes)


def _refuse_nominal(name: str) -> str:
    return (
        f"ipso: `predictors`: {name!r} is a nominal column; predictors are numeric or ordinal. "
        "Make it a stratum: regressions then stay the same inside each of its levels."
    )


def _require_rows(data: Microdata, least: int) -> None:
    sizes = np.bincount(data.strata)
    small = np.flatnonzero((sizes > 0) & (sizes < least))
    if len(small):
        where = "the table has" if len(sizes) == 1 else f"{len(small)} of {len(sizes)} strata have"
        raise TableError(
            f"ipso: {where} {count(int(sizes[small].min()), 'row')}"
            f"{' or little more' if len(small) > 1 else ''}; so many columns and predictors need "
            f"at least {least}. Merge strata, or mask fewer columns with it."
        )


def _list_donors(data: Microdata, hidden: list[Variable], stays: Flags) -> Ints:
    donors = np.repeat(np.arange(data.n)[np.newaxis], len(data.variables), axis=0)
    for variable, staying in zip(hidden, stays, strict=True):
        donors[data.names.index(variable.name), ~staying] = MADE
    return donors.T


def _list_facts(hidden: list[Variable], made: Floats, rounded: Iterable[int]) -> tuple[str, ...]:
    facts: list[str] = []
    names = [hidden[j].name for j in rounded]
    if names:
        facts.append(f"rounded to whole numbers: {', '.join(names)}.")
    counts = {
        v.name: int(((line < v.statistics.low) | (line > v.statistics.high)).sum())
        for v, line in zip(hidden, made, strict=True)
        if not v.missing.all()
    }
    if any(counts.values()):
        facts.append(MergeableNote.of(_say_beyond, {"counts": sum_by_column}, counts=counts))
    return tuple(facts)


def _say_beyond(counts: dict[str, int]) -> str:
    return f"new values outside the original's range: {list_counts(counts)}."


def _say_settled(counts: dict[str, int]) -> str:
    return (
        "values that stay as they are, because they are all the same or follow exactly from the "
        f"predictors: {list_counts(counts)}."
    )


def _say_inexact(rows: int, some: int) -> str:
    return (
        f"rows that share their missing values with too few others, and are drawn from the normal "
        f"distribution that fits all: {some} of {rows}. Figures that include them are not exact."
    )
