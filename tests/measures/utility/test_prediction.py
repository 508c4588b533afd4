from __future__ import annotations

import threading
import warnings

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.utility.prediction import Prediction


def people(rows=600, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(rows, 3)), columns=list("abc"))
    frame["sex"] = rng.choice(["f", "m"], rows)
    frame["ill"] = np.where(frame["a"] + (frame["sex"] == "f") > 0.5, "yes", "no")
    return frame


def schema_of(frame):
    return sm.Schema.infer(frame).assign(sensitive=["ill"])


def test_an_unchanged_release_teaches_the_same(score):
    frame = people()
    found = score(Prediction(), frame, frame, schema=schema_of(frame))
    assert found.value == 0.0
    assert found.interval == (0.0, 0.0)
    assert found.details["target"] == "ill"
    assert found.details["error before"] < 0.1


def test_a_blind_release_teaches_no_more_than_guessing(score, blind):
    """150 test rows: the sd of an error share is at most 0.041; four of them."""
    frame = people()
    found = score(Prediction(), frame, blind(frame), schema=schema_of(frame))
    assert found.details["error after"] == pytest.approx(0.5, abs=0.17)
    assert found.value > 0.2
    assert found.interval[0] < found.value < found.interval[1]


def test_the_error_of_numbers_is_the_unexplained_share(score, blind):
    frame = people()[["a", "b"]].assign(y=lambda f: f["a"] * 2.0)
    same = score(Prediction(), frame, frame)
    lost = score(Prediction(target="y"), frame, blind(frame))
    assert same.details["target"] == "y"
    assert same.details["error before"] < 0.1
    assert lost.details["error after"] > 0.9
    assert "variance of y" in lost.sentence
    assert lost.details["error of guessing"] == 1.0


def test_no_other_thread_touches_the_warning_filters_of_the_process(score, monkeypatch):
    """Threads of scikit-learn reset them, and two at a time may leave none behind."""
    frame, threads = people(200), set()
    reset = warnings.resetwarnings
    monkeypatch.setattr(
        warnings, "resetwarnings", lambda: (threads.add(threading.get_ident()), reset())
    )
    score(Prediction(), frame, frame, schema=schema_of(frame))
    assert threads <= {threading.get_ident()}


def test_rows_of_the_test_part_are_not_learned_from(score):
    """Where only test rows hold the relation as released, the forest does not find it."""
    frame = people(400)
    measure = Prediction()
    from swapmeet.comparison.comparison import _STREAMS

    order = _STREAMS.stream("prediction", "split").permutation(400)
    test, train = order[:100], order[100:]
    release = frame.copy()
    release.loc[train, "ill"] = np.random.default_rng(1).permutation(frame["ill"].to_numpy()[train])
    found = score(measure, frame, release, schema=schema_of(frame))
    assert found.details["rows tested on"] == len(test)
    assert found.details["rows learned from"] == len(train)
    assert found.details["error after"] > 0.3
    kept = frame.copy()
    kept.loc[test, "ill"] = np.random.default_rng(1).permutation(frame["ill"].to_numpy()[test])
    assert score(measure, frame, kept, schema=schema_of(frame)).value == 0.0


def test_missing_values_are_values_and_rows_without_an_answer_are_left_out(score):
    frame = people()
    rng = np.random.default_rng(2)
    holed = frame.mask(rng.random(frame.shape) < 0.2)
    found = score(Prediction(), frame, holed, schema=schema_of(frame))
    assert -0.1 < found.value < 0.3
    assert found.details["rows learned from"] < 450
    gone = frame.assign(ill=None).astype({"ill": object})
    assert "at least 5 rows" in score(Prediction(), frame, gone, schema=schema_of(frame)).undefined


def test_large_tables_are_sampled(score):
    frame = people(3_000)
    found = score(Prediction(sample=200), frame, frame, schema=schema_of(frame))
    assert found.details["rows learned from"] == 200
    assert found.details["rows tested on"] == 750


def test_a_column_with_very_many_levels_is_not_chosen_by_itself(score):
    frame = people().assign(name=[f"p{i}" for i in range(600)])
    schema = sm.Schema(tuple(sm.Column(c, "numeric" if c in "abc" else "nominal") for c in frame))
    assert score(Prediction(), frame, frame, schema=schema).details["target"] == "ill"


@pytest.mark.parametrize("columns", [["ill"], ["a"]])
def test_there_must_be_something_to_predict_from(score, columns):
    frame = people()[columns]
    schema = sm.Schema.infer(frame)
    assert "no other column" in score(Prediction(), frame, frame, schema=schema).undefined
