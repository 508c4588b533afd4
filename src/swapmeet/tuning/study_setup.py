"""The set-up of a study, on which all scores depend, and the mark by which its table is known."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from swapmeet import __version__
from swapmeet.base.params import is_count
from swapmeet.base.secret import load_own_key
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.measures.registry import MEASURES
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Role, Schema
from swapmeet.tables.ties import Ties

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from swapmeet.measures.base import Measure
    from swapmeet.tables.frame import Table
    from swapmeet.tuning.trial_runner import TrialRunner


BYTES = 16
UNSURE = (
    "the journal was written by somebody else, on another machine or by an older version, so only "
    "rows and columns tell that it is about this table."
)
"""What is said where marks of two keys meet."""


@dataclass(frozen=True)
class DataMark:
    """A hash of all that methods and measures see of a table, by a key of the user's own.

    Without the key, anyone who knows all cells but one could try the values of that one until the
    hash fits. `key` says which key it was, and not the key; marks of two keys cannot be compared.
    Older journals have a hash without a key.
    """

    key: str
    digest: str

    @classmethod
    def of(cls, data: Microdata) -> Self:
        """The mark of a table."""
        secret = load_own_key()
        digest = hashlib.blake2b(key=secret, digest_size=BYTES, person=b"table")
        for variable in data.variables:
            digest.update(f"{len(variable.name)}:{variable.name}".encode("utf-8", "surrogatepass"))
            digest.update(np.ascontiguousarray(variable.values).tobytes())
        digest.update(np.ascontiguousarray(data.strata).tobytes())
        return cls(_name_key(secret), digest.hexdigest())

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what `str` wrote."""
        key, _, digest = text.rpartition(":")
        return cls(key, digest)

    def __str__(self) -> str:
        return f"{self.key}:{self.digest}" if self.key else self.digest

    def is_comparable(self, other: DataMark) -> bool:
        """Return whether both were made with the same key."""
        return self.key == other.key


def _name_key(secret: bytes) -> str:
    return hashlib.blake2b(key=secret, digest_size=8, person=b"name").hexdigest()


@dataclass(frozen=True)
class StudySetup:
    """The facts that make trials comparable.

    `data` is a mark of all that methods and measures see of the table. Of the measures in
    `first_looks` trials take a first look only.
    """

    data: DataMark
    rows: int
    schema: Schema
    measures: tuple[str, ...]
    settings: Mapping[str, Mapping[str, Any]]
    known: tuple[str, ...]
    at_most: int | None
    version: str = __version__
    level: Knowledge = Knowledge.KEYS
    first_looks: tuple[str, ...] = ()

    @classmethod
    def of(cls, runner: TrialRunner, schema: Schema) -> Self:
        """The setup of a study whose trials this runner makes."""
        all_measures = [*runner.measures, *runner.late]
        return cls(
            data=DataMark.of(runner.before or runner.whole),
            rows=runner.whole.n,
            schema=schema,
            measures=tuple(measure.name for measure in all_measures),
            settings={measure.name: measure.settings() for measure in all_measures},
            known=runner.known,
            at_most=runner.at_most,
            level=runner.level,
            first_looks=_list_first_looks(runner.measures),
        )

    @property
    def known_by_name(self) -> tuple[str, ...] | None:
        """The columns that were named as known; None where they are all masked ones."""
        return None if set(self.known) == set(self.schema.masked) else self.known

    def to_dict(self) -> dict[str, Any]:
        """As the first line of a journal."""
        return {
            "version": self.version,
            "data": str(self.data),
            "rows": self.rows,
            "columns": self.schema.to_dict(),
            **({"ties": self.schema.ties.to_dict()} if self.schema.ties else {}),
            "measures": {name: dict(self.settings[name]) for name in self.measures},
            "known": list(self.known),
            "at_most": self.at_most,
            "intruder": str(self.level),
            "first_looks": list(self.first_looks),
            **({"recode": list(self.schema.recodes)} if self.schema.recodes else {}),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote; LookupError, TypeError or ValueError for anything else."""
        made = [MEASURES[name].from_settings(settings)
                for name, settings in content["measures"].items() if name in MEASURES]  # fmt: skip
        return cls(
            data=DataMark.parse(str(content["data"])),
            rows=int(content["rows"]),
            schema=replace(
                Schema.from_dict(content["columns"]),
                recodes=tuple(map(str, content.get("recode", ()))),
                ties=Ties.from_dict(content.get("ties", {})),
            ),
            measures=tuple(content["measures"]),
            settings=dict(content["measures"]),
            known=_read_names(content["known"]),
            at_most=_read_count(content["at_most"]),
            version=str(content["version"]),
            level=Knowledge(content.get("intruder", Knowledge.KEYS)),
            first_looks=_read_names(content.get("first_looks", _list_first_looks(made))),
        )

    def has_other_data(self, mark: DataMark) -> bool:
        """Return whether a mark is known to be of another table."""
        return self.data.is_comparable(mark) and self.data != mark

    def differences(self, other: StudySetup) -> Iterator[str]:
        """Reasons why trials of `other` cannot be compared with trials of this one."""
        if self.version != other.version:
            yield f"version {other.version} made it, and this is {self.version}"
        if self.rows != other.rows or self.has_other_data(other.data):
            rows = "" if self.rows == other.rows else f" ({other.rows} rows, not {self.rows})"
            yield f"it is about other data{rows}"
        mine, its = self.schema.to_dict(), other.schema.to_dict()
        if mine != its:
            changed = [name for name in (mine | its) if mine.get(name) != its.get(name)]
            yield f"these columns have other kinds or roles: {', '.join(changed)}"
        if self.schema.recodes != other.schema.recodes:
            yield "its table was recoded in another way"
        if self.schema.ties != other.schema.ties:
            yield "other columns belong together or follow from others, or it has other rules"
        if dict(self.settings) != dict(other.settings):
            yield f"it has other measures, or other settings of them: {', '.join(other.measures)}"
        if self.known != other.known:
            yield f"its intruder knows {', '.join(other.known)}"
        if self.level != other.level:
            yield f"its intruder {other.level.words}"
        if self.at_most != other.at_most:
            yield f"it links at most {other.at_most} rows"


def _list_first_looks(measures: Iterable[Measure]) -> tuple[str, ...]:
    return tuple(measure.name for measure in measures if measure.first_look != measure)


def _read_names(content: Any) -> tuple[str, ...]:
    if not isinstance(content, (list, tuple)) or not all(isinstance(name, str) for name in content):
        raise TypeError
    return tuple(content)


def _read_count(content: Any) -> int | None:
    if content is not None and not is_count(content, 1):
        raise TypeError
    return content


def read_published(table: Table, schema: Schema) -> Microdata:
    """All published columns, as measures see them."""
    return read_both(table, table, schema)[0]


def read_both(table: Table, recoded: Table, schema: Schema) -> tuple[Microdata, Microdata]:
    """All published columns of a table before and after it was recoded, in the same codes."""
    columns = [schema[name] for name in schema.compared]
    household, person = (
        next(iter(schema.having(role)), None) for role in (Role.HOUSEHOLD, Role.PERSON)
    )
    before, after = Microdata.of_all((table, recoded), columns, household, person)
    return before, after
