"""The process that reads files of statistical packages; it imports nothing of Swapmeet.

Requests come as JSON on standard input, tables go as Arrow streams to standard output, with what
the file says of its columns as JSON in the schema. Nothing is written to a disk, and nothing that
comes back can run code.
"""

from __future__ import annotations

import datetime
import json
import sys
from pathlib import Path
from typing import Any

DAMAGED, TOO_LARGE = 3, 4
"""Exit codes of the process where the file cannot be read, or takes too much memory."""


def main() -> None:
    """Answer requests, one a line, until there are no more: a number, and if it is 0, a table."""
    import pyarrow  # noqa: F401
    import pyreadstat  # noqa: F401

    for line in sys.stdin:
        code, table = answer(json.loads(line))
        sys.stdout.buffer.write(f"{code}\n".encode())
        if table is not None:
            send(table)
        sys.stdout.buffer.flush()


def answer(request: dict[str, Any]) -> tuple[int, Any]:
    """The table of a file, or why there is none."""
    import pyreadstat

    limit_resources(request["memory"], request["seconds"])
    try:
        reader = getattr(pyreadstat, request["reader"])
        cells, metadata = reader(request["path"], output_format="dict", **request["options"])
        return 0, to_table(cells, encode(vars(metadata)))
    except MemoryError:
        return TOO_LARGE, None
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError) as error:
        return TOO_LARGE if "memory" in str(error) else DAMAGED, None


def send(table: Any) -> None:
    """Write a table to standard output."""
    import pyarrow as pa

    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as writer:
        writer.write_table(table)


def limit_resources(memory: int, seconds: int) -> None:
    """Allow so much memory besides what is taken already, and so many seconds of work."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    _set(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + 1 + seconds)
    try:
        taken = (
            int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
            * resource.getpagesize()
        )
    except OSError:
        return
    _set(resource.RLIMIT_AS, taken + memory)


def _set(what: int, limit: int) -> None:
    import resource

    most = resource.getrlimit(what)[1]
    fitting = limit if most == resource.RLIM_INFINITY else min(limit, most)
    resource.setrlimit(what, (fitting, most))


def to_table(cells: Any, metadata: Any) -> Any:
    """The cells as Arrow holds them; columns of several types as JSON, cell by cell."""
    import pyarrow as pa

    columns, mixed = [], []
    for name, column in cells.items():
        try:
            columns.append(pa.array(column, from_pandas=True))
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            columns.append(pa.array([json.dumps(cell) for cell in column]))
            mixed.append(name)
    said = json.dumps({"mixed": mixed, "metadata": metadata})
    return pa.table(columns, list(cells)).replace_schema_metadata({"said": said})


def encode(thing: Any) -> Any:
    """Plain things as JSON has them: a list of pairs for a dictionary, whose keys may be numbers.

    >>> encode({1.0: ["one"]})
    {'dict': [[1.0, ['one']]]}
    """
    if isinstance(thing, dict):
        return {"dict": [[encode(key), encode(value)] for key, value in thing.items()]}
    if isinstance(thing, (list, tuple)):
        return [encode(each) for each in thing]
    if isinstance(thing, datetime.datetime):
        return {"moment": thing.isoformat()}
    if thing is None or isinstance(thing, (str, bool, int, float)):
        return thing
    return thing.item() if hasattr(thing, "item") else str(thing)


if __name__ == "__main__":
    main()
