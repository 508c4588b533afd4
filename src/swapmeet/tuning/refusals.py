"""What cannot be tried on a table, and why: told once, before the first trial."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.tuning.study import Study
    from swapmeet.tuning.trial import Setting


@dataclass(frozen=True)
class Refusal:
    """A method, how many of its settings cannot be tried, of how many, and why."""

    method: str
    settings: int
    of: int
    message: str

    @property
    def sentence(self) -> str:
        """In words."""
        what = "" if self.settings == self.of else f" ({self.settings} of {self.of} settings)"
        if self.message.startswith(self.method) and not what:
            return self.message
        return f"{self.method}{what}: {self.message.removeprefix(f'{self.method}: ')}"


RefusalListener = Callable[[Sequence[Refusal]], None]
"""Called once, before the first trial."""


def ignore_refusals(refusals: Sequence[Refusal]) -> None:
    """Do nothing: the listener where nobody listens."""


def find_refusals(study: Study, space: Iterable[Setting]) -> list[Refusal]:
    """The reasons why settings cannot be tried, each once."""
    of: dict[str, int] = {}
    refused: dict[tuple[str, str], int] = {}
    for setting in space:
        of[setting.name] = of.get(setting.name, 0) + 1
        message = study.trials.failures.get(setting.key)
        if message:
            refused[setting.name, message] = refused.get((setting.name, message), 0) + 1
    return [
        Refusal(method, settings, of[method], message)
        for (method, message), settings in refused.items()
    ]
