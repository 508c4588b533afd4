"""Compilation of loops.

Machine code of compiled loops, kept by content, so that a machine compiles each of them once.

A loop's file is named after all that its machine code depends on: its own code, the values and
other loops that it refers to, the types it is compiled for, the processor, and the versions of
Python, numba, llvmlite and numpy. So a second clone, a reinstallation or a moved folder compiles
nothing, an edit compiles what depends on it, and processes never get in each other's way: a file is
written aside and renamed, and nothing else refers to it.

The files are a convenience: what cannot be read is compiled anew, what cannot be written is done
without. They lie in the user's folder for caches or, where that cannot be written, in a private
folder for temporary files; never where somebody else could put machine code into them.
"""

from __future__ import annotations

import gc
import hashlib
import os
import pickle
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba import njit
from numba.core import config as numba_config
from numba.core import event
from numba.core import types as numba_types
from numba.core.caching import CompileResultCacheImpl, NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from swapmeet.base.arrays import Ints
from swapmeet.base.compile_watch import WATCH

_Function = TypeVar("_Function", bound="Callable[..., Any]")


def kernel(function: _Function) -> _Function:
    """Compile once, keep the machine code on disk, run without the interpreter lock."""
    dispatcher: Any = njit(nogil=True)(function)
    dispatcher._cache = KernelCache(function)  # noqa: SLF001
    dispatcher.get_call_template = partial(_resolve_call, dispatcher.get_call_template)
    return cast("_Function", dispatcher)


def _resolve_call(
    resolve: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]
) -> Any:
    """Let a loop that is called with a constant be compiled as one that is called with a number.

    Otherwise numba compiles it, and all that it calls, for each constant and once more.
    """
    named = {name: types.unliteral(kind) for name, kind in named.items()}
    return resolve([types.unliteral(kind) for kind in args], named)


class _CompileListener(event.Listener):
    """Hears from numba which function is being compiled; other people's are none of ours.

    A compiler makes millions of objects that live until it is done: to look through them for
    garbage as often as usual takes a tenth of its time.
    """

    def __init__(self) -> None:
        self._intervals: list[tuple[int, int, int]] = []

    def on_start(self, event: Any) -> None:
        if _is_own(event):
            WATCH.begin()
            self._intervals.append(gc.get_threshold())
            gc.set_threshold(*map(max, self._intervals[-1], SELDOM))

    def on_end(self, event: Any) -> None:
        if _is_own(event):
            gc.set_threshold(*self._intervals.pop())
            WATCH.end()


def _is_own(event: Any) -> bool:
    function = getattr(event.data.get("dispatcher"), "py_func", None)
    return str(getattr(function, "__module__", "")).startswith("swapmeet.")


event.register("numba:compile", _CompileListener())  # type: ignore[no-untyped-call]


config: Any = numba_config
types: Any = numba_types
SELDOM = (50_000, 20, 50)
"""How many objects are made before garbage is looked for while something is compiled."""
UNUSED_DAYS = 90.0
"""Machine code that nobody loaded for so long is deleted."""
DAY = 86_400.0
_NAME_LENGTH = 40


class KernelCache(NullCache):
    """Kept machine code of one loop."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @property
    def cache_path(self) -> str | None:
        """The folder of the files, if there is one."""
        folder = find_kernel_folder()
        return None if folder is None else str(folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load what was kept for these types; nothing where it is damaged or was never kept."""
        try:
            target_context.refresh()
            path = self._locate(sig, target_context.codegen())
            if path is None:
                return None
            parts = pickle.loads(path.read_bytes())
            _note_use(path)
            return CompileResult._rebuild(target_context, *parts)  # type: ignore[no-untyped-call]  # noqa: SLF001
        except Exception:  # noqa: BLE001
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep it, if there is room."""
        with suppress(Exception):
            path = self._locate(sig, data.codegen)
            if path is None or data.lifted or data.library.has_dynamic_globals:
                return
            path.parent.mkdir(mode=0o700, exist_ok=True)
            _write(path, dumps(CompileResultCacheImpl.reduce(None, data)))  # type: ignore[arg-type,no-untyped-call]
            _delete_unused(path.parent)

    def _locate(self, sig: Any, codegen: Any) -> Path | None:
        folder = find_kernel_folder()
        if folder is None:
            return None
        what = (digest(self._function), _describe_type(sig), codegen.magic_tuple())
        mark = hashlib.sha256(repr(what).encode()).hexdigest()[:_NAME_LENGTH]
        return folder / f"{self._function.__name__}-{mark}.kernel"


@cache
def digest(function: Callable[..., Any]) -> str:
    """Describe all that a loop's machine code depends on, besides the types and the processor."""
    return hashlib.sha256("\n".join(_list_content(function, set())).encode()).hexdigest()


def _list_content(function: Callable[..., Any], seen: set[object]) -> Iterator[str]:
    """List what a loop consists of, and then the same of the loops that it calls."""
    if function in seen:
        return
    seen.add(function)
    yield f"{function.__module__}.{function.__qualname__}{function.__defaults__}"
    yield repr(_list_versions())
    names: set[str] = set()
    yield from _list_code(function.__code__, names)
    for name, value in sorted(_resolve(function, names)):
        inner = getattr(value, "py_func", None)
        if inner is None:
            yield f"{name}: {_describe_value(value)}"
        else:
            yield f"{name}: {inner.__module__}.{inner.__qualname__}"
            yield from _list_content(inner, seen)


