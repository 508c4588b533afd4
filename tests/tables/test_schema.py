from __future__ import annotations

import json
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from swapmeet.errors import SchemaError, SwapmeetWarning, UsageError
from swapmeet.tables.schema import Column, Kind, Role, Schema

N = 30
TABLE = pd.DataFrame(
    {
        "age": np.arange(N) % 17 + 20,
        "sex": ["f", "m"] * (N // 2),
        "income": np.linspace(1, 2, N),
        "children": np.arange(N) % 3,
    }
)
SCHEMA = Schema.infer(TABLE)


def kind_of(values, **options):
    return Schema.infer(pd.DataFrame({"x": values}), **options)["x"].kind


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.linspace(0, 1, N), Kind.NUMERIC),
        (np.arange(N), Kind.NUMERIC),
        (np.arange(N) % 10, Kind.NOMINAL),
        (np.arange(N) % 11, Kind.NUMERIC),
        ([1, 2, 3], Kind.NUMERIC),
        ([1, 1, 2, 2], Kind.NOMINAL),
        ([True, False] * 4, Kind.NOMINAL),
        (["a", "b"] * 8, Kind.NOMINAL),
        (pd.date_range("2020", periods=N), Kind.NUMERIC),
        (pd.timedelta_range("1h", periods=N), Kind.NUMERIC),
        (pd.Categorical(["a", "b"]), Kind.NOMINAL),
        (pd.Categorical(["a", "b"], ordered=True), Kind.ORDINAL),
        (pd.cut(pd.Series(np.arange(N)), 3), Kind.ORDINAL),
        ([None, None], Kind.NOMINAL),
        (pd.array([1, None, 3], "Int64"), Kind.NUMERIC),
    ],
)
def test_kind_is_read_off_the_values(values, kind):
    assert kind_of(values) is kind


def test_every_column_starts_as_key_with_a_reason():
    assert set(SCHEMA.names) == set(SCHEMA.masked) == set(SCHEMA.having(Role.KEY))
    assert SCHEMA["children"].reason == "integers with 3 distinct values"
    assert len(SCHEMA) == 4


def test_what_the_file_declares_beats_the_guess():
    schema = Schema.infer(TABLE, hints={"children": "ordinal"})
    assert schema["children"].kind is Kind.ORDINAL
    assert schema["children"].reason == "declared in the file"


@pytest.mark.parametrize(
    ("name", "values", "warning"),
    [
        ("name", [f"p{i}" for i in range(N)], "looks like a direct identifier: its name"),
        (
            "id",
            np.arange(N),
            "looks like a direct identifier: 30 distinct whole numbers in 30 rows",
        ),
        (
            "case_nr",
            np.arange(N),
            "looks like a direct identifier: 30 distinct whole numbers in 30 rows",
        ),
        ("x", pd.Series([1, "a", 2.5] * 10, dtype=object), "mixed types .10 int, 10 str, 10 float"),
        ("x", [[1]] * N, "nested or binary"),
    ],
)
def test_curator_is_warned_of_columns_to_look_at(name, values, warning):
    with pytest.warns(SwapmeetWarning, match=f"column '{name}': .*{warning}"):
        Schema.infer(pd.DataFrame({name: values}))


def test_a_warning_says_how_to_decide():
    frame = pd.DataFrame({"id": np.arange(N)})
    with pytest.warns(SwapmeetWarning, match=r"assign\(drop=\['id'\]\).* assign|publish=\['id'\]"):
        Schema.infer(frame)


def test_what_is_dropped_or_published_is_decided():
    schema = Schema.guess(pd.DataFrame({"id": np.arange(N), "nr": np.arange(N), "age": 1.5}), {})
    assert [column.name for column in schema.undecided] == ["id", "nr"]
    decided = schema.assign(drop=["id"], publish=["nr"])
    assert decided.undecided == ()
    assert decided["nr"].role is Role.KEY
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        decided.warn_of_concerns()


def test_what_was_published_is_remembered():
    schema = SCHEMA.assign(publish=["age"])
    told = schema.to_dict()
    assert told["age"]["publish"] is True
    assert "publish" not in told["sex"]
    assert Schema.from_dict(told)["age"].publish
    assert SCHEMA.follow({"sex": {"publish": True}})["sex"].publish
    with pytest.raises(SchemaError, match="publish must be true or false"):
        Schema.from_dict({"age": {"kind": "numeric", "publish": "yes"}})


