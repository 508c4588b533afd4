"""swapmeet mask --protect-exposed: a file masked in memory, and its exposed people protected."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from swapmeet.cli.mask_memory import MemoryInput, MemoryRoute
from swapmeet.cli.mask_run import Masked
from swapmeet.errors import UsageError
from swapmeet.measures.default_limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from swapmeet.cli.mask_run import Route
    from swapmeet.cli.monitor import Monitor
    from swapmeet.methods import Method
    from swapmeet.protecting import ProtectedRelease
    from swapmeet.runs.targets import Targets
    from swapmeet.tables.schema import Schema

LIMITS = ("exposed_limit", "loss_limit")
ELSEWHERE = (
    "--protect-exposed: every row is compared with every other, again and again, in memory. Leave "
    "out {}, or mask without --protect-exposed."
)


def settle_protection(route: Route) -> Route:
    """The route, or the one that also protects exposed people, if options or run file say so."""
    options, settings = route.options, route.run_file.protect
    wanted = settings.get("exposed") if options.protect_exposed is None else options.protect_exposed
    if not wanted:
        given = [name for name in LIMITS if getattr(options, name) is not None]
        if given:
            flag = given[0].replace("_", "-")
            raise UsageError(f"--{flag} is for --protect-exposed: give that, too.")
        return route
    if type(route) is not MemoryRoute or route.block_rows is not None:
        raise UsageError(ELSEWHERE.format("--from, --memory, --block-rows and --engine spark"))
    return ProtectRoute(options, route.run_file)


class ProtectRoute(MemoryRoute):
    """The file is masked in memory, and protection is raised for exposed people."""

    @property
    def protection(self) -> dict[str, Any]:
        """As options, or else the run file, say; the limit is named even if nobody named it."""
        options, settings = self.options, self.run_file.protect
        limit = settings.get("linkage") if options.exposed_limit is None else options.exposed_limit
        loss = settings.get("loss") if options.loss_limit is None else options.loss_limit
        linkage = float(DEFAULT_LIMITS["linkage"] if limit is None else limit)
        return {"exposed": True, "linkage": linkage,
                **({} if loss is None else {"loss": float(loss)})}  # fmt: skip

    @contextmanager
    def open(self, bar: Monitor) -> Iterator[ProtectInput]:
        """Read the file."""
        with super().open(bar) as read:
            yield ProtectInput(read.document, read.local, bar, self.protection)


@dataclass(frozen=True)
class ProtectInput(MemoryInput):
    """A document that was read, whose exposed people are to be protected."""

    protection: Mapping[str, Any]

    def release(
        self,
        method: Method,
        schema: Schema,
        seed: int | None,
        targets: Targets,
        *,
        keep_order: bool,
    ) -> Masked:
        """Mask the table, protect exposed people, and write what came out."""
        from swapmeet.protecting import protect, read_settings

        self.bar.stage("masking")
        done = protect(
            self.document, method, schema=schema, seed=seed, engine=self.local,
            progress=self.bar, **read_settings(self.protection, schema),
        )  # fmt: skip
        release = self.write(done.release, targets, keep_order=keep_order)
        return Masked(release, {"protection": done.to_dict()}, done.after, tuple(_tell(done)))


def _tell(done: ProtectedRelease) -> Iterator[str]:
    """Step by step, what was done for exposed people; a note of the release sums it up."""
    summary = done.summary
    for step in summary.steps:
        yield f"{step.sentence[0].upper()}{step.sentence[1:]}."
    if summary.exposed:
        yield (
            f"Loss {summary.loss_before:.3f} → {summary.loss_after:.3f}. It ended because "
            f"{summary.stopped}."
        )
        yield from summary.tell_awareness()
