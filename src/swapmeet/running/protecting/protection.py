"""protect(): mask a table, and raise protection for those people who are still exposed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from swapmeet.base.parallel import Workers, count_cores
from swapmeet.base.params import is_count
from swapmeet.base.progress import Progress, Pulse, quieten, silent
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.engines import Local, choose_engine
from swapmeet.engines.checks import choose_seed, require_method
from swapmeet.engines.inquiry import Inquiry
from swapmeet.engines.local.mask import MaskingTask
from swapmeet.engines.protocol import is_spark
from swapmeet.errors import ParameterError, UsageError
from swapmeet.measures.default_limits import (
    DEFAULT_LIMITS,
    SYNTHETIC_LIMITS,
    UNIT_LIMITS,
    list_default_limits,
)
from swapmeet.measures.limits import require_measures
from swapmeet.measures.matching import UNKNOWN
from swapmeet.measures.overall import WHOLE_LOSS
from swapmeet.measures.risk.exposure import MOST_SOUGHT, Exposure
from swapmeet.running.assessing import assess_prepared
from swapmeet.running.masking import plan_of
from swapmeet.running.preparation import Prepared, prepare
from swapmeet.running.protecting.look import Observer
from swapmeet.running.protecting.loop import ProtectionLoop
from swapmeet.tables.roles import Roles, check_arguments, list_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from swapmeet.base.arrays import Ints
    from swapmeet.base.seeds import Seed
    from swapmeet.io.document import Document
    from swapmeet.measures.scorecard import Scorecard
    from swapmeet.methods import Method
    from swapmeet.release.protection import ProtectionSummary
    from swapmeet.release.release import Release
    from swapmeet.tables.frame import Frame
    from swapmeet.tables.schema import Schema


LIMIT = "linkage"


@check_arguments
def protect(
    data: Frame | Document,
    method: Method,
    *,
    schema: Schema | None = None,
    seed: int | None = None,
    limits: Mapping[str, float] | None = None,
    loss: float | None = None,
    known: Iterable[str] | None = None,
    intruder: str = Knowledge.KEYS,
    at_most: int = MOST_SOUGHT,
    engine: Local | None = None,
    progress: Progress = silent,
    **roles: Unpack[Roles],
) -> ProtectedRelease:
    """Mask a table as `mask` does, then raise protection for the people who are still exposed.

    Exposed is whom an intruder of the verdict's level finds with a chance above the limit on
    `linkage` (0.2 unless `limits` say otherwise), whose record stands in the release as their own
    data, or whose row still has all their values, which fewer people share than one over the limit.
    For these, and near others as partners, values trade again and travel farther; then every column
    apart; at last cells are suppressed. After each step everything is measured anew by intruders
    who know that protection was raised, and how. A step that would cost more than `loss` (the mean
    of `margins`, `relations` and `screened-propensity`) is undone, and so is one that leaves no
    fewer people. It ends when nobody is left, or when no step helps; then the summary says how many
    are left, and the verdict is what the figures say. Where rows belong to households or persons,
    whole units are protected.

    `known` and `intruder` are as in `assess`, `seed` and roles as in `mask`. Of more than `at_most`
    people, so many random ones are sought. Tables in memory only.

    >>> import swapmeet as sm
    >>> people = sm.datasets.load("diabetes")
    >>> done = protect(people, sm.RWN(k=3, weights=0.1), seed=1)
    >>> done.summary.left < done.summary.exposed
    True
    """
    if is_spark(data) or not (engine is None or isinstance(engine, Local)):
        raise UsageError("protect: needs a table in memory. Spark frames are masked by `mask`.")
    require_method(method)
    _require_loss(loss)
    if not is_count(at_most, 1):
        raise ParameterError("protect: `at_most` must be a whole number, 1 or more.")
    pulse = Pulse.of(progress)
    engine = replace(choose_engine(data, engine), progress=quieten(pulse))
    if engine.block_rows is not None:
        raise UsageError("protect: looks at all rows at once. Leave `block_rows` out.")
    plan = plan_of("protect", schema, roles)
    inquiry = Inquiry(
        audit=None, match=UNKNOWN, known=None if known is None else list_names(known),
        measures=None, at_most=at_most,
        workers=Workers(engine.threads or count_cores(), quieten(pulse)),
        limits=None if limits is None else require_measures(limits),
        level=Knowledge.parse(intruder),
    )  # fmt: skip
    prepared = prepare(plan, data, engine, asked_by="protect", schema=schema)
    return protect_prepared(prepared, method, choose_seed(seed), inquiry, loss=loss, progress=pulse)


def protect_prepared(
    prepared: Prepared,
    method: Method,
    seed: Seed,
    inquiry: Inquiry,
    *,
    loss: float | None,
    progress: Progress,
) -> ProtectedRelease:
    """The same for a table that is ready."""
    task = MaskingTask.of(prepared.data, method, prepared.schema, seed)
    loop = ProtectionLoop(
        task=task, engine=prepared.engine,
        limit=(inquiry.limits or {}).get(LIMIT, DEFAULT_LIMITS[LIMIT]),
        loss_limit=loss, progress=progress,
        observer=Observer(prepared, inquiry, inquiry.at_most or MOST_SOUGHT),
    )  # fmt: skip
    course = loop.run()
    first, last = (prepared.remark(one) for one in (course.first, course.last))
    before = _assess(prepared, first, inquiry)
    after = _assess(prepared, last, inquiry) if course.taken else before
    if course.last.protection is not None:
        summary = replace(course.last.protection, aware=_find_aware(after))
        last = replace(last, protection=summary)
    return ProtectedRelease(
        release=last, before=before, after=after, exposure_before=course.before.exposure,
        exposure=course.after.exposure,
    )  # fmt: skip


def protect_by_plan(
    prepared: Prepared, method: Method, seed: Seed, progress: Progress
) -> ProtectedRelease:
    """The same within the limits that a plan states."""
    wanted, usual = prepared.plan.protect, DEFAULT_LIMITS[LIMIT]
    limits: dict[str, float] | None = None
    if wanted.linkage not in (None, usual):
        others = list_default_limits({column.role for column in prepared.schema})
        limits = {**others, **{name: wanted.linkage for name in others if name.endswith(LIMIT)}}
    _require_loss(wanted.loss)
    pulse = Pulse.of(progress)
    inquiry = Inquiry(
        audit=None, match=UNKNOWN, known=None, measures=None, at_most=MOST_SOUGHT,
        workers=Workers(prepared.engine.threads or count_cores(), quieten(pulse)),
        limits=None if limits is None else require_measures(limits),
    )  # fmt: skip
    quiet = replace(prepared, engine=replace(prepared.engine, progress=quieten(pulse)))
    return protect_prepared(quiet, method, seed, inquiry, loss=wanted.loss, progress=pulse)


def _assess(prepared: Prepared, release: Release, inquiry: Inquiry) -> Scorecard:
    """Return what `assess` says about limits and loss, and what intruders find in any case."""
    limits = DEFAULT_LIMITS if inquiry.limits is None else inquiry.limits
    names: dict[str, Any] = dict.fromkeys([LIMIT, *limits, *WHOLE_LOSS])
    if inquiry.limits is None:
        names |= dict.fromkeys(UNIT_LIMITS)
        names |= {} if release.audit.owned else dict.fromkeys(SYNTHETIC_LIMITS)
    return assess_prepared(prepared, release, replace(inquiry, measures=tuple(names)))


def _find_aware(card: Scorecard) -> dict[str, float]:
    """Find the largest share an intruder finds, by what they know about the protection."""
    shares: dict[str, float] = {}
    for one in card["linkage"].details.get("intruders", ()):
        who = one.get("knows of protection")
        if who is not None and one["level"] != Knowledge.EVERYTHING:
            shares[who] = max(shares.get(who, 0.0), one["share"])
    return shares


def _require_loss(loss: float | None) -> None:
    if loss is not None and not (isinstance(loss, (int, float)) and 0.0 <= loss <= 1.0):
        raise ParameterError("protect: `loss` must be in [0, 1]; it is the most that may be lost.")


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ProtectedRelease:
    """A release, how it is judged before and after protection was raised, and for whom it was.

    `release` is what is published, as from `mask`; `summary` has the figures that may be told to
    everybody. `before` and `after` are the cards of the release as it was masked first and as it is
    now. `exposure` tells of every person how exposed they are now, `exposed` lists those above the
    limit, `protected` those for whom something was done: row numbers of the original. These are as
    secret as the audit record.
    """

    release: Release
    before: Scorecard
    after: Scorecard
    exposure_before: Exposure
    exposure: Exposure

    def __repr__(self) -> str:
        return f"<ProtectedRelease: {self.summary.sentence}>"

    @property
    def summary(self) -> ProtectionSummary:
        """The figures of what was done."""
        assert self.release.protection is not None
        return self.release.protection

    @property
    def exposed(self) -> Ints:
        """The people who are still above the limit."""
        return self.exposure.list_above(self.summary.limit)

    @property
    def protected(self) -> Ints:
        """The people for whom protection was raised."""
        protection = self.release.audit.protection
        return self.exposed[:0] if protection is None else protection.protected

    def list_steps(self) -> Iterator[str]:
        """Step by step, what was done for exposed people; a note of the release sums it up."""
        summary = self.summary
        for step in summary.steps:
            yield f"{step.sentence[0].upper()}{step.sentence[1:]}."
        if summary.exposed:
            yield (
                f"Loss {summary.loss_before:.3f} → {summary.loss_after:.3f}. It ended because "
                f"{summary.stopped}."
            )
            yield from summary.tell_awareness()

    def to_dict(self) -> dict[str, Any]:
        """For machines; without the people."""
        return {
            **self.summary.to_dict(),
            "exposed_by": self.exposure_before.count_above(self.summary.limit),
            "left_by": self.exposure.count_above(self.summary.limit),
            "verdict_before": self.before.verdict.to_dict(),
            "verdict": self.after.verdict.to_dict(),
        }
