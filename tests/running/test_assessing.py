from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import swapmeet as sm
from swapmeet.comparison.comparison import Ownership
from swapmeet.comparison.score import Direction, Family, Judgement
from swapmeet.errors import ParameterError, SchemaError, TableError, UsageError
from swapmeet.measures.base import Measure
from swapmeet.measures.default_limits import DEFAULT_LIMITS, LOSSES
from swapmeet.measures.registry import MEASURES, find

RNG = np.random.default_rng(11)
N = 300
PEOPLE = pd.DataFrame(
    {
        "id": [f"p{i:04}" for i in RNG.permutation(N)],
        "age": RNG.integers(18, 90, N),
        "wage": RNG.lognormal(10, 0.5, N),
        "sex": RNG.choice(["f", "m"], N),
        "grade": pd.Categorical.from_codes(RNG.integers(0, 4, N), list("dcba"), ordered=True),
        "region": RNG.choice(["n", "s", "w"], N),
    }
)
SCHEMA = sm.Schema.guess(PEOPLE, {"grade": "ordinal"}).assign(
    drop=["id"], keep=["region"], sensitive=["wage"]
)
FAST = ["pscr", "dbrl", "dcr", "k-anonymity", "uniqueness", "small-cells"]


@pytest.fixture(scope="module")
def release(masked):
    return masked(PEOPLE, sm.RWN(k=5, weights=0.2), schema=SCHEMA, seed=1)


@pytest.fixture(scope="module")
def gentle(masked):
    """A release in which every row mostly holds the values of the person in its place."""
    release = masked(PEOPLE, sm.RWN(k=5, q=0.25, weights=0.2), schema=SCHEMA, seed=3)
    assert np.array_equal(release.audit.map.rows_of_people(), np.arange(N))
    return release


def values(card):
    return {score.measure: score.value for score in card}


def assess(original, release, **options):
    return sm.assess(original, release, schema=SCHEMA, measures=FAST, **options)


# owners


def test_a_release_made_here_knows_its_owners(release):
    card = assess(PEOPLE, release)
    assert card.ownership is Ownership.TRUE
    assert card.known == ("age", "wage", "sex", "grade")
    assert 0 < card["pscr"].value < 1


def test_the_published_file_scores_the_same_with_its_audit_record(release):
    published = release.shuffled()
    assert values(assess(PEOPLE, published, audit=release.audit)) == values(assess(PEOPLE, release))


def test_rows_match_by_order_or_by_an_id(gentle):
    claimed = assess(PEOPLE, gentle.data, match="rows")
    assert claimed.ownership is Ownership.CLAIMED
    assert values(claimed) == values(assess(PEOPLE, gentle))
    order = RNG.permutation(N)
    labelled = gentle.data.assign(id=PEOPLE["id"]).iloc[order].reset_index(drop=True)
    assert values(assess(PEOPLE, labelled, match="id")) == values(claimed)


def test_without_owners_measures_that_need_them_say_so(release):
    card = assess(PEOPLE, release.shuffled())
    assert card.ownership is Ownership.UNKNOWN
    assert np.isnan(card["pscr"].value)
    assert "not known which released row" in card["pscr"].undefined
    assert card["pscr"].sentence.startswith("Not defined here: ")
    assert card["dcr"].value == assess(PEOPLE, release)["dcr"].value


def test_order_of_the_original_does_not_matter(gentle):
    order = RNG.permutation(N)
    again = assess(PEOPLE.iloc[order], gentle.data.iloc[order], match="rows")
    first = values(assess(PEOPLE, gentle))
    assert values(again) == pytest.approx(first, rel=1e-9)


def test_a_row_is_whose_values_it_mostly_holds(masked):
    """Whole records trade places: by the audit record all are found, by their order hardly any."""
    schema = SCHEMA.assign(drop=["region", "sex", "grade"])
    release = masked(PEOPLE, sm.MEDS(k=5), schema=schema, seed=1)
    ask = {"schema": schema, "measures": ["pscr", "dbrl"]}
    assert values(sm.assess(PEOPLE, release, **ask)) == {"pscr": 1.0, "dbrl": 1.0}
    claimed = sm.assess(PEOPLE, release.data, match="rows", **ask)
    assert claimed["pscr"].value < 0.3
    published = sm.assess(PEOPLE, release.shuffled(), audit=release.audit, **ask)
    assert values(published) == {"pscr": 1.0, "dbrl": 1.0}


