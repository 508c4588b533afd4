from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import swapmeet as sm
from swapmeet.measures.utility.pil import PIL, density

CLASSES = ["means", "variances", "covariances", "correlations", "quantiles"]


def plain(x, y):
    """The five classes, each statistic on its own and by the printed formulas."""
    n, p = y.shape
    found = {name: [] for name in CLASSES}

    def add(name, change, variance):
        found[name].append(2.0 * (norm.cdf(abs(change) / np.sqrt(variance)) - 0.5))

    for j in range(p):
        a, b = x[:, j], y[:, j]
        c = b - b.mean()
        m2, m4 = (c**2).mean(), (c**4).mean()
        add("means", b.mean() - a.mean(), b.var(ddof=1) / n)
        add("variances", b.var(ddof=1) - a.var(ddof=1), (m4 - (n - 3) / (n - 1) * m2**2) / n)
        width = 0.9 * min(b.std(ddof=1), np.subtract(*np.quantile(b, [0.75, 0.25])) / 1.34)
        width *= n**-0.2
        for q in np.arange(5, 100, 5) / 100:
            at = np.quantile(b, q)
            f = norm.pdf((at - b) / width).mean() / width
            add("quantiles", at - np.quantile(a, q), q * (1 - q) / (n * f**2))
    for i in range(p):
        for j in range(i):
            u, v = y[:, i] - y[:, i].mean(), y[:, j] - y[:, j].mean()
            m = {(s, t): (u**s * v**t).mean() for s in range(5) for t in range(5)}
            add(
                "covariances",
                np.cov(y[:, i], y[:, j])[0, 1] - np.cov(x[:, i], x[:, j])[0, 1],
                (m[2, 2] - m[1, 1] ** 2) / n,
            )
            r = np.corrcoef(y[:, i], y[:, j])[0, 1]
            cramer = (
                m[4, 0] / m[2, 0] ** 2
                + m[0, 4] / m[0, 2] ** 2
                + 2 * m[2, 2] / (m[2, 0] * m[0, 2])
                + 4 * m[2, 2] / m[1, 1] ** 2
                - 4 * m[3, 1] / (m[1, 1] * m[2, 0])
                - 4 * m[1, 3] / (m[1, 1] * m[0, 2])
            )
            change = r - np.corrcoef(x[:, i], x[:, j])[0, 1]
            add("correlations", change, r**2 / (4 * n) * cramer)
    return {name: float(np.mean(values)) for name, values in found.items()}


def test_the_five_classes_by_the_printed_formulas(score):
    rng = np.random.default_rng(0)
    x = np.exp(rng.normal(size=(400, 3)) @ rng.normal(size=(3, 3)) * 0.4) * [1.0, 100.0, 0.01]
    y = x * np.exp(0.1 * rng.normal(size=x.shape))
    original, released = (pd.DataFrame(v, columns=list("abc")) for v in (x, y))
    found = score(PIL(), original, released)
    expected = plain(x, y)
    assert {name: found.details[name] for name in CLASSES} == pytest.approx(expected, rel=1e-9)
    assert found.value == pytest.approx(np.mean(list(expected.values())))


def test_a_mean_one_standard_error_away_by_hand(score):
    """Shifted by s/√n: the probability of one standard deviation; variances are the same."""
    x = np.random.default_rng(0).normal(size=100)
    frame = pd.DataFrame({"x": x})
    found = score(PIL(), frame, frame + x.std(ddof=1) / 10.0)
    assert found.details["means"] == pytest.approx(0.6826894921)
    assert found.details["variances"] == 0.0
    assert "covariances" not in found.details


def test_permuted_values_score_0_in_three_classes_and_the_sentence_says_so(score, blind):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 3)) @ rng.normal(size=(3, 3)), columns=list("abc"))
    found = score(PIL(), frame, blind(frame))
    assert [found.details[name] for name in CLASSES[:2] + CLASSES[4:]] == [0.0] * 3
    assert min(found.details["covariances"], found.details["correlations"]) > 0.5
    assert "only permuted" in found.sentence


def test_a_density_from_few_order_statistics_is_that_of_all():
    rng = np.random.default_rng(0)
    values = np.sort(rng.gamma(2.0, size=100_000))
    points = np.quantile(values, [0.05, 0.5, 0.95])
    expected = points * np.exp(-points)
    assert density(values, points) == pytest.approx(expected, rel=0.05)


def test_values_missing_from_the_release_leave_the_others_to_tell(score):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 2)), columns=list("ab"))
    holed = frame.mask(rng.random(frame.shape) < 0.3)
    some = score(PIL(), frame, holed).value
    assert 0.0 < some < 1.0
    gone = score(PIL(), frame, frame.assign(b=np.nan)).details
    assert [gone[name] for name in ("means", "variances", "quantiles")] == [0.5] * 3
    assert gone["covariances"] == gone["correlations"] == 1.0


def test_only_statistics_with_a_masked_column_count(score):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(100, 3)), columns=list("abc"))
    schema = sm.Schema.infer(frame).assign(keep=["b", "c"])
    found = score(PIL(), frame, frame.assign(a=9.0), schema=schema)
    assert found.value == 1.0
