"""Texts that people write: conditions, derivations, steps, formulas, options, run files."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import swapmeet as sm
from fuzzing.odd import CHARACTERS, INTEGERS, NUMERALS, damage, draw_number, draw_text
from fuzzing.oracle import require
from swapmeet.base.seeds import Seed
from swapmeet.engines.files.needs import bytes_of
from swapmeet.measures.limits import parse_limits
from swapmeet.measures.registry import MEASURES
from swapmeet.measures.registry import make as make_measure
from swapmeet.measures.side_by_side.model import Model
from swapmeet.methods import METHODS
from swapmeet.methods import make as make_method
from swapmeet.plan.plan import Plan, read_codes
from swapmeet.plan.question import Question
from swapmeet.tables.conditions import Condition
from swapmeet.tables.derivations import order_derivations
from swapmeet.tables.formulas import Formula
from swapmeet.tables.frame import Table

if TYPE_CHECKING:
    from random import Random

COLUMNS = ("age", "sex", "income", "since", "born", "grade", "ok", "span", "big", "`weeks worked`")
SIGNS = (
    "and", "or", "not", "in", "is", "missing", "(", ")", ",", "+", "-", "*", "/", "//", "**",
    "=", "!=",
    "<", "<=", ">", ">=", '"f"', "'zz'", "abs(", "round(", "log(", "exp(", "sqrt(", "min(", "max(",
    "cut(", "year(", "month(", "if(", "lookup(", "floor(", "ceil(", "log10(", "day(",
)  # fmt: skip
EXPRESSION = (*COLUMNS, *SIGNS, *SIGNS, *NUMERALS)
CONDITIONS = (
    'sex = "f" and age < 31', "age in (1, 2, 3)", "not `weeks worked` is missing",
    "income / age > 2",
    "year(since) = 2001 or ok = 1", "if(age > 3, income, age) >= 4", 'since > "2001-01-01"',
    "round(income, 1) = 3.5", "abs(-age) ** 2 < 99 or grade is not missing", 'cut(age, 18, 65) = 1',
    "big > 3 and span is missing", "income ** age > 1e300 * 1e300", "-age // 0 = 1",
)  # fmt: skip
DERIVATIONS = (
    "income = age * 2", "age = income + big", "income = age / big ** 2", "grade = lookup(age)",
    "age = round(income / 3, 2)", 'sex = cut(age, 18, 65, "x", "y", "z")', "ok = if(age > 3, 1, 0)",
    "big = big * big * big", "age = year(since)", "income = exp(age) - log(big)",
    "age = floor(income)",
)  # fmt: skip
STEPS = (
    "age: top 80", "age: bottom 18", "income: round 1000", "age: cut 0, 18, 30, 65", "since: month",
    "sex: group f, m = x; d = y", "income: suppress >= 1000000", "sex: suppress rare 5",
    "born: year",
    "grade: suppress c", "sex: group rare 3 = other", "span: round 5", "big: top 1e30",
    "grade: top b",
    "since: top 2001-01-01", "`weeks worked`: round 0.1", "ok: suppress true", "since: hour",
)  # fmt: skip
STEP_WORDS = (
    "age", "sex", "income", "since", "born", "grade", ":", "top", "bottom", "round", "cut", "group",
    "suppress", "rare", "=", ";", ",", "<", ">=", '"a"', "year", "month", "hour", "day", "week",
    "quarter", *NUMERALS,
)  # fmt: skip
FORMULAS = (
    "income ~ age + C(sex)", "logistic: ok ~ age", "huber: income ~ age", "poisson: age ~ income",
    "loglinear: sex*grade", "income ~ age, weight=big", "income ~ age*sex + age:grade + 0",
    "income ~ `weeks worked`", "age ~ since", "income ~ log(age) + age**2 - 1", "income ~ a*b*c",
)  # fmt: skip
FORMULA_WORDS = (
    *COLUMNS, "~", "+", ":", "*", "C(", ")", "0", "1", "- 1", "log(", "logistic:", "huber:",
    "poisson:",
    "loglinear:", ",", "weight=", "**", "I(", "^",
)  # fmt: skip


@cache
def people() -> pd.DataFrame:
    """A small table with a column of each type."""
    rng = np.random.default_rng(5)
    n = 24
    return pd.DataFrame(
        {
            "age": rng.integers(0, 90, n),
            "sex": np.where(rng.random(n) < 0.1, None, rng.choice(["f", "m", "zqcanary"], n)),
            "income": np.where(rng.random(n) < 0.1, np.nan, 481516.0 + rng.random(n).round(2)),
            "since": pd.Timestamp("2001-01-01") + pd.to_timedelta(rng.integers(0, 9999, n), "D"),
            "born": pd.Series([pd.Timestamp("1950-05-05").date()] * n, dtype=object),
            "grade": pd.Categorical.from_codes(rng.integers(0, 3, n), list("cba"), ordered=True),
            "ok": rng.random(n) < 0.4,
            "span": pd.to_timedelta(rng.integers(1, 99, n), "h"),
            "big": rng.integers(2**62, 2**63 - 1, n),
            "weeks worked": rng.random(n) * 1e-310,
        }
    )


@cache
def _schema() -> sm.Schema:
    return sm.Schema.guess(people(), {})


@cache
def _table() -> Table:
    return Table.of(people())


def hold_condition(rng: Random) -> None:
    """A condition holds or breaks, row by row."""
    condition = Condition(draw_text(rng, CONDITIONS, EXPRESSION))
    _ = condition.shown
    holds, breaks = condition.holds(_table()), condition.breaks(_table())
    require(holds.dtype == bool and len(holds) == len(people()), "a condition gives no flags")
    require(not (holds & breaks).any(), "a condition holds in rows that break it")


def derive_column(rng: Random) -> None:
    """A column is computed from others."""
    from swapmeet.tables.expressions.values import ExpressionContext

    (one,) = order_derivations([draw_text(rng, DERIVATIONS, EXPRESSION)])
    if list(one.list_problems(_table().names)) or one.looked_up:
        return
    one.value.work_out(ExpressionContext(_table(), len(people())))


def derive_in_release(rng: Random) -> None:
    """A release with a derived column, a rule or a step, as they are written."""
    texts: dict[str, Any] = {
        "derive": [draw_text(rng, DERIVATIONS, EXPRESSION)] if rng.random() < 0.4 else [],
        "rule": [draw_text(rng, CONDITIONS, EXPRESSION)] if rng.random() < 0.4 else [],
        "recode": [draw_text(rng, STEPS, STEP_WORDS)] if rng.random() < 0.4 else [],
    }
    sm.mask(people(), sm.RWN(k=2), seed=1, publish=list(people().columns), **texts)


def recode_column(rng: Random) -> None:
    """A step changes a column, and only that."""
    step = draw_text(rng, STEPS, STEP_WORDS)
    found = sm.recode(people(), step)
    require(list(found.columns) == list(people().columns), "a step changes columns")
    require(len(found) == len(people()), "a step changes rows")


def read_formula(rng: Random) -> None:
    """A model formula."""
    text = draw_text(rng, FORMULAS, FORMULA_WORDS)
    if rng.random() < 0.5:
        _ = Formula.parse(text).columns
    else:
        Model.parse(text)


def fit_model(rng: Random) -> None:
    """A model is fitted to two tables."""
    text = damage(rng, rng.choice(FORMULAS), FORMULA_WORDS) if rng.random() < 0.5 else ""
    sm.assess(people(), people(), match="rows", measures=[], limits={},
    models=[text or rng.choice(FORMULAS)],
              publish=list(people().columns), threads=1)  # fmt: skip


def read_method(rng: Random) -> None:
    """A method by name, with settings as options or run files give them."""
    name = rng.choice((*METHODS, "rwm", draw_text(rng, tuple(METHODS), CHARACTERS)))
    kind = METHODS.get(name, sm.RWN)
    settings = {p.name: _draw_setting(rng) for p in kind.parameters() if rng.random() < 0.4}
    if rng.random() < 0.1:
        settings[rng.choice(("kk", "", "\ud800", "k"))] = _draw_setting(rng)
    method = make_method(name, settings)
    _ = repr(method), method.description, json.dumps(method.settings())


def read_measure(rng: Random) -> None:
    """A measure with its settings, as an option has it."""
    examples = ("queries:target=age:conditions=2", "queries:keys=sex|age:sizes=sex=2|age=35",
                "rare[age < 3]", "model[income ~ age]", *MEASURES)  # fmt: skip
    words = ("queries", ":", "=", "|", "dcr", "scale", "model[", "rare[", "]", *COLUMNS, *NUMERALS)
    _ = make_measure(draw_text(rng, examples, words)).settings()


def read_limit(rng: Random) -> None:
    """A limit, as an option has it."""
    words = ("=", "none", "risk", "loss", ":", *MEASURES, *NUMERALS)
    parse_limits([draw_text(rng, ("dbrl=0.2", "none", "model[income ~ age]=0.1"), words)])


def read_option(rng: Random) -> None:
    """Names, pairs, codes, sizes and seeds, as options have them."""
    words = (
        "age",
        "sex",
        ",",
        ":",
        "=",
        "|",
        "-9",
        "99",
        "GB",
        "MB",
        "KiB",
        *CHARACTERS,
        *NUMERALS,
    )
    text = draw_text(rng, ("age,sex", "occupation:age:race=3|sex=2", "age:-9,99", "4GB"), words)
    readers = (
        lambda: Question.of({"measure": [text]}).names_measured,
        lambda: Question.of({"selectivity": [text]}).selections,
        lambda: read_codes([text]),
        lambda: _schema().assign(missing=[text, draw_number(rng)]),
        lambda: bytes_of(text if rng.random() < 0.8 else draw_number(rng)),
        lambda: Seed.chosen_by_user(draw_number(rng)),
        lambda: _schema().assign(key=[text]),
    )
    rng.choice(readers)()


def read_run_file(rng: Random) -> None:
    """A run file, and the method and the schema that it asks for."""
    content = _draw_run_file(rng)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.run.toml"
        path.write_bytes(
            content.encode("utf-8", "surrogatepass" if rng.random() < 0.5 else "replace")
        )
        run = Plan.load(path)
    guessed = _schema()
    run.resolve(guessed.names).settle(guessed).check(people())
    settings = dict(run.method)
    make_method(settings.pop("name", "rwn"), settings)


RUN = """swapmeet = "0.1.0"
[input]
delimiter = ","
[prepare]
recode = ["age: top 80"]
[method]
name = "rwn"
k = 5
q = {age = 0.5}
[engine]
name = "local"
block_rows = 100
[output]
keep_order = false
[columns.age]
kind = "numeric"
role = "key"
missing = [-9]
[columns]
sex = {kind = "nominal", role = "sensitive", publish = true}
[ties]
together = [["age", "since"]]
derive = ["income = age * 2"]
rules = ["age > 1"]
unrepaired = "leave"
"""
LINES = tuple(line + "\n" for line in RUN.splitlines())


def _draw_run_file(rng: Random) -> str:
    way = rng.random()
    words = (
        *LINES,
        "[",
        "]",
        "{",
        "}",
        "=",
        '"',
        "true",
        "1979-05-27",
        "nan",
        "inf",
        "[[",
        "]]",
        *NUMERALS,
    )
    if way < 0.4:
        return damage(rng, RUN, words)
    if way < 0.8:
        at, lines = rng.randrange(len(LINES)), list(LINES)
        lines[at : at + rng.choice((0, 0, 1, 3))] = [_draw_line(rng)] if rng.random() < 0.7 else []
        return "".join(lines)
    return draw_text(rng, (RUN,), words)


def _draw_line(rng: Random) -> str:
    name = rng.choice(
        ("k", "q", "recode", "kind", "role", "missing", "together", "rules", "name", "parts")
    )
    value = rng.choice(
        (str(rng.choice(INTEGERS)), "nan", "-inf", "1979-05-27T07:32:00", "07:32:00",
         "[1, [2]]", "{}",
         '""', '"\\ud800"', "true", "[" * 2000 + "]" * 2000, "{a=" * 500 + "1" + "}" * 500,
         '"k"',
         "1e400")
    )  # fmt: skip
    return f"{name} = {value}\n"


def _draw_setting(rng: Random) -> Any:
    way = rng.random()
    if way < 0.5:
        return rng.choice(NUMERALS)
    if way < 0.7:
        return draw_number(rng)
    examples = ("age=0.5,income=1", "exact", "partition", "true", "age,sex", "tree", "full", "3")
    return draw_text(rng, examples, ("age", "sex", "=", ",", *CHARACTERS))
