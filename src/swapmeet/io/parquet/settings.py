"""The settings with which a Parquet file was written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, kw_only=True)
class ParquetSettings:
    """Settings of a Parquet file, as `pyarrow.parquet.write_table` takes them."""

    compression: Mapping[str, str] | str = "snappy"
    version: str = "2.6"
    use_deprecated_int96_timestamps: bool = False

    @classmethod
    def of(cls, metadata: Any) -> Self:
        """Return those of a file."""
        if metadata.num_row_groups == 0:
            return cls()
        group = metadata.row_group(0)
        chunks = [group.column(j) for j in range(group.num_columns)]
        return cls(
            compression={chunk.path_in_schema: _codec(chunk.compression) for chunk in chunks},
            version="1.0" if metadata.format_version == "1.0" else "2.6",
            use_deprecated_int96_timestamps=any(chunk.physical_type == "INT96" for chunk in chunks),
        )

    def options(self, names: Iterable[str]) -> dict[str, Any]:
        """As the writer of a file with these columns takes them."""
        return {
            "compression": self._compression(set(names)),
            "version": self.version,
            "use_deprecated_int96_timestamps": self.use_deprecated_int96_timestamps,
        }

    def _compression(self, published: set[str]) -> Mapping[str, str] | str:
        if isinstance(self.compression, str):
            return self.compression
        return {
            path: codec
            for path, codec in self.compression.items()
            if path in published or path.split(".")[0] in published
        }


def _codec(name: str) -> str:
    return {"UNCOMPRESSED": "none", "LZ4_RAW": "lz4"}.get(name, name.lower())