def test_a_row_without_a_majority_is_that_of_its_place(masked):
    """Of three columns one is kept, one stays and one moves: the row remains its own."""
    schema = SCHEMA.assign(drop=["region", "sex"], keep=["grade"])
    method = sm.PerColumn(parts=[(sm.SJPPDS(bins=3), ["age"])])
    release = masked(PEOPLE, method, schema=schema, seed=1)
    ask = {"schema": schema, "measures": ["pscr", "dbrl"], "known": ["wage"]}
    found = values(sm.assess(PEOPLE, release, **ask))
    assert found == values(sm.assess(PEOPLE, release.data, match="rows", **ask))
    assert found == {"pscr": 1.0, "dbrl": 1.0}


SYNTHETIC = ["dbrl", "rid", "sdid", "dbrl-sorted", "rid-sorted", "sdid-sorted", "propensity", "pil",
             "cbil", "dcr"]  # fmt: skip


@pytest.mark.parametrize("method", [sm.Cart(), sm.DataShuffle()], ids=lambda m: m.name)
def test_synthetic_rows_stand_for_nobody(masked, method):
    table = PEOPLE[["age", "wage"]].assign(hours=RNG.integers(0, 60, N))
    release = masked(table, method, seed=1)
    card = sm.assess(table, release, measures=SYNTHETIC)
    assert card.ownership is Ownership.NOBODY
    assert str(card.ownership) == card.to_dict()["owners"] == "nobody: rows are synthetic"
    for name in ("dbrl", "rid", "sdid"):
        assert np.isnan(card[name].value)
        assert card[name].sentence == (
            "Not defined here: released rows stand for nobody in particular; the sorted measures "
            "show how far they can be linked all the same."
        )
    sortings = [card[f"{name}-sorted"].value for name in ("dbrl", "rid", "sdid")]
    assert card.overall().risk == pytest.approx(np.mean(sortings))
    assert card.overall().basis == "by worst-case sorting, which may flatter"
    assert card["dcr"].value > 0
    published = sm.assess(table, release.shuffled(), audit=release.audit, measures=SYNTHETIC)
    assert published.ownership is Ownership.NOBODY


def test_a_column_left_as_it_is_ties_synthetic_rows_to_owners_for_those_who_know_it(masked):
    table = PEOPLE[["age", "wage", "region"]]
    schema = sm.Schema.infer(table).assign(keep=["region"])
    release = masked(table, sm.Cart(), schema=schema, seed=1)
    told = [
        sm.assess(table, release, schema=schema, measures=["pscr"], known=known)
        for known in (None, ["age", "region"])
    ]
    assert [card.ownership for card in told] == [Ownership.NOBODY, Ownership.TRUE]
    assert told[0]["pscr"].undefined
    assert told[1]["pscr"].value >= 0


# what is compared


def test_known_columns_may_be_any_published_ones(release):
    card = assess(PEOPLE, release, known=["region", "sex"])
    assert card.known == ("region", "sex")
    assert not card.notes
    assert "knows region and sex" in card["pscr"].sentence


def test_kept_columns_that_are_not_known_are_told(release):
    assert "region: published unmasked" in assess(PEOPLE, release).notes[0]


def test_whoever_knows_everything_knows_kept_columns(release):
    assert not assess(PEOPLE, release, intruder="everything").notes


def test_levels_mean_the_same_in_both_tables_whatever_their_order(gentle):
    """Categories in another order, and text instead of ordered categories, are the same."""
    other = gentle.data.copy()
    other["grade"] = other["grade"].astype(str)
    other["sex"] = pd.Categorical(other["sex"], categories=["m", "f"])
    assert values(assess(PEOPLE, other, match="rows")) == values(assess(PEOPLE, gentle))


