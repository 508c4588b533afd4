from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from swapmeet.cli.tune import _methods
from swapmeet.tuning import Study

CHEAP = ("--drop", "name", "--risk", "pscr", "--loss", "margins", "--measure", "uniqueness")
LADDER = ("--methods", "rwn:k=2|4|8", "--repeats", "2", "--final-repeats", "1", "--workers", "1")
SECRETS = ("person-", "north-4711", "south-4712")


@pytest.fixture(autouse=True)
def elsewhere(out, monkeypatch):
    """Journals appear where the program is started."""
    monkeypatch.chdir(out)


def limits(args):
    """No limit, unless one is given."""
    return () if "--limit" in args else ("--limit", "none")


@pytest.fixture
def tune(swapmeet, people):
    return lambda *args: swapmeet("tune", people, *CHEAP, *LADDER, *limits(args), *args)


@pytest.fixture
def tune_all(swapmeet, people):
    """A search that does not leave the names out."""
    return lambda *args: swapmeet("tune", people, *CHEAP[2:], *LADDER, *limits(args), *args)


@pytest.fixture
def studied(tune, out):
    """The journal of a study of three settings."""
    assert tune("--quiet").code == 0
    return out / "people.study.jsonl"


def trials(path):
    """The setting and repeat of each whole trial line."""
    lines = [line for line in path.read_bytes().split(b"\n")[1:-1] if b'"trial"' in line]
    return [(told["settings"]["k"], told["repeat"]) for told in map(json.loads, lines)]


# what is said


def test_help_names_the_presets_and_how_to_write_limits_and_budgets(swapmeet):
    said = " ".join(swapmeet("tune", "--help-all").out.replace("│", " ").split())
    for word in ("sjppds-paper", "rwn-paper", "rwn-paper-radii", "rwn-paper-comparison",
                 "linkage=0.2", "90s, 10m or",
                 "--fresh", "--journal", "matched-swap:k=5|10|25"):  # fmt: skip
        assert word in said


def test_a_study_is_summed_up_with_a_recommendation_and_what_to_do_next(tune, out, people):
    done = tune("--limit", "pscr=0.9")
    assert done.code == 0
    said = " ".join(done.out.split())
    assert said.startswith("6 trials of 3 settings in ")
    for part in ("Recommendation Take randomization within neighbourhoods (rwn k=",
                 "Runner-up: rwn k=", "(at most 0.9, met in",
                 "Frontier: no setting beats these",
                 "The best setting of each method, and why it was not chosen",
                 "journal people.study.jsonl", f"swapmeet mask {people} OUT --from",
                 "swapmeet report REPORT.html --study people.study.jsonl"):  # fmt: skip
        assert part in said, part
    assert (out / "people.study.jsonl").exists()
    assert not done.err


def test_json_is_one_document_with_choice_and_frontier(tune):
    done = tune("--json")
    assert done.code == 0
    told = done.json
    assert told["journal"] == "people.study.jsonl"
    assert told["trials"] == 6
    assert told["choice"]["best"] in {c["number"] for c in told["candidates"]}
    assert told["frontier"]
    assert {"risk", "loss", "score", "pscr", "margins", "uniqueness"} == set(
        told["candidates"][0]["medians"]
    )
    assert told["interrupted"] is False


def test_quiet_says_nothing(tune):
    assert tune("--quiet").said == ""


def test_neither_summary_nor_json_nor_journal_shows_a_value(tune, out, table):
    said = tune().said + tune("--json", "--fresh").said
    said += (out / "people.study.jsonl").read_text()
    shown = [*SECRETS, *map(str, table["income"]), *table["weight"]]
    assert not [value for value in shown if value in said]


def test_what_could_not_be_tried_is_told_with_the_reason(tune):
    said = " ".join(tune("--methods", "noise:level=0.1", "--methods", "rwn:k=500").out.split())
    assert said.startswith("Cannot be tried on this table: - noise cannot mask 'sex'")
    assert said.count("noise cannot mask 'sex'") == 1
    assert said.count("needs at least 501 rows") == 1
    assert "noise is left out of the comparison, because no setting that was tried can mask" in said
    assert "noise cannot mask 'sex'" in said
    assert "`k` = 500 needs at least 501 rows, the table has 60" in said


def test_methods_that_are_left_out_are_named_together(tune):
    others = ("--methods", "noise:level=0.1", "--methods", "data-shuffle")
    said = " ".join(tune(*others).out.split())
    assert "data-shuffle and noise are left out of the comparison" in said


# the journal


