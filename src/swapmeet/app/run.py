"""A run: one piece of work that the curator asked for, and what became of it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Self

from swapmeet.measures.overall import WHOLE_LOSS


class State(StrEnum):
    """The state of a run."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"

    @property
    def is_open(self) -> bool:
        """Return whether there is something left to do."""
        return self in {State.WAITING, State.RUNNING}


class RunKind(StrEnum):
    """The purpose of a run."""

    INSPECTION = "inspection"
    CANDIDATE = "candidate"
    SEARCH = "search"
    ANALYSIS = "analysis"
    PAPERS = "papers"


@dataclass(frozen=True)
class Command:
    """A command of `swapmeet`: as it is run here, and as a curator would type it."""

    args: tuple[str, ...]
    shown: str

    def rename_files(self, content: Any) -> Any:
        """A message, or a result, with files called as people call them, not by private places."""
        if isinstance(content, dict):
            return {name: self.rename_files(value) for name, value in content.items()}
        if isinstance(content, list):
            return [self.rename_files(value) for value in content]
        if isinstance(content, str):
            for here, shown in self._places:
                content = content.replace(here, shown)
        return content

    @cached_property
    def _places(self) -> list[tuple[str, str]]:
        """Files in private places, and what people call them."""
        pairs = zip(self.args, shlex.split(self.shown)[1:], strict=False)
        return [(here, shown) for here, shown in pairs if Path(here).is_absolute()]


@dataclass(frozen=True, kw_only=True)
class Run:
    """The commands of a run, its state and, in its folder, what came out of it.

    What command n prints as JSON is in `out-n.json`. `facts` holds what it was asked for, and
    figures of the result that lists and maps show. A `seed` that was chosen is kept nowhere but
    in the audit record.
    """

    kind: RunKind
    case: str
    title: str
    commands: tuple[Command, ...]
    number: int = 0
    state: State = State.WAITING
    asked: float = 0.0
    seconds: float = 0.0
    error: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    folder: Path = Path()
    seed: str = field(default="", repr=False)

    @property
    def name(self) -> str:
        """The name of the run in addresses and folders of its case."""
        return f"{self.kind}-{self.number}"

    def output_path(self, number: int) -> Path:
        """Return the path of a command's result; commands are counted from 1."""
        return self.folder / f"out-{number}.json"

    def output(self, number: int = -1) -> dict[str, Any]:
        """The result of a command, counted from 1, or of the last; empty where there is none."""
        at = number if number > 0 else len(self.commands) + 1 + number
        command = self.commands[at - 1] if at <= len(self.commands) else None
        return read_result(self.output_path(at), command)

    def to_dict(self) -> dict[str, Any]:
        """As it is kept."""
        content = asdict(self)
        del content["folder"], content["seed"]
        return content

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], folder: Path) -> Self:
        """Read what `to_dict` wrote."""
        names = {one.name for one in fields(cls)} - {"folder", "seed"}
        own = {name: value for name, value in content.items() if name in names}
        commands = tuple(Command(tuple(c["args"]), c["shown"]) for c in own.pop("commands"))
        kind, state = RunKind(own.pop("kind")), State(own.pop("state"))
        return cls(**own, kind=kind, state=state, commands=commands, folder=folder)


def read_result(path: Path, command: Command | None = None) -> dict[str, Any]:
    """Read what a command printed; empty if it was stopped before. Do not change the result."""
    try:
        status = path.stat()
        return _read(path, status.st_mtime_ns, status.st_size, command)
    except (OSError, ValueError):
        return {}


def forget_results() -> None:
    """Let go of the results read last."""
    _read.cache_clear()


@lru_cache(maxsize=8)
def _read(path: Path, changed: int, size: int, command: Command | None) -> dict[str, Any]:  # noqa: ARG001
    """One reading of a result, which large tables make long."""
    content = json.loads(path.read_bytes())
    if not isinstance(content, dict):
        return {}
    return command.rename_files(content) if command else content


LINKAGE = "linkage"
EVERYTHING = "everything"
FIGURES = ("safe", "decided", "sentence", "toll", "losses", "risk", "interval", "worst", "loss")
"""Facts that measuring a candidate adds."""


def summarize(run: Run) -> dict[str, Any]:
    """Figures of the result of a run that has ended; nothing where there is no result."""
    if run.kind is RunKind.CANDIDATE:
        return _summarize_candidate(run)
    if run.kind is RunKind.SEARCH:
        return _summarize_search(run)
    return {}


def find_score(card: Mapping[str, Any], measure: str) -> Mapping[str, Any] | None:
    """The score of a measure on a card, where it has a value."""
    for score in card.get("scores", ()):
        if score["measure"] == measure and score["value"] is not None:
            return score
    return None


def find_loss(card: Mapping[str, Any]) -> float | None:
    """The mean of the measures that a search minimises; None where one of them has no value."""
    scores = [find_score(card, measure) for measure in WHOLE_LOSS]
    values = [score["value"] for score in scores if score is not None]
    return sum(values) / len(values) if len(values) == len(WHOLE_LOSS) else None


def _summarize_candidate(run: Run) -> dict[str, Any]:
    made, card = run.output(1), run.output(2).get("assessment")
    if not made or not card:
        return {}
    names = ("method", "settings", "rows", "reproducible")
    return {**{name: made[name] for name in names}, **read_figures(card)}


def read_figures(card: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict of a card, and a few of its figures."""
    verdict, losses, linkage = card["verdict"], card.get("losses", {}), find_score(card, LINKAGE)
    return {
        "safe": verdict["safe"],
        "decided": verdict["decided"],
        "sentence": verdict["sentence"],
        "toll": losses.get("toll", ""),
        "losses": losses.get("sentence", ""),
        "risk": None if linkage is None else linkage["value"],
        "interval": None if linkage is None else linkage["interval"],
        "worst": None if linkage is None else _find_worst(linkage),
        "loss": find_loss(card),
    }


def _find_worst(linkage: Mapping[str, Any]) -> float:
    """The share that somebody who knows everything about everybody finds, which is never less."""
    levels = linkage.get("details", {}).get("by level", {})
    share = levels.get(EVERYTHING, {}).get("share")
    return max(linkage["value"], share or 0.0)


def _summarize_search(run: Run) -> dict[str, Any]:
    study = run.output(1)
    if not study:
        return {}
    points = [
        {
            "number": one["number"],
            "risk": one["medians"].get("risk"),
            "loss": one["medians"].get("loss"),
            "checked": one["checked"],
        }
        for one in study["candidates"]
        if not one["failure"]
    ]
    return {
        "points": points,
        "best": study["choice"]["best"],
        "sentences": study["choice"]["sentences"],
        "trials": study["trials"],
    }
