"""Failures on a cluster, raised as those here: our message, no traceback, no cell's value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from swapmeet.errors import (
    EngineError,
    FileError,
    InputError,
    OutputError,
    ParameterError,
    SchemaError,
    SwapmeetError,
    TableError,
    UsageError,
)

_CLASSES: dict[str, type[SwapmeetError]] = {
    kind.__name__: kind
    for kind in (EngineError, FileError, InputError, OutputError, ParameterError, SchemaError,
                 TableError, UsageError)
}  # fmt: skip
_OURS = re.compile(r"swapmeet\.errors\.(\w+): (.*)")
_NEXT = " ¶ "
"""Between the lines of a message on its way from a worker."""
_KNOWN = {
    r"No module named '(swapmeet|pyarrow|numpy|numba|randomgen)": (
        "a worker of the cluster has no Swapmeet. Install the same version on every worker "
        '(pip install "swapmeet[spark]"), or name a Python that has it: PYSPARK_PYTHON.'
    ),
    r"PYTHON_VERSION_MISMATCH": (
        "the workers have another version of Python than this program. Name the same one for "
        "all: PYSPARK_PYTHON."
    ),
    r"No space left on device": (
        "a disk of the cluster is full (spark.local.dir). Free some, or name another."
    ),
    r"OutOfMemoryError|MemoryError|exited unexpectedly|crashed": (
        "a worker of the cluster ran out of memory, or was killed. Lower `block_rows`, or give "
        "workers more memory (spark.executor.memory, spark.executor.memoryOverhead; on one machine "
        "spark.driver.memory)."
    ),
    r"All masters are unresponsive|stopped SparkContext|SparkContext was shut down": (
        "the Spark cluster went away. Start it again."
    ),
}


def guard(work: Callable[[Iterable[Any]], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    """Work on batches as Spark calls it; what fails there carries no words of other libraries."""

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        try:
            yield from work(batches)
        except SwapmeetError as error:
            raise _make_error(type(error), str(error).replace("\n", _NEXT)) from None
        except (ImportError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001
            raise SwapmeetError(_unforeseen(error)) from None

    return run


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raise errors of workers as if they came from here, and those of Spark in our words."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with silence_logs():
            yield
    except (PySparkException, Py4JError) as error:
        raise find_error(f"{error}\n{getattr(error, '_stackTrace', '')}", error) from None


@contextmanager
def silence_logs() -> Iterator[None]:
    """Keep Spark from logging what is refused, with all its words."""
    from pyspark.logger import PySparkLogger

    logger = PySparkLogger.getLogger("DataFrameQueryContextLogger")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def find_error(text: str, error: Exception) -> SwapmeetError:
    """The error that a message of Spark speaks of."""
    ours = _OURS.search(text)
    if ours is not None:
        kind = _CLASSES.get(ours[1], SwapmeetError)
        return _make_error(kind, ours[2].strip().replace(_NEXT, "\n"))
    known = next((words for sign, words in _KNOWN.items() if re.search(sign, text)), None)
    return SwapmeetError(_unforeseen(error)) if known is None else EngineError(known)


def _make_error(kind: type[SwapmeetError], message: str) -> SwapmeetError:
    return SchemaError(message.split("\n")) if kind is SchemaError else kind(message)


def _unforeseen(error: Exception) -> str:
    condition = getattr(error, "getCondition", lambda: None)()
    return f"something unforeseen happened in Spark ({condition or type(error).__name__})."