def test_a_journal_may_have_another_name_and_the_same_command_goes_on(tune, out):
    path = out / "mine.jsonl"
    tune("--journal", path)
    before = path.read_bytes()
    again = tune("--journal", path, "--repeats", "3", "--json")
    assert again.json["trials"] == 9
    assert path.read_bytes().startswith(before)
    assert Counter(trials(path)) == Counter((k, r) for k in (2, 4, 8) for r in range(3))


def test_fresh_begins_anew(tune, studied):
    before = studied.read_bytes()
    assert tune("--fresh", "--json").json["trials"] == 6
    assert len(trials(studied)) == 6
    assert studied.read_bytes() != before


@pytest.mark.parametrize("typo", [("--methods", "rwm"), ("--key", "agee"), ("--limit", "dbl=1")])
def test_fresh_with_a_typo_keeps_the_journal(swapmeet, people, studied, typo):
    before = studied.read_bytes()
    assert swapmeet("tune", people, *CHEAP, "--fresh", *typo).code in {2, 3}
    assert studied.read_bytes() == before


@pytest.mark.parametrize("options", [(), ("--fresh",)])
def test_a_file_that_is_no_journal_is_left_alone(tune, out, options):
    path = out / "people.study.jsonl"
    path.write_text("my notes\n")
    done = tune(*options)
    assert done.code == 3
    assert "is not the journal of a study" in done.err
    assert path.read_text() == "my notes\n"


def test_a_journal_of_another_study_is_refused_with_the_reason(tune, studied):
    done = tune("--known", "age")
    assert done.code == 3
    assert "is the journal of another study: its intruder knows age, sex" in done.err
    assert "Give another file name to start a new journal" in done.err


# how it ends


def test_without_a_limit_the_default_one_counts_and_is_told(swapmeet, people):
    done = swapmeet("tune", people, *CHEAP, *LADDER)
    assert done.code == 4
    assert " ".join(done.out.split()).startswith(
        "No limit was given, so the default ones count: linkage=0.2, copies=0.01, inference=0.1."
    )
    assert "comes nearest: linkage 0." in " ".join(done.out.split())
    assert done.err == "error: no setting is recommended; see above.\n"
    loose = swapmeet("tune", people, *CHEAP, *LADDER, "--limit", "linkage=1", "--fresh")
    assert loose.code == 0, loose.err
    assert "default" not in loose.out


def test_a_limit_that_nothing_keeps_is_told_with_the_nearest(tune):
    done = tune("--limit", "dcr=1000000")
    assert done.code == 4
    assert "No setting that was tried keeps the limits." in done.out
    assert "comes nearest: " in done.out
    assert "(must be at least 1e+06)" in " ".join(done.out.split())
    quiet = tune("--limit", "dcr=1000000", "--quiet")
    assert "comes nearest: " in quiet.err


@pytest.mark.slow
def test_where_every_method_failed_that_is_told(swapmeet, people):
    done = swapmeet("tune", people, *CHEAP, "--methods", "rwn:k=500,noise")
    assert done.code == 4
    assert "Every method that was tried failed." in done.out
    assert "`k` = 500 needs at least 501 rows" in " ".join(done.out.split())


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--budget", "soon"), 2, "budget: must be a time above zero"),
        (("--budget", "0"), 2, "budget: must be a time above zero"),
        (("--budget", "0.0001s"), 2, "ran out before one trial was finished"),
        (("--limit", "dbrk=0.1"), 2, "did you mean 'dbrl'"),
        (("--limit", "dbrl"), 2, "write NAME=NUMBER"),
        (("--limit", "dbrl=0.1,dbrl=0.2"), 2, "dbrl has two limits"),
        (("--risk", "dcr"), 2, "'dcr' has no upper bound"),
        (("--risk", "dbrl=much"), 2, "--risk: write NAME or NAME=WEIGHT"),
        (("--balance", "2"), 2, "must be in [0, 1]"),
        (("--grid", "paper"), 2, "grid: no 'paper'"),
        (("--methods", "rwm"), 2, "did you mean 'rwn'"),
        (("--methods", "rwn:k=0"), 2, "`k` must be a whole number, 1 or more"),
        (("--repeats", "0"), 2, "`repeats` must be a whole number, 1 or more"),
        (("--measure", "dbrk"), 2, "did you mean 'dbrl'"),
        (("--known", "agee"), 3, "did you mean 'age'"),
        (("--journal", "none/here.jsonl"), 2, "does not exist"),
    ],
)
def test_wrong_requests_end_with_their_code_and_reason(tune, out, options, code, message):
    done = tune(*options)
    assert (done.code, message in " ".join(done.err.split())) == (code, True), done.err
    assert done.out == ""


