"""A model as people write it: its kind, a formula, and a column of weights."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Floats
from swapmeet.comparison.score import Undefined
from swapmeet.errors import ParameterError, SchemaError, did_you_mean
from swapmeet.measures.side_by_side.fit import (
    LOGISTIC,
    POISSON,
    Estimate,
    fit_glm,
    read_weights,
    require_rank,
)
from swapmeet.measures.side_by_side.fit import estimate as estimate_linear
from swapmeet.tables.formulas import Factor, Formula
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Kind

Codes = npt.NDArray[np.int64]

_PREFIX = re.compile(r"\s*(?P<kind>[A-Za-z][A-Za-z-]*)\s*:\s*(?P<rest>[^:=].*)$", re.DOTALL)
_WEIGHT = re.compile(
    r"^(?P<rest>.*),\s*weight\s*=\s*(?P<name>`[^`]+`|[^\W\d][\w.]*)\s*$", re.DOTALL
)
_PLAIN_NAME = re.compile(r"[^\W\d][\w.]*")
_COUNTED = "rows"


class ModelKind(StrEnum):
    """Models that are fitted, by the name before the formula."""

    LINEAR = "linear"
    LOGISTIC = "logistic"
    HUBER = "huber"
    POISSON = "poisson"
    LOGLINEAR = "loglinear"


class Rows(NamedTuple):
    """The complete rows of a table, as a model takes them."""

    names: tuple[str, ...]
    design: Floats
    response: Floats
    weights: Floats


@dataclass(frozen=True)
class Model:
    """`kind: formula, weight=column`; the kind is linear and all rows count the same, if not said.

    A linear model is fitted by least squares; `logistic` has a response of two values, the second
    or larger of which counts as 1; `huber` is Huber's robust regression; `poisson` has counts as
    its response; `loglinear` has none, for it fits the number of rows in each cell of a table. With
    survey weights, standard errors are those by the residuals of the rows (sandwich).

    >>> Model.parse("logistic: poor ~ age + C(sex), weight=w").weight
    'w'
    >>> Model.parse("loglinear: sex*region").kind
    <ModelKind.LOGLINEAR: 'loglinear'>
    """

    text: str
    kind: ModelKind
    formula: Formula
    weight: str | None = None

    @classmethod
    def parse(cls, text: str) -> Model:
        """Read a model."""
        kind, formula, weight = _take_apart(text)
        if kind is ModelKind.LOGLINEAR:
            terms = Formula.parse(f"{_COUNTED} ~ {formula.strip().removeprefix('~')}")
            return cls(text.strip(), kind, _by_category(terms), weight)
        if kind is ModelKind.HUBER and weight:
            raise ParameterError(f"model: {text!r}: a robust regression (huber) takes no weight.")
        read = Formula.parse(formula)
        if kind is ModelKind.LOGISTIC and read.response_number is not None:
            raise ParameterError(
                f"model: {text!r}: the response of a logistic model is a column of two values."
            )
        return cls(text.strip(), kind, read, weight)

    @classmethod
    def of(cls, formula: Formula) -> Model:
        """The linear model of a formula."""
        return cls(formula.text, ModelKind.LINEAR, formula)

    def weigh_by(self, weight: str | None) -> Model:
        """The model, with these weights unless it has its own; robust regression takes none.

        >>> Model.parse("income ~ age").weigh_by("w").text
        'income ~ age, weight=w'
        """
        if weight is None or self.weight is not None or self.kind is ModelKind.HUBER:
            return self
        name = weight if _PLAIN_NAME.fullmatch(weight) else f"`{weight}`"
        return replace(self, text=f"{self.text}, weight={name}", weight=weight)

    @property
    def is_plain(self) -> bool:
        """Return whether it is fitted by least squares, each row counting the same."""
        return self.kind is ModelKind.LINEAR and self.weight is None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it speaks of."""
        named = (
            self.formula.columns[1:] if self.kind is ModelKind.LOGLINEAR else self.formula.columns
        )
        return (*named, *([self.weight] if self.weight else []))

    def check(self, data: Microdata) -> None:
        """Refuse columns that are not there, or that cannot be what they are to be."""
        problems = [
            f"model: there is no column {name!r} in both tables{did_you_mean(name, data.names)}"
            for name in self.columns
            if name not in data.names
        ]
        if problems:
            raise SchemaError(problems)
        if self.kind is ModelKind.LOGISTIC:
            self.formula.check_numbers(data)
        elif self.kind is not ModelKind.LOGLINEAR:
            self.formula.check(data)
        read_weights(data, self.weight)

    def estimate(self, data: Microdata, like: Microdata) -> Estimate:
        """Coefficients and standard errors; categories and a response's two values are `like`'s.

        Raise Undefined, with the reason, where there is no estimate.
        """
        if self.kind is ModelKind.LINEAR:
            return estimate_linear(data, like, self.formula, self.weight)
        if self.kind is ModelKind.LOGLINEAR:
            return self._estimate_cells(data, like)
        rows = self._gather_rows(data, like)
        if self.kind is ModelKind.HUBER:
            fit = fit_huber(rows.names, rows.design, rows.response)
            return _make_estimate(rows.names, *fit, rows=len(rows.response))
        return self._estimate_glm(rows)

    def _estimate_glm(self, rows: Rows) -> Estimate:
        law = LOGISTIC if self.kind is ModelKind.LOGISTIC else POISSON
        if law is POISSON and (rows.response < 0.0).any():
            raise Undefined(f"{self.formula.response} has values below 0, which are no counts")
        fit = fit_glm(rows.names, rows.design, rows.response, rows.weights, law)
        robust = fit.sandwich(rows.design, (rows.weights * (rows.response - fit.mean)) ** 2)
        errors = robust if self.weight else fit.errors
        return _make_estimate(rows.names, fit.beta, errors, robust, rows=len(rows.response))

    def _estimate_cells(self, data: Microdata, like: Microdata) -> Estimate:
        cells = count_cells(data, like, self.formula.terms, read_weights(data, self.weight))
        if not cells.rows:
            raise Undefined("no row has a value in each of the columns")
        fit = fit_glm(cells.names, cells.design, cells.counts, np.ones(len(cells.counts)), POISSON)
        robust = fit.sandwich(cells.design, cells.squares)
        errors = robust if self.weight else fit.errors
        return _make_estimate(cells.names, fit.beta, errors, robust, rows=cells.rows)

    def _gather_rows(self, data: Microdata, like: Microdata) -> Rows:
        names, design = self.formula.design(data, like)
        binary = self.kind is ModelKind.LOGISTIC
        name = self.formula.response
        response = (
            _read_two_values(data, like, name) if binary else self.formula.read_response(data)
        )
        weights = read_weights(data, self.weight)
        complete = ~(np.isnan(design).any(axis=1) | np.isnan(response)) & (weights > 0.0)
        return Rows(tuple(names), design[complete], response[complete], weights[complete])