def _list_code(code: CodeType, names: set[str]) -> Iterator[str]:
    """List the instructions and constants of a function, without their lines."""
    names |= set(code.co_names)
    yield repr((code.co_code.hex(), code.co_varnames, code.co_names, code.co_argcount))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _list_code(constant, names)
        else:
            yield repr(constant)


def _resolve(function: Callable[..., Any], names: set[str]) -> Iterator[tuple[str, Any]]:
    """Find the values of names outside a function, also those that it takes from our modules."""
    outside = function.__globals__
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    yield from ((name, cell.cell_contents) for name, cell in cells)
    for name in names & outside.keys():
        value = outside[name]
        yield name, value
        if isinstance(value, ModuleType) and value.__name__.startswith("swapmeet."):
            inside = vars(value)
            yield from ((f"{name}.{n}", inside[n]) for n in names & inside.keys())


def _describe_value(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype.str}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, (type, ModuleType)) or callable(value):
        module, name = getattr(value, "__module__", ""), getattr(value, "__name__", "")
        return f"{module}.{name}{getattr(value, '_fields', '')}"
    return repr(value)


def _describe_type(kind: Any) -> str:
    """Describe a type of numba's; those of named tuples with their fields, which code refers to."""
    if isinstance(kind, tuple):
        return f"({', '.join(_describe_type(one) for one in kind)})"
    if isinstance(kind, types.BaseNamedTuple):
        owner = kind.instance_class
        parts = zip(kind.fields, kind, strict=True)
        fields = ", ".join(f"{name}: {_describe_type(one)}" for name, one in parts)
        return f"{owner.__module__}.{owner.__qualname__}({fields})"
    if isinstance(kind, types.BaseTuple):
        return f"tuple({', '.join(_describe_type(one) for one in kind)})"
    if isinstance(kind, types.Dispatcher):
        return f"loop {digest(kind.dispatcher.py_func)}"
    return str(kind)


@cache
def _list_versions() -> tuple[object, ...]:
    return (
        sys.implementation.cache_tag, sys.platform, numba.__version__, llvmlite.__version__,
        np.__version__, config.BOUNDSCHECK, config.OPT, config.LOOP_VECTORIZE,
    )  # fmt: skip


def find_kernel_folder() -> Path | None:
    """Find the folder that machine code is kept in; none where there is no private one."""
    return _find_private(config.CACHE_DIR)


@cache
def _find_private(chosen: str) -> Path | None:
    for folder in (Path(chosen) if chosen else find_cache_folder(), _find_temporary_folder()):
        with suppress(OSError):
            if folder is not None:
                return _make_private(folder)
    return None


def find_cache_folder() -> Path | None:
    """Name the user's folder for what can be made anew; it need not exist yet."""
    with suppress(RuntimeError):
        if sys.platform == "win32":
            return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "swapmeet" / "cache"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "swapmeet"
        named = os.environ.get("XDG_CACHE_HOME")
        return (Path(named) if named else Path.home() / ".cache") / "swapmeet"
    return None


def _find_temporary_folder() -> Path | None:
    """Name a folder for temporary files.

    Where no place for these can be written, Python names the current folder: that of user's data.
    """
    user = os.getuid() if hasattr(os, "getuid") else 0
    with suppress(OSError):
        place = Path(tempfile.gettempdir())
        if place.is_dir() and place != Path.cwd():
            return place / f"swapmeet-{user}"
    return None


def _make_private(folder: Path) -> Path:
    """Make a folder that nobody else can put anything into, unless it is there."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    state = folder.lstat()
    is_ours = not hasattr(os, "getuid") or (
        state.st_uid == os.getuid() and not state.st_mode & 0o022
    )
    if not stat.S_ISDIR(state.st_mode) or not is_ours:
        raise PermissionError(1, "is somebody else's", str(folder))
    tempfile.TemporaryFile(dir=folder).close()
    return folder


def _write(path: Path, content: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as aside:
        try:
            aside.write(content)
            aside.close()
            Path(aside.name).replace(path)
        except BaseException:
            Path(aside.name).unlink(missing_ok=True)
            raise


def _note_use(path: Path) -> None:
    """Let a file's time tell when it was last used, to the day."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > DAY:
            os.utime(path)


@cache
def _delete_unused(folder: Path) -> None:
    """Delete what nobody has used for long, once in a process that compiles."""
    oldest = time.time() - UNUSED_DAYS * DAY
    for entry in os.scandir(folder):
        with suppress(OSError):
            if entry.name.endswith((".kernel", ".tmp")) and entry.stat().st_mtime < oldest:
                Path(entry.path).unlink()


@kernel
def lengthen(table: Ints) -> Ints:
    """A copy with twice the room; a loop, since assignment to a slice takes seconds to compile."""
    copy = np.empty((2 * table.shape[0], table.shape[1]), np.int64)
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            copy[i, j] = table[i, j]
    return copy
