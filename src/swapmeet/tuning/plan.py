"""Which trial comes next: all of a grid, in an order that is fair when it ends early."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from swapmeet.tuning.study import Tally
    from swapmeet.tuning.trial import Setting, Trial


class Plan(Protocol):
    """Says what to try next, and hears what came of it."""

    def next(self) -> tuple[Setting, int] | None:
        """A setting and the number of its repeat; None when there is nothing left to try."""

    def told(self, trial: Trial) -> None:
        """A trial is done."""

    @property
    def total(self) -> int:
        """How many trials there will be at most."""


class Everything:
    """Every setting once, then every setting again, until each has all its repeats."""

    def __init__(self, settings: Sequence[Setting], tally: Tally, repeats: int) -> None:
        self._settings, self._tally, self._repeats = settings, tally, repeats
        self._rest = self._open()

    def next(self) -> tuple[Setting, int] | None:
        """The next trial that is neither done nor known to fail."""
        return next(self._rest, None)

    def told(self, trial: Trial) -> None:
        """The tally knows already."""

    @property
    def total(self) -> int:
        """All trials that are not done yet."""
        return sum(
            len(set(range(repeats_of(setting, self._repeats))) - self._tally.repeats(setting))
            for setting in self._settings
            if setting.key not in self._tally.failures
        )

    def _open(self) -> Iterator[tuple[Setting, int]]:
        for repeat in range(self._repeats):
            for setting in self._settings:
                is_open = repeat < repeats_of(setting, self._repeats)
                failed = setting.key in self._tally.failures
                if is_open and not failed and repeat not in self._tally.repeats(setting):
                    yield setting, repeat


def repeats_of(setting: Setting, repeats: int) -> int:
    """How often a setting is worth trying: once, where chance has no part in it."""
    return repeats if setting.method.is_random else 1
