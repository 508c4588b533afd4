"""Jobs with processes that do as they are told; the real command line is tried elsewhere."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.app import jobs as module
from swapmeet.app.case import Case
from swapmeet.app.jobs import DIED, STOPPED, UNEXPECTED, Jobs, WaitingRun
from swapmeet.app.run import Command, Run, RunKind, State
from swapmeet.app.workspace import Workspace

pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes are told as POSIX does")
SEED = "918273645546372819"
LONG = "time.sleep(60)"
SAY = 'print(json.dumps({"event": "error", "message": "No such column."}), file=sys.stderr)'
PUPPET = """#!{python} -IS
import json, os, signal, subprocess, sys, time
def spawn(code):
    return subprocess.Popen([sys.executable, "-IS", "-c", "import signal, time\\n" + code])
def note(name):
    with open(name, "a") as file:
        file.write(f"{{os.getpid()}} ")
args = json.loads(sys.stdin.buffer.readline())
exec(args[0])
"""


@pytest.fixture
def space(tmp_path):
    space = Workspace.open(tmp_path / "app")
    yield space
    space.close()


@pytest.fixture(autouse=True)
def puppet(tmp_path, monkeypatch):
    """Each command is Python code that a process runs."""
    path = tmp_path / "puppet"
    path.write_text(PUPPET.format(python=sys.executable))
    path.chmod(0o700)
    monkeypatch.setattr(module, "sys", SimpleNamespace(executable=str(path)))


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.3)


def run_of(case, *codes, kind=RunKind.CANDIDATE, **told):
    commands = tuple(Command((code,), "swapmeet") for code in codes)
    return Run(kind=kind, case=case.key, title="t", commands=commands, **told)


def live(space, story):
    """Let a story of jobs happen; whatever it leaves behind is stopped."""

    async def tell():
        jobs, case = Jobs(space), space.add_case(Case(name="a.csv", source="/a.csv"))
        try:
            return await asyncio.wait_for(story(jobs, case), 30)
        finally:
            await jobs.stop_all()

    return asyncio.run(tell())


async def settle(jobs, run):
    """Wait until a run has ended."""
    while jobs.find(run):
        await asyncio.sleep(0.01)


async def see(path):
    """Wait until a process has written its numbers into a file."""
    while not path.exists() or not path.read_text().endswith(" "):
        await asyncio.sleep(0.01)
    return [int(number) for number in path.read_text().split()]


def finish(space, *codes, **told):
    """A run that was let run to its end, as it was kept."""

    async def story(jobs, case):
        run = jobs.start(run_of(case, *codes, **told))
        await settle(jobs, run)
        return space.find_run(case.key, run.name)

    return live(space, story)


def is_alive(number):
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


# how runs end


def test_what_a_command_prints_is_its_result(space):
    run = finish(space, 'print(json.dumps({"rows": 3}))')
    assert (run.state, run.error) == (State.DONE, "")
    assert run.output(1) == {"rows": 3}


def test_commands_run_one_after_the_other_in_the_folder_of_the_run(space):
    run = finish(space, 'open("a", "w").write("1")', 'print(json.dumps({"a": open("a").read()}))')
    assert run.output(2) == {"a": "1"}


def test_a_refusal_is_told_in_its_words(space):
    run = finish(space, f"{SAY}; sys.exit(1)", "note('next')")
    assert (run.state, run.error) == (State.FAILED, "No such column.")
    assert not (run.folder / "next").exists()


def test_half_a_result_of_a_refusal_is_removed(space):
    run = finish(space, "print('{'); sys.exit(1)")
    assert not run.output_path(1).exists()


def test_a_limit_that_is_not_met_is_a_result_too(space):
    run = finish(space, 'print(json.dumps({"safe": False})); sys.exit(4)', 'print("{}")')
    assert (run.state, run.output(1)) == (State.DONE, {"safe": False})


def test_a_limit_without_a_result_is_a_failure(space):
    run = finish(space, f"{SAY}; sys.exit(4)")
    assert (run.state, run.error) == (State.FAILED, "No such column.")


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGSEGV", "SIGABRT"])
def test_a_process_that_was_killed_is_told(space, signal):
    run = finish(space, f"os.kill(os.getpid(), signal.{signal})")
    assert (run.state, run.error) == (State.FAILED, DIED)


def test_a_process_that_ends_with_an_error_without_a_word_is_told(space):
    run = finish(space, "sys.exit(3)")
    assert (run.state, run.error) == (State.FAILED, DIED)


@pytest.mark.slow
def test_what_a_killed_process_leaves_running_is_killed(space):
    """Whoever is killed for want of memory leaves children that would hold it, and the job."""
    began = time.monotonic()
    run = finish(
        space,
        "child = spawn('time.sleep(20)'); open('child', 'w').write(f'{child.pid} ');"
        "os.kill(os.getpid(), signal.SIGKILL)",
    )
    assert run.state is State.FAILED
    assert time.monotonic() - began < 10
    assert not is_alive(int((run.folder / "child").read_text()))


def test_a_process_that_cannot_be_started_is_told(space, monkeypatch):
    monkeypatch.setattr(module, "sys", SimpleNamespace(executable="/none/python"))
    run = finish(space, "pass")
    assert run.state is State.FAILED
    assert "could not be started" in run.error
    assert "No such file" in run.error


def test_a_full_disk_is_told(space, monkeypatch):
    monkeypatch.setattr(Run, "output_path", lambda *_: Path("/dev/full/x"))
    assert finish(space, "pass").state is State.FAILED


def test_an_error_of_ours_ends_the_run_and_its_process(space, monkeypatch, capfd):
    async def fail(process, _):
        numbers.append(process.pid)
        raise RuntimeError(SEED)

    numbers = []
    monkeypatch.setattr(module, "_listen", fail)
    run = finish(space, LONG)
    assert (run.state, run.error) == (State.FAILED, UNEXPECTED)
    assert not any(map(is_alive, numbers))
    assert SEED not in capfd.readouterr().err


def test_the_time_is_kept(space):
    assert 0.2 <= finish(space, "time.sleep(0.2)").seconds < 10


# what processes tell


@pytest.mark.parametrize(
    "line", ["nonsense", "[1]", "null", "{", '{"event": "progress", "done": "x"}', "\\xff\\xfe"]
)
def test_lines_that_are_no_events_are_passed_over(space, line):
    run = finish(space, f"sys.stderr.buffer.write(b'{line}\\n'); print('{{\"a\": 1}}')")
    assert (run.state, run.output(1)) == (State.DONE, {"a": 1})


def test_a_line_of_megabytes_does_no_harm(space):
    long = "sys.stderr.write('x' * 3_000_000 + '\\n')"
    run = finish(space, f"{long}; {SAY}; {long}; sys.exit(1)")
    assert (run.state, run.error) == (State.FAILED, "No such column.")


def event(**told):
    return {"event": "progress", **told}


def job():
    return WaitingRun(run_of(Case(name="a", source="a", key="a"), ""))


def test_progress_is_heard(space):
    one = job()
    one.hear(event(label="measures", done=3, total=12))
    assert (one.label, one.done, one.total) == ("measures", 3, 12)


def test_news_is_heard_until_the_next_stage():
    one = job()
    one.hear(event(label="trials", done=1, total=2))
    one.hear({"event": "news", "text": "better"})
    assert one.news == "better"
    one.hear(event(label="writing", done=0, total=2))
    assert one.news == ""


def test_the_time_left_goes_by_the_pace_of_the_stage(monkeypatch):
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(module.time, "monotonic", lambda: clock.now)
    one = job()
    one.hear(event(label="trials", done=2, total=10))
    assert one.seconds_left is None
    clock.now += 10
    one.hear(event(label="trials", done=4, total=10))
    assert one.seconds_left == pytest.approx(10 / 2 * 6)
    one.hear(event(label="writing", done=0, total=1))
    assert one.seconds_left is None


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 9), st.integers(0, 9))))
def test_the_time_left_is_never_negative(stages):
    one = job()
    for label, done, total in stages:
        one.hear(event(label=label, done=done, total=total))
        assert one.seconds_left is None or one.seconds_left >= 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
EVENTS = st.dictionaries(
    st.sampled_from(["event", "label", "done", "total", "text", "message"]),
    JSON | st.sampled_from(["progress", "news", "error"]),
)


@given(EVENTS)
def test_an_odd_event_breaks_nothing_that_is_not_passed_over(event):
    try:
        job().hear(event)
    except (ValueError, TypeError, OverflowError):
        return


# stopping


def stop_when_seen(space, code):
    """The run as it was kept, the numbers of its processes, and how long stopping took."""

    async def story(jobs, case):
        run = jobs.start(run_of(case, code, "note('next')"))
        numbers = await see(run.folder / "pids")
        began = time.monotonic()
        await jobs.stop(run)
        took = time.monotonic() - began
        assert jobs.find(run) is None
        return space.find_run(case.key, run.name), numbers, took

    return live(space, story)


def test_stopping_ends_the_process_at_once(space):
    run, numbers, took = stop_when_seen(space, f"note('pids'); {LONG}")
    assert (run.state, run.error) == (State.STOPPED, STOPPED)
    assert not any(map(is_alive, numbers))
    assert took < 10
    assert not (run.folder / "next").exists()


def test_stopping_ends_all_processes_of_the_run(space):
    code = f"child = spawn('{LONG}'); open('pids', 'w').write(f'{{os.getpid()}} {{child.pid}} ');"
    _, numbers, took = stop_when_seen(space, code + LONG)
    assert len(numbers) == 2
    assert not any(map(is_alive, numbers))
    assert took < 10


def test_a_process_that_will_not_stop_is_killed(space, impatient):
    code = f"signal.signal(signal.SIGTERM, signal.SIG_IGN); note('pids'); {LONG}"
    run, numbers, took = stop_when_seen(space, code)
    assert run.state is State.STOPPED
    assert not any(map(is_alive, numbers))
    assert took < 10


def test_a_child_that_will_not_stop_is_killed(space, impatient):
    deaf = 'signal.signal(signal.SIGTERM, signal.SIG_IGN); open("ready", "w").write("1");'
    code = (
        f"child = spawn('{deaf}{LONG}')\n"
        "while not os.path.exists('ready'): time.sleep(0.01)\n"
        f"open('pids', 'w').write(f'{{os.getpid()}} {{child.pid}} '); {LONG}"
    )
    _, numbers, took = stop_when_seen(space, code)
    assert not any(map(is_alive, numbers))
    assert took < 10


def test_what_a_stopped_search_has_written_survives(space):
    code = f"open('study.jsonl', 'w').write('trial'); note('pids'); {LONG}"
    run, _, _ = stop_when_seen(space, code)
    assert (run.folder / "study.jsonl").read_text() == "trial"


def test_a_search_goes_on_in_its_folder(space):
    async def story(jobs, case):
        code = f"note('pids'); n = len(open('pids').read().split()); n > 1 or {LONG}"
        run = jobs.start(run_of(case, code, kind=RunKind.SEARCH))
        await see(run.folder / "pids")
        await jobs.stop(run)
        jobs.resume(space.find_run(case.key, run.name))
        assert space.find_run(case.key, run.name).state.is_open
        await settle(jobs, run)
        return space.find_run(case.key, run.name)

    run = live(space, story)
    assert (run.state, run.error, run.number) == (State.DONE, "", 1)
    assert len((run.folder / "pids").read_text().split()) == 2


def test_a_run_that_waits_can_be_stopped(space):
    async def story(jobs, case):
        first = jobs.start(run_of(case, f"note('pids'); {LONG}"))
        second = jobs.start(run_of(case, "note('pids')"))
        await see(first.folder / "pids")
        await jobs.stop(second)
        assert jobs.find(first)
        return space.find_run(case.key, second.name)

    run = live(space, story)
    assert (run.state, run.error) == (State.STOPPED, STOPPED)
    assert not (run.folder / "pids").exists()


def test_a_run_can_be_stopped_before_it_has_begun(space):
    async def story(jobs, case):
        run = jobs.start(run_of(case, LONG))
        await jobs.stop(run)
        assert jobs.find(run) is None
        return space.find_run(case.key, run.name)

    run = live(space, story)
    assert (run.state, run.error) == (State.STOPPED, STOPPED)


@pytest.mark.parametrize("delay", [0, 0.001, 0.005, 0.01, 0.02, 0.03, 0.05])
def test_a_run_can_be_stopped_at_any_moment(space, delay):
    async def story(jobs, case):
        run = jobs.start(run_of(case, LONG, LONG))
        await asyncio.sleep(delay)
        await jobs.stop(run)
        return space.find_run(case.key, run.name)

    assert live(space, story).state is State.STOPPED


def test_stopping_twice_is_stopping_once(space):
    async def story(jobs, case):
        run = jobs.start(run_of(case, f"note('pids'); {LONG}"))
        await see(run.folder / "pids")
        await asyncio.gather(jobs.stop(run), jobs.stop(run))
        await jobs.stop(run)
        return space.find_run(case.key, run.name)

    assert live(space, story).state is State.STOPPED


def test_stopping_what_has_ended_changes_nothing(space):
    async def story(jobs, case):
        run = jobs.start(run_of(case, "pass"))
        await settle(jobs, run)
        await jobs.stop(run)
        return space.find_run(case.key, run.name)

    assert live(space, story).state is State.DONE


def test_closing_a_case_stops_its_runs_only(space):
    async def story(jobs, case):
        other = space.add_case(Case(name="b.csv", source="/b.csv"))
        mine = jobs.start(run_of(case, f"note('pids'); {LONG}", kind=RunKind.INSPECTION))
        its = jobs.start(run_of(other, f"note('pids'); {LONG}", kind=RunKind.INSPECTION))
        (number,) = await see(mine.folder / "pids")
        await see(its.folder / "pids")
        await jobs.stop_case(case.key)
        return is_alive(number), jobs.find(mine), jobs.find(its)

    alive, mine, its = live(space, story)
    assert not alive
    assert mine is None
    assert its is not None


# whose turn it is


def test_long_runs_wait_for_each_other(space):
    async def story(jobs, case):
        codes = [f"open('../../{n}', 'w').close(); time.sleep(0.2)" for n in "ab"]
        runs = [jobs.start(run_of(case, code)) for code in codes]
        states = set()
        while any(map(jobs.find, runs)):
            states.add(tuple(space.find_run(case.key, run.name).state.value for run in runs))
            await asyncio.sleep(0.01)
        return states

    states = live(space, story)
    assert ("running", "waiting") in states
    assert ("done", "running") in states
    assert ("running", "running") not in states


def test_a_look_at_a_file_goes_on_beside_a_long_run(space):
    async def story(jobs, case):
        long = jobs.start(run_of(case, f"note('pids'); {LONG}"))
        await see(long.folder / "pids")
        look = jobs.start(run_of(case, "print('{}')", kind=RunKind.INSPECTION))
        await settle(jobs, look)
        assert jobs.find(long)
        return space.find_run(case.key, look.name)

    assert live(space, story).state is State.DONE


def test_the_next_run_begins_after_one_that_failed_or_was_stopped(space):
    async def story(jobs, case):
        first = jobs.start(run_of(case, "sys.exit(1)"))
        second = jobs.start(run_of(case, f"note('pids'); {LONG}"))
        third = jobs.start(run_of(case, "pass"))
        await settle(jobs, first)
        await see(second.folder / "pids")
        await jobs.stop(second)
        await settle(jobs, third)
        return space.find_run(case.key, third.name)

    assert live(space, story).state is State.DONE


def test_only_what_is_under_way_is_listed(space):
    async def story(jobs, case):
        run = jobs.start(run_of(case, "pass"))
        listed = [job.run.name for job in jobs.open_jobs(case.key)]
        await settle(jobs, run)
        return listed, jobs.open_jobs(case.key), jobs.open_jobs("other")

    assert live(space, story) == (["candidate-1"], [], [])


# secrets


def test_the_seed_is_given_to_the_first_command_only(space):
    code = "print(json.dumps({'args': args[1:]}))"
    run = finish(space, code, code, seed=SEED)
    assert (run.output(1)["args"], run.output(2)["args"]) == (["--seed", SEED], [])


def test_the_list_of_processes_tells_nothing_of_a_run(space):
    code = "print(json.dumps({'seen': open('/proc/self/cmdline').read()})) # income > 9"
    seen = finish(space, code, seed=SEED).output(1)["seen"]
    assert SEED not in seen
    assert "income" not in seen


@pytest.mark.parametrize("text", ["\0", "\n", "\ud800", "x" * 300_000])
def test_no_argument_is_too_odd_or_too_long(space, text):
    command = Command(("print(json.dumps({'length': len(args[1])}))", text), "swapmeet")
    run = replace(run_of(Case(name="a", source="a")), commands=(command,))

    async def story(jobs, case):
        begun = jobs.start(replace(run, case=case.key))
        await settle(jobs, begun)
        return begun

    assert live(space, story).output(1) == {"length": len(text)}


def test_the_seed_is_not_kept_with_the_run(space):
    run = finish(space, "pass", seed=SEED)
    assert SEED not in json.dumps(run.to_dict())
    assert not any(SEED in path.read_text() for path in run.folder.iterdir())


def test_files_that_are_given_are_in_the_folder(space, tmp_path):
    path = tmp_path / "release.csv"
    path.write_text("a")

    async def story(jobs, case):
        run = jobs.start(run_of(case, "print(json.dumps(open('release.csv').read()))"), [path])
        await settle(jobs, run)
        return run

    assert (live(space, story).folder / "release.csv").read_text() == "a"


def test_commands_that_were_done_before_are_not_done_again(space):
    run = finish(space, "note('again')", "print('{}')", facts={"done_before": 1})
    assert run.state is State.DONE
    assert not (run.folder / "again").exists()
