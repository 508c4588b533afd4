"""assess() and assess_file(): choose the engine; an original and a release make a scorecard."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from swapmeet.base.parallel import Workers, count_cores
from swapmeet.base.progress import Progress, Pulse, silent
from swapmeet.base.sentences import join_names
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.comparison.table_size import doubt_few_rows
from swapmeet.comparison.weights import check_weights
from swapmeet.engines import Engine, choose_engine
from swapmeet.engines.control import open_control, recode_control
from swapmeet.engines.inquiry import Analyses, Inquiry
from swapmeet.engines.local.analyses import ask_queries, cover_models, find_method_of, follow_rare
from swapmeet.engines.protocol import Request, is_spark
from swapmeet.engines.recoding import find_recodes
from swapmeet.engines.tie_check import check_ties
from swapmeet.engines.unit_checks import UNIT_ROLES
from swapmeet.errors import TableError, UsageError
from swapmeet.io.document import Document, get_frame, open_release
from swapmeet.io.place import Place, find_place, open_file
from swapmeet.measures.limits import require_measures
from swapmeet.measures.matching import (
    NOT_BORNE_OUT,
    UNKNOWN,
    UNRELATED,
    check_order,
    choose_keys,
    choose_known,
    common_columns,
    list_notes,
)
from swapmeet.measures.registry import split_measures
from swapmeet.measures.scorecard import Scorecard
from swapmeet.measures.scoring import score_both
from swapmeet.measures.side_by_side.answers import read_queries
from swapmeet.measures.side_by_side.facts import Extent, gather_facts
from swapmeet.measures.side_by_side.interval_coverage import REPLICATES, require_replicates
from swapmeet.measures.side_by_side.model import Model
from swapmeet.plan.plan import Plan
from swapmeet.release.audit import AuditRecord, read_texts
from swapmeet.running.masking import plan_of
from swapmeet.running.preparation import Prepared, prepare, read_release, require_columns
from swapmeet.tables.conditions import Condition
from swapmeet.tables.derivations import Derivation
from swapmeet.tables.frame import Frame, Table, gather
from swapmeet.tables.roles import Roles, check_arguments, list_missing, list_names
from swapmeet.tables.schema import Role, Schema, require_schema

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from swapmeet.comparison.comparison import Comparison
    from swapmeet.measures.base import Measure
    from swapmeet.methods import Method
    from swapmeet.plan.question import Question
    from swapmeet.release.release import Release
    from swapmeet.tables.recoding.recoded import Recoded


IN_MEMORY = ("models", "coverage", "pca", "tables", "rare", "selectivity", "queries", "control")
"""What a question asks that needs both tables in memory."""


@check_arguments
def assess(
    original: Frame | Document | Prepared,
    release: Release | Frame | Document,
    *,
    schema: Schema | None = None,
    audit: AuditRecord | None = None,
    match: str = UNKNOWN,
    known: Iterable[str] | None = None,
    intruder: str = Knowledge.KEYS,
    measures: str | Iterable[str | Measure] | None = None,
    models: Iterable[str] = (),
    pca: Sequence[str] = (),
    tables: Iterable[Sequence[str]] = (),
    rare: Iterable[str] = (),
    profile: bool = False,
    selectivity: Iterable[tuple[Any, ...]] = (),
    queries: Iterable[str] = (),
    baseline: Frame | Document | None = None,
    coverage: Iterable[str] = (),
    replicates: int = REPLICATES,
    method: Method | None = None,
    limits: Mapping[str, float] | None = None,
    control: Frame | Document | None = None,
    at_most: int | None = 20_000,
    threads: int | None = None,
    progress: Progress = silent,
    **roles: Unpack[Roles],
) -> Scorecard:
    """Measure what an intruder can do with a release and what an analyst loses.

    Tables may be documents, as `read` returns them; a release is then read in the terms of the
    original, whatever its format.
    A release made here knows its owners. For one from elsewhere give the `audit` record, or say
    how rows match: "rows" (in the same order) or the name of an id column; otherwise the measures
    that need the true owner are not defined. `known` are the columns an intruder knows, by default
    all masked ones; of whom the `intruder` of the verdict knows the keys, or the columns named, is
    "target" (the person sought), "keys" (everybody) or "everything" (everything of everybody).
    Roles may be given as in `mask`, in place of a `schema`; those of a release made here stay where
    nothing else is said.
    At most `at_most` random rows are linked with all others. `models` are
    formulas to fit to both tables, `pca` columns whose principal components to compare, `tables`
    lists of columns to tabulate, `rare` conditions whose rows to follow. With `profile`, the card
    holds what pictures show, with the influence of rows on the models; `selectivity` adds pairs of
    a column to count and one to select by; a third entry such as {"race": 3, "age": 35} names
    others, with the number of levels or the width of the range wanted of each. `queries` are
    conditions whose rows are counted in both tables (`card.answers`), and in another release of
    the same table, `baseline`, if there is one.
    `limits` are what `card.verdict` judges by, the default
    ones if none are given. `measures` are names or measures, or "all"; by default those of the
    verdict are taken, and the losses that a curator looks at first. What limits need is measured
    in any case. `control` are people of the same population who are not in the file, with the same
    columns: `membership` asks whether they can be told from those who are.

    `coverage` are formulas of models: how often do intervals that an analyst computes from such a
    release cover the truth (`card.coverage`)? Of each, `replicates` further releases are made of
    the whole table and as many of halves of it, by the `method` of the release; it is known from a
    release made here or from the audit record, otherwise give it; a record cannot hold a `distance`
    function, so that such a method is given besides. `progress` is as in `mask`.

    >>> import swapmeet as sm
    >>> people = sm.datasets.load("diabetes")
    >>> release = sm.mask(people, sm.RWN(k=10, weights=0.1), seed=1)
    >>> card = sm.assess(people, release, measures=["pscr", "correlations"])
    >>> 0 < card["pscr"].value < 0.2
    True
    """
    ready = original if isinstance(original, Prepared) else None
    engine = choose_engine(original) if ready is None else ready.engine
    release = open_release(release, original)
    release, control = (one if is_spark(one) else gather(one) for one in (release, control))
    plan = plan_of("assess", schema, roles)
    wanted = Analyses(
        models=tuple(Model.parse(text) for text in list_names(models)),
        pca=list_names(pca),
        tables=tuple(list_names(names) for names in list_names(tables)),
        rare=tuple(Condition(text) for text in list_names(rare)),
        profile=profile,
        selectivity=tuple(selectivity),
        queries=tuple(Condition(text) for text in list_names(queries)),
        baseline=None if baseline is None else Table(get_frame(baseline)),
        coverage=tuple(Model.parse(text) for text in list_names(coverage)),
    )
    wanted.require(engine)
    inquiry = Inquiry(
        audit=audit, match=match, known=known, measures=split_measures(measures), at_most=at_most,
        workers=Workers(threads or count_cores(), Pulse.of(progress)), analyses=wanted,
        limits=limits, level=Knowledge.parse(intruder), control=control, method=method,
        replicates=require_replicates(replicates),
    )  # fmt: skip
    if ready is None:
        ready = prepare_pair(plan, engine, original, release, inquiry, "assess", schema)
    else:
        ready = ready.recode_by(find_recodes(release, audit, ready.schema.recodes))
    return assess_prepared(ready, release, inquiry)


def ask(
    question: Question,
    original: Prepared,
    release: Any,
    *,
    audit: AuditRecord | None = None,
    method: Method | None = None,
    measures: Iterable[str | Measure] | None = None,
    profile: bool = False,
    progress: Progress = silent,
) -> Scorecard:
    """Assess a release as a question says; files that it names are read in terms of the original.

    `measures` come in place of those of the question.
    """
    control, baseline = (
        None if one is None else read_release(find_place(one), original, progress).frame
        for one in (question.control, question.baseline)
    )
    progress("measuring", 0, 0)
    return assess(
        original,
        release,
        audit=audit,
        match=question.match,
        known=question.known,
        intruder=question.level,
        measures=question.measures if measures is None else measures,
        limits=question.limits,
        models=question.models,
        coverage=question.coverage,
        replicates=question.replicates,
        method=method,
        pca=question.pca,
        tables=question.table_columns,
        rare=question.rare,
        profile=profile,
        selectivity=question.selections,
        queries=read_queries(Path(question.queries)) if question.queries else (),
        baseline=baseline,
        control=control,
        at_most=question.at_most,
        progress=progress,
    )


def ask_in_pieces(
    plan: Plan,
    question: Question,
    original: Place,
    release: Place,
    *,
    audit: Path | None,
    memory: str,
    progress: Progress = silent,
) -> Scorecard:
    """Assess a release as a question says, without reading the files as a whole."""
    from swapmeet.engines.files import Files
    from swapmeet.engines.files.opening import open_pair

    asked = {one.name: one.called for one in question.declared() if one.name in IN_MEMORY}
    given = [called for name, called in asked.items() if getattr(question, name)]
    if given:
        raise UsageError(
            f"--{given[0]}: needs both tables in memory. Leave it out, or leave out --memory."
        )
    engine = Files(memory=memory, progress=progress)
    inquiry = Inquiry(
        audit=audit, match=question.match, known=question.known,
        measures=split_measures(question.measures), limits=question.limits,
        at_most=question.at_most, workers=engine.workers, level=question.level,
    )  # fmt: skip
    require_columns(plan, original)
    with (
        open_file(original, progress) as first,
        open_file(release, progress) as second,
        open_pair(first, second, **plan.reading, workers=engine.workers) as (before, after),
    ):
        prepared = prepare_pair(plan, engine, before, after, inquiry, "assess", place=original)
        return assess_prepared(prepared, after, inquiry)


@check_arguments
def assess_file(
    original: str | os.PathLike[str],
    release: str | os.PathLike[str],
    *,
    audit: AuditRecord | str | os.PathLike[str] | None = None,
    match: str = UNKNOWN,
    schema: Schema | None = None,
    known: Iterable[str] | None = None,
    intruder: str = Knowledge.KEYS,
    measures: str | Iterable[str | Measure] | None = None,
    limits: Mapping[str, float] | None = None,
    at_most: int | None = 20_000,
    memory: str | int = "4GB",
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    threads: int | None = None,
    progress: Progress = silent,
) -> Scorecard:
    """Measure what `assess` does of Parquet files or texts of any size, within a stated memory.

    Every score says in its details how it was found: from all rows, by linking at most `at_most`
    random people with all rows, or from a random sample of 100,000 rows. `audit` is the record or
    where it is; `delimiter`, `encoding` and `header` are those of texts. `limits` and
    `intruder` are as in `assess`, `progress` is as in `mask`.

    >>> import tempfile
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> import swapmeet as sm
    >>> people = sm.datasets.load("fair")
    >>> release = sm.mask(people, sm.RWN(k=10, weights=0.2), seed=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, table in (("a", people), ("b", release.shuffled())):
    ...         pq.write_table(pa.Table.from_pandas(table), f"{folder}/{name}.parquet")
    ...     card = sm.assess_file(f"{folder}/a.parquet", f"{folder}/b.parquet",
    ...                           audit=release.audit, measures=["correlations"])
    >>> card["correlations"].details["how"]
    'all rows'
    """
    from swapmeet.engines.files import Files
    from swapmeet.engines.files.opening import open_pair

    workers = Workers(threads or count_cores(), Pulse.of(progress))
    engine = Files(memory=memory, threads=threads, progress=workers.progress)
    inquiry = Inquiry(
        audit=audit, match=match, known=known, measures=split_measures(measures), at_most=at_most,
        workers=workers, limits=limits, level=Knowledge.parse(intruder),
    )  # fmt: skip
    with open_pair(
        original, release, delimiter=delimiter, encoding=encoding, header=header,
        missing=list_missing(schema), workers=workers,
    ) as (before, after):  # fmt: skip
        prepared = prepare_pair(Plan(), engine, before, after, inquiry, "assess_file", schema)
        return assess_prepared(prepared, after, inquiry)


def prepare_pair(
    plan: Plan,
    engine: Engine[Any, Any],
    original: Any,
    release: Any,
    inquiry: Inquiry,
    asked_by: str,
    schema: Schema | None = None,
    place: Place | None = None,
) -> Prepared:
    """The original, prepared as its release was: recoded by the same steps, with the same roles.

    Without a schema, that of a release made here is taken, and else it is inferred.
    """
    inquiry.workers.progress("comparing", 0, 0)
    original = original if isinstance(original, Document) else engine.open(original)
    if schema is None and (own := _find_own_schema(release)) is not None:
        _require_columns(own, engine.head(engine.open(original)).names)
        schema = plan.settle(replace(own, recodes=()))
    given = plan.prepare.recode if schema is None else require_schema(schema, asked_by).recodes
    steps = find_recodes(release, inquiry.audit, given)
    if schema is None:
        plan = replace(plan, prepare=replace(plan.prepare, recode=steps))
        return prepare(plan, original, engine, asked_by=asked_by, place=place)
    schema = replace(schema, recodes=steps)
    return prepare(plan, original, engine, asked_by=asked_by, schema=schema, examine=False)


def assess_prepared(prepared: Prepared, release: Any, inquiry: Inquiry) -> Scorecard:
    """The one path to a scorecard, wherever the rows are: compare, and measure."""
    limits = None if inquiry.limits is None else require_measures(inquiry.limits)
    measures = inquiry.choose_measures()
    method = find_method_of(release, inquiry)
    engine, schema, original = prepared.engine, prepared.schema, prepared.original
    request = make_request(prepared, release, inquiry)
    ties = check_ties(engine, prepared.data, release, schema)
    with compare_both(prepared, release, request) as (comparison, loss):
        check_weights(loss)
        inquiry.analyses.check(loss)
        remarks = check_order(comparison, inquiry.match)
        doubtful = UNRELATED in remarks
        measures = inquiry.leave_out_idle(measures, schema, comparison.ownership)
        scores = score_both(comparison, loss, measures, inquiry.workers)
        return Scorecard(
            scores=inquiry.drop_inapplicable(scores),
            by_default=inquiry.measures is None,
            rows=comparison.n,
            known=request.known,
            ownership=comparison.ownership,
            notes=(
                *remarks,
                *list_notes(comparison, schema),
                *_describe_rests(comparison),
                *_list_steps(comparison, prepared.recoded),
                *(one.sentence for one in ties),
            ),
            ties=ties,
            limits=limits,
            keys=request.keys,
            level=comparison.level,
            unmasked=_list_unmasked(comparison),
            reproducible=_has_chosen_seed(release, inquiry.audit),
            facts=gather_facts(loss, doubtful=doubtful),
            doubt=NOT_BORNE_OUT
            if doubtful
            else doubt_few_rows(comparison.n)
            or _doubt_tied_rows(engine, release, schema)
            or _doubt_rests(engine, schema, inquiry),
            rare=follow_rare(original, release, request, comparison, inquiry.analyses.rare),
            answers=ask_queries(original, release, inquiry.analyses),
            coverage=cover_models(original, prepared.recoded, schema, method, inquiry, loss),
            recodes=prepared.recoded.results,
            **inquiry.analyses.run(loss),
        )


def make_request(prepared: Prepared, release: Any, inquiry: Inquiry) -> Request:
    """Make the request that answers a question."""
    engine, schema = prepared.engine, prepared.schema
    columns = common_columns(prepared.head, engine.head(release), schema)
    known = None if inquiry.known is None else list_names(inquiry.known)
    released = {column.name for column in columns}
    return Request(
        columns=tuple(columns),
        known=choose_known(known, columns),
        audit=inquiry.audit,
        match=inquiry.match,
        at_most=inquiry.at_most,
        workers=inquiry.workers,
        keys=choose_keys(known, columns),
        level=inquiry.level,
        control=recode_control(open_control(inquiry.control, engine, columns), prepared.recoded),
        household=next(iter(schema.having(Role.HOUSEHOLD)), None),
        person=next(iter(schema.having(Role.PERSON)), None),
        dropped=tuple(column for column in schema if column.name not in released),
        method=inquiry.method,
        schema=schema,
    )


@contextmanager
def compare_both(
    prepared: Prepared, release: Any, request: Request
) -> Iterator[tuple[Comparison, Comparison]]:
    """For risk with the table as it was masked, for loss with the table as it was before.

    Anyone who knows true values can recode them like the release; an analyst cannot undo that.
    """
    engine, original = prepared.engine, prepared.original
    with ExitStack() as both:
        if not prepared.recoded.results:
            same = both.enter_context(engine.compare(original, release, request))
            yield same.with_rests(), same
            return
        half = engine.share_memory(2)
        risk = both.enter_context(half.compare(prepared.data, release, request))
        alone = replace(request, control=None)
        yield risk.with_rests(), both.enter_context(half.compare(original, release, alone))


def _list_steps(comparison: Comparison, recoded: Recoded[Any]) -> Iterator[str]:
    """List how the table was recoded, what that means for the figures, and what else was done."""
    if not recoded.results:
        return
    steps = "; ".join(result.sentence for result in recoded.results)
    yield (
        f"Before masking, {steps}. Risk is measured on the recoded table, for an intruder can "
        "recode what is known, and loss against the table as it was."
    )
    still = gather_facts(comparison).having(Extent.EXACT, Extent.HARDLY)
    hardly = [facts.name for facts in still if facts.masked]
    if hardly:
        yield f"Beyond these steps, masking hardly changed {join_names(hardly)}."


def _find_own_schema(release: Any) -> Schema | None:
    """The schema of a release that was made here; tables of Arrow and polars have other ones."""
    own = getattr(release, "schema", None)
    return own if isinstance(own, Schema) else None


def _require_columns(schema: Schema, names: Sequence[str]) -> None:
    """Refuse the table of another release: it lacks columns that this one was made of."""
    lacking = [name for name in schema.names if name not in names]
    if lacking:
        raise TableError(
            f"the release was made of another table: this one lacks {join_names(lacking)}. Give "
            "the table that was masked."
        )


def _doubt_tied_rows(engine: Engine[Any, Any], release: Any, schema: Schema) -> str:
    """Say why a release with tied rows that are not at hand cannot be called safe."""
    there = engine.head(release).names
    names = [name for name in schema.having(*UNIT_ROLES) if name in there]
    if engine.in_memory or not names:
        return ""
    return (
        f"the numbers in {join_names(names)} tie rows together, and whether whole households or "
        "persons are found is measured of tables in memory only"
    )


def _doubt_rests(engine: Engine[Any, Any], schema: Schema, inquiry: Inquiry) -> str:
    """Say why a release of which a rest was masked that is not at hand cannot be called safe."""
    audit = inquiry.audit
    if engine.in_memory:
        return ""
    texts = [*schema.ties.rests]
    if audit is not None:
        texts += audit.rests if isinstance(audit, AuditRecord) else read_texts(audit, "rests")
    if not texts:
        return ""
    names = dict.fromkeys(Derivation(text).name for text in texts)
    return (
        f"what is left of {join_names([*names])} was masked in place of the whole, and whether it "
        "gives people away is measured of tables in memory only"
    )


def _describe_rests(comparison: Comparison) -> Iterator[str]:
    """Describe what the intruder is assumed to see of columns of which a rest was masked."""
    names = [one.of for one in comparison.rests if one.added_up in comparison.masked]
    if names:
        yield (
            f"{join_names(names)}: a rest was masked in place of the whole. An intruder who knows "
            "what a column follows from is taken to know the rest, too."
        )


def _list_unmasked(comparison: Comparison) -> tuple[str, ...]:
    """The columns that an intruder knows and that were not masked."""
    known = dict.fromkeys((*comparison.known, *comparison.keys))
    return tuple(name for name in known if name not in comparison.masked)


def _has_chosen_seed(release: Any, audit: Any) -> bool:
    """Return whether the seed is known to be chosen, from the release or from a record at hand."""
    chosen = getattr(release, "reproducible", None)
    if isinstance(chosen, bool):
        return chosen
    return isinstance(audit, AuditRecord) and audit.seed.chosen
