"""A file format that Swapmeet does not have: one file, and an entry in the table of formats."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from swapmeet.io.document import Document
from swapmeet.io.format import StreamingFormat

AT_ONCE = 1000


@dataclass(frozen=True)
class LinesOutlet:
    cells: dict[str, str] = field(default_factory=dict)

    def write(self, aside, schema, tables):
        with aside.open("w") as file:
            for table in tables:
                put(file, table.select(schema.names))


@dataclass(frozen=True, kw_only=True)
class JsonLines(StreamingFormat):
    def read(self, path, progress, **options):
        import pyarrow as pa

        table = pa.concat_tables(list(pieces(path)))
        return Document(path=path, format=self.name, frame=table)

    def write(self, aside, publication):
        from swapmeet.io.release_table import to_arrow_table

        LinesOutlet().write(aside, (table := to_arrow_table(publication)).schema, [table])

    def open_source(self, path, folder, workers, **options):
        import pyarrow.parquet as pq

        from swapmeet.io.parquet import ParquetSource

        tables = pieces(path)
        first = next(tables)
        with pq.ParquetWriter(folder / "rows.parquet", first.schema) as writer:
            for table in (first, *tables):
                writer.write_table(table)
        return ParquetSource.open(folder / "rows.parquet")

    def open_outlet(self, target, source):
        return LinesOutlet()


def pieces(path):
    import pyarrow as pa

    rows = []
    with path.open() as file:
        for line in file:
            rows.append(json.loads(line))
            if len(rows) == AT_ONCE:
                yield pa.Table.from_pylist(rows)
                rows = []
    if rows:
        yield pa.Table.from_pylist(rows)


def put(file, table):
    file.writelines(json.dumps(row) + "\n" for row in table.to_pylist())


JSON_LINES = JsonLines(name="jsonl", title="JSON lines", suffixes=(".jsonl",))
