"""Pages of the public names, whose text mkdocstrings takes from their docstrings."""

from __future__ import annotations

import inspect
from importlib import import_module
from types import ModuleType

import swapmeet as sm

FOLDER = "reference/api"
MODULES = {"datasets": "Built-in data", "plots": "Pictures", "testing": "Contracts for your own"}
TITLES = {
    "functions": "Functions",
    "classes": "Tables, releases, results",
    "methods": "Methods",
    "errors": "Errors",
}
WORDS = {
    "functions": "All of `import swapmeet as sm`.",
    "classes": "What functions take and give.",
    "methods": "Each is a frozen dataclass whose fields are its parameters; "
    "[what they do](../methods/index.md).",
    "errors": "What is raised, and what is warned of.",
}
WITHOUT_PARTS = "\n    options: {members: false, show_signature_annotations: false}"
"""A method is its parameters; how it works inside is for those who read its file."""


def sort_names() -> dict[str, list[str]]:
    """The public names by page."""
    found: dict[str, list[str]] = {page: [] for page in TITLES}
    for name in sorted(sm.__all__, key=str.lower):
        if callable(getattr(sm, name)):
            found[_find_page(getattr(sm, name))].append(name)
    return found


def _find_page(thing: object) -> str:
    if not inspect.isclass(thing):
        return "functions"
    if issubclass(thing, BaseException):
        return "errors"
    return "methods" if thing in sm.METHODS.values() else "classes"


def make_api_pages() -> dict[str, str]:
    """One page for each sort of names and for each public module."""
    pages = {}
    for page, names in sort_names().items():
        options = WITHOUT_PARTS if page == "methods" else ""
        paths = [_find_path(name) for name in names]
        pages[f"{FOLDER}/{page}.md"] = _make_page(TITLES[page], WORDS[page], paths, options)
    for module, title in MODULES.items():
        path = f"swapmeet.{module}"
        names = [f"{path}.{name}" for name in _list_names(module)]
        pages[f"{FOLDER}/{module}.md"] = _make_page(title, f"`{path}`.", names)
    return pages


def _find_path(name: str) -> str:
    """Where mkdocstrings finds it; the names of methods come from a table it cannot read."""
    thing = getattr(sm, name)
    return f"{thing.__module__}.{name}" if _find_page(thing) == "methods" else f"swapmeet.{name}"


def _list_names(module: str) -> list[str]:
    loaded = import_module(f"swapmeet.{module}")
    if module == "datasets":
        return ["load", "load_arrow", "find_file", "schema"]
    if module == "plots":
        both = [
            name for name in loaded.__all__ if not isinstance(getattr(loaded, name), ModuleType)
        ]
        return [*(f"{n}.draw" for n in loaded.__all__ if n not in both), *both]
    return [name for name in loaded.__all__ if callable(getattr(loaded, name))]


def _make_page(title: str, words: str, names: list[str], options: str = "") -> str:
    parts = [f"# {title}", words, *(f"::: {name}{options}" for name in names)]
    return "\n\n".join([*parts, ""])
