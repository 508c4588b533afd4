from __future__ import annotations

import html
import re

import pytest
from made_up import read_command

from swapmeet.app.desk import STALE

PEOPLE = "age,sex,wage\n" + "".join(
    f"{20 + n % 50},{'fm'[n % 2]},{900 + 7 * (n * n % 23)}\n" for n in range(60)
)


@pytest.fixture(scope="module")
def opened(same_site, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "people.csv"
    path.write_text(PEOPLE)
    key = same_site.open(path)
    same_site.get(f"/case/{key}/protect")
    return key


@pytest.fixture
def case(same_site, opened):
    """A case with the usual limits; nothing is started."""
    same_site.space.change_case(opened, lambda case: case.change(limits=None))
    return opened


@pytest.fixture
def started(same_site, monkeypatch):
    """What would have been run."""
    runs = []
    monkeypatch.setattr(same_site.desk.jobs, "start", lambda run, _=(): runs.append(run) or run)
    return runs


def send(site, key, form, /, **controls):
    """A form with its limits, as a browser sends it."""
    return site.post(f"/case/{key}/{form}", revision=site.case(key).revision, **controls)


def value(page, control):
    return html.unescape(re.search(rf'name="{control}" value="([^"]*)"', page)[1])


LIMITS = {"limit-linkage": "0,15", "limit-copies": "0.01", "limit-inference": ""}
FORMS = [("mask", {"method": "rwn"}), ("search", {"methods": "rwn"})]


@pytest.mark.parametrize(("form", "controls"), FORMS)
def test_limits_that_were_typed_and_not_saved_count(same_site, case, started, form, controls):
    send(same_site, case, form, **controls, **LIMITS)
    assert same_site.case(case).limits == {"linkage": 0.15, "copies": 0.01}
    assert started[0].facts["question"]["limits"] == {"linkage": 0.15, "copies": 0.01}


@pytest.mark.parametrize(("form", "controls"), [*FORMS, ("limits", {"method": "rwn"})])
def test_a_limit_that_is_no_share_stays_to_be_mended(same_site, case, started, form, controls):
    answer = send(same_site, case, form, **controls, **{**LIMITS, "limit-linkage": "20 %"})
    assert answer.status == 400
    assert value(answer.text, "limit-linkage") == "20 %"
    assert value(answer.text, "limit-copies") == "0.01"
    assert not started
    assert same_site.case(case).limits is None


def test_limits_of_a_stale_page_start_nothing(same_site, case, started):
    same_site.space.change_case(case, lambda one: one.change(limits={"linkage": 0.1}))
    answer = same_site.post(f"/case/{case}/mask", method="rwn", revision=0, **LIMITS)
    assert STALE in answer.text
    assert value(answer.text, "limit-linkage") == "0.1"
    assert not started


def test_a_page_that_is_stale_only_elsewhere_makes_its_candidate(same_site, case, started):
    same_site.post(f"/case/{case}/mask", method="rwn", revision=0, **{
        "limit-linkage": "0.2", "limit-copies": "0.01", "limit-inference": "0.1"})  # fmt: skip
    assert len(started) == 1


def test_what_was_typed_stays_after_a_refusal(same_site, case, started):
    answer = send(same_site, case, "mask", method="rank-swap", protect="yes", formats=".parquet",
                  seed="7", **{"setting-window": "lots"})  # fmt: skip
    assert answer.status == 400
    assert value(answer.text, "setting-window") == "lots"
    assert re.search(r'name="protect" value="yes" checked', answer.text)
    assert re.search(r'name="formats" value="\.parquet" checked', answer.text)
    assert 'value="7"' not in answer.text
    assert not started


def test_methods_ticked_stay_ticked_beside_a_refusal(same_site, case, started):
    answer = send(same_site, case, "search", methods="cart", budget="30m",
                  **{"limit-linkage": "2"})  # fmt: skip
    ticked = re.findall(r'name="methods" value="([^"]*)" checked', answer.text)
    assert ticked == ["cart"]
    assert '<option value="30m" selected>' in answer.text
    assert not started


def test_saving_limits_keeps_the_settings_that_were_typed(same_site, case):
    place = send(same_site, case, "limits", method="rwn", seed="7", **{"setting-k": "7"}).place
    assert "7" in value(same_site.get(place).text, "setting-k")
    assert "seed" not in place


def test_the_command_follows_the_method_and_its_settings(same_site, case):
    part = same_site.get(f"/case/{case}/settings?method=rwn").text
    assert "--method rwn" in read_command(part)
    part = same_site.get(f"/case/{case}/command?method=rwn&setting-k=7").text
    assert "--method rwn --k 7" in read_command(part)


def test_a_command_is_broken_between_words_only(same_site, case):
    part = same_site.get(f"/case/{case}/command?method=rank-swap").text
    assert "<span>--method</span> <span>rank-swap</span>" in part


@pytest.mark.parametrize(
    "seed", ["²", "٣", "-1", "1e5", "0x10", "1_000", "7 8", "9" * 78, "9" * 5000]
)
def test_what_is_no_seed_starts_nothing(same_site, case, started, seed):
    answer = send(same_site, case, "mask", method="rwn", seed=seed)
    assert answer.status == 400
    assert "The seed must be a whole number" in answer.text
    assert not started


@pytest.mark.parametrize("seed", ["0", " 7 ", "9" * 77])
def test_a_seed_goes_to_the_run_and_to_no_command(same_site, case, started, seed):
    send(same_site, case, "mask", method="rwn", seed=seed)
    (run,) = started
    assert run.seed == seed.strip()
    assert run.commands[0].shown.endswith("--seed NUMBER")
    assert not any(seed.strip() in command.args for command in run.commands)


@pytest.mark.parametrize("method", ["", "nonsense", "per-column", "../x"])
def test_what_is_no_method_starts_nothing(same_site, case, started, method):
    assert send(same_site, case, "mask", method=method).status == 400
    assert same_site.get(f"/case/{case}/settings?method={method}").status == 200
    assert not started


def test_a_search_needs_a_method(same_site, case, started):
    answer = send(same_site, case, "search", budget="2m")
    assert answer.status == 400
    assert "Tick at least one method" in answer.text
    assert not started


def test_a_release_is_written_in_the_formats_that_were_ticked(same_site, case, started):
    formats = [".parquet", ".csv", ".nonsense"]
    send(same_site, case, "mask", method="rwn", formats=formats, protect="yes")
    assert started[0].facts["releases"] == ["release.csv", "release.parquet"]
    assert "--protect-exposed" in started[0].commands[0].args
