from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import ParameterError, SchemaError, TableError
from swapmeet.tables.formulas import Factor, Formula
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata


def microdata(**columns):
    frame = pd.DataFrame(columns)
    return Microdata.of(Table(frame), sm.Schema.infer(frame))


def test_terms_products_and_crossings():
    formula = Formula.parse("y ~ a + C(b) + a:c + a*d + `odd name`")
    assert formula.response == "y"
    assert formula.terms == (
        (Factor("a"),),
        (Factor("b", by_category=True),),
        (Factor("a"), Factor("c")),
        (Factor("d"),),
        (Factor("a"), Factor("d")),
        (Factor("odd name"),),
    )
    assert formula.columns == ("y", "a", "b", "c", "d", "odd name")


@pytest.mark.parametrize(
    "text",
    ["", "y", "~ a", "y ~", "y ~ a +", "y ~ a ++ b", "y ~ 3", "C(y) ~ a", "y ~ C(a", "y ~ a b",
     "y ~ a ~ b", "y ~ a - a", "y ~ 1", "y ~ 0", "a + b ~ c", "y ~ (a", "y ~ a)",
     "y ~ a:", "y ~ a*", "y ~ log()", "y ~ log(a", "y ~ log(3)", "y ~ I(a +)",
     "y ~ (a + b)^0", "y ~ (a + b)^10",
     "y ~ a / b", "y ~ a; b", "y ~ a\x00", "y ~ " + "(" * 60 + "a" + ")" * 60,
     "y ~ log(" + "(" * 60 + "a" + ")" * 61, "y ~ I(" + "-" * 60 + "a)",
     "y ~ I(a^" + "-" * 60 + "2)", "y ~ (" + " + ".join(f"x{i}" for i in range(40)) + ")^3"],
)  # fmt: skip
def test_what_is_no_formula_is_refused(text):
    with pytest.raises(ParameterError, match="is not understood"):
        Formula.parse(text)


@pytest.mark.parametrize("text", ["y ~ __import__('os')", "y ~ eval(a)", "y ~ np.exec(a)",
                                  "y ~ poly(a)", "y ~ lag(a)"])  # fmt: skip
def test_nothing_but_the_known_functions_is_called(text):
    with pytest.raises(ParameterError, match=r"is not understood|there is no function"):
        Formula.parse(text)


def test_a_function_that_is_misspelt_is_named():
    with pytest.raises(ParameterError, match=r"no function 'logs'; did you mean 'log'\?"):
        Formula.parse("y ~ logs(a)")


@pytest.mark.parametrize("text", ["y ~ a^2", "y ~ a**2", "y ~ b:a^2"])
def test_a_power_that_r_ignores_is_not_taken_for_a_square(text):
    with pytest.raises(ParameterError, match=r"is a itself; for the square of it, write I\(a\^2\)"):
        Formula.parse(text)


def test_unknown_columns_and_a_nominal_response_are_refused():
    data = microdata(wage=[1.5, 2.5, 3.5], sex=["f", "m", "f"])
    with pytest.raises(SchemaError, match="no column 'wags'"):
        Formula.parse("wage ~ wags").check(data)
    with pytest.raises(SchemaError, match="response 'sex' is nominal"):
        Formula.parse("sex ~ wage").check(data)


def test_design_has_an_intercept_dummies_and_products():
    data = microdata(y=[1.5, 2.5, 3.5, 4.5], a=[0.5, 1.5, 2.5, 3.5], s=["f", "m", "m", None])
    names, design = Formula.parse("y ~ a*s").design(data, data)
    assert names == ["intercept", "a", "s (category 2)", "a:s (category 2)"]
    nan = np.nan
    expected = [[1, 0.5, 0, 0], [1, 1.5, 1, 1.5], [1, 2.5, 1, 2.5], [1, 3.5, nan, nan]]
    assert np.array_equal(design, expected, equal_nan=True)


@pytest.mark.parametrize("text", ["y ~ 0 + a", "y ~ a - 1", "y ~ -1 + a", "y ~ a + 0"])
def test_a_zero_or_minus_one_leaves_the_intercept_out(text):
    data = microdata(y=[1.5, 2.5, 3.5], a=[0.5, 1.5, 2.5])
    names, design = Formula.parse(text).design(data, data)
    assert names == ["a"]
    assert design.tolist() == [[0.5], [1.5], [2.5]]
    with pytest.raises(ParameterError):
        Formula.parse("y ~ 0")


