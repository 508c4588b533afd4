from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import SchemaError, TableError, UsageError


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "pid": np.arange(60) + 1000,
            "age": rng.integers(18, 90, 60),
            "income": rng.gamma(2, 1000, 60),
            "region": rng.choice(["n", "s"], 60),
        }
    )


ROLES = {"drop": ["pid"], "sensitive": "income", "strata": ("region",)}
METHOD = sm.RWN(k=12, weights=0.01)


def test_roles_as_arguments_give_the_release_of_the_schema(people):
    by_roles = sm.mask(people, METHOD, seed=1, **ROLES)
    schema = sm.Schema.guess(people, {}).assign(**ROLES)
    by_schema = sm.mask(people, METHOD, schema=schema, seed=1)
    pd.testing.assert_frame_equal(by_roles.data, by_schema.data)
    assert by_roles.schema.to_dict() == by_schema.schema.to_dict()
    assert sm.mask(people, METHOD, seed=1).schema.having(sm.Role.DROP) == ()


def test_what_is_dropped_or_published_as_asked_is_not_warned_of(people):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sm.mask(people, METHOD, seed=1, drop=["pid"])
        published = sm.mask(people, METHOD, seed=1, publish=["pid"])
    assert any("published as asked" in note for note in published.notes)
    with pytest.warns(sm.SwapmeetWarning, match="direct identifier"):
        sm.mask(people, METHOD, seed=1, keep=["age"])


@pytest.mark.parametrize("role", ["key", "sensitive", "keep", "strata", "drop", "publish"])
def test_a_schema_and_roles_beside_it_are_refused(people, role):
    schema = sm.Schema.guess(people, {})
    with pytest.raises(UsageError, match=f"mask: give roles by `schema` or by {role}, not by both"):
        sm.mask(people, METHOD, schema=schema, **{role: ["age"]})


def test_the_other_functions_refuse_both_as_well(people, tmp_path):
    schema = sm.Schema.guess(people, {}).assign(drop=["pid"])
    release = sm.mask(people, METHOD, schema=schema, seed=1)
    for ask in (
        lambda: sm.assess(people, release, schema=schema, key=["age"]),
        lambda: sm.tune(people, ["rwn"], schema=schema, key=["age"]),
        lambda: sm.inspect(people, schema, key=["age"]),
        lambda: sm.mask_file(tmp_path / "a.csv", tmp_path / "b.csv", METHOD, schema=schema,
                             key=["age"]),
    ):  # fmt: skip
        with pytest.raises(sm.SwapmeetError, match=r"not by both|a\.csv"):
            ask()


def test_unknown_names_and_two_roles_are_told_together(people):
    with pytest.raises(SchemaError) as error:
        sm.mask(people, METHOD, drop=["pidd"], key=["age"], keep=["age"])
    assert "did you mean 'pid'?" in str(error.value)
    assert "'age' is given key and keep" in str(error.value)


def test_roles_add_to_those_of_a_release_that_was_made_here(people):
    release = sm.mask(people, METHOD, drop=["pid"], seed=1)
    card = sm.assess(people, release, sensitive=["income"], measures=["margins"])
    assert card.keys == ("age", "region")
    elsewhere = sm.assess(
        people, release.shuffled(), drop=["pid"], sensitive=["income", "region"],
        measures=["margins"],
    )  # fmt: skip
    assert elsewhere.keys == ("age",)


def test_a_search_takes_roles(people):
    study = sm.tune(
        people, ["rwn:k=4"], drop=["pid"], sensitive=["income"], limit={}, repeats=1, seed=1,
        goal=sm.Goal(risk={"pscr": 1}, loss={"margins": 1}), measures=["margins"], workers=1,
    )  # fmt: skip
    assert study.setup.schema.having(sm.Role.DROP) == ("pid",)
    assert study.setup.schema.having(sm.Role.SENSITIVE) == ("income",)


def test_files_are_masked_with_roles_too(people, tmp_path):
    people.to_csv(tmp_path / "a.csv", index=False)
    done = sm.mask_file(tmp_path / "a.csv", tmp_path / "b.csv", METHOD, drop=["pid"], seed=1)
    assert done.schema.having(sm.Role.DROP) == ("pid",)
    assert list(pd.read_csv(tmp_path / "b.csv")) == ["age", "income", "region"]


WRONG = [
    ("assess", {"limit": {"linkage": 0.2}}, "there is no argument `limit`; did you mean 'limits'?"),
    ("assess", {"measure": ["linkage"]}, "did you mean 'measures'?"),
    ("compare", {"limit": {}}, "did you mean 'limits'?"),
    ("tune", {"limits": {"linkage": 0.2}}, "did you mean 'limit'?"),
    ("tune", {"method": "rwn"}, "did you mean 'methods'?"),
    ("protect", {"limit": 0.2}, "did you mean 'limits'?"),
    ("mask", {"sed": 1}, "did you mean 'seed'?"),
    ("mask", {"sensitiv": "age"}, "did you mean 'sensitive'?"),
    ("mask", {"nominal": ["age"]}, r"schema=sm.Schema.infer\(data\).assign\(nominal=\[...\]\)"),
    ("report", {"audence": "public"}, "did you mean 'audience'?"),
    ("report", {"zzz": 1}, "It has result, path, audience,"),
    ("read", {"delim": ";"}, "did you mean 'delimiter'?"),
    ("mask_file", {"drp": "x"}, "did you mean 'drop'?"),
    ("inspect", {"measures": []}, "inspect: there is no argument `measures`"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "wrong", "words"), WRONG)
def test_a_wrong_argument_is_answered_with_what_was_meant(function, wrong, words):
    with pytest.raises(UsageError, match=words):
        getattr(sm, function)(**wrong)


def test_a_text_is_one_name_wherever_names_are_given(people):
    release = sm.mask(people, METHOD, seed=1, drop=["pid"])
    card = sm.assess(people, release, measures="margins", known="age", limits={}, rare="age > 30",
                     models="income ~ age", pca=["age", "income"])  # fmt: skip
    assert (list(card.scores), card.known) == (["margins"], ("age",))
    assert len(card.models) == len(card.rare) == 1


def test_warnings_point_at_the_line_of_the_user(people):
    with pytest.warns(sm.SwapmeetWarning) as caught:
        sm.mask(people, METHOD, seed=1)
    assert {warning.filename for warning in caught} == {__file__}


def test_a_release_of_another_table_is_refused(people):
    release = sm.mask(people, METHOD, seed=1, drop=["pid"])
    with pytest.raises(TableError, match="made of a table of 60 rows, and this one has 50"):
        sm.assess(people.head(50), release, measures=["margins"])
    with pytest.raises(TableError, match="this one lacks age and income"):
        sm.assess(people[["pid", "region"]], release, measures=["margins"])
