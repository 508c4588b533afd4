from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.app.run import Command, Kind, Run, State, read_result

SEED = "918273645546372819"
WORDS = st.text()
COMMANDS = st.builds(Command, st.lists(WORDS, max_size=4).map(tuple), WORDS)
FACTS = st.dictionaries(WORDS, st.none() | st.booleans() | st.integers() | WORDS, max_size=4)
RUNS = st.builds(
    Run,
    kind=st.sampled_from(Kind),
    case=WORDS,
    title=WORDS,
    commands=st.lists(COMMANDS, max_size=3).map(tuple),
    number=st.integers(0, 99),
    state=st.sampled_from(State),
    asked=st.floats(0, 2e9),
    seconds=st.floats(0, 1e6),
    error=WORDS,
    facts=FACTS,
    folder=st.just(Path("/runs")),
)


def make(folder=Path(), **told):
    commands = (Command(("mask",), "swapmeet mask"), Command(("report",), "swapmeet report"))
    return Run(kind=Kind.CANDIDATE, case="a", title="t", commands=commands, folder=folder, **told)


@given(RUNS)
def test_what_is_kept_comes_back(run):
    assert Run.from_dict(json.loads(json.dumps(run.to_dict())), Path("/runs")) == run


def test_a_seed_is_not_kept():
    run = make(seed=SEED)
    assert SEED not in json.dumps(run.to_dict())
    assert Run.from_dict(run.to_dict(), Path()).seed == ""


def test_a_seed_is_not_shown():
    assert SEED not in repr(make(seed=SEED))


def test_a_seed_in_a_file_is_not_taken():
    assert Run.from_dict({**make().to_dict(), "seed": SEED}, Path()).seed == ""


@pytest.mark.parametrize("state", State)
def test_only_waiting_and_running_is_open(state):
    assert state.is_open == (state.value in {"waiting", "running"})


@pytest.mark.parametrize("missing", ["kind", "state", "commands", "case"])
def test_a_run_without_what_it_needs_is_an_error(missing):
    content = make().to_dict()
    del content[missing]
    with pytest.raises((LookupError, TypeError)):
        Run.from_dict(content, Path())


def test_results_are_counted_from_one_and_from_the_end(tmp_path):
    run = make(tmp_path)
    run.output_path(1).write_text('{"a": 1}')
    run.output_path(2).write_text('{"b": 2}')
    assert (run.output(1), run.output(2), run.output()) == ({"a": 1}, {"b": 2}, {"b": 2})


def test_a_result_calls_files_as_people_do(tmp_path):
    place = str(tmp_path / "private" / "people.csv")
    command = Command(("inspect", place), "swapmeet inspect people.csv")
    run = Run(kind=Kind.INSPECTION, case="a", title="t", commands=(command,), folder=tmp_path)
    run.output_path(1).write_text(json.dumps({"notes": [f"{place} is not UTF-8."], "rows": 3}))
    assert run.output() == {"notes": ["people.csv is not UTF-8."], "rows": 3}


@pytest.mark.parametrize("content", ["", "{", "[1]", "null", "1", "{'a': 1}", "\ud800"])
def test_a_result_that_was_broken_off_is_empty(tmp_path, content):
    path = tmp_path / "out-1.json"
    path.write_text(content, errors="surrogatepass")
    assert read_result(path) == {}


def test_no_result_is_empty(tmp_path):
    assert read_result(tmp_path / "none.json") == {}


def test_a_result_that_was_written_anew_is_read_anew(tmp_path):
    path = tmp_path / "out-1.json"
    path.write_text('{"trials": 1}')
    assert read_result(path) == {"trials": 1}
    path.write_text('{"trials": 22}')
    assert read_result(path) == {"trials": 22}


def test_a_result_that_was_removed_is_gone(tmp_path):
    path = tmp_path / "out-1.json"
    path.write_text('{"trials": 1}')
    read_result(path)
    path.unlink()
    assert read_result(path) == {}