def test_a_budget_of_trials_is_kept(tune):
    assert tune("--budget", "4", "--json").json["trials"] == 4


def test_weights_and_balance_make_the_score(tune):
    told = tune("--risk", "pscr=3,uniqueness=1", "--balance", "0.25", "--json").json
    assert told["goal"]["risk"] == {"pscr": 3.0, "uniqueness": 1.0}
    medians = told["candidates"][0]["medians"]
    assert medians["score"] == pytest.approx(0.25 * medians["risk"] + 0.75 * medians["loss"])


# stopped


@pytest.fixture
def start(start_program, people, out):
    """Start a search, and let it run."""
    return lambda *options: start_program(
        "tune", people, *CHEAP, *limits(options), *options, cwd=out
    )


def wait_for_trials(process, path, count, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if path.exists() and path.read_bytes().count(b'"trial"') >= count:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    raise AssertionError("no trials")


def children_of(pid):
    """The processes that this one started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pids, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end and any(map(is_alive, pids)):
        time.sleep(0.02)
    return not any(map(is_alive, pids))


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_search_that_is_interrupted_shows_and_keeps_what_was_done(start, out, workers, number):
    path = out / "people.study.jsonl"
    options = ("--methods", "rwn:k=2|4|8", "--repeats", "1000000", "--workers", workers)
    process = start(*options)
    wait_for_trials(process, path, 6)
    workers = children_of(process.pid)
    process.send_signal(number)
    said, err = process.communicate(timeout=60)
    assert process.returncode == 1
    done = trials(path)
    assert len(done) == len(set(done)) >= 6
    assert path.read_bytes().endswith(b"}\n")
    assert err.strip() == (
        f"error: stopped. The {len(done):,} trials so far are kept in people.study.jsonl; run the "
        "same command to continue."
    )  # fmt: skip
    assert "Recommendation" in said
    assert len(Study.load(path).trials) == len(done)
    assert gone(workers)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_search_that_is_killed_loses_nothing_but_the_trials_in_flight(
    start, people, out, program
):
    path = out / "people.study.jsonl"
    options = ("--methods", "rwn:k=2|4|8|12", "--repeats", "60", "--workers", "2")
    process = start(*options)
    wait_for_trials(process, path, 20)
    workers = children_of(process.pid)
    assert len(workers) == 2
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert gone(workers)
    before = trials(path)
    assert 20 <= len(before) < 240
    done = program("tune", people, *CHEAP, *limits(options), *options, "--json", cwd=out)
    assert done.code == 0
    assert done.json["trials"] == 240
    after = trials(path)
    assert after[: len(before)] == before
    assert Counter(after) == Counter((k, r) for k in (2, 4, 8, 12) for r in range(60))


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_worker_that_is_killed_costs_one_setting_and_the_search_goes_on(start, out):
    path = out / "people.study.jsonl"
    options = ("--methods", "rwn:k=2|4|8|12", "--repeats", "60", "--workers", "2")
    process = start(*options, "--json")
    wait_for_trials(process, path, 20)
    os.kill(children_of(process.pid)[0], signal.SIGKILL)
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    told = json.loads(said)
    failed = [c for c in told["candidates"] if c["failure"]]
    assert [c["failure"] for c in failed] == [
        "the process of this trial ended unexpectedly; perhaps memory ran out."
    ]
    assert sorted(c["repeats"] for c in told["candidates"] if not c["failure"]) == [60] * 3


# from a study to a release


def released(path):
    return pd.read_csv(path)


def test_the_choice_of_a_study_is_applied_and_its_card_stands_beside_it(swapmeet, people, studied):
    done = swapmeet("mask", people, "release.csv", "--from", studied, "--json")
    assert done.code == 0
    study = Study.load(studied)
    assert done.json["candidate"] == study.best.number
    assert done.json["method"] == "rwn"
    assert done.json["settings"] == dict(study.best.setting.settings)
    scores = {s["measure"]: s["value"] for s in done.json["assessment"]["scores"]}
    assert scores.keys() == {"pscr", "margins", "uniqueness"}
    after, before = released("release.csv"), released(people)
    assert list(after) == [c for c in before if c != "name"]
    assert sorted(after["income"]) != before["income"].tolist()
    assert set(after["income"]) <= set(before["income"])


def test_another_candidate_may_be_taken(swapmeet, people, studied):
    for candidate in Study.load(studied).candidates:
        name = f"release-{candidate.number}.csv"
        done = swapmeet(
            "mask", people, name, "--from", studied, "--candidate", candidate.number, "--json"
        )
        assert done.json["settings"] == dict(candidate.setting.settings)


def test_the_card_is_shown_to_people(swapmeet, people, studied):
    said = swapmeet("mask", people, "release.csv", "--from", studied).out
    assert "Masked 60 rows with rwn." in said
    assert "owners by the audit record" in " ".join(said.split())


def test_a_release_that_misses_the_limits_is_not_written(swapmeet, tune, people, out):
    assert tune("--limit", "dcr=1000000", "--quiet").code == 4
    before = sorted(out.iterdir())
    ask = ("mask", people, "release.csv", "--from", "people.study.jsonl", "--audit", "a.audit")
    done = swapmeet(*ask, "--candidate", "1")
    assert done.code == 4
    assert "this release of rwn k=2" in done.err
    assert "does not keep the limits" in done.err
    assert "(limit 1e+06). Nothing was written." in done.err
    assert sorted(out.iterdir()) == before
    without = swapmeet(*ask)
    assert without.code == 4
    assert "No setting that was tried keeps the limits." in without.err


def test_an_identifier_is_refused_before_the_search(tune_all, people, out):
    done = tune_all()
    assert done.code == 3
    assert "column 'name' looks like a direct identifier" in done.err
    assert list(out.iterdir()) == []


def test_a_study_that_published_a_column_lets_it_be_released(swapmeet, tune_all, people, out):
    assert tune_all("--publish", "name").code == 0
    done = swapmeet("mask", people, "release.csv", "--from", "people.study.jsonl", "--json")
    assert done.code == 0
    assert "published as asked" in " ".join(done.json["notes"])


def test_the_study_of_an_identifier_is_refused_until_it_is_published(
    swapmeet, tune_all, people, out
):
    assert tune_all("--publish", "name").code == 0
    journal = out / "people.study.jsonl"
    journal.write_text(journal.read_text().replace(', "publish": true', ""))
    ask = ("mask", people, "release.csv", "--from", journal)
    done = swapmeet(*ask)
    assert done.code == 3
    assert "`swapmeet tune FILE --drop name`" in done.err
    assert not (out / "release.csv").exists()
    assert swapmeet(*ask, "--publish", "name").code == 0


def test_another_table_is_refused_whatever_its_encoding(swapmeet, studied, out):
    other = out / "other.csv"
    other.write_text("größe;ort\n1,7;Köln\n1,8;Bonn\n", encoding="latin-1")
    done = swapmeet("mask", other, "release.csv", "--from", studied)
    assert done.code == 3
    assert done.err.startswith("error: the study was made with another table (with the columns ")


def test_another_table_is_refused(swapmeet, people, studied, table, out):
    table.assign(age=table["age"] + 1).to_csv(people, index=False)
    done = swapmeet("mask", people, "release.csv", "--from", studied)
    assert done.code == 3
    assert "the study was made with another table" in done.err
    assert not (out / "release.csv").exists()


@pytest.mark.parametrize(
    ("options", "flag"),
    [(("--method", "rwn"), "--method"), (("--k", "5"), "--k"), (("--key", "age"), "--key"),
     (("--nominal", "age"), "--nominal")],
)  # fmt: skip
def test_with_a_study_method_and_roles_are_decided(swapmeet, people, studied, options, flag):
    done = swapmeet("mask", people, "release.csv", "--from", studied, *options)
    assert done.code == 2
    assert f"{flag}: with --from, method, roles and kinds are the study's" in done.err


def test_a_candidate_is_one_of_a_study(swapmeet, people, studied):
    done = swapmeet("mask", people, "release.csv", "--method", "rwn", "--candidate", "1")
    assert done.code == 2
    assert "give --from, too" in done.err
    done = swapmeet("mask", people, "release.csv", "--from", studied, "--candidate", "9")
    assert done.code == 2
    assert "no candidate 9, or its method failed" in done.err


def test_a_file_that_is_no_study_is_refused(swapmeet, people, out):
    (out / "x.jsonl").write_text("{}\n")
    for name in ("x.jsonl", "absent.jsonl"):
        done = swapmeet("mask", people, "release.csv", "--from", name)
        assert done.code == 3


def test_a_comma_belongs_to_a_value_unless_a_method_follows():
    assert _methods(["rwn,noise", "mews:columns=age,income:bins=3,sjppds"]) == [
        "rwn",
        "noise",
        "mews:columns=age,income:bins=3",
        "sjppds",
    ]
    assert _methods(["rwm,rwn"]) == ["rwm", "rwn"]
    assert _methods(None) is None