def test_models_and_rare_records_are_part_of_the_card(release):
    card = sm.assess(
        PEOPLE, release, schema=SCHEMA, measures=["dcr"], models=["wage ~ age + C(sex)"],
        rare=['sex = "f" and age < 30'],
    )  # fmt: skip
    assert [c.name for c in card.models[0].coefficients][:2] == ["intercept", "age"]
    assert card.rare[0].original == ((PEOPLE["sex"] == "f") & (PEOPLE["age"] < 30)).sum()
    assert json.loads(json.dumps(card.to_dict()))["rare"][0]["original"] == card.rare[0].original


@pytest.mark.slow
def test_a_profile_is_part_of_the_card_if_asked_for(release):
    plain = assess(PEOPLE, release)
    assert plain.profile is plain.to_dict()["profile"] is None
    card = assess(
        PEOPLE, release, profile=True, models=["wage ~ age"], selectivity=[("sex", "age")]
    )  # fmt: skip
    assert [d.column for d in card.profile.distributions] == ["age", "wage", "sex", "grade"]
    assert card.profile.influences[0].formula == "wage ~ age"
    assert card.profile.influences[0].largest_original == card.models[0].influence.original
    assert card.profile.selectivities[0].target == "sex"
    told = json.loads(json.dumps(card.to_dict(), allow_nan=False))
    assert told["profile"]["distributions"][0]["column"] == "age"
    assert assess(PEOPLE, release, selectivity=[("sex", "age")]).profile is not None


# the card


def test_card_as_frame_and_dict(release):
    card = assess(PEOPLE, release)
    frame = card.to_frame()
    assert list(frame.index) == FAST
    assert frame.loc["dbrl", "low"] <= frame.loc["dbrl", "value"] <= frame.loc["dbrl", "high"]
    told = json.loads(json.dumps(card.to_dict()))
    assert [score["measure"] for score in told["scores"]] == FAST
    assert all("records" not in score for score in told["scores"])


def test_limits_are_kept_by_the_unfavourable_end_of_the_interval(release):
    card = assess(PEOPLE, release)
    pscr, dcr = card["pscr"].interval[1], card["dcr"].interval[0]
    assert pscr > card["pscr"].value
    assert dcr < card["dcr"].value
    assert all(reason.met for reason in card.judge({"pscr": pscr, "dcr": dcr}).reasons)
    beyond = card.judge({"pscr": pscr - 1e-9, "dcr": dcr + 1e-9}).reasons
    assert [reason.missed for reason in beyond] == [True, True]
    [unknown] = assess(PEOPLE, release.shuffled()).judge({"pscr": 1.0}).reasons
    assert unknown.judgement is Judgement.OPEN


def test_reprs_show_no_value(release):
    card = assess(PEOPLE, release)
    shown = repr(card) + "".join(map(repr, card))
    assert "p0001" not in shown
    assert "<Score pscr: 0." in shown


# bad input


def test_columns_that_the_release_lacks_are_told(release):
    card = assess(PEOPLE, release.data.drop(columns="age"), match="rows")
    assert card.notes[0] == "age: not in the release, and not compared."
    assert "age" not in card.known


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": [sm.RWN(k=3)]}, "must be names or measures, .* got a RWN"),
        ({"measures": ["dcr"], "schema": "x"}, "`schema` must be a Schema; got a str"),
    ],
)
def test_arguments_of_another_sort_are_refused(release, options, message):
    with pytest.raises(UsageError, match=message):
        sm.assess(PEOPLE, release, **({"schema": SCHEMA} | options))


