"""Every measure, on files that are assessed piece by piece."""

from __future__ import annotations

import shutil
from dataclasses import astuple
from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from modes import is_private

import swapmeet as sm
from swapmeet.engines.files import compare as large
from swapmeet.engines.files import needs as limits
from swapmeet.engines.files.compare import FileComparison
from swapmeet.errors import FileError, OutputError, SchemaError, TableError, UsageError
from swapmeet.measures import scoring
from swapmeet.measures.base import Coverage
from swapmeet.measures.registry import MEASURES
from swapmeet.measures.risk.linkage import Linkage
from swapmeet.tables.schema import Role

ROWS = 900
QUICK = ["pscr", "rid-linked", "rid", "k-anonymity", "margins", "correlations", "cell-distance"]


def people(n=ROWS, seed=0):
    """Mixed, with missing values, ties, rare levels and one column that is kept."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "id": [f"p{i:05}" for i in rng.permutation(n)],
            "age": rng.integers(18, 90, n).astype(float),
            "wage": np.exp(rng.normal(10, 1, n)),
            "sex": rng.choice(["f", "m"], n),
            "region": rng.choice(list("abcdefghij"), n, p=np.arange(1, 11) / 55),
            "illness": rng.choice(["flu", "cold", "none", None], n),
            "weeks": rng.integers(0, 53, n),
            "weight": rng.normal(1e6, 1.0, n),
        }
    )
    table.loc[rng.random(n) < 0.1, "wage"] = np.nan
    table.loc[rng.random(n) < 0.05, "age"] = np.nan
    return table


PEOPLE = people()
SCHEMA = sm.Schema.guess(PEOPLE, {}).assign(
    drop=["id"], keep=["weight"], sensitive=["illness"], ordinal=["weeks"]
)


@cache
def make_release():
    return sm.mask(PEOPLE, sm.RWN(k=5, weights=0.5), schema=SCHEMA, seed=1)


@pytest.fixture
def files(tmp_path):
    """Write an original and a release, in row groups of odd sizes; all of their folder."""

    def written(original=PEOPLE, release=None, groups=(171, 400)):
        release = make_release().shuffled() if release is None else release
        paths = [tmp_path / name for name in ("people.parquet", "release.parquet")]
        for path, table, size in zip(paths, (original, release), groups, strict=True):
            pq.write_table(pa.Table.from_pandas(table), path, row_group_size=size)
        return paths

    return written


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    """Several pieces, and several buckets of combinations."""
    monkeypatch.setattr(limits, "LARGEST_PIECE", 250)
    monkeypatch.setattr(large, "PER_ROW", 10**6)


def agree(one, other):
    """Numbers that are equal but for rounding, wherever they stand."""
    if isinstance(one, float):
        return other == pytest.approx(one, rel=1e-9, abs=1e-12, nan_ok=True)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(agree, one, other))
    return one == other


def differences(whole, pieces):
    """Which figures of two cards differ."""
    found = []
    for score in whole:
        other = pieces[score.measure]
        figures = {
            "value": (score.value, other.value),
            "interval": (score.interval, other.interval),
        }
        figures |= {name: (v, other.details.get(name)) for name, v in score.details.items()}
        figures["undefined"] = score.undefined, other.undefined
        found += [(score.measure, name) for name, both in figures.items() if not agree(*both)]
    return found


# the same as in memory


@pytest.mark.slow
@pytest.mark.parametrize(
    ("match", "options"),
    [
        ("audit", {"at_most": 300}),
        ("audit", {"known": ["age", "sex", "region", "weight"]}),
        ("rows", {}),
        ("unknown", {"at_most": 200}),
    ],
    ids=["audit", "known", "rows", "unknown"],
)
def test_every_measure_is_that_of_the_tables_in_memory(files, match, options):
    made = make_release()
    release = made.data if match == "rows" else made.shuffled()
    of_match = {"audit": {"audit": made.audit}, "rows": {"match": "rows"}}
    options = options | of_match.get(match, {})
    paths = files(release=release)
    options = {**options, "schema": SCHEMA, "measures": "all"}
    whole = sm.assess(PEOPLE, release, **options)
    pieces = sm.assess_file(*paths, **options)
    assert list(pieces.scores) == [
        name for name, m in MEASURES.items() if {*m.needs} <= {Role.SENSITIVE}
    ]
    assert differences(whole, pieces) == []
    assert (pieces.rows, pieces.known, pieces.ownership) == (ROWS, whole.known, whole.ownership)
    assert pieces.notes == whole.notes
    one, other = (card.overall() and astuple(card.overall()) for card in (whole, pieces))
    assert agree(one, other)


def test_synthetic_rows_are_nobodys(files):
    release = sm.mask(PEOPLE, sm.Cart(), schema=SCHEMA, seed=1)
    paths = files(release=release.shuffled())
    ask = {
        "audit": release.audit,
        "schema": SCHEMA,
        "measures": ["dbrl", "rid-sorted", "dcr:scale=ranks:of=released"],
    }
    whole = sm.assess(PEOPLE, release.shuffled(), **ask)
    assert differences(whole, sm.assess_file(*paths, **ask)) == []
    assert whole["dbrl"].undefined


def test_rows_may_be_matched_by_a_column(files):
    order = np.random.default_rng(3).permutation(ROWS)
    release = make_release().data.assign(id=PEOPLE["id"]).take(order)
    schema = SCHEMA.assign(keep=["id", "weight"])
    ask = {"match": "id", "schema": schema, "known": ["age", "wage", "sex"], "measures": QUICK}
    whole = sm.assess(PEOPLE, release, **ask)
    assert differences(whole, sm.assess_file(*files(release=release), **ask)) == []


@pytest.mark.slow
@pytest.mark.parametrize(("piece", "groups"), [(19, (900, 900)), (97, (50, 333)), (5000, (7, 900))])
def test_neither_pieces_nor_row_groups_matter(files, monkeypatch, piece, groups):
    ask = {"audit": make_release().audit, "schema": SCHEMA, "measures": QUICK, "at_most": 250}
    usual = sm.assess_file(*files(), **ask)
    monkeypatch.setattr(limits, "LARGEST_PIECE", piece)
    again = sm.assess_file(*files(groups=groups), **ask)
    assert differences(usual, again) == []


def test_types_may_differ_as_they_may_in_memory(files):
    days = pd.date_range("2020-01-01", periods=60).take(np.arange(ROWS) % 60)
    levels = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    original = PEOPLE.assign(
        day=days, grade=pd.Series(np.tile(["mid", "low", "high"], ROWS // 3)).astype(levels)
    )
    schema = sm.Schema.guess(original, {}).assign(drop=["id"])
    release = original.drop(columns="id").assign(
        day=days[::-1].astype("datetime64[s]"),
        grade=original["grade"].to_numpy()[::-1],
        sex=original["sex"].astype("category"),
    )
    ask = {"match": "rows", "schema": schema, "measures": ["rid", "margins", "associations", "dcr"]}
    whole = sm.assess(original, release, **ask)
    assert differences(whole, sm.assess_file(*files(original, release), **ask)) == []


@pytest.mark.filterwarnings("ignore:values that found no partner")
def test_records_that_moved_as_a_whole_are_still_their_owners(files):
    schema = SCHEMA.assign(drop=["sex", "region", "illness", "weeks"])
    method = sm.MEWS(columns=["age", "wage"], bins=3)
    release = sm.mask(PEOPLE, method, schema=schema, seed=1)
    ask = {"audit": release.audit, "schema": schema, "measures": ["dbrl", "uniqueness"]}
    whole = sm.assess(PEOPLE, release.shuffled(), **ask)
    assert whole["uniqueness"].value > 0.5
    assert differences(whole, sm.assess_file(*files(release=release.shuffled()), **ask)) == []


@pytest.mark.slow
def test_the_audit_record_may_be_a_file(files, tmp_path):
    make_release().audit.save(tmp_path / "run.audit")
    card = sm.assess_file(*files(), audit=tmp_path / "run.audit", schema=SCHEMA, measures=["pscr"])
    assert card["pscr"].value == sm.assess(PEOPLE, make_release(), measures="pscr")["pscr"].value


# how it was found


@pytest.mark.slow
def test_every_score_says_how_it_was_found(files, monkeypatch):
    monkeypatch.setattr(scoring, "SAMPLE", 300)
    options = {"audit": make_release().audit, "schema": SCHEMA, "measures": "all", "at_most": 100}
    card = sm.assess_file(*files(), **options)
    for name, measure in MEASURES.items():
        if not {*measure.needs} <= {Role.SENSITIVE}:
            continue
        how = card[name].details["how"]
        expected = {
            Coverage.ALL: "all rows",
            Coverage.LINKED: "100 random people against all rows",
            Coverage.SAMPLE: "all rows" if measure.sample_rows else "a random sample of 300 rows",
        }
        assert how == expected[measure.coverage], name
        assert card[name].sentence.endswith(".")
    assert "estimated from 100 randomly chosen people" in card["pscr"].sentence
    assert "fewer similar people" in card["rid-sorted"].sentence


def test_a_sample_that_would_hide_risk_is_not_told(files, monkeypatch):
    monkeypatch.setattr(scoring, "SAMPLE", 300)
    card = sm.assess_file(*files(), schema=SCHEMA, measures=["rid-sorted", "dr3", "propensity"])
    assert "make the risk seem smaller" in card["rid-sorted"].undefined
    assert card["dr3"].undefined
    assert not card["propensity"].undefined


@pytest.mark.parametrize(("allowed", "rows"), [(500, 500), (10**6, 400)])
def test_linkage_sees_as_many_rows_as_it_may_and_the_memory_holds(
    files, monkeypatch, allowed, rows
):
    monkeypatch.setattr(scoring, "SAMPLE", 300)
    monkeypatch.setattr(Linkage, "sample_rows", allowed)
    room = 10**6 if allowed == 500 else 400
    monkeypatch.setattr(FileComparison, "most_sampled", property(lambda _: room))
    score = sm.assess_file(
        *files(), audit=make_release().audit, schema=SCHEMA, measures=["linkage"]
    )["linkage"]
    assert score.details["how"] == f"a random sample of {rows} rows"
    assert f"sample of {rows} rows, in which many of each person's neighbours" in score.sentence
    assert 0.0 <= score.value <= 1.0


def test_a_limit_that_a_sample_of_rows_meets_is_not_decided(files, monkeypatch):
    monkeypatch.setattr(scoring, "SAMPLE", 300)
    monkeypatch.setattr(Linkage, "sample_rows", 300)
    card = sm.assess_file(*files(), audit=make_release().audit, schema=SCHEMA, measures=["linkage"])
    (reason,) = card.judge({"linkage": 1.0}).reasons
    assert not reason.met
    assert not reason.missed
    assert not reason.decided
    assert "linkage meets its limit, but it was measured in a sample" in reason.finding
    (missed,) = card.judge({"linkage": 0.0}).reasons
    assert missed.decided
    assert not missed.met


@pytest.mark.slow
def test_linkage_of_all_rows_is_that_of_the_tables_in_memory(files, monkeypatch):
    monkeypatch.setattr(scoring, "SAMPLE", 300)
    ask = {"audit": make_release().audit, "schema": SCHEMA, "measures": ["linkage"]}
    found = sm.assess_file(*files(), **ask)["linkage"]
    whole = sm.assess(PEOPLE, make_release(), schema=SCHEMA, measures=["linkage"])["linkage"]
    assert (found.value, found.interval) == (whole.value, whole.interval)
    assert "sample" not in found.sentence


def test_the_memory_decides_how_many_rows_are_sampled():
    class Small(FileComparison):
        def __init__(self, room):
            names = type("Columns", (), {"names": ("a", "b")})
            self.__dict__.update(room=room, original=names)

    assert Small(4_000_000).most_sampled == 10_000
    assert Small(0).most_sampled == 0


def test_a_sample_does_not_depend_on_pieces(files, monkeypatch):
    monkeypatch.setattr(scoring, "SAMPLE", 300)
    ask = {
        "audit": make_release().audit,
        "schema": SCHEMA,
        "measures": ["total-correlation", "dr3"],
    }
    one = sm.assess_file(*files(), **ask)
    monkeypatch.setattr(limits, "LARGEST_PIECE", 77)
    assert differences(one, sm.assess_file(*files(), **ask)) == []


# bad input


@pytest.mark.parametrize(
    ("change", "options", "error", "message"),
    [
        (lambda r: r[1:], {}, TableError, "has 900 rows and the release 899"),
        (lambda r: r[["weight"]], {}, SchemaError, "no masked column in common"),
        (lambda r: r.assign(wage="x"), {}, SchemaError, "'wage' is numeric and holds text"),
        (lambda r: r, {"audit": "other"}, TableError, "belongs to another release"),
        (lambda r: r, {"match": "nobody"}, UsageError, "has no column 'nobody'"),
        (lambda r: r, {"known": ["agee"]}, SchemaError, "did you mean 'age'"),
        (lambda r: r, {"memory": "100MB"}, UsageError, "is allowed. Raise the memory."),
        (lambda r: r, {"memory": "lots"}, sm.SwapmeetError, "must be a size such as 4GB"),
        (lambda r: r, {"audit": "nowhere"}, FileError, "audit record is needed"),
    ],
)
def test_what_cannot_be_assessed_is_refused_and_leaves_nothing(
    files, tmp_path, change, options, error, message
):
    paths = files(release=change(make_release().shuffled()))
    if options.get("audit") == "other":
        options = {"audit": sm.mask(people(50), sm.RWN(k=3), schema=SCHEMA, seed=1).audit}
    with pytest.raises(error, match=message):
        sm.assess_file(*paths, schema=SCHEMA, **options)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.parquet", "release.parquet"]


def test_infinite_numbers_are_refused_as_in_memory(files):
    original = PEOPLE.assign(wage=PEOPLE["wage"].where(PEOPLE.index > 2, np.inf))
    with pytest.raises(SchemaError) as whole:
        sm.assess(original, make_release().data, match="rows", schema=SCHEMA, measures=["dcr"])
    with pytest.raises(SchemaError) as pieces:
        sm.assess_file(
            *files(original, make_release().data), match="rows", schema=SCHEMA, measures=["dcr"]
        )
    assert str(pieces.value) == str(whole.value)


def test_other_formats_are_refused(tmp_path, files):
    with pytest.raises(UsageError, match="SPSS files cannot be assessed piece by piece"):
        sm.assess_file(tmp_path / "people.sav", files()[1])


def test_a_full_disk_is_seen_before_any_work(files, monkeypatch):
    full = shutil.disk_usage("/")._replace(free=10)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    with pytest.raises(OutputError, match="of free disk in"):
        sm.assess_file(*files(), schema=SCHEMA)


# secrets


def test_what_is_put_aside_is_private_and_removed(files, tmp_path, monkeypatch):
    seen = []

    def look(label, *_):
        aside = [path for path in tmp_path.iterdir() if path.is_dir()]
        seen.extend(map(is_private, aside))

    sm.assess_file(*files(), schema=SCHEMA, measures=["margins"], progress=look)
    assert set(seen) == {True}
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_single_rows_are_not_told(files):
    card = sm.assess_file(*files(), audit=make_release().audit, schema=SCHEMA, measures=QUICK)
    assert all(score.records is None for score in card)


@pytest.mark.parametrize("tied", [True, False])
def test_a_release_that_ties_rows_together_is_not_called_safe_piece_by_piece(tmp_path, tied):
    """Whoever knows a whole household is an intruder that only tables in memory show."""
    rng = np.random.default_rng(3)
    survey = pd.DataFrame(
        {"hid": np.repeat(np.arange(300), 3), "age": rng.integers(0, 90, 900), "at": range(900)}
    )
    blind = survey.assign(hid=rng.permutation(300)[survey["hid"]], age=rng.permutation(900))
    for name, table in (("a", survey), ("b", blind if tied else blind.drop(columns="hid"))):
        pq.write_table(pa.Table.from_pandas(table), tmp_path / f"{name}.parquet")
    schema = sm.Schema.guess(survey, {}).assign(household="hid", keep="at")
    card = sm.assess_file(
        tmp_path / "a.parquet", tmp_path / "b.parquet", match="rows", schema=schema,
        measures=["dbrl"], limits={"dbrl": 0.2},
    )  # fmt: skip
    assert card.verdict.safe is not tied
    assert ("tie rows together" in card.verdict.sentence) is tied


def test_views_are_masked_and_measured_piece_by_piece(tmp_path):
    """Arrow can neither filter nor take them."""
    table = pa.Table.from_pandas(PEOPLE.drop(columns=["id"]), preserve_index=False)
    for name in ("sex", "region", "illness"):
        at = table.schema.get_field_index(name)
        table = table.set_column(at, name, table[name].cast(pa.string_view()))
    pq.write_table(table, tmp_path / "p.parquet")
    sm.mask_file(
        tmp_path / "p.parquet", tmp_path / "r.parquet", sm.RWN(k=5, weights=0.5), block_rows=300,
        keep=["weight"], audit=tmp_path / "a",
    )  # fmt: skip
    card = sm.assess_file(
        tmp_path / "p.parquet", tmp_path / "r.parquet", measures=QUICK,
        audit=sm.AuditRecord.load(tmp_path / "a"),
    )  # fmt: skip
    assert card["margins"].value > 0
