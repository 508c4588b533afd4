"""What is refused of tables whose rows belong to households or persons."""

import warnings

import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import InputError
from swapmeet.testing.examples import make_household_example, make_households

ROLES = {"household": "household", "place": ["region", "district"], "weight": "weight"}


def mask(data, **roles):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sm.mask(data, sm.SJPPDS(bins=3), seed=1, **{**ROLES, **roles})


def refuse(data, match, **roles):
    with pytest.raises(InputError, match=match) as caught:
        mask(data, **roles)
    message = str(caught.value)
    assert "71" not in message, "a household's number is told"
    return message


@pytest.fixture
def data():
    return make_households(40)


def test_a_household_in_two_places_is_refused_with_the_count(data):
    one, two = data.groupby("household").filter(lambda rows: len(rows) > 1).index[:2]
    for row in (one, two):
        others = [r for r in ("north", "south", "east") if r != data.loc[row, "region"]]
        data.loc[row, "region"] = others[0]
    refuse(data, "2 households of 40 are in more than one place.*region.*district")


def test_a_household_in_two_strata_is_refused(data):
    data["wave"] = range(len(data))
    refuse(data, "in more than one stratum.*wave", strata="wave")


def test_rows_without_a_household_are_refused(data):
    data["household"] = data["household"].astype("Int64").mask(data.index < 3)
    refuse(data, "'household'.*3 rows of .* have no number")


def test_one_household_only_is_refused(data):
    refuse(data.assign(household=1), "all rows belong to one household", place=[])


def test_two_columns_of_household_numbers_are_refused(data):
    refuse(data, "role household: one column may have it", household=["household", "rooms"])


def test_position_without_household_is_refused(data):
    refuse(data, "'position'.*numbers households is needed", household=[], position="position")


def test_persons_in_two_households_are_refused(data):
    data["person"] = range(len(data))
    pairs = data.drop_duplicates("household").index[:2]
    data.loc[pairs, "person"] = -5
    refuse(data, "'person'.*1 person of .* is in more than one household", person="person")


def test_a_person_in_two_positions_is_refused(data):
    twice = pd.concat([data.assign(person=data.index)] * 2, ignore_index=True)
    twice.loc[0, "position"] = "guest"
    refuse(twice, "1 person of .* more than one position", person="person", position="position")


def test_households_of_one_row_are_told(data):
    alone = data.drop_duplicates("household")
    assert "every household has one row: its number ties no rows together." in mask(alone).notes


def test_a_column_with_the_size_of_households_that_moved_is_told(data):
    sized = data.assign(size=data.groupby("household")["age"].transform("size"))
    assert any("'size' is the number of rows of each household" in n for n in mask(sized).notes)
    assert not any("'size'" in note for note in mask(sized, keep="size").notes)


def test_households_that_agree_in_everything_are_masked(data):
    rows = data.drop(columns=["age", "sex", "wage", "position"])
    released = mask(rows).data
    assert released.groupby("household").nunique(dropna=False).to_numpy().max() == 1


def test_files_and_clusters_refuse_units(tmp_path, data):
    data.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(InputError, match=r"rows of households or persons together.*household"):
        sm.mask_file(tmp_path / "a.csv", tmp_path / "b.csv", sm.SJPPDS(), **ROLES)
    assert not (tmp_path / "b.csv").exists()


def test_a_search_refuses_what_masking_refuses():
    example = make_household_example(40)
    data = example.data.assign(household=None)
    with pytest.raises(InputError, match="have no number"):
        sm.tune(data, methods=[sm.SJPPDS()], schema=example.schema, repeats=1)
