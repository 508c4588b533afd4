"""Plans survive every way in which they are written down."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.cli.plan_options import read_plan
from swapmeet.errors import InputError, SchemaError
from swapmeet.plan.json_schema import make_json_schema
from swapmeet.plan.plan import COLUMNS, ORDER, SECTIONS, Plan, split_names
from swapmeet.plan.question import Question
from swapmeet.plan.sections import EngineChoice, Input, Prepare, Protect, Writing
from swapmeet.tables.ties import Ties

TYPED_ROLES = ("key", "sensitive", "place", "keep", "weight", "strata", "position", "household",
               "person", "drop")  # fmt: skip
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=8)
NAMES = st.text("abcxyzäöü ._-\"'#[]=", min_size=1, max_size=6).filter(lambda t: t == t.strip())
LOSSES = st.none() | st.just(0.1)
CODES = st.one_of(st.integers(-999, 999), st.sampled_from(["n/a", "refused"]))


@st.composite
def facts(draw):
    """What is said of one column."""
    content = {}
    if draw(st.booleans()):
        content["role"] = draw(st.sampled_from(TYPED_ROLES))
    if draw(st.booleans()):
        content["kind"] = draw(st.sampled_from(["numeric", "ordinal", "nominal"]))
    if draw(st.booleans()) and content.get("role") != "drop":
        content["publish"] = True
    if draw(st.booleans()):
        content["missing"] = draw(st.lists(CODES, min_size=1, max_size=3, unique=True))
    return content


@st.composite
def plans(draw):
    """Plans of all kinds."""
    columns = draw(st.dictionaries(NAMES, facts().filter(bool), max_size=4))
    return Plan(
        input=Input(
            file=draw(st.none() | TEXT),
            header=draw(st.none() | st.booleans()),
            delimiter=draw(st.sampled_from([None, ";", "\t"])),
            missing=tuple(draw(st.lists(CODES, max_size=2, unique=True))),
        ),
        prepare=Prepare(
            recode=tuple(draw(st.lists(st.sampled_from(["a: top 80", "b: month"]), unique=True))),
            as_inspected=draw(st.booleans()),
            whole_households=draw(st.booleans()),
        ),
        method=draw(st.sampled_from([{}, {"name": "rwn", "k": 5, "q": {"a": 0.5}}])),
        protect=Protect(exposed=draw(st.none() | st.booleans()), loss=draw(LOSSES)),
        columns=columns,
        ties=Ties(
            together=draw(st.sampled_from([(), (("a", "b"),)])),
            derive=draw(st.sampled_from([(), ("t = a + b",)])),
            rules=draw(st.sampled_from([(), ("a > 1",)])),
        ),
        engine=EngineChoice(
            name=draw(st.sampled_from([None, "local", "spark"])),
            block_rows=draw(st.none() | st.integers(2, 9)),
        ),
        output=Writing(keep_order=draw(st.none() | st.booleans()), labels=draw(st.none() | TEXT)),
        question=Question(
            known=draw(st.none() | st.just(("a", "b"))),
            limits=draw(st.sampled_from([None, {}, {"linkage": 0.1}])),
            intruder=draw(st.sampled_from(["target", "keys", "everything"])),
        ),
    )  # fmt: skip


@given(plan=plans())
def test_a_plan_survives_toml_and_json(plan):
    assert Plan.from_dict(tomllib.loads(plan.to_toml())) == plan
    assert Plan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan


@given(plan=plans())
def test_a_plan_over_nothing_is_itself_and_nothing_over_it_changes_nothing(plan):
    assert plan.over(Plan()) == plan
    assert Plan().over(plan) == plan


@given(plan=plans())
def test_what_a_plan_says_of_a_table_survives_as_options(plan):
    names = {name for name in plan.columns if "," not in name and ":" not in name}
    columns = {n: f for n, f in plan.columns.items() if n in names}
    plan = replace(plan, columns=columns, input=replace(plan.input, file=None))
    read = read_plan(_parse(plan.list_words())).resolve(names | {"a", "b"})
    assert read.columns == plan.columns
    assert (read.input, read.prepare, read.ties) == (plan.input, plan.prepare, plan.ties)


def _parse(words):
    """The options as typer hands them over."""
    given = {}
    declared = [*COLUMNS, *Prepare.declared(), *Input.declared()]
    flags = {flag: (one, at) for one in declared if one.option.typed
             for at, flag in enumerate((one.option.flags or f"--{one.called.replace('_', '-')}")
                                       .split("/"))}  # fmt: skip
    words = [part for word in words for part in
             (word.split("=", 1) if word.split("=")[0] in flags else [word])]  # fmt: skip
    at = 0
    while at < len(words):
        one, place = flags[words[at]]
        if one.kind is bool:
            given[one.called] = place == 0
            at += 1
            continue
        if one.kind is str:
            given[one.called] = words[at + 1]
        else:
            given.setdefault(one.called, []).append(words[at + 1])
        at += 2
    return given


def test_options_win_and_codes_for_all_columns_replace_those_of_the_run_file():
    base = Plan(
        method={"name": "rwn", "k": 7},
        columns={"age": {"role": "key", "missing": [-9]}, "id": {"role": "key", "publish": True}},
        prepare=Prepare(recode=("age: top 80",)), ties=Ties(derive=("t = a + b",)),
        output=Writing(keep_order=True),
    )  # fmt: skip
    mine = Plan(
        input=Input(missing=(99,)), columns={"age": {"role": "keep"}, "id": {"role": "drop"}},
        ties=Ties(rules=("a > 1",)), output=Writing(keep_order=False),
    )  # fmt: skip
    both = mine.over(base)
    assert both.columns == {"age": {"role": "keep"}, "id": {"role": "drop"}}
    assert both.ties == Ties(derive=("t = a + b",), rules=("a > 1",))
    assert both.prepare.recode == ("age: top 80",)
    assert both.output.keep_order is False
    assert replace(mine, method={"k": 3}).over(base).method == {"name": "rwn", "k": 3}
    assert replace(mine, method={"name": "cart"}).over(base).method == {"name": "cart"}


def test_two_roles_of_a_column_are_refused_together_with_unknown_columns():
    people = sm.datasets.load("fair").head(50)
    with pytest.raises(SchemaError) as caught:
        sm.mask(people, sm.RWN(k=3), key=["age", "agee"], keep=["age"])
    said = str(caught.value)
    assert "column 'age' is given key and keep; choose one." in said
    assert "no column 'agee'; did you mean 'age'?" in said


def test_a_name_with_commas_is_one_column_where_there_is_such_a_column():
    assert split_names("a,b", ["a,b", "c"]) == ("a,b",)
    assert split_names("a, b", ["a", "b"]) == ("a", "b")
    plan = Plan.of_roles(key=["a,b"], together=[("c", "d,e")])
    assert plan.resolve(["a,b", "c", "d,e"]).columns == {"a,b": {"role": "key"}}
    assert set(plan.resolve(["a", "b", "c", "d", "e"]).columns) == {"a", "b"}


def test_every_section_is_in_the_json_schema_and_closed():
    schema = make_json_schema()
    assert list(schema["properties"]) == ["swapmeet", *ORDER]
    for name in SECTIONS:
        assert schema["properties"][name]["additionalProperties"] is False
    methods = schema["properties"]["method"]
    assert methods["properties"]["name"]["enum"] == list(sm.METHODS)
    own = {part["if"]["properties"]["name"]["const"]: part["then"] for part in methods["allOf"]}
    assert own["rwn"]["properties"]["k"]["type"] == "integer"
    assert "distance" not in own["rwn"]["properties"]  # a function fits in no file


@given(plan=plans())
def test_the_json_schema_knows_everything_that_a_plan_writes(plan):
    schema, content = make_json_schema(), plan.to_dict()
    for name, section in content.items():
        known = schema["properties"][name]
        if name in SECTIONS or name == "ties":
            assert set(section) <= set(known["properties"])
        if name == "columns":
            allowed = known["additionalProperties"]["properties"]
            assert all(set(facts) <= set(allowed) for facts in section.values())


def test_a_plan_of_an_earlier_version_is_read():
    plan = Plan.from_dict(
        {
            "swapmeet": "0.0.9", "input": {"delimiter": ";"}, "method": {"name": "rwn"},
            "prepare": {"recode": ["age: top 80"]}, "engine": {"name": "local", "block_rows": 100},
            "output": {"keep_order": False, "drop_unnamed": True},
            "columns": {"age": {"kind": "numeric", "role": "key", "missing": [-9]},
                        "hh": {"role": "household", "whole": True}},
            "ties": {"together": [["a", "b"]], "rules": ["a > 1"], "unrepaired": "leave"},
        }
    )  # fmt: skip
    assert plan.reading == {"delimiter": ";", "missing": {"age": [-9]}}
    assert plan.ties.unrepaired == "leave"
    assert plan.engine.block_rows == 100


def test_a_question_reads_what_people_type():
    question = Question.of({"known": ["age, sex"], "limit": ["linkage=0.1"], "measure": ["dbrl"],
                            "table": ["a,b"], "selectivity": ["a:b"]})  # fmt: skip
    assert question.known == ("age", "sex")
    assert question.table_columns == [["a", "b"]]
    assert question.selections == [("a", "b")]
    assert Question.of({"limit": ["none"]}).limits == {}
    assert Question.of({}) == Question()
    assert question.list_words()[:2] == ["--known", "age,sex"]


def test_a_wrong_setting_is_named_with_its_section():
    with pytest.raises(InputError, match=r"\[engine\]: `block_rows` must be a whole number"):
        Plan.from_dict({"engine": {"block_rows": 2.5}})
    with pytest.raises(InputError, match=r"\[engine\]: `name` must be one of local, spark"):
        Plan.from_dict({"engine": {"name": "flink"}})


def test_a_plan_that_names_its_files_runs_alone(tmp_path):
    people = sm.datasets.load("fair").head(60)
    people.to_csv(tmp_path / "people.csv", index=False)
    plan = Plan(
        input=Input(file=str(tmp_path / "people.csv")), method={"name": "rwn", "k": 3},
        output=Writing(release=(str(tmp_path / "release.csv"),)),
    )  # fmt: skip
    plan.save(tmp_path / "run.toml")
    done = Plan.load(tmp_path / "run.toml").run(seed=1)
    assert done.rows == 60
    assert (tmp_path / "release.csv").exists()
    written = (tmp_path / "release.csv.run.toml").read_text()
    assert str(tmp_path) not in written
    assert Path("release.csv").name not in written
