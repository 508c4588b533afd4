"""Refusals: what cannot be tried on a table, each reason once, as soon as it is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from swapmeet.base.sentences import join_names

if TYPE_CHECKING:
    from swapmeet.tuning.trial import Setting
    from swapmeet.tuning.trial_table import TrialTable


@dataclass(frozen=True)
class Refusal:
    """A reason why some settings of some methods cannot be tried, and how many of how many.

    `message` is that of the first of them; numbers in it may differ from setting to setting.
    """

    methods: tuple[str, ...]
    settings: int
    of: int
    message: str

    @property
    def sentence(self) -> str:
        """In words."""
        names = join_names(self.methods)
        words = self.message.removeprefix(f"{self.methods[0]}: ")
        if self.settings < self.of:
            return f"{names} ({self.settings:,} of {self.of:,} settings): {words}"
        if len(self.methods) == 1 and words.startswith(names):
            return words
        return f"{names}: {words}"

    @property
    def reason(self) -> str:
        """The message without its numbers: what is the same for many settings."""
        return name_reason(self.methods[0], self.message)

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "methods": list(self.methods), "settings": self.settings, "of": self.of,
            "message": self.message, "sentence": self.sentence,
        }  # fmt: skip


RefusalListener = Callable[[Sequence[Refusal]], None]
"""Called with new reasons: before the first trial, and whenever a trial fails for another one."""


def ignore_refusals(refusals: Sequence[Refusal]) -> None:
    """Do nothing: the listener where nobody listens."""


def name_reason(method: str, message: str) -> str:
    """The first sentence of a message, without the method's name, numbers and names of columns.

    >>> name_reason("rwn", "rwn: `k` = 500 needs at least 501 rows, the table has 60.")
    '`k` = # needs at least # rows, the table has #.'
    >>> name_reason("kl-theta", "kl-theta: column 'job' has 2 values; `l` = 3. Lower `l`.")
    'column # has # values; `l` = #'
    """
    first = re.split(r"\n|\. ", message.removeprefix(f"{method}: "), maxsplit=1)[0]
    return re.sub(r"'[^']*'|\d[\d.,]*(?<=\d)", "#", first)


def find_refusals(trials: TrialTable, settings: Iterable[Setting] = ()) -> list[Refusal]:
    """The reasons why settings cannot be tried, among these and those that were tried."""
    tried = {one.key: one for one in (*settings, *trials.settings.values())}
    of: dict[str, int] = {}
    groups: dict[str, list[Setting]] = {}
    messages: dict[str, str] = {}
    for setting in tried.values():
        of[setting.name] = of.get(setting.name, 0) + 1
        message = trials.failures.get(setting.key) or trials.find_obstacle(setting)
        if message:
            reason = name_reason(setting.name, message)
            groups.setdefault(reason, []).append(setting)
            messages.setdefault(reason, message.partition("\n")[0])
    refusals = []
    for reason, some in groups.items():
        methods = tuple(dict.fromkeys(one.name for one in some))
        total = sum(of[name] for name in methods)
        refusals.append(Refusal(methods, len(some), total, messages[reason]))
    return refusals


class RefusalReport:
    """Lets a listener hear each reason once."""

    def __init__(
        self, trials: TrialTable, settings: Iterable[Setting], listener: RefusalListener
    ) -> None:
        self._trials, self._settings, self._listener = trials, tuple(settings), listener
        self._known: set[str] = set()

    def update(self) -> None:
        """Report what is new."""
        refusals = find_refusals(self._trials, self._settings)
        new = [one for one in refusals if one.reason not in self._known]
        self._known |= {one.reason for one in new}
        if new:
            self._listener(new)
