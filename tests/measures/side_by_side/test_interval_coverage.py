from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from swapmeet.errors import ParameterError
from swapmeet.measures.side_by_side.fit import Estimate
from swapmeet.measures.side_by_side.interval_coverage import (
    IntervalCoverage,
    Replicates,
    TermCoverage,
    cover,
    require_replicates,
)

ORIGINAL = Estimate(
    names=("intercept", "age"), beta=np.array([10.0, 3.0]), errors=np.array([2.0, 1.0]),
    robust=np.array([2.0, 1.0]), rows=500,
)  # fmt: skip


def estimate(*beta, errors=(2.0, 1.0)):
    return replace(ORIGINAL, beta=np.array(beta), errors=np.array(errors))


def replicates(shift=0.0, slope=1.0, spread=0.0, errors=(2.0, 1.0), n=200, **more):
    """Releases that shift both coefficients, follow the original by a slope, and err besides."""
    rng = np.random.default_rng(1)
    parts = []
    for _ in range(n):
        sampling, more_error = rng.normal(size=2), spread * rng.normal(size=2) * np.sqrt(2.0)
        after = ORIGINAL.beta + shift + slope * sampling + more_error
        parts.append((estimate(*(ORIGINAL.beta + sampling)), estimate(*after)))
    whole = [estimate(*(ORIGINAL.beta + shift), errors=errors)] * n
    return Replicates(whole=whole, parts=parts, failed=0, stream=rng, **more)


def covered(**given):
    return cover("y ~ age", ORIGINAL, replicates(**given))


def test_a_release_that_changes_nothing_has_intervals_that_cover_as_often_as_they_promise():
    found = covered()
    assert [term.coverage for term in found.terms] == pytest.approx([0.95, 0.95])
    assert found.terms[1].ratio == pytest.approx(1.0)
    assert found.terms[1].widening == 1.0
    assert found.sentence == (
        "y ~ age: of the 95 % intervals that are computed from such a release, about 95 % "
        "cover the truth, as they should."
    )


def test_a_bias_by_hand_is_what_no_factor_mends():
    """The coefficient is too small by two standard errors: P(-1.96 < Z - 2 < 1.96)."""
    found = covered(shift=-2.0)
    age = found.terms[1]
    assert age.coverage == pytest.approx(norm.cdf(3.96) - norm.cdf(0.04), abs=1e-3)
    assert (age.bias, age.widening, age.understated) == (pytest.approx(-2.0), 1.0, True)
    assert found.sentence.endswith(
        "48 % cover the truth. Worst is age (about 48 %): the coefficient is understated by 2.0 "
        "standard errors, which no factor mends."
    )


def test_standard_errors_that_are_too_small_by_hand_need_a_factor():
    """Half the standard error that it should be: P(|Z| < 0.98), and 0.95 after doubling it."""
    found = covered(errors=(1.0, 0.5))
    age = found.terms[1]
    assert age.coverage == pytest.approx(2 * norm.cdf(0.98) - 1, abs=1e-3)
    assert (age.ratio, age.widening) == (pytest.approx(2.0), 2.0)
    assert age.corrected == pytest.approx(0.95, abs=1e-3)
    assert found.sentence.endswith("Worst is age (about 67 %): multiply its standard error by 2.0.")


def test_an_effect_that_is_shrunk_has_less_sampling_error():
    """The release follows half of the sampling error, so that P(|Z| < 3.92) cover."""
    age = covered(slope=0.5).terms[1]
    assert age.coverage == pytest.approx(2 * norm.cdf(3.92) - 1, abs=1e-3)
    assert age.ratio == pytest.approx(0.5)


@pytest.mark.slow
def test_errors_that_differ_from_sample_to_sample_count_though_releases_of_one_are_the_same():
    """Parts of half of the rows err with twice the variance that all rows have."""
    age = covered(spread=1.0, n=2000).terms[1]
    assert age.ratio == pytest.approx(np.sqrt(2.0), rel=0.05)
    assert age.coverage == pytest.approx(2 * norm.cdf(1.96 / np.sqrt(2.0)) - 1, abs=0.02)
    assert age.interval[0] < age.coverage < age.interval[1]


def test_more_replicates_tell_the_coverage_more_exactly():
    few, many = (covered(spread=1.0, n=n).terms[1].interval for n in (50, 800))
    assert many[1] - many[0] < 0.6 * (few[1] - few[0])


def test_intervals_of_the_original_need_not_keep_their_promise_either():
    original = replace(ORIGINAL, robust=np.array([2.0, 2.0]))
    age = cover("y ~ age", original, replicates()).terms[1]
    assert age.original_coverage == pytest.approx(2 * norm.cdf(0.98) - 1, abs=1e-3)


def test_too_few_fits_are_no_result_but_a_reason():
    some = replicates()
    found = cover("y ~ age", ORIGINAL, replace(some, whole=some.whole[:5], failed=95))
    assert found.undefined == "it could be fitted to 5 of 100 further releases only"
    assert found.terms == ()
    assert found.sentence.endswith("is not known: " + found.undefined + ".")
    rare = cover("y ~ age", ORIGINAL, replace(some, parts=some.parts[:5]))
    assert "halves" in rare.undefined or "half of the rows" in rare.undefined


def test_releases_that_could_not_be_fitted_are_told():
    found = cover("y ~ age", ORIGINAL, replace(replicates(), failed=3))
    assert found.sentence.endswith("In 3 of 203 further releases the model could not be fitted.")


def test_sentences_leave_the_intercept_aside_and_machines_have_all():
    found = covered(shift=-2.0)
    assert "intercept" not in found.sentence
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [term["name"] for term in told["terms"]] == ["intercept", "age"]
    assert told["sentence"] == found.sentence


def test_a_span_of_several_terms_counts_those_that_cover_too_seldom():
    term = TermCoverage(
        name="a", level=0.95, coverage=0.95, interval=(0.94, 0.96), bias=0.0, understated=False,
        ratio=1.0, widening=1.0, corrected=0.95, original_coverage=0.95,
    )  # fmt: skip
    bad = replace(term, name="b", coverage=0.63, ratio=1.9, widening=1.9, corrected=0.94)
    told = IntervalCoverage(formula="y ~ a + b", replicates=100, terms=(term, bad)).sentence
    assert "63 to 95 % cover the truth (1 of 2 terms too seldom)." in told
    assert told.endswith("Worst is b (about 63 %): multiply its standard error by 1.9.")


@pytest.mark.parametrize("number", [0, 19, 2.5, True, "100"])
def test_a_number_of_replicates_that_tells_nothing_is_refused(number):
    with pytest.raises(ParameterError, match="whole number, 20 or more"):
        require_replicates(number)
