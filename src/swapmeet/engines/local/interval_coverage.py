"""Coverage of the truth by intervals from a release, from further releases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.core.release.audit import AuditRecord
from swapmeet.core.release.release import Release
from swapmeet.engines.provenance import restore_method
from swapmeet.errors import SwapmeetError, UsageError
from swapmeet.measures.score import Undefined
from swapmeet.measures.side_by_side.interval_coverage import IntervalCoverage, cover
from swapmeet.measures.side_by_side.replicate_errors import Replicates

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from swapmeet.core.base.seeds import Seed
    from swapmeet.core.tables.microdata import Microdata
    from swapmeet.engines.local.replicates import ReplicateReleases
    from swapmeet.measures.side_by_side.estimate import Estimate
    from swapmeet.measures.side_by_side.model import Model
    from swapmeet.methods import Method

    Estimates = tuple[Estimate | None, ...]

UNFITTED = "the model cannot be fitted to the original; --model (`models=`) tells why"


def cover_intervals(
    releases: ReplicateReleases, models: Sequence[Model], number: int
) -> tuple[IntervalCoverage, ...]:
    """One result for each model, from `number` releases of all rows and as many of parts."""
    like = releases.original
    for model in models:
        model.check(like)
    originals = [_try_to_fit(like, like, model) for model in models]

    def fit_all(data: Microdata) -> Estimates:
        return tuple(_try_to_fit(data, like, model) for model in models)

    whole = releases.each_of_whole(number, lambda _, released: fit_all(released))
    parts = releases.each_of_parts(
        number, lambda part, released: (fit_all(part), fit_all(released))
    )
    return tuple(
        cover(model.text, original, _gather(whole, parts, j, releases.seed))
        if original is not None
        else IntervalCoverage(formula=model.text, replicates=0, undefined=UNFITTED)
        for j, (model, original) in enumerate(zip(models, originals, strict=True))
    )


def find_method(release: Any, audit: AuditRecord | str | os.PathLike[str] | None) -> Method:
    """The method of a release, from itself or from its audit record."""
    if isinstance(release, Release):
        record: AuditRecord | None = release.audit
    else:
        record = (
            audit if audit is None or isinstance(audit, AuditRecord) else AuditRecord.load(audit)
        )
    method: Method | None = None if record is None else restore_method(record.method)
    if method is None:
        raise UsageError(
            "coverage: it must be known how the release was made, for further ones are made the "
            "same way. Give the release itself, its audit record, or the method (on the command "
            "line the run file: --config)."
        )
    return method


def _gather(
    whole: Sequence[Estimates | None],
    parts: Sequence[tuple[Estimates, Estimates] | None],
    j: int,
    seed: Seed,
) -> Replicates:
    """Return what there is about model j."""
    fitted = [found[j] for found in whole if found is not None and found[j] is not None]
    pairs = [(part[0][j], part[1][j]) for part in parts if part is not None]
    return Replicates(
        whole=[one for one in fitted if one is not None],
        parts=[(one, other) for one, other in pairs if one is not None and other is not None],
        failed=len(whole) - len(fitted),
        stream=seed.stream("resampling", j),
    )


def _try_to_fit(data: Microdata, like: Microdata, model: Model) -> Estimate | None:
    try:
        return model.estimate(data, like)
    except (SwapmeetError, Undefined):
        return None