def test_a_column_is_not_dropped_and_published():
    with pytest.raises(SchemaError, match="'age' is to be dropped and to be published"):
        SCHEMA.assign(drop=["age"], publish=["age"])
    with pytest.raises(SchemaError, match="no column 'agee'"):
        SCHEMA.assign(publish=["agee"])


def test_a_schema_made_by_hand_is_examined_where_it_is_used():
    frame = pd.DataFrame({"id": np.arange(N), "age": [0.5, 1.5] * (N // 2)})
    by_hand = Schema((Column("id", Kind.NUMERIC), Column("age", Kind.NUMERIC)))
    assert by_hand.undecided == ()
    assert [column.name for column in by_hand.find_identifiers(frame).undecided] == ["id"]


def test_assign_gives_roles_and_kinds_and_leaves_the_rest():
    schema = SCHEMA.assign(drop=["age"], strata="sex", ordinal=["children"], sensitive=("income",))
    assert [str(column.role) for column in schema] == ["drop", "strata", "sensitive", "key"]
    assert schema["children"].kind is Kind.ORDINAL
    assert schema["children"].reason == "as given"
    assert schema["income"].kind is SCHEMA["income"].kind
    assert SCHEMA["age"].role is Role.KEY


def test_masked_are_keys_and_sensitive_and_published_all_but_dropped():
    schema = SCHEMA.assign(drop=["age"], keep=["sex"], sensitive=["income"])
    assert schema.masked == ("income", "children")
    assert schema.published == ("sex", "income", "children")


def test_naming_a_column_twice_in_one_role_is_no_contradiction():
    assert SCHEMA.assign(keep=["age", "age"]).having(Role.KEEP) == ("age",)


@pytest.mark.parametrize("names", [TABLE.columns[:2], {"age", "sex"}, (n for n in ("age", "sex"))])
def test_names_may_come_in_any_collection(names):
    assert set(SCHEMA.assign(keep=names).having(Role.KEEP)) == {"age", "sex"}


def test_unknown_column_is_named_with_a_hint():
    with pytest.raises(SchemaError) as caught:
        SCHEMA.assign(drop=["agee"])
    assert str(caught.value) == (
        "no column 'agee'; did you mean 'age'? This table has age, sex, income, children."
    )
    with pytest.raises(SchemaError, match="no column 'agee'"):
        SCHEMA["agee"]


def test_all_problems_of_an_assignment_are_told_together():
    with pytest.raises(SchemaError) as caught:
        SCHEMA.assign(drop=["agee", "sex"], keep=["sex"], numeric="income", nominal="income")
    assert len(caught.value.problems) == 3
    assert caught.value.problems[1:] == (
        "column 'sex' is given keep and drop; choose one.",
        "column 'income' is given numeric and nominal; choose one.",
    )


def test_long_tables_are_not_listed_in_full():
    wide = Schema(tuple(Column(f"c{i}", Kind.NUMERIC) for i in range(40)))
    with pytest.raises(SchemaError, match=r"c10, c11 …\.$"):
        wide["zzz"]


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        ([5], "`drop` must be column names; got something that is not text."),
        (TABLE["sex"], "`drop` must be column names; got a column. Give its name."),
    ],
)
def test_columns_given_in_place_of_names_are_refused_unread(names, problem):
    with pytest.raises(SchemaError) as caught:
        SCHEMA.assign(drop=names)
    assert caught.value.problems == (problem,)


def test_kind_and_role_may_be_given_as_words():
    column = Column("age", "ordinal", "keep")
    assert column.kind is Kind.ORDINAL
    assert column.role is Role.KEEP


def test_unknown_words_for_kind_and_role_are_refused_together():
    with pytest.raises(SchemaError) as caught:
        Column("age", "number", "secret")
    assert caught.value.problems == (
        "column 'age': kind must be one of numeric, ordinal, nominal.",
        f"column 'age': role must be one of {', '.join(Role)}.",
    )


def test_a_column_is_listed_once():
    with pytest.raises(SchemaError, match="'age' is listed more than once"):
        Schema((Column("age", Kind.NUMERIC), Column("age", Kind.NOMINAL)))


def test_check_tells_all_that_is_wrong_at_once():
    schema = Schema(
        (
            Column("agee", Kind.NUMERIC),
            Column("sex", Kind.ORDINAL),
            Column("income", Kind.NUMERIC),
        )
    )
    with pytest.raises(SchemaError) as caught:
        schema.check(TABLE)
    assert caught.value.problems == (
        "no column 'agee'; did you mean 'age'? This table has age, sex, income, children.",
        "column 'age' is in the table but has no role. Add it to the schema.",
        "column 'children' is in the table but has no role. Add it to the schema.",
        (
            "column 'sex' holds text and cannot be ordinal. "
            "Use ordered categories or numbers, or call it nominal."
        ),
    )


def test_text_cannot_be_numeric():
    with pytest.raises(SchemaError, match=r"holds text and cannot be numeric\. Call it nominal"):
        SCHEMA.assign(numeric=["sex"]).check(TABLE)


@pytest.mark.parametrize("role", ["keep", "drop"])
def test_kind_of_columns_that_are_not_compared_does_not_matter(role):
    SCHEMA.assign(numeric=["sex"], **{role: ["sex"]}).check(TABLE)


def test_in_order_sorts_the_columns():
    assert SCHEMA.in_order(["sex", "age"]).names == ("sex", "age")


def test_dictionary_and_back_is_the_same_schema():
    schema = SCHEMA.assign(drop=["age"], ordinal=["children"])
    again = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert again.to_dict() == schema.to_dict()
    assert again.names == schema.names
    assert [column.role for column in again] == [column.role for column in schema]


def test_role_in_a_run_file_is_key_unless_given():
    assert Schema.from_dict({"age": {"kind": "numeric"}})["age"].role is Role.KEY


def test_problems_of_a_run_file_are_told_together():
    with pytest.raises(SchemaError) as caught:
        Schema.from_dict(
            {"age": {"kind": "number"}, "sex": 3, "income": {"kind": "numeric", "rol": "key"}}
        )
    assert caught.value.problems == (
        "column 'age': kind must be one of numeric, ordinal, nominal.",
        "column 'sex': give a table such as {kind = \"numeric\"}.",
        "column 'income': unknown setting 'rol'; did you mean 'role'?",
    )


def test_roles_explain_themselves():
    assert all(role.meaning for role in Role)
    assert [role for role in Role if role.masked] == [Role.KEY, Role.SENSITIVE, Role.PLACE]


def test_each_role_is_masked_kept_made_anew_or_left_out():
    anew = {Role.HOUSEHOLD, Role.PERSON, Role.DERIVED}
    for role in Role:
        assert [role.masked, role.kept, role in anew, role is Role.DROP].count(True) == 1


def test_an_argument_that_is_no_role_is_refused_with_the_nearest():
    with pytest.raises(UsageError, match="no argument `wieght`; did you mean 'weight'"):
        Schema((Column("w", Kind.NUMERIC),)).assign(wieght=["w"])


def test_the_number_of_a_household_is_no_identifier_to_decide_on():
    column = Column("hid", Kind.NUMERIC, identifier="its name says so")
    assert column.is_undecided
    assert not replace(column, role=Role.HOUSEHOLD).is_undecided


def test_settings_of_a_run_file_keep_the_reason_of_a_kind_that_stays():
    schema = Schema((Column("age", Kind.NUMERIC, reason="numbers"),))
    same = schema.follow({"age": {"role": "keep"}})["age"]
    assert (same.role, same.reason) == (Role.KEEP, "numbers")
    assert schema.follow({"age": {"kind": "nominal"}})["age"].reason == "as given"


@pytest.mark.parametrize("columns", [1, 5, 300])
def test_a_printed_schema_fits_a_screen(columns):
    names = [f"a column with a long name, number {n}" * (1 + n % 3) for n in range(columns)]
    text = str(Schema(tuple(Column(name, Kind.NUMERIC) for name in names)))
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) <= 24
    assert text.startswith(f"{columns} column")
    assert ("… and 282 more columns" in text) == (columns == 300)


def test_unknown_columns_are_named_together_and_the_table_once():
    schema = Schema((Column("name", Kind.NOMINAL), Column("age", Kind.NUMERIC)))
    with pytest.raises(SchemaError) as caught:
        schema.assign(drop=["nmae"], key=["agee"])
    assert "no column 'nmae'; did you mean 'name'? This table has name, age." in str(caught.value)
    assert str(caught.value).count("This table has") == 1
