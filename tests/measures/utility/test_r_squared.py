from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from swapmeet.measures.utility.r_squared import RSquared


def test_one_term_by_hand(score):
    """The square of the correlation: 1 before, 0.36 after."""
    original = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 2.0, 3.0, 4.0]})
    found = score(RSquared(), original, original.assign(y=[3.0, 4.0, 1.0, 2.0]))
    assert found.value == pytest.approx(0.64)
    assert found.details["R² after"] == pytest.approx(0.36)
    assert found.details["adjusted R² after"] == pytest.approx(1 - 0.64 * 3 / 2)


def test_aggregation_raises_it_and_a_blind_release_loses_it(score, bodyfat, aggregated, blind):
    measure = RSquared(target="bodyfat_pct")
    coarse = score(measure, bodyfat, aggregated(bodyfat, "mdav", 10))
    shuffled = score(measure, bodyfat, blind(bodyfat))
    assert coarse.details["R² before"] == pytest.approx(0.7302, abs=5e-5)
    assert coarse.details["R² after"] > 0.9
    assert shuffled.details["adjusted R² after"] == pytest.approx(0.0, abs=0.1)


def test_a_target_without_variation_in_the_release_is_explained_by_nothing(score):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 2)), columns=list("xy"))
    found = score(RSquared(), frame, frame.assign(y=0.0))
    assert found.details["R² after"] == 0.0


def test_the_fits_are_shared_with_coefficients(bodyfat, monkeypatch):
    import swapmeet as sm
    from swapmeet.measures.utility import regression
    from swapmeet.measures.utility.coefficients import Coefficients
    from swapmeet.running.assessing import assess

    fits = []
    plain = regression._fit
    monkeypatch.setattr(regression, "_fit", lambda *given: fits.append(1) or plain(*given))
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in bodyfat))
    measures = [Coefficients(target="age"), RSquared(target="age")]
    assess(bodyfat, bodyfat, schema=schema, match="rows", measures=measures)
    assert len(fits) == 2
