"""Reports of releases by every method, with every word, switch, list and count of its settings."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.base import params
from swapmeet.errors import SwapmeetError
from swapmeet.methods import METHODS

N = 48
NEEDS = {
    "only_eps": {"eps": 0.5},
    "sample": {"search": "sample", "sample": 12},
    "parts": {"search": "partition", "parts": 4, "k": 2},
    "near": {"near": ["town"]},
    "predictors": {"predictors": ["income"]},
    "exchange": {"permute": True},
    "correlation": {"window": None},
    "mean": {"window": None},
    "hierarchy": {"hierarchy": ["town"]},
    "bins": {"bins": 3},
    "width": {"width": 5.0},
}
BASE = {
    "nbrs": {"eps": 0.5}, "kl-theta": {"k": 4, "l": 2, "theta": 0.9}, "matched-swap": {"k": 6},
    "microaggregation": {"k": 3}, "rank-swap": {"window": 0.2}, "cart": {"min_leaf": 3},
}  # fmt: skip
ROLES = (
    {"sensitive": ["visits"]},
    {"place": ["town"]},
    {"sensitive": ["visits"], "keep": ["sex", "town"]},
    {"keep": ["town"]},
)


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(8)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, N), "income": rng.lognormal(10, 1, N).round(2),
            "visits": rng.integers(0, 30, N), "sex": rng.choice(["f", "m"], N),
            "town": rng.choice(["x", "y", "z"], N),
        }
    )  # fmt: skip


def differ_in_age(ours, theirs):
    return np.abs(ours["age"] - theirs["age"])


def list_values(domain):
    """Some values of a domain."""
    if isinstance(domain, params.Optional):
        return list_values(domain.of)
    if isinstance(domain, params.ByColumn):
        return [{"age": list_values(domain.of)[0]}]
    if isinstance(domain, params.OneOf):
        return list(domain.choices)
    if isinstance(domain, params.Switch):
        return [True, False]
    if isinstance(domain, params.PythonFunction):
        return [differ_in_age]
    if isinstance(domain, params.Count):
        return [max(domain.minimum, 2)]
    if isinstance(domain, params.Number):
        return [max(domain.low, 0.5)]
    return [["age", "income"]]


def list_settings(kind):
    yield {}
    for parameter in kind.parameters():
        if isinstance(parameter.domain, (params.Number, params.Count)):
            continue
        others = (v for v in list_values(parameter.domain) if v != parameter.default)
        for value in others:
            needs = NEEDS.get(parameter.name, {})
            known = {one.name for one in kind.parameters()}
            yield {parameter.name: value} | {k: v for k, v in needs.items() if k in known}


def list_methods():
    for name, kind in METHODS.items():
        if name == "per-column":
            yield pytest.param(
                lambda: sm.PerColumn(
                    parts=[
                        (sm.RWN(k=2, search="partition", parts=4), ["age", "income"]),
                        (sm.RWN(k=3, q=0.5), ["sex", "town"]),
                    ]
                ),
                id=name,
            )
            continue
        for settings in list_settings(kind):
            made = BASE.get(name, {}) | settings
            shown = {key: getattr(v, "__name__", v) for key, v in settings.items()}
            label = ",".join(f"{key}={value}" for key, value in shown.items())
            yield pytest.param(lambda kind=kind, made=made: kind(**made), id=f"{name}:{label}")


def release_of(people, make):
    """A release by the method, with roles that suit it."""
    problems = []
    for roles in ROLES:
        try:
            return sm.mask(people, make(), seed=1, **roles)
        except SwapmeetError as error:
            problems.append(str(error))
    raise AssertionError("\n".join(problems))


@pytest.mark.slow_beyond(2)
@pytest.mark.parametrize("make", list(list_methods()))
def test_both_pages_are_written(people, make, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        release = release_of(people, make)
        card = sm.assess(people, release, measures=["dcr"], limits={})
        for audience in ("internal", "public"):
            page = tmp_path / f"{audience}.html"
            sm.report(card, page, audience=audience, release=release)
            assert make().name in page.read_text()