def _take_apart(text: str) -> tuple[ModelKind, str, str | None]:
    weighted = _WEIGHT.match(text)
    rest = weighted["rest"] if weighted else text
    prefixed = _PREFIX.match(rest)
    weight = weighted["name"].strip("`") if weighted else None
    if not prefixed or "~" in rest.partition(":")[0]:
        return ModelKind.LINEAR, rest, weight
    kinds = [str(kind) for kind in ModelKind]
    kind = prefixed["kind"].lower().replace("log-linear", "loglinear")
    if kind not in kinds:
        raise ParameterError(
            f"model: {text!r}: no kind of model {kind!r}{did_you_mean(kind, kinds)} There are "
            f"{', '.join(kinds)}."
        )
    return ModelKind(kind), prefixed["rest"], weight


def _by_category(formula: Formula) -> Formula:
    """The formula with all columns by their categories; functions of numbers have none."""
    numbers = [f.column for term in formula.terms for f in term if f.number is not None]
    if numbers:
        raise ParameterError(f"model: {numbers[0]}: a log-linear model takes columns only.")
    terms = tuple(tuple(replace(f, by_category=True) for f in term) for term in formula.terms)
    return replace(formula, terms=terms)


def _read_two_values(data: Microdata, like: Microdata, name: str) -> Floats:
    """1 for the second or larger value of the original, 0 for the other, NaN for missing."""
    variable, source = data[name], like[name]
    levels = np.unique(source.values[~source.missing])
    if len(levels) != 2:
        raise Undefined(f"{name} has {len(levels)} values; a logistic model needs two")
    present = ~variable.missing
    if not np.isin(variable.values[present], levels).all():
        raise Undefined(f"{name} has other values than the two of the original")
    if len(np.unique(variable.values[present])) < 2:
        raise Undefined(f"{name} has one value only")
    return np.where(present, (variable.values == levels[1]).astype(np.float64), np.nan)


def _make_estimate(
    names: tuple[str, ...], beta: Floats, errors: Floats, robust: Floats, *, rows: int
) -> Estimate:
    return Estimate(names=names, beta=beta, errors=errors, robust=robust, rows=rows)


BEND = 1.345
"""Residuals beyond this many scales count less: 95 % as exact as least squares if all is normal."""
NORMAL = 0.6744897501960817
"""The median absolute deviation of a standard normal variable."""
ITERATIONS = 200
STILL = 1e-9
TINY = 1e-300
EXACT = 1e-6
"""A scale below this share of the largest residual is that of rows which fit exactly."""


class HuberFit(NamedTuple):
    """Coefficients, standard errors, and standard errors by the residuals of the rows."""

    beta: Floats
    errors: Floats
    robust: Floats


def fit_huber(names: Sequence[str], design: Floats, response: Floats) -> HuberFit:
    """Huber's proposal with the median absolute residual as the scale (Huber 1981, section 7).

    Standard errors are those of statsmodels' RLM ("H1") and of R's MASS::rlm but for the latter's
    degrees of freedom.
    """
    require_rank(names, design, spare=1)
    length = np.sqrt((design**2).sum(axis=0))
    scaled = design / length
    beta = np.linalg.lstsq(scaled, response, rcond=None)[0]
    for _ in range(ITERATIONS):
        residual = response - scaled @ beta
        scale = _find_scale(residual)
        root = np.sqrt(_weigh(residual / scale))
        old = beta
        beta = np.linalg.lstsq(scaled * root[:, None], response * root, rcond=None)[0]
        if np.abs(beta - old).max() <= STILL * (np.abs(beta).max() + TINY):
            errors, robust = _find_errors(scaled, response - scaled @ beta)
            return HuberFit(beta / length, errors / length, robust / length)
    raise Undefined(f"Huber's estimate did not come to rest in {ITERATIONS} steps")