@pytest.mark.parametrize(
    ("change", "options", "error", "message"),
    [
        (lambda d: d.iloc[1:], {"match": "rows"}, TableError, "has 300 rows and the release 299"),
        (lambda d: d[["region"]], {}, SchemaError, "no masked column in common"),
        (lambda d: d.assign(wage="x"), {}, SchemaError, "'wage' is numeric and holds text"),
        (lambda d: d, {"known": ["agee"]}, SchemaError, "did you mean 'age'"),
        (lambda d: d, {"known": []}, SchemaError, "at least one column"),
        (lambda d: d, {"match": "nobody"}, UsageError, "no column 'nobody'"),
        (lambda d: d.assign(id="x"), {"match": "id"}, TableError, "does not tell the rows apart"),
        (lambda d: d, {"models": ["wage ~ agee"]}, SchemaError, "no column 'agee'"),
        (lambda d: d, {"rare": ["agee < 3"]}, SchemaError, "no column 'agee'"),
        (lambda d: d, {"selectivity": [("sex", "agee")]}, SchemaError, "no column 'agee'"),
        (
            lambda d: d,
            {"rare": ["__import__('os')"]},
            ParameterError,
            "cannot be read|ends too early",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(release, change, options, error, message):
    with pytest.raises(error, match=message):
        assess(PEOPLE, change(release.data), **options)


def test_an_audit_record_of_another_release_is_refused(release, masked):
    other = masked(PEOPLE.iloc[:50], sm.RWN(k=5), schema=SCHEMA, seed=1)
    with pytest.raises(TableError, match="belongs to another release"):
        assess(PEOPLE, release.data, audit=other.audit)


def test_unknown_measures_are_refused_with_a_guess(release):
    with pytest.raises(ParameterError, match="did you mean 'dbrl'"):
        sm.assess(PEOPLE, release, schema=SCHEMA, measures=["dbrk"])
    card = sm.assess(PEOPLE, release, schema=SCHEMA, measures="dcr")
    with pytest.raises(ParameterError, match=r"pscr is not on this card. Measure it with .*'pscr'"):
        card["pscr"]
    with pytest.raises(ParameterError, match="did you mean 'pscr'"):
        card["pscrr"]


def test_by_default_a_card_has_what_decides_and_the_first_losses(release):
    card = sm.assess(PEOPLE, release, schema=SCHEMA)
    assert {*DEFAULT_LIMITS} < card.scores.keys() <= {*DEFAULT_LIMITS, *LOSSES}
    assert card.left_out > 30
    assert f"{card.left_out} more measures were not taken" in str(card)
    limited = sm.assess(PEOPLE, release, schema=SCHEMA, limits={"dcr": 0.0})
    assert limited.scores.keys() == {"dcr", *card.scores}
    control = sm.assess(PEOPLE, release, schema=SCHEMA, control=PEOPLE)
    assert control.scores.keys() == {"membership", *card.scores}


def test_all_measures_are_taken_when_asked_for():
    people = PEOPLE.iloc[:40]
    few = sm.assess(people, people[::-1], schema=SCHEMA, measures=["all", "queries:conditions=1"])
    assert {"dbrl", "membership", "prediction", "ties"} < few.scores.keys()
    assert few.left_out == 0
    assert "not taken" not in str(few)


# the table of measures


@pytest.mark.parametrize(("name", "measure"), MEASURES.items())
def test_every_measure_is_described(name, measure):
    assert issubclass(measure, Measure)
    assert find(name) is measure
    assert measure.name == name == name.lower()
    assert measure.question.endswith("?")
    assert isinstance(measure.direction, Direction)
    assert measure.bounds[0] < measure.bounds[1]
    assert not any(parameter.required for parameter in measure.parameters())
    assert len(measure.__doc__) > 80


def test_linear_algebra_has_one_thread_while_measures_run_side_by_side(release):
    """The limit is the process's: a measure that set and lifted its own would spoil others'."""
    from threadpoolctl import threadpool_info, threadpool_limits

    def most_threads():
        return max(p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas")

    class Watching(Measure):
        name = "watching"
        family = Family.UTILITY
        question = "How many threads are there?"

        def score(self, comparison):
            return self.make_score(most_threads(), "So many.")

    with threadpool_limits(2, "blas"):
        card = sm.assess(PEOPLE, release, schema=SCHEMA, measures=[Watching(), "propensity"])
        assert card["watching"].value == 1
        assert most_threads() == 2


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_tables_with_a_schema_of_their_own_need_no_other(library):
    """Arrow's and polars' `schema` is not ours."""
    numbers = PEOPLE[["age", "wage"]]
    table = {
        "pyarrow": lambda: pa.Table.from_pandas(numbers, preserve_index=False),
        "polars": lambda: pytest.importorskip("polars").from_pandas(numbers),
    }[library]()
    card = sm.assess(table, table, match="rows", measures=["correlations"])
    assert card["correlations"].value == 0.0
