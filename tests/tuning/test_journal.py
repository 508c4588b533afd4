from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import swapmeet as sm
from swapmeet import __version__
from swapmeet.errors import FileError, InputError, OutputError, UsageError
from swapmeet.tuning import Study
from swapmeet.tuning.journal import FORMAT, Journal, read
from swapmeet.tuning.study_setup import DataMark

CHOICE = {
    "limits": {"pscr": 0.3},
    "goal": {"risk": {"pscr": 1}, "loss": {"margins": 1}, "balance": 0.5},
}


@pytest.fixture
def setup(prepare, table):
    return prepare(table)[1]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.jsonl"


@pytest.fixture
def written(path, setup, trial):
    """A journal of three trials."""
    with Journal.resume(path, setup, print) as journal:
        journal.write_choice(CHOICE)
        for repeat in range(3):
            journal.add(trial(5, repeat, 0.1 * repeat))
    return path


def resumed(path, setup):
    found = []
    with Journal.resume(path, setup, found.append):
        pass
    return [trial.repeat for trial in found]


def test_a_fresh_journal_takes_the_place_of_another(written, setup):
    found = []
    written.chmod(0o644)
    with Journal.resume(written, setup, found.append, fresh=True):
        assert written.stat().st_mode & 0o777 == 0o600
        assert found == []
    assert len(written.read_text().splitlines()) == 1


def test_a_journal_that_another_search_holds_is_not_replaced(written, setup):
    before = written.read_bytes()
    with Journal.resume(written, setup, lambda _: None):
        with pytest.raises(FileError, match="another search is writing to this journal"):
            Journal.resume(written, setup, print, fresh=True)
        assert written.read_bytes() == before


def test_what_is_no_journal_is_not_replaced_by_a_fresh_one(path, setup):
    path.write_text("my notes\n")
    with pytest.raises(FileError, match="is not the journal of a study"):
        Journal.resume(path, setup, print, fresh=True)
    assert path.read_text() == "my notes\n"


# what is in it


def test_the_header_says_what_the_study_is_about(written, setup):
    header = json.loads(written.read_text().splitlines()[0])
    assert header["format"] == FORMAT
    assert header["version"] == __version__
    assert header["data"] == str(setup.data)
    assert header["columns"] == setup.schema.to_dict()
    assert list(header["measures"]) == ["pscr", "margins"]


def test_a_trial_is_on_disk_as_one_line_when_add_returns(path, setup, trial, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(path.read_bytes()))
    with Journal.resume(path, setup, print) as journal:
        for repeat in range(3):
            journal.add(trial(5, repeat))
            assert len(path.read_bytes().splitlines()) == repeat + 2
            assert synced[-1] == path.read_bytes()


def test_what_is_written_is_read_again(written, setup, trial):
    found = []
    content = read(written, found.append)
    assert found == [trial(5, repeat, 0.1 * repeat) for repeat in range(3)]
    assert not list(setup.differences(content.setup))
    assert content.choice["limits"] == CHOICE["limits"]
    assert not content.lost


@pytest.mark.slow
def test_no_value_no_donor_and_no_seed_is_in_it(path, masked):
    """Every value is recognisable, and so is the seed."""
    from swapmeet.tuning import tune

    rng = np.random.default_rng(1)
    n = 40
    numbers = rng.permutation(10**6)[: 2 * n] + 0.125
    frame = (
        sm.datasets.load("diabetes")
        .iloc[:n, :0]
        .assign(income=numbers[:n], rent=numbers[n:], town=[f"town-{i % 3}" for i in range(n)])
    )
    seed = 918_273_645_546_372_819
    tune(
        frame, ["rwn:k=3", "microaggregation", "noise:level=0.1"], repeats=1, seed=seed,
        journal=path, workers=1, measures=["pscr"],
    )  # fmt: skip
    text = path.read_text()
    assert not [number for number in numbers if str(number)[:-1] in text]
    assert "town-" not in text
    assert str(seed) not in text
    assert f"{seed:x}" not in text
    assert "donor" not in text


# going on