def test_signs_between_backquotes_are_letters_of_a_name():
    formula = Formula.parse("`a~b` ~ `c+d`*`e:f` + C(`g*h`)")
    assert formula.columns == ("a~b", "c+d", "e:f", "g*h")
    assert formula.terms[2] == (Factor("c+d"), Factor("e:f"))


@pytest.mark.parametrize("text", ["a ~ b ~ c", "`a ~ b", "a`b` ~ c", "`a~b`"])
def test_too_many_sides_and_lone_backquotes_are_refused(text):
    with pytest.raises(ParameterError, match="is not understood"):
        Formula.parse(text)


# what terms stand for


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("y ~ a*b*c", ["a", "b", "a:b", "c", "a:c", "b:c", "a:b:c"]),
        ("y ~ (a + b + c)^2", ["a", "b", "c", "a:b", "a:c", "b:c"]),
        ("y ~ (a + b + c)**3 - a:b:c", ["a", "b", "c", "a:b", "a:c", "b:c"]),
        ("y ~ a*b - b", ["a", "a:b"]),
        ("y ~ a:b + b:a + a", ["a:b", "a"]),
        ("y ~ a:(b + c)", ["a:b", "a:c"]),
        ("y ~ a:a", ["a"]),
        ("y ~ (a + b):C(c) + 1", ["a:c", "b:c"]),
        ("y ~ log(a)*b", ["log(a)", "b", "log(a):b"]),
        ("y ~ np.log(a) + numpy.sqrt(b)", ["log(a)", "sqrt(b)"]),
        ("y ~ I(a**2) + I( a ^ 2 )", ["I(a^2)"]),
        ("y ~ I((a + b)/2) + I(-a)", ["I((a+b)/2)", "I(0-a)"]),
        ("y ~ log(`odd name` + 1)", ["log(odd name+1)"]),
        ("y ~ log + exp", ["log", "exp"]),
    ],
)
def test_terms_are_those_of_r(text, names):
    assert list(Formula.parse(text).names) == names


def test_columns_of_functions_and_of_the_response_are_known():
    formula = Formula.parse("log(y + z) ~ sqrt(a) + a:exp(b)")
    assert formula.columns == ("y", "z", "a", "b")
    assert formula.response == "log(y+z)"
    assert formula.response_columns == ("y", "z")


# the design


@pytest.fixture(scope="module")
def some():
    rng = np.random.default_rng(3)
    return microdata(
        y=rng.normal(size=90), x=rng.uniform(1, 9, 90), z=rng.uniform(1, 9, 90),
        a=rng.choice(["p", "q", "r"], 90), b=rng.choice(["s", "t"], 90),
        c=rng.choice(["u", "v"], 90),
    )  # fmt: skip


def spans(one, other):
    """Whether two matrices have full rank and the same column space."""
    rank = np.linalg.matrix_rank
    both = rank(np.hstack([one, other]))
    return one.shape[1] == rank(one) == both == rank(other)


def dummies(data, name):
    levels = np.unique(data[name].values)
    return (data[name].values[:, None] == levels).astype(float)


def by_hand(data, *parts):
    """The products of all columns of the parts; a letter is that of a column or of categories."""
    columns = []
    for part in parts:
        block = np.ones((data.n, 1))
        for name in part:
            own = dummies(data, name) if name in "abc" else data[name].values[:, None]
            block = np.stack([x * y for x in block.T for y in own.T], axis=1)
        columns.append(block)
    left, sizes, _ = np.linalg.svd(np.hstack(columns), full_matrices=False)
    return left[:, sizes > 1e-9 * sizes[0]]


@pytest.mark.parametrize(
    ("text", "parts", "columns"),
    [
        ("y ~ a", ["", "a"], 3),
        ("y ~ a - 1", ["a"], 3),
        ("y ~ 0 + a + b", ["a", "b"], 4),
        ("y ~ 0 + x + a", ["x", "a"], 4),
        ("y ~ a*b*c", ["abc"], 12),
        ("y ~ a:b", ["ab"], 6),
        ("y ~ a:b - 1", ["ab"], 6),
        ("y ~ b + a:b", ["ab"], 6),
        ("y ~ x:a", ["", "xa"], 4),
        ("y ~ x + x:a", ["", "xa"], 4),
        ("y ~ x*a", ["a", "xa"], 6),
        ("y ~ x*a*b - 1", ["ab", "xab"], 12),
        ("y ~ (a + b + c)^2", ["ab", "ac", "bc"], 10),
        ("y ~ x:z:a + x:z", ["", "xza"], 4),
    ],
)
def test_designs_span_what_those_of_r_and_patsy_span_and_repeat_nothing(some, text, parts, columns):
    names, design = Formula.parse(text).design(some, some)
    assert len(names) == len(set(names)) == design.shape[1] == columns
    assert spans(design, by_hand(some, *parts))


