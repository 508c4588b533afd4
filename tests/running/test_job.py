"""A run from Python is the run of the command line."""

from __future__ import annotations

import threading

import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import InputError, ParameterError, UsageError
from swapmeet.plan.plan import Plan
from swapmeet.plan.sections import Writing

pytestmark = pytest.mark.filterwarnings("ignore::swapmeet.SwapmeetWarning")


@pytest.fixture
def people(tmp_path):
    sm.datasets.load("fair").head(400).to_csv(tmp_path / "people.csv", index=False, sep=";")
    return tmp_path / "people.csv"


@pytest.fixture
def config(tmp_path):
    run = Plan(
        columns={"religious": {"role": "keep"}}, method={"name": "rwn", "k": 4, "weights": 0.2}
    )
    run.save(tmp_path / "run.toml")
    return tmp_path / "run.toml"


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def by_command(people, config, tmp_path):
    """What the command line writes, with more options."""
    from swapmeet.cli import program

    (tmp_path / "command").mkdir()

    def run(*more):
        ask = ["mask", people, tmp_path / "command" / "o.csv", "--config", config, "--seed", "7",
               "--audit", tmp_path / "command" / "o.audit", "--quiet", *more]  # fmt: skip
        program.app([str(each) for each in ask], standalone_mode=False)
        return tmp_path / "command"

    return run


@pytest.mark.parametrize("memory", [None, "1GB"])
def test_the_same_seed_gives_the_files_of_the_command_line(
    people, config, by_command, tmp_path, memory
):
    theirs = by_command(*([] if memory is None else ["--memory", memory]))
    ours = tmp_path / "python"
    ours.mkdir()
    done = sm.Plan.load(config).run(
        people, ours / "o.csv", seed=7, audit=ours / "o.audit", memory=memory
    )
    assert done.rows == 400
    assert files_in(ours) == files_in(theirs)
    for name in ("o.csv", "o.csv.run.toml"):
        assert (ours / name).read_bytes() == (theirs / name).read_bytes()
    records = [sm.AuditRecord.load(folder / "o.audit") for folder in (ours, theirs)]
    assert (records[0].donors == records[1].donors).all()
    assert (records[0].owner == records[1].owner).all()


def test_the_run_file_of_a_release_repeats_it(people, tmp_path):
    document = sm.read(people)
    release = sm.mask(document, sm.RWN(k=4, weights=0.2), drop=["children"], seed=3,
                      recode=["age: top 40"])  # fmt: skip
    run = sm.Plan.of(release, like=document)
    assert run.input.delimiter == ";"
    assert "children" not in run.columns
    run.save(tmp_path / "run.toml")
    again = sm.Plan.load(tmp_path / "run.toml")
    assert again == run
    repeated = again.mask(people, seed=3)
    assert repeated.data.equals(release.data)
    assert repeated.audit.owner.tolist() == release.audit.owner.tolist()
    assert not again.mask(people, seed=4).data.equals(release.data)


def test_a_document_is_not_read_again(people, config):
    document = sm.read(people)
    people.unlink()
    assert sm.Plan.load(config).mask(document, seed=1).rows == 400


def test_nothing_is_written_over_unasked_and_nothing_when_it_fails(people, config, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    run = sm.Plan.load(config)
    run.run(people, folder / "o.csv", seed=1)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(UsageError, match="exists already"):
        run.run(people, folder / "o.csv", seed=2)
    with pytest.raises(UsageError, match="input of this run"):
        run.run(people, people, seed=2, overwrite=True)

    def stop(label, done, total):
        if label == "writing":
            raise sm.Stopped

    threads = threading.active_count()
    with pytest.raises(sm.Stopped):
        run.run(people, folder / "o.csv", seed=2, overwrite=True, progress=stop)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert threading.active_count() == threads


@pytest.mark.parametrize(
    ("run", "error", "words"),
    [
        ({}, UsageError, "names no method"),
        ({"method": {"name": "rwm"}}, ParameterError, "did you mean 'rwn'"),
        ({"method": {"name": "rwn", "k": 0}}, ParameterError, "`k`"),
        ({"method": {"name": "rwn"}, "input": {"sheet": 3, "x": 1}}, InputError, "sheet"),
        ({"method": {"name": "rwn"}, "prepare": {"recode": ["a: upside"]}}, UsageError, "upside"),
        ({"method": {"name": "rwn"}, "engine": {"name": "spark"}}, InputError, "Parquet"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_refused_before_any_work(people, tmp_path, run, error, words):
    with pytest.raises(error, match=words):
        Plan.from_dict(run).run(people, tmp_path / "o.csv")
    assert not (tmp_path / "o.csv").exists()


def test_several_files_and_labels_are_written_at_once(tmp_path):
    pytest.importorskip("pyreadstat").write_sav(
        pd.DataFrame({"sex": [1.0, 2.0] * 30, "x": [float(i) for i in range(60)]}),
        tmp_path / "p.sav", variable_value_labels={"sex": {1: "man", 2: "woman"}},
    )  # fmt: skip
    run = Plan(
        method={"name": "rwn", "k": 3},
        output=Writing(labels="text"),
        columns={"x": {"publish": True}},
    )
    run.run(tmp_path / "p.sav", tmp_path / "o.sav", tmp_path / "o.csv", seed=1)
    assert set(pd.read_csv(tmp_path / "o.csv")["sex"]) <= {"man", "woman"}
    assert Plan.load(tmp_path / "o.sav.run.toml").output.labels == "text"
