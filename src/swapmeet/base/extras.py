"""Libraries that only some users need, and the extra of the package that brings each."""

from __future__ import annotations

from importlib.util import find_spec

from swapmeet.errors import SwapmeetError, UsageError

EXTRAS = {
    "adbc_driver_manager": "db",
    "adbc_driver_postgresql": "db",
    "adbc_driver_sqlite": "db",
    "jinja2": "report",
    "matplotlib": "report",
    "openpyxl": "formats",
    "optuna": "tune",
    "pandas": "pandas",
    "pyreadstat": "formats",
    "pyspark": "spark",
    "python_multipart": "app",
    "starlette": "app",
    "statsmodels": "data",
    "uvicorn": "app",
}
"""Libraries, by the name under which they are imported."""


def is_installed(library: str) -> bool:
    """Return whether a library can be imported; it is not loaded."""
    return find_spec(library) is not None


def name_remedy(library: str) -> str:
    """Say how to install a library.

    >>> name_remedy("optuna")
    'Run: pip install "swapmeet[tune]"'
    """
    return f'Run: pip install "swapmeet[{EXTRAS[library]}]"'


def require_library(
    library: str, what: str, error: type[SwapmeetError] = UsageError, *, plural: bool = True
) -> None:
    """Refuse what needs a library that is not installed; the message names the remedy.

    >>> require_library("numpy", "tables")
    """
    if not is_installed(library):
        verb = "need" if plural else "needs"
        raise error(f"{what} {verb} {library}, which is not installed. {name_remedy(library)}")
