from __future__ import annotations

import pytest

from swapmeet import errors


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.SwapmeetError, 1),
        (errors.UsageError, 2),
        (errors.ParameterError, 2),
        (errors.InputError, 3),
        (errors.SchemaError, 3),
        (errors.TableError, 3),
        (errors.FileError, 3),
        (errors.DatabaseError, 3),
        (errors.LimitError, 4),
        (errors.OutputError, 1),
    ],
)
def test_every_error_has_its_exit_code_and_can_be_caught_as_one(error, code):
    assert error.exit_code == code
    assert issubclass(error, errors.SwapmeetError)
    assert error.__name__ in errors.__doc__


def test_the_tree_in_the_docstring_names_every_class():
    classes = [name for name, thing in vars(errors).items() if isinstance(thing, type)]
    ours = [name for name in classes if getattr(errors, name).__module__ == errors.__name__]
    assert len(ours) == 13
    assert all(name in errors.__doc__ for name in ours)


def test_a_warning_is_no_error():
    assert issubclass(errors.SwapmeetWarning, UserWarning)
    assert not issubclass(errors.SwapmeetWarning, errors.SwapmeetError)


def test_schema_error_shows_one_problem_per_line_and_keeps_them_apart():
    error = errors.SchemaError(f"problem {number}" for number in (1, 2))
    assert str(error) == "problem 1\nproblem 2"
    assert error.problems == ("problem 1", "problem 2")


@pytest.mark.parametrize(
    ("name", "hint"),
    [("agee", "; did you mean 'age'?"), ("xyz", "."), ("", ".")],
)
def test_hint_ends_the_sentence(name, hint):
    assert errors.did_you_mean(name, ["age", "sex", "income"]) == hint


def test_hint_without_any_known_name_is_a_full_stop():
    assert errors.did_you_mean("age", []) == "."