def test_resuming_hands_out_what_is_done_and_appends(written, setup, trial):
    found = []
    with Journal.resume(written, setup, found.append) as journal:
        journal.add(trial(5, 3))
    assert [t.repeat for t in found] == [0, 1, 2]
    assert resumed(written, setup) == [0, 1, 2, 3]


@pytest.fixture
def hasty(monkeypatch):
    """The disk need not keep up."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.mark.usefixtures("hasty")
def test_a_last_line_cut_anywhere_loses_that_trial_and_no_other(written, setup, trial):
    whole = written.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for length in range(last, len(whole)):
        written.write_bytes(whole[:length])
        found = []
        with Journal.resume(written, setup, found.append) as journal:
            assert [t.repeat for t in found] == [0, 1]
            journal.add(trial(5, 2, 0.2))
        assert written.read_bytes() == whole
    assert length == len(whole) - 1


@pytest.mark.usefixtures("hasty")
def test_a_header_cut_anywhere_begins_anew(path, prepare, table):
    setup = prepare(table[["age"]])[1]
    assert resumed(path, setup) == []
    header = path.read_bytes()
    assert header.count(b"\n") == 1
    for length in range(len(header)):
        path.write_bytes(header[:length])
        assert resumed(path, setup) == []
        assert path.read_bytes() == header


def test_a_study_can_be_read_though_its_last_line_was_cut(written):
    whole = written.read_bytes()
    written.write_bytes(whole[:-9])
    assert len(Study.load(written).trials) == 2
    assert written.read_bytes() == whole[:-9]


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\n",
        b"{}\n",
        b"[]\n",
        b"3\n",
        b'{"kind": "trial"}\n',
        b'{"kind": "riddle"}\n',
        b"\xff\n",
    ],
)
def test_a_damaged_line_in_the_middle_is_refused_with_its_number(written, setup, damage):
    lines = written.read_bytes().splitlines(keepends=True)
    lines[2] = damage or lines[2][:-5] + b"\n"
    written.write_bytes(b"".join(lines))
    before = written.read_bytes()
    with pytest.raises(FileError, match=r"line 3 is damaged\. Repair or delete it, or start a new"):
        Journal.resume(written, setup, print)
    assert written.read_bytes() == before


def test_half_a_character_is_damage(written, setup):
    lines = written.read_bytes().splitlines(keepends=True)
    lines[2] = json.dumps({**json.loads(lines[2]), "failure": "\ud800"}).encode() + b"\n"
    written.write_bytes(b"".join(lines))
    with pytest.raises(FileError, match="line 3 is damaged"):
        Journal.resume(written, setup, print)


def test_a_trial_that_lacks_a_measure_is_damaged_and_leaves_no_trace(written, setup):
    lines = written.read_text().splitlines()
    told = json.loads(lines[-1])
    del told["values"]["margins"]
    written.write_text("\n".join([*lines, json.dumps({**told, "repeat": 7})]) + "\n")
    study = Study.load(written)
    assert len(study.trials) == 3
    assert study.trials.repeats(study.candidates[0].setting) == {0, 1, 2}


# what is refused


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"rows": 7}, "it is about other data (7 rows, not 60)"),
        ({"version": "0.0.1"}, "version 0.0.1 made it"),
        ({"known": ("age",)}, "its intruder knows age"),
        ({"at_most": None}, "it links at most None rows"),
    ],
)
def test_a_journal_of_another_study_is_refused_with_the_reason(path, setup, change, reason):
    with Journal.resume(path, replace(setup, **change), print):
        pass
    before = path.read_bytes()
    with pytest.raises(InputError, match="is the journal of another study") as caught:
        Journal.resume(path, setup, print)
    assert reason in str(caught.value)
    assert path.read_bytes() == before


def test_a_journal_of_other_data_is_refused(path, setup):
    with Journal.resume(path, replace(setup, data=replace(setup.data, digest="x")), print):
        pass
    with pytest.raises(InputError, match="it is about other data"):
        Journal.resume(path, setup, print)


@pytest.mark.parametrize("mark", ["0" * 64, "somebody:0123"])
def test_a_journal_with_a_mark_of_another_key_is_resumed_with_a_warning(path, setup, mark):
    with Journal.resume(path, replace(setup, data=DataMark.parse(mark)), print):
        pass
    with pytest.warns(sm.SwapmeetWarning, match="only rows and columns tell"):
        Journal.resume(path, setup, print).close()


def test_other_roles_and_other_measures_are_another_study(written, prepare, table):
    schema = sm.Schema.guess(table, {}).assign(keep=["region"])
    with pytest.raises(InputError, match="columns have other kinds or roles: region"):
        Journal.resume(written, prepare(table, schema=schema)[1], print)
    with pytest.raises(InputError, match="other settings of them: pscr, margins"):
        Journal.resume(written, prepare(table, measures=["pscr"])[1], print)


@pytest.mark.parametrize(
    "content",
    [b"hello\n", b"a,b\n1,2\n", b"{}\n", b"[1]\n", b"\x80\x04N.", b'{"format": "x"}\n', b"\n"],
)
def test_a_file_that_is_no_journal_is_refused_and_left_untouched(path, setup, content):
    path.write_bytes(content)
    with pytest.raises(FileError, match="is not the journal of a study"):
        Journal.resume(path, setup, print)
    with pytest.raises(FileError, match="is not the journal of a study"):
        Study.load(path)
    assert path.read_bytes() == content


def test_places_where_no_file_can_be_are_refused(tmp_path, setup):
    with pytest.raises(UsageError, match="is a folder"):
        Journal.resume(tmp_path, setup, print)
    with pytest.raises(UsageError, match="does not exist"):
        Journal.resume(tmp_path / "none" / "study.jsonl", setup, print)
    with pytest.raises(FileError, match="could not be read"):
        Study.load(tmp_path / "none.jsonl")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="is not an ordinary file"):
        Journal.resume(tmp_path / "pipe", setup, print)


def test_a_second_writer_is_refused_and_may_write_when_the_first_has_ended(written, setup):
    with (
        Journal.resume(written, setup, print),
        pytest.raises(FileError, match="another search is writing to this journal"),
    ):
        Journal.resume(written, setup, print)
    assert resumed(written, setup) == [0, 1, 2]


def test_a_writer_in_another_process_is_refused_too(written, setup):
    code = (
        "import fcntl, sys; file = open(sys.argv[1]); fcntl.flock(file, fcntl.LOCK_EX); "
        "print('locked', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, written], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"locked\n"
        with pytest.raises(FileError, match="another search"):
            Journal.resume(written, setup, print)
        other.stdin.close()


def test_a_refused_journal_is_not_kept_locked(written, setup):
    for _ in range(2):
        with pytest.raises(InputError, match="another study"):
            Journal.resume(written, replace(setup, data=replace(setup.data, digest="x")), print)
    assert resumed(written, setup) == [0, 1, 2]


# a full disk


@pytest.mark.parametrize("fits", [0, 1, 40])
def test_a_full_disk_is_told_and_what_was_written_is_kept(written, setup, trial, monkeypatch, fits):
    """The disk takes `fits` bytes of the line, then no more."""
    write, room = os.write, [fits]

    def full(descriptor, content):
        if not room[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        done = write(descriptor, content[: room[0]])
        room[0] -= done
        return done

    before = written.read_bytes()
    with Journal.resume(written, setup, print) as journal:
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(OutputError) as caught:
            journal.add(trial(5, 3))
        monkeypatch.undo()
    assert str(caught.value) == (
        f"{written}: could not be written: No space left on device. "
        "The earlier trials are kept; run the search again to continue."
    )
    assert written.read_bytes()[: len(before)] == before
    assert resumed(written, setup) == [0, 1, 2]


def test_a_disk_that_is_full_from_the_beginning_leaves_nothing_locked(path, setup, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OutputError, match="No space left"):
        Journal.resume(path, setup, print)
    monkeypatch.undo()
    assert resumed(path, setup) == []


def test_lines_are_written_whole_though_the_disk_takes_them_in_pieces(
    path, setup, trial, monkeypatch
):
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, content: write(descriptor, content[:7]))
    with Journal.resume(path, setup, print) as journal:
        journal.add(trial(5, 0))
    monkeypatch.undo()
    assert resumed(path, setup) == [0]