def test_without_an_intercept_each_category_has_its_own_mean(some):
    _, design = Formula.parse("y ~ a - 1").design(some, some)
    found = np.linalg.lstsq(design, some["y"].values, rcond=None)[0]
    means = [some["y"].values[column == 1].mean() for column in dummies(some, "a").T]
    assert found == pytest.approx(means)


def test_numbers_are_computed_as_by_hand(some):
    text = "log(x) + I(x**2) + square(z) + sqrt(z) + exp(-x) + I(x*z - 2/z) + log1p(z) + log10(x)"
    x, z = some["x"].values, some["z"].values
    _, design = Formula.parse(f"y ~ {text}").design(some, some)
    wanted = [np.ones(90), np.log(x), x**2, z**2, np.sqrt(z), np.exp(-x), x * z - 2 / z,
              np.log1p(z), np.log10(x)]  # fmt: skip
    assert design == pytest.approx(np.stack(wanted, axis=1))


@pytest.mark.parametrize(
    ("number", "value"),
    [("2^3^2", 512), ("-2^2", -4), ("(1 - 2) - 3", -4), ("8/4/2", 1), ("2*3 + 4", 10),
     ("1e2 + .5", 100.5), ("abs(a - a - 3)", 3)],
)  # fmt: skip
def test_arithmetic_has_the_usual_order(number, value):
    data = microdata(y=[1.5, 2.5], a=[0.5, 1.5])
    _, design = Formula.parse(f"y ~ I(0*a + ({number}))").design(data, data)
    assert design[:, 1].tolist() == [value, value]


def test_missing_values_stay_missing():
    data = microdata(y=[1.5, 2.5, 3.5], a=[2.5, None, 0.5], b=[1.5, 2.5, None])
    _, design = Formula.parse("y ~ log(a) + I(a*b)").design(data, data)
    assert np.isnan(design[:, 1:]).tolist() == [[False, False], [True, True], [False, True]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("y ~ log(a)", r"log\(a\) has no value in 2 of 4 rows in which a has one\. A logarithm"),
        ("y ~ sqrt(a)", r"sqrt\(a\) has no value in 1 of 4 rows .* square root"),
        ("y ~ I(1/a)", "no value in 1 of 4 rows .* divides by 0"),
        ("y ~ exp(exp(b))", "no value in 4 of 4 rows .* too large"),
        ("log(a) ~ b", "no value in 2 of 4 rows"),
    ],
)
def test_rows_without_a_value_are_counted_and_not_shown(text, words):
    data = microdata(y=[1.5, 2.5, 3.5, 4.5], a=[-777.25, 0.0, 0.5, 1.5], b=[91.5, 92.5, 93.5, 94.5])
    with pytest.raises(TableError, match=words) as caught:
        Formula.parse(text).check(data)
    assert "777" not in str(caught.value)


def test_a_function_of_a_nominal_column_is_refused():
    data = microdata(y=[1.5, 2.5, 3.5], s=["f", "m", "f"])
    with pytest.raises(SchemaError, match="'s' is nominal; a function needs numbers"):
        Formula.parse("y ~ log(s)").check(data)


@pytest.mark.parametrize(
    "text",
    ["a*b*c", "a:b", "a:b - 1", "0 + a + b", "0 + x + a", "x:a", "x*a*b - 1", "(a + b + c)**2",
     "np.log(x)*a + I(z**2) - 1", "a:x + b:x", "a:b + x:z - 1", "b + a:b:c", "a:b + b:c",
     "C(k):x + np.sqrt(z)", "x*z*a - x:z"],
)  # fmt: skip
def test_designs_are_those_of_patsy_column_by_column(text):
    patsy = pytest.importorskip("patsy")
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({
        "y": rng.normal(size=90), "x": rng.uniform(1, 9, 90), "z": rng.uniform(1, 9, 90),
        "a": np.sort(rng.choice(["p", "q", "r"], 90)), "b": ["s", "t"] * 45,
        "c": ["u", "u", "v"] * 30, "k": rng.integers(1, 4, 90),
    })  # fmt: skip
    data = Microdata.of(Table(frame), sm.Schema.infer(frame))
    theirs = np.asarray(patsy.dmatrix(text, frame))
    names, ours = Formula.parse(f"y ~ {text}").design(data, data)
    assert len(names) == theirs.shape[1]
    one, other = (sorted(map(tuple, matrix.T.round(9))) for matrix in (ours, theirs))
    assert one == other
