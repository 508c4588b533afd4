from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

import swapmeet as sm
from swapmeet import io
from swapmeet.errors import UsageError
from swapmeet.io import FORMATS, describe_losses, find_lost, format_of
from swapmeet.io.feature import Feature
from swapmeet.io.format import StreamingFormat
from swapmeet.io.statistical.file import add_to_dictionary


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.csv", "csv"),
        ("a.CSV", "csv"),
        ("a.tsv", "csv"),
        ("a.txt", "csv"),
        ("a.b.csv.gz", "csv"),
        ("a.parquet", "parquet"),
        ("a.feather", "arrow"),
        ("a.arrow", "arrow"),
        ("a.sav", "spss"),
        ("a.zsav", "spss"),
        ("a.dta", "stata"),
        ("a.sas7bdat", "sas"),
        ("a.xpt", "xport"),
        ("a.xlsx", "excel"),
    ],
)
def test_the_end_of_the_name_tells_the_format(name, expected):
    assert format_of(name) == expected
    assert format_of(Path("folder.csv") / name) == expected


@pytest.mark.parametrize("name", ["a", "a.gz", "a.xls", "csv", "a.parquet.gz"])
def test_unknown_names_are_told_all_known_endings(name):
    with pytest.raises(UsageError, match=r"unknown file format") as caught:
        format_of(name)
    for each in FORMATS.values():
        assert all(suffix in str(caught.value) for suffix in each.suffixes)


def test_only_sas_cannot_be_written():
    assert [name for name, each in FORMATS.items() if not each.can_write] == ["sas"]
    assert all(name == each.name for name, each in FORMATS.items())


def test_the_page_on_files_tells_what_each_format_can():
    page = Path(__file__).parents[2] / "docs" / "reference" / "files.md"
    rows = [line.split(" | ") for line in page.read_text().splitlines() if line.startswith("| ")]
    told = {row[0].removeprefix("| "): row[1:5] for row in rows[2:]}
    assert list(told) == [each.title for each in FORMATS.values()]
    for each in FORMATS.values():
        suffixes, *abilities = told[each.title]
        assert all(f"`{suffix}`" in suffixes for suffix in each.suffixes)
        can = (True, each.can_write, isinstance(each, StreamingFormat))
        assert abilities == ["yes" if one else "no" for one in can]


def test_an_address_where_only_a_file_will_do_is_refused_without_repeating_it():
    with pytest.raises(UsageError, match="only a file will do") as caught:
        format_of("postgresql://ann:hidden-4711@host/clinic")
    assert "hidden" not in str(caught.value)


TARGETS = [each.suffixes[0] for each in FORMATS.values() if each.can_write]
SOURCES = ("spss", "stata", "parquet", "csv", "excel")
FRAME = pd.DataFrame(
    {
        "sex": [1.0, 2, 9, 1],
        "tv_at_home": [1.0, 0, 1, 0],
        "radio": [0.0, 1, 1, 1],
        "weight": [1.5, 2.5, 3.5, 1.25],
        "Größe": ["k", "m", "g", "m"],
    }
)
SETS = {
    "media": {"type": "D", "is_dichotomy": True, "counted_value": 1, "label": "Häufig genutzt",
              "variable_list": ["tv_at_home", "radio"]},
}  # fmt: skip


def make_spss(folder):
    path = folder / "in.sav"
    pyreadstat.write_sav(
        FRAME, path,
        column_labels={"sex": "Sex of person"},
        variable_value_labels={"sex": {1.0: "female", 2.0: "male", 9.0: "refused"},
                               "Größe": {"k": "klein", "m": "mittel", "g": "groß"}},
        missing_ranges={"sex": [9]},
        variable_measure={name: "nominal" if name == "sex" else "unknown" for name in FRAME},
    )  # fmt: skip
    add_to_dictionary(path, "weight", SETS)
    return path


def make_stata(folder):
    frame = FRAME.drop(columns="Größe").assign(sex=pd.Series([1, 2, "a", 1], dtype=object))
    path = folder / "in.dta"
    pyreadstat.write_dta(
        frame, path, column_labels={"sex": "Sex of person"},
        variable_value_labels={"sex": {1: "female", 2: "male", "a": "refused"}},
        missing_user_values={"sex": ["a"]},
    )  # fmt: skip
    return path


def make_parquet(folder):
    moments = [dt.datetime(2020, 1, 1, 12), None, dt.datetime(2020, 7, 1, 12), None]
    table = pa.table(
        {
            "c": pa.array(["b", "a", "b", "a"]).dictionary_encode(),
            "zone": pa.array(moments, pa.timestamp("us", tz="Europe/Berlin")),
            "time": pa.array([dt.time(12, 1), None, dt.time(1, 1), None]),
            "yes": [True, False, None, True],
            "text": ["", None, "x", "y"],
            "long_one": [2**60 + 1, 1, 2, 3],
        }
    )
    pq.write_table(table, folder / "in.parquet")
    return folder / "in.parquet"


def make_csv(folder):
    (folder / "in.csv").write_text(
        "yes,long_one,age\n" + "true,1152921504606846977,1\nfalse,1,2\n" * 2
    )
    return folder / "in.csv"


def make_excel(folder):
    pd.DataFrame({"yes": [True, False] * 2, "n": [1, 2, 3, 4]}).to_excel(
        folder / "in.xlsx", index=False
    )
    return folder / "in.xlsx"