def _find_scale(residual: Floats) -> float:
    scale = float(np.median(np.abs(residual))) / NORMAL
    if scale <= EXACT * float(np.abs(residual).max()):
        raise Undefined("half of the rows or more fit exactly, so that residuals have no scale")
    return scale


def _weigh(z: Floats) -> Floats:
    size = np.abs(z)
    return np.where(size <= BEND, 1.0, BEND / np.maximum(size, BEND))


def _find_errors(design: Floats, residual: Floats) -> tuple[Floats, Floats]:
    n, p = design.shape
    scale = _find_scale(residual)
    z = residual / scale
    pulls, inside = _weigh(z) * z, (np.abs(z) <= BEND).astype(np.float64)
    share = float(inside.mean())
    correction = 1.0 + p / n * float(inside.var()) / share**2
    inverse = np.linalg.inv(np.linalg.qr(design, mode="r"))
    spread = correction * scale * np.sqrt(float((pulls**2).sum()) / (n - p)) / share
    errors = spread * np.sqrt((inverse**2).sum(axis=1))
    scores = (design * pulls[:, None]) @ inverse @ inverse.T
    return errors, scale / share * np.sqrt((scores**2).sum(axis=0))


MOST_CELLS = 50_000
MOST_FIGURES = 20_000_000


class DesignCells(NamedTuple):
    """Names and columns of the design, a row for each cell; the counts, the sums of the squared
    weights of their rows, and how many rows were counted.
    """

    names: tuple[str, ...]
    design: Floats
    counts: Floats
    squares: Floats
    rows: int


def count_cells(
    data: Microdata, like: Microdata, terms: Sequence[tuple[Factor, ...]], weights: Floats
) -> DesignCells:
    """All combinations of the levels that `like` has, and how many rows of `data` are in each."""
    columns = tuple(dict.fromkeys(factor.column for term in terms for factor in term))
    levels = {name: _list_levels(like, name) for name in columns}
    sizes = tuple(len(levels[name]) for name in columns)
    if np.prod([float(size) for size in sizes]) > MOST_CELLS:
        raise Undefined(f"the table has more than {MOST_CELLS:,} cells; recode its columns")
    codes = [_number(data, name, levels[name]) for name in columns]
    complete = np.all([code >= 0 for code in codes], axis=0) & (weights > 0.0)
    places = np.ravel_multi_index([code[complete] for code in codes], sizes)
    total, weights = int(np.prod(sizes)), weights[complete]
    grid = dict(zip(columns, np.indices(sizes).reshape(len(sizes), -1), strict=True))
    names, design = _make_design(terms, grid, levels)
    counts, squares = (_add_up(places, some, total) for some in (weights, weights**2))
    return DesignCells(names, design, counts, squares, int(complete.sum()))


def _add_up(places: Codes, weights: Floats, total: int) -> Floats:
    return np.bincount(places, weights, total).astype(np.float64)


def _list_levels(like: Microdata, name: str) -> Floats:
    variable = like[name]
    levels: Floats = np.unique(variable.values[~variable.missing])
    if not len(levels):
        raise Undefined(f"{name} has no values")
    return levels


def _number(data: Microdata, name: str, levels: Floats) -> Codes:
    """The number of each row's level, -1 where it is missing or none of these."""
    variable = data[name]
    values = np.where(variable.missing, levels[0], variable.values)
    places = np.minimum(np.searchsorted(levels, values), len(levels) - 1)
    strange = variable.missing | (levels[places] != values)
    if (strange & ~variable.missing).any() and variable.kind is not Kind.NOMINAL:
        raise Undefined(f"{name} has values that the original does not have")
    return np.where(strange, -1, places)


def _make_design(
    terms: Sequence[tuple[Factor, ...]], grid: dict[str, Codes], levels: dict[str, Floats]
) -> tuple[tuple[str, ...], Floats]:
    """An intercept, and a column for each combination of levels that are not the first."""
    names, columns = ["intercept"], [np.ones(len(next(iter(grid.values()))))]
    for term in terms:
        product = [("", columns[0])]
        for factor in term:
            product = [
                (f"{label}:{factor.column} (category {level + 1})".lstrip(":"),
                 column * (grid[factor.column] == level))
                for label, column in product
                for level in range(1, len(levels[factor.column]))
            ]  # fmt: skip
        names += [label for label, _ in product]
        columns += [column for _, column in product]
        if len(columns) * len(columns[0]) > MOST_FIGURES:
            raise Undefined("the model has too many terms for its table; recode its columns")
    return tuple(names), np.stack(columns, axis=1)
