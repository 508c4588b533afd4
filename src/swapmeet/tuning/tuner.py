"""tune(): a table, methods and limits make a study."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from swapmeet.base.extras import require_library
from swapmeet.base.parallel import count_cores
from swapmeet.base.params import is_count
from swapmeet.base.progress import Beat, Progress, Pulse, silent
from swapmeet.base.seeds import Seed
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.engines import choose_engine
from swapmeet.engines.checks import require_something_to_mask
from swapmeet.engines.ties import fit_ties, list_tied
from swapmeet.engines.unit_checks import check_units
from swapmeet.errors import ParameterError, Stopped, UsageError, warn
from swapmeet.measures.analyses import fit_analyses
from swapmeet.measures.default_limits import (
    DEFAULT_LIMITS,
    SYNTHETIC_LIMITS,
    UNIT_LIMITS,
    are_default,
    list_default_limits,
)
from swapmeet.measures.limits import SUMMARIES, check_limits
from swapmeet.measures.matching import choose_known
from swapmeet.measures.registry import chosen_measures, find
from swapmeet.running.masking import plan_of
from swapmeet.running.preparation import Prepared, prepare
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.roles import Roles, check_arguments
from swapmeet.tuning.budget import Budget, ProgressListener, SearchClock, ignore_progress, tell_both
from swapmeet.tuning.combinations import propose_combinations
from swapmeet.tuning.grid import Grid, make_grids
from swapmeet.tuning.journal import Journal
from swapmeet.tuning.plan import FINAL_REPEATS, ExhaustivePlan, TrialPlan
from swapmeet.tuning.pool import PROCESS_ENDED, InProcess, Pool, ProcessPool
from swapmeet.tuning.presets import find_goal, find_preset
from swapmeet.tuning.refusals import RefusalListener, RefusalReport, ignore_refusals
from swapmeet.tuning.search_plan import SearchPlan, SearchSpace
from swapmeet.tuning.search_run import SearchRun
from swapmeet.tuning.study import Study
from swapmeet.tuning.study_setup import StudySetup, read_both
from swapmeet.tuning.trial import Trial
from swapmeet.tuning.trial_runner import TrialRunner
from swapmeet.tuning.trial_table import TrialTable

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping

    from swapmeet.io.document import Document
    from swapmeet.measures.base import Measure
    from swapmeet.tables.frame import Frame
    from swapmeet.tables.schema import Schema
    from swapmeet.tuning.goal import Goal

LATE = {*DEFAULT_LIMITS, *UNIT_LIMITS, *SYNTHETIC_LIMITS}
"""Measures that are left for full checks where only a limit needs them."""
ALWAYS = ("pscr", "dcr", "uniqueness", "margins", "correlations", "loadings", "coefficients")
"""Measured besides those of goal and limits, unless others are asked for: they cost little."""


@check_arguments
def tune(
    data: Frame | Document | Prepared,
    methods: Iterable[Any] | None = None,
    *,
    limit: Mapping[str, float] | None = None,
    goal: Goal | None = None,
    grid: str | None = None,
    budget: str | int | Budget | None = None,
    repeats: int = 5,
    final_repeats: int = FINAL_REPEATS,
    measures: Iterable[str | Measure] | None = None,
    known: Iterable[str] | None = None,
    intruder: str = Knowledge.KEYS,
    schema: Schema | None = None,
    as_inspected: bool = False,
    journal: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    at_most: int | None = 20_000,
    seed: int | None = None,
    workers: int | None = None,
    progress: Progress = silent,
    on_progress: ProgressListener = ignore_progress,
    on_refusals: RefusalListener = ignore_refusals,
    **roles: Unpack[Roles],
) -> Study:
    """Try methods and settings on a table, and choose the best that keeps the limits.

    `data` is a table, or a document as `read` returns it.
    `methods` are names, classes, methods with their setting, `Grid`s, or texts such as
    "rwn:k=5|10|25"; all methods by default. Methods of your own are given as `mask` takes them.
    `grid` is one of the papers' (`GRIDS`); that of the SJPPDS paper brings the paper's goal, unless
    another is given.

    Without a `goal`, the best setting is the one with the least loss among those that keep all
    limits, and of equals the one with the least risk. `limit` maps measures, or risk, loss and
    score, to the worst value allowed; by default the limits are those that `assess` judges by, and
    {} is no limit. Trials take a first look at measures that take long. What promises most is then
    measured in full, and the leaders are repeated until they part, or up to `final_repeats` times.

    Without a `budget` every setting is tried `repeats` times; with one, a time such as "10m" or a
    number of trials, a search tries what promises most. The time holds for this run, full checks
    included; a trial that is under way when it ends is dropped.

    Each trial is written to the `journal`, if there is one; a search that was stopped continues
    from there, unless a `fresh` journal is to take its place. `known`, `intruder` and the roles of
    columns are as in `assess`; `as_inspected` is as in `mask`, and a warning lists what it adds.
    `progress` is as in `mask`, in seconds: when it raises `Stopped` the
    search ends, and the trials made so far are the study, which is marked `interrupted`.
    `on_progress` is called after each trial with the best so far, and `on_refusals` with what
    cannot be tried, each reason once.

    >>> import swapmeet as sm
    >>> people = sm.datasets.load("diabetes")
    >>> study = sm.tune(people, ["rwn:k=3|20:weights=0.1"], limit={"dbrl": 0.15}, seed=1, workers=1)
    >>> study.best.label
    'rwn k=20 q=1 weights=0.1'
    """
    clock = SearchClock.start(None if budget is None else Budget.of(budget))
    pulse = Pulse.of(progress)
    pulse("preparing", 0, 0)
    goal, limits = goal or find_goal(grid), None if limit is None else check_limits(limit)
    options = SearchOptions(repeats, clock, workers, final_repeats, on_refusals)
    if clock.budget is not None:
        require_library("optuna", "a search with a budget", plural=False)
    listener = tell_both(pulse, on_progress)
    grids = _grids(methods, grid)
    selection = list(chosen_measures(ALWAYS if measures is None else measures))
    root = Seed.fresh() if seed is None else Seed.chosen_by_user(seed)
    level = Knowledge.parse(intruder)
    prepared = data if isinstance(data, Prepared) else None
    if prepared is None:
        plan = plan_of("tune", schema, roles, as_inspected=as_inspected)
        prepared = prepare(plan, data, choose_engine(data), asked_by="tune", schema=schema)
        if as_inspected:
            warn("\n".join(prepared.remarks))
    schema = prepared.schema
    limits = list_default_limits({one.role for one in schema}) if limits is None else limits
    early, late = _part_measures(selection, goal, limits, named=measures is not None)
    runner, setup = _set_up(prepared, early, known, at_most, root, level, late)
    runner = replace(runner, progress=Beat(pulse))
    proposed = propose_combinations(runner.masked) if methods is None and grid is None else []
    space = SearchSpace([*(one.fit_to(runner.masked) for one in grids), *proposed])
    sought = tuple(dict.fromkeys(setting.name for setting in space))
    study = Study(setup, TrialTable(), limits, goal, sought=sought)
    if journal is None:
        return _carry_out(study, runner, space, options, study.trials.add, listener)
    at_hand = {setting.key: setting for setting in space}

    def restore(trial: Trial) -> None:
        study.trials.add(replace(trial, setting=at_hand.get(trial.setting.key, trial.setting)))

    with Journal.resume(Path(journal), setup, restore, fresh=fresh) as book:
        book.write_choice({"limits": limits, "goal": goal.to_dict()})

        def record(trial: Trial) -> None:
            study.trials.add(trial)
            if trial.failure != PROCESS_ENDED:
                book.add(trial)

        return _carry_out(study, runner, space, options, record, listener)


@dataclass(frozen=True)
class SearchOptions:
    """Options of a search: repeats, budget, processes, and the listener for progress."""

    repeats: int
    clock: SearchClock
    workers: int | None
    final_repeats: int = FINAL_REPEATS
    on_refusals: RefusalListener = ignore_refusals

    def __post_init__(self) -> None:
        for name in ("repeats", "final_repeats", "workers"):
            value = getattr(self, name)
            if not is_count(value, 1) and not (name == "workers" and value is None):
                raise ParameterError(f"tune: `{name}` must be a whole number, 1 or more.")


def _grids(methods: Iterable[Any] | None, name: str | None) -> list[Grid]:
    """The grids asked for; all methods if nothing is."""
    named = [] if name is None else list(find_preset(name))
    return named if named and methods is None else [*make_grids(methods), *named]


def _part_measures(
    measures: Iterable[Measure], goal: Goal, limits: Mapping[str, float], *, named: bool
) -> tuple[list[Measure], list[Measure]]:
    """Split measures: those of every trial, and those of a full check only.

    Trials need what the goal is made of and what somebody `named`. Later come the measures of the
    verdict that only a limit needs: they take long.
    """
    own = {measure.name: measure for measure in measures}
    needed = dict.fromkeys([*goal.measures, *(n for n in limits if n not in SUMMARIES)])
    late = [n for n in needed if n in LATE and n not in goal.measures and not (named and n in own)]
    if are_default(limits):
        late += [n for n in SYNTHETIC_LIMITS if n not in {*late, *goal.measures, *own}]
    early = {name: find(name)() for name in needed if name not in late} | own
    return list(early.values()), [find(name)() for name in late]


def _set_up(
    prepared: Prepared,
    measures: list[Measure],
    known: Iterable[str] | None,
    at_most: int | None,
    root: Seed,
    level: Knowledge = Knowledge.KEYS,
    late: Iterable[Measure] = (),
) -> tuple[TrialRunner, StudySetup]:
    table, recoded, schema = prepared.original, prepared.data, prepared.schema
    for note in prepared.recoded.notes:
        warn(note)
    require_something_to_mask(len(table), schema)
    before, whole = read_both(table, recoded, schema)
    ties = fit_ties(schema, lambda: [recoded])
    masked = ties.rests.put_into(Microdata.of(recoded, schema, schema.compared), recoded)
    check_units(recoded, masked, schema)
    runner = TrialRunner(
        table=recoded.take({}, tuple(dict.fromkeys((*schema.masked, *list_tied(schema))))),
        masked=masked,
        whole=whole,
        before=before if schema.recodes else None,
        measures=fit_analyses(measures, table, before),
        known=choose_known(known, [schema[name] for name in schema.compared]),
        at_most=at_most,
        root=root,
        level=level,
        late=tuple(late),
        ties=ties,
    )
    return runner, StudySetup.of(runner, schema)


def _carry_out(
    study: Study,
    runner: TrialRunner,
    space: SearchSpace,
    options: SearchOptions,
    record: Callable[[Trial], None],
    on_progress: ProgressListener,
) -> Study:
    """Make the trials; when it is interrupted, what was done is the study."""
    try:
        _make_trials(study, runner, space, options, record, on_progress)
    except (KeyboardInterrupt, Stopped):
        return replace(study, interrupted=True)
    return study


def _make_trials(
    study: Study,
    runner: TrialRunner,
    space: SearchSpace,
    options: SearchOptions,
    record: Callable[[Trial], None],
    on_progress: ProgressListener,
) -> None:
    _note_refusals(runner, space, study.trials, record)
    refusals = RefusalReport(study.trials, space, options.on_refusals)
    refusals.update()

    def note(trial: Trial) -> None:
        record(trial)
        if trial.failure:
            refusals.update()

    plan = _plan(space, study, options, runner.root)
    search = SearchRun(
        study=study, plan=plan, pool=_pool(runner, space, options, plan.total),
        clock=options.clock, record=note, on_progress=on_progress,
        final_repeats=options.final_repeats, has_checks=bool(runner.dear_measures),
    )  # fmt: skip
    if not search.run() and not len(study.trials) and options.clock.left <= 0:
        raise ParameterError(
            f"budget: {options.clock.budget} ran out before one trial was finished. Allow more "
            "time, or name fewer measures."
        )


def _note_refusals(
    runner: TrialRunner, space: SearchSpace, trials: TrialTable, record: Callable[[Trial], None]
) -> None:
    """A setting that the method refuses for this table is no trial worth making."""
    for setting in space:
        runner.progress("settings", 0, 0)
        if not trials.repeats(setting) and (refusal := runner.refusal(setting)):
            record(Trial(setting, 0, 0.0, {}, refusal))


def _plan(space: SearchSpace, study: Study, options: SearchOptions, root: Seed) -> TrialPlan:
    if options.clock.budget is None:
        return ExhaustivePlan(list(space), study.trials, options.repeats)
    return SearchPlan(
        space,
        study.trials,
        goal=study.goal,
        limits=study.limits,
        repeats=options.repeats,
        seed=int(root.stream("search").integers(2**31)),
    )


def _pool(runner: TrialRunner, space: SearchSpace, options: SearchOptions, trials: int) -> Pool:
    sought = [near.rule.k for s in space if (near := s.method.neighborhood) is not None]
    runner = replace(runner, neighbours=max(sought, default=0))
    size = min(options.workers or count_cores(), trials)
    if size > 1 and (alone := _find_unreachable(space)):
        where = f"{alone} cannot be imported by other processes"
        if options.workers is not None:
            raise UsageError(
                f"tune: {where}. Put the class into a module of its own, or use workers=1."
            )
        warn(
            f"{where}, so that all trials are made in this one. Put the class into a module of its "
            "own to use all cores."
        )
        size = 1
    if size > 1:
        return ProcessPool(replace(runner, progress=silent), size)
    return InProcess(replace(runner, progress=options.clock.end(runner.progress)))


def _find_unreachable(space: SearchSpace) -> str:
    """The class of a method that only this process has, such as one of a script or a notebook."""
    for own in {type(s.own): s.own for s in space if s.own is not None}.values():
        module = type(own).__module__
        try:
            pickle.dumps(own)
            reachable = module != "__main__" and find_spec(module) is not None
        except (pickle.PicklingError, AttributeError, TypeError, ValueError, ImportError):
            reachable = False
        if not reachable:
            return type(own).__name__
    return ""