@pytest.fixture(params=SOURCES)
def document(request, tmp_path):
    return io.read(globals()[f"make_{request.param}"](tmp_path))


def features(document, names):
    return FORMATS[document.format].find_features(document, names)


@pytest.mark.parametrize("suffix", TARGETS)
def test_what_is_declared_lost_is_lost_and_nothing_else(document, tmp_path, suffix):
    names = list(map(str, getattr(document.frame, "column_names", document.frame.columns)))
    names = [name for name in names if suffix != ".xpt" or name.isascii()]
    frame = document.frame.select(names) if document.format in {"csv", "parquet"} else (
        document.frame[names])  # fmt: skip
    out = tmp_path / f"out{suffix}"
    donors = {name: np.arange(len(frame)) for name in names}
    io.write(out, frame, like=document, donors=donors)
    before, after = features(document, names), features(io.read(out), names)
    changed = {feature for feature, content in before.items() if after.get(feature) != content}
    assert changed == find_lost(out, document, names)


def test_the_files_of_this_test_tell_all_that_can_be_lost(tmp_path):
    told = set()
    for make in (make_spss, make_stata, make_parquet):
        document = io.read(make(tmp_path))
        told |= set(features(document, list(document.frame.columns) if document.format != "parquet"
                             else document.frame.column_names))  # fmt: skip
    assert told == set(Feature) - {Feature.MISSING_REASONS}


def test_nothing_is_said_of_columns_that_are_not_published(tmp_path):
    document = io.read(make_spss(tmp_path))
    assert find_lost(tmp_path / "o.csv", document, ["radio"]) == frozenset()
    assert find_lost(tmp_path / "o.csv", document, ["weight"]) == {Feature.WEIGHT}


def test_the_note_names_the_file_what_is_lost_and_the_remedy(tmp_path):
    document, names = io.read(make_spss(tmp_path)), list(FRAME)
    (note,) = describe_losses([tmp_path / "o.csv"], document, names)
    assert note.startswith("o.csv does not keep: labels of columns; labels of values;")
    assert "--labels text" in note
    (note,) = describe_losses([tmp_path / "o.csv"], document, names, "text")
    assert "labels of values" not in note
    (note,) = describe_losses([tmp_path / "o.dta"], document, names)
    assert "--labels" not in note
    assert describe_losses([tmp_path / "o.sav"], document, names) == ()


def test_files_that_lose_the_same_share_a_note(tmp_path):
    document, names = io.read(make_spss(tmp_path)), list(FRAME)
    targets = [tmp_path / f"o.{suffix}" for suffix in ("csv", "sav", "xlsx", "dta", "parquet")]
    notes = describe_losses(targets, document, names)
    assert [note.split(" do")[0] for note in notes] == ["o.csv, o.xlsx and o.parquet", "o.dta"]


def test_weight_and_response_sets_of_spss_are_kept_in_every_container(tmp_path):
    document = io.read(make_spss(tmp_path))
    assert document.weight == "weight"
    for name in ("o.sav", "o.zsav"):
        io.write(tmp_path / name, document.frame, like=document)
        again = io.read(tmp_path / name)
        assert again.weight == "weight"
        assert again.layout.metadata.mr_sets == SETS
        pd.testing.assert_frame_equal(again.frame, document.frame)


def test_a_set_with_a_dropped_column_is_gone_and_told(tmp_path):
    document = io.read(make_spss(tmp_path))
    left_out = io.write(tmp_path / "o.sav", document.frame.drop(columns="radio"), like=document)
    assert not io.read(tmp_path / "o.sav").layout.metadata.mr_sets
    assert "media" not in (tmp_path / "o.sav").read_bytes().decode("latin-1")
    assert any("multiple-response" in trace for trace in left_out)


@pytest.mark.parametrize("how", ["text", "codes", None])
def test_a_release_is_saved_in_several_formats_from_python(tmp_path, how):
    source = make_spss(tmp_path)
    frame = pd.concat([io.read(source).frame[["sex", "radio", "weight"]]] * 10, ignore_index=True)
    release = sm.mask(frame, sm.RWN(k=25, weights=0.01), keep=["weight"])
    names = [tmp_path / "o.sav", tmp_path / "o.csv"]
    with pytest.warns(sm.SwapmeetWarning, match="o.csv does not keep: labels of columns"):
        release.save(*names, like=source, labels=how)
    saved, text = io.read(names[0]), pd.read_csv(names[1])
    assert text["weight"].tolist() == saved.frame["weight"].tolist()
    assert set(text["sex"].dropna()) == ({"female", "male"} if how == "text" else {1, 2})
    assert saved.weight == "weight"


def test_saving_refuses_what_the_command_line_refuses(tmp_path):
    people = sm.datasets.load("diabetes")
    release = sm.mask(people, sm.RWN(k=9, weights=0.1))
    with pytest.raises(UsageError, match="named twice"):
        release.save(tmp_path / "o.csv", tmp_path / "o.csv")
    with pytest.raises(UsageError, match="must be one of text, codes"):
        release.save(tmp_path / "o.csv", labels="words")
    with pytest.raises(UsageError, match="but not written"):
        release.save(tmp_path / "o.csv", tmp_path / "o.sas7bdat")
    assert list(tmp_path.iterdir()) == []
