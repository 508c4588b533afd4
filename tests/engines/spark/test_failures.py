"""What fails on a worker is told in our words, without a cell's value."""

from __future__ import annotations

import pytest

from swapmeet.engines.spark.failures import find_error, guard
from swapmeet.errors import EngineError, SchemaError, SwapmeetError, TableError

SECRET = "Fatima Okonjo"

TRACE = f"""
  An exception was thrown from the Python worker. Please see the stack trace below.
Traceback (most recent call last):
  File "job.py", line 3, in work  # {SECRET}
swapmeet.errors.{{}}

\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator
"""


def test_an_error_of_ours_comes_out_as_it_was():
    found = find_error(TRACE.format("TableError: in a block of 4 rows: too few."), ValueError())
    assert type(found) is TableError
    assert str(found) == "in a block of 4 rows: too few."


def test_what_comes_after_an_error_is_left_out():
    twice = TRACE.format("TableError: too few.\nException in worker: Traceback") * 2
    assert str(find_error(twice, ValueError())) == "too few."


def test_problems_of_a_schema_stay_apart():
    def work(batches):
        raise SchemaError(["column 'a' is bad.", "column 'b' too."])
        yield

    with pytest.raises(SchemaError) as caught:
        list(guard(work)([]))
    found = find_error(TRACE.format(f"SchemaError: {caught.value}"), ValueError())
    assert isinstance(found, SchemaError)
    assert found.problems == ("column 'a' is bad.", "column 'b' too.")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("ModuleNotFoundError: No module named 'swapmeet'", "has no Swapmeet"),
        ("[PYTHON_VERSION_MISMATCH] Python in worker", "another version of Python"),
        ("java.io.IOException: No space left on device", "spark.local.dir"),
        ("java.lang.OutOfMemoryError: Java bucket space", "Lower `block_rows`"),
        ("Cannot call methods on a stopped SparkContext.", "cluster went away"),
    ],
)
def test_what_is_wrong_with_a_cluster_is_told(words, told):
    found = find_error(f"{words} {SECRET}", ValueError())
    assert isinstance(found, EngineError)
    assert told in str(found)
    assert SECRET not in str(found)


def test_words_of_others_are_left_out():
    found = find_error(f"could not convert {SECRET}", ValueError(SECRET))
    assert type(found) is SwapmeetError
    assert str(found) == "something unforeseen happened in Spark (ValueError)."


def test_a_worker_raises_no_words_of_others():
    def work(batches):
        raise ValueError(SECRET)
        yield

    with pytest.raises(SwapmeetError) as caught:
        list(guard(work)([]))
    assert SECRET not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_worker_hands_over_batches():
    assert list(guard(iter)([1, 2])) == [1, 2]
