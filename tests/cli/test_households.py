"""Households from the terminal."""

import pandas as pd
import pytest

from swapmeet.testing.examples import make_households

METHOD = ("--method", "rwn", "--k", "3", "--weights", "0.1")
ROLES = ("--household", "household", "--place", "region,district", "--weight", "weight")
SHARED = ["region", "district", "water", "rooms", "income"]


@pytest.fixture
def survey():
    return make_households(120)


@pytest.fixture
def save(tmp_path):
    def write(data):
        data.to_csv(tmp_path / "survey.csv", index=False)
        return tmp_path / "survey.csv"

    return write


def test_households_of_a_released_file_agree(swapmeet, save, survey, out):
    options = (*METHOD, *ROLES, "--position", "position")
    run = swapmeet("mask", save(survey), out / "o.csv", *options)
    assert run.code == 0
    released = pd.read_csv(out / "o.csv")
    assert released.groupby("household")[SHARED].nunique(dropna=False).to_numpy().max() == 1
    assert set(released["household"]) == set(survey["household"])
    assert (released["household"] != survey["household"]).any()


def test_a_run_file_repeats_that_whole_households_trade(swapmeet, save, survey, out):
    file, options = save(survey), (*METHOD, *ROLES, "--keep", "position", "--seed", "3")
    assert swapmeet("mask", file, out / "a.csv", *options, "--whole-households").code == 0
    assert "whole = true" in (out / "a.csv.run.toml").read_text()
    again = swapmeet("mask", file, out / "b.csv", "--config", out / "a.csv.run.toml", "--seed", "3")
    assert again.code == 0
    assert (out / "a.csv").read_text() == (out / "b.csv").read_text()
    assert "traded whole" in again.said


def test_whole_households_keep_every_value_where_some_fall_back(swapmeet, save, survey, out):
    """At k = 20 the few large households trade level by level, among themselves."""
    roles = ("--household", "household", "--position", "position", "--whole-households")
    roles += ("--place", "region,district", "--keep", "weight", "--seed", "2")
    run = swapmeet(
        "mask", save(survey), out / "o.csv", "--method", "matched-swap", "--k", "20", *roles,
        "--keep-order",
    )  # fmt: skip
    assert run.code == 0
    assert "too few like them to trade whole" in " ".join(run.said.split())
    released = pd.read_csv(out / "o.csv")
    for name in ("age", "sex", "wage"):
        counts = [d[name].value_counts(dropna=False).sort_index() for d in (survey, released)]
        assert counts[0].equals(counts[1])
    one = [d.groupby("household").first() for d in (survey, released)]
    for name in SHARED:
        counts = [d[name].value_counts(dropna=False).sort_index() for d in one]
        assert counts[0].equals(counts[1])


@pytest.mark.parametrize(
    "method", [("matched-swap", "10"), ("rwn", "5"), ("microaggregation", "5")]
)
def test_positions_of_a_few_persons_are_joined_and_told(method, swapmeet, save, survey, out):
    name, k = method
    survey.loc[[3, 4], "position"] = "lodger"
    survey.loc[[5, 7, 9], "position"] = "servant"
    options = ("--method", name, "--k", k, *ROLES, "--position", "position")
    options += ("--drop", "water,sex") if name == "microaggregation" else ()
    run = swapmeet("mask", save(survey), out / "o.csv", *options)
    assert run.code == 0, run.err
    said = " ".join(run.said.split())
    assert "2 of 5 positions in the household have too few rows" in said
    assert "lodger" not in said
    assert "strata" not in said


BAD = {
    "two places": (lambda d: d.assign(region=[*"ab"] * (len(d) // 2) + ["a"] * (len(d) % 2)), ()),
    "no number": (lambda d: d.assign(household=d["household"].where(d.index > 4)), ()),
    "two columns": (lambda d: d, ("--household", "rooms")),
    "one household": (lambda d: d.assign(household=1), ("--keep", "region,district")),
    "two strata": (lambda d: d.assign(wave=d.index % 2), ("--strata", "wave")),
    "whole without": (lambda d: d.drop(columns="household"), ("--whole-households",)),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_households_are_refused_with_one_message_and_nothing_is_written(
    case, swapmeet, save, survey, out
):
    change, options = BAD[case]
    roles = ROLES if case not in {"one household", "whole without"} else (
        ("--household", "household") if case == "one household" else ()
    )  # fmt: skip
    run = swapmeet("mask", save(change(survey)), out / "o.csv", *METHOD, *roles, *options)
    assert run.code == 3
    assert run.err.count("error:") == 1
    assert not any(out.iterdir())
    numbers = {str(number) for number in survey["household"]}
    assert not any(number in run.said for number in numbers)


def test_position_without_household_is_refused(swapmeet, save, survey, out):
    options = (*METHOD, "--position", "position", "--drop", "household")
    run = swapmeet("mask", save(survey), out / "o.csv", *options)
    assert run.code == 3
    assert "role household" in run.err
    assert not any(out.iterdir())


def test_files_in_pieces_refuse_households(swapmeet, save, survey, out):
    run = swapmeet("mask", save(survey), out / "o.csv", *METHOD, *ROLES, "--memory", "1GB")
    assert run.code == 3
    assert "without --memory" in run.err
    assert not any(out.iterdir())
