from __future__ import annotations

import datetime as dt
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from swapmeet import io
from swapmeet.errors import FileError, InputError, OutputError, UsageError
from swapmeet.io.statistical import file
from swapmeet.io.statistical.values import parse_frame
from swapmeet.tables.traces import Trace

SPSS = pd.DataFrame(
    {
        "id": [1.0, 2, 3, 4],
        "sex": [1.0, 2, 9, 1],
        "income": [10.5, -8, 99, np.nan],
        "city": ["Köln", "", "NA", "x y"],
        "born": [1.3e10, np.nan, 1.38e10, 1.2e10],
        "slept": [3600.0, 90000, np.nan, 0.5],
        "seen": [1.3e10 + 0.25, 1, 2, np.nan],
        "grade": [1.0, 2, 3, 2],
    }
)
SPSS_OPTIONS = {
    "file_label": "A survey",
    "note": ["collected by hand"],
    "column_labels": {"id": "secret identifier", "sex": "Sex of person", "city": "Ort"},
    "variable_value_labels": {
        "sex": {1.0: "female", 2.0: "male", 9.0: "refused"},
        "city": {"NA": "no answer"},
        "income": {0.0: "none"},
    },
    "missing_ranges": {"sex": [9], "income": [99, {"lo": -np.inf, "hi": -5}], "city": ["NA"]},
    "variable_format": {
        "id": "F8.0",
        "sex": "F1.0",
        "born": "DATE11",
        "slept": "TIME8",
        "seen": "DATETIME20",
        "income": "F8.2",
    },
    "variable_measure": {"sex": "nominal", "grade": "ordinal", "income": "scale"},
    "variable_display_width": {"sex": 17},
    "row_compress": True,
}
STATA = pd.DataFrame(
    {
        "id": pd.array([1, 2, 3, 4], dtype="Int32"),
        "sex": pd.array([1, 2, None, 1], dtype="Int32"),
        "income": pd.Series([10.5, "a", None, 0.1], dtype=object),
        "kids": pd.Series([1, "b", None, 3], dtype=object),
        "city": ["Köln", "", "NA", "x y"],
        "born": [0.0, 22000, np.nan, -1],
        "seen": [1.7e12, np.nan, 1.0, 2.0],
    }
)
STATA_OPTIONS = {
    "file_label": "A survey",
    "column_labels": {"id": "secret identifier", "sex": "Sex of person"},
    "variable_value_labels": {
        "sex": {1: "female", 2: "male"},
        "income": {"a": "refused", "c": "never asked"},
        "kids": {1: "one"},
    },
    "missing_user_values": {"income": ["a", "c"], "kids": ["b"]},
    "variable_format": {"born": "%td", "seen": "%tc", "income": "%9.2f"},
    "version": 14,
}
XPORT_OPTIONS = {
    "file_label": "A survey",
    "column_labels": {"id": "secret", "born": "Birth"},
    "table_name": "PEOPLE",
    "file_format_version": 5,
    "variable_format": {"born": "DATE9", "seen": "DATETIME20"},
}
MEANINGFUL = (
    "column_names",
    "column_names_to_labels",
    "original_variable_types",
    "readstat_variable_types",
    "missing_ranges",
    "missing_user_values",
    "variable_storage_width",
    "variable_display_width",
    "variable_alignment",
    "variable_measure",
)
READERS = {"sav": "read_sav", "zsav": "read_sav", "dta": "read_dta", "xpt": "read_xport"}


@pytest.fixture
def spss(tmp_path):
    pyreadstat.write_sav(SPSS, tmp_path / "in.sav", **SPSS_OPTIONS)
    return io.read(tmp_path / "in.sav")


@pytest.fixture
def stata(tmp_path):
    pyreadstat.write_dta(STATA, tmp_path / "in.dta", **STATA_OPTIONS)
    return io.read(tmp_path / "in.dta")


@pytest.fixture
def xport(tmp_path):
    frame = SPSS[["id", "income", "city", "born", "seen"]].assign(born=[1.0, np.nan, 2, 3])
    pyreadstat.write_xport(frame, tmp_path / "in.xpt", **XPORT_OPTIONS)
    return io.read(tmp_path / "in.xpt")


@pytest.fixture(params=["spss", "stata", "xport"])
def document(request):
    return request.getfixturevalue(request.param)


def raw(path):
    name = READERS[path.suffix[1:]]
    options = {} if path.suffix == ".xpt" else {"user_missing": True}
    return getattr(pyreadstat, name)(path, disable_datetime_conversion=True, **options)


def same(document):
    return {name: np.arange(4) for name in document.frame.columns}


def rewritten(document, frame, donors=None, suffix=None):
    out = document.path.with_name("out" + (suffix or document.path.suffix))
    io.write(out, frame, like=document, donors=donors)
    return io.read(out)


def meaning(metadata):
    return {name: getattr(metadata, name) for name in MEANINGFUL}


def test_cells_and_metadata_survive_exactly(document):
    again = rewritten(document, document.frame, same(document))
    pd.testing.assert_frame_equal(again.layout.stored, document.layout.stored)
    assert meaning(raw(again.path)[1]) == meaning(raw(document.path)[1])
    labels = raw(again.path)[1].variable_value_labels
    known = raw(document.path)[1].variable_value_labels
    assert labels.get("sex") == known.get("sex")
    assert again.layout.container == document.layout.container
    pd.testing.assert_frame_equal(again.frame, document.frame)
    assert again.kinds == document.kinds


def test_texts_that_nobody_asked_for_are_gone_and_told(document):
    out = document.path.with_name("out" + document.path.suffix)
    left_out = io.write(out, document.frame, like=document, donors=same(document))
    metadata = raw(out)[1]
    assert (metadata.file_label, metadata.notes) == (None, [])
    assert metadata.table_name in {None, "DATASET"}
    content = out.read_bytes()
    assert not [w for w in (b"A survey", b"collected by hand", b"PEOPLE") if w in content]
    assert Trace.FILE_LABEL in left_out
    assert (Trace.FILE_NOTES in left_out) == (document.format == "spss")
    assert (Trace.TABLE_NAME in left_out) == (document.format == "xport")


@pytest.mark.parametrize("package", ["spss", "stata"])
def test_labels_of_values_that_no_released_row_has_are_gone(package, request):
    document = request.getfixturevalue(package)
    donors = same(document) | {"sex": np.zeros(4, int), "income": np.zeros(4, int)}
    out = document.path.with_name("out" + document.path.suffix)
    left_out = io.write(out, document.frame, like=document, donors=donors)
    metadata, content = raw(out)[1], out.read_bytes()
    assert metadata.variable_value_labels["sex"] == {1: "female"}
    assert "income" not in metadata.variable_value_labels
    assert not metadata.missing_ranges.get("sex")
    assert not metadata.missing_user_values.get("income")
    assert not [w for w in (b"male", b"refused", b"none") if w in content.replace(b"female", b"")]
    assert {Trace.VALUE_LABELS, Trace.MISSING_CODES} <= left_out


def test_stored_cells_move_and_suppressed_ones_are_missing(document):
    donors = same(document) | {
        "income": np.array([3, 1, -1, 0]),
        "city": np.array([-1, 3, 0, 2]),
        "born": np.array([1, 0, 3, 2]),
    }
    before, after = (
        document.layout.stored,
        rewritten(document, document.frame, donors).layout.stored,
    )
    pd.testing.assert_series_equal(
        after["income"],
        before["income"].take([3, 1, 1, 0]).reset_index(drop=True).mask(np.arange(4) == 2),
        check_dtype=False,
    )
    assert after["city"].tolist() == ["", *before["city"].take([3, 0, 2])]
    assert (
        after["born"].astype(float).fillna(-99).tolist()
        == before["born"].astype(float).take([1, 0, 3, 2]).fillna(-99).tolist()
    )


def test_metadata_of_dropped_columns_are_gone(document):
    again = rewritten(document, document.frame.drop(columns="id"), {"city": np.arange(4)})
    assert b"secret" not in again.path.read_bytes()
    assert "id" not in raw(again.path)[1].column_names


def test_widths_of_text_do_not_shrink_with_it(spss):
    donors = same(spss) | {"city": np.array([1, 1, -1, 1])}
    again = rewritten(spss, spss.frame, donors)
    assert again.layout.metadata.variable_storage_width["city"] == 5
    assert again.layout.stored["city"].tolist() == [""] * 4


def test_spss_is_typed_for_masking(spss):
    frame = spss.frame
    assert frame["id"].tolist() == [1, 2, 3, 4]
    assert frame["id"].dtype == "int64"
    assert frame["sex"].isna().tolist() == [False, False, True, False]
    assert frame["income"].isna().tolist() == [False, True, True, True]
    assert frame["city"].isna().tolist() == [False, True, True, False]
    assert frame["born"].dtype.kind == "M"
    assert frame["born"][2] == pd.Timestamp("2020-02-02 05:20:00")
    peer, _ = pyreadstat.read_sav(spss.path)
    pd.testing.assert_series_equal(frame["seen"], peer["seen"])
    assert frame["slept"].tolist()[:2] == [3600, 90000]
    assert spss.kinds == {"sex": "nominal", "income": "numeric", "grade": "ordinal"}


def test_stata_is_typed_for_masking(stata):
    frame = stata.frame
    assert frame["kids"].dtype == "Int64"
    assert frame["kids"].isna().tolist() == [False, True, True, False]
    assert frame["income"].isna().tolist() == [False, True, True, False]
    assert frame["born"][1] == pd.Timestamp("2020-03-26")
    assert frame["seen"].dtype.kind == "M"
    assert stata.kinds == {"sex": "nominal"}


def test_stata_tells_system_missing_from_zero_and_letters(stata):
    assert stata.layout.stored["kids"].tolist()[:2] == [1, "b"]
    assert pd.isna(stata.layout.stored["kids"][2])


def test_xport_dates_are_dates(xport):
    assert xport.frame["born"][0] == pd.Timestamp("1960-01-02")
    assert xport.frame["seen"].dtype.kind == "M"


def test_values_of_a_frame_fit_the_stored_columns(document):
    frame = document.frame.assign(
        born=document.frame["born"].ffill(),
        income=[0.5, 1.5, 2.5, np.nan],
        city=["ö", None, "", "z"],
    )
    again = rewritten(document, frame)
    pd.testing.assert_series_equal(again.frame["born"], frame["born"])
    assert again.frame["income"].tolist()[:3] == [0.5, 1.5, 2.5]
    assert again.layout.stored["city"].tolist() == ["ö", "", "", "z"]
    assert (
        again.layout.metadata.original_variable_types["born"]
        == document.layout.metadata.original_variable_types["born"]
    )


@pytest.mark.parametrize("version", [8, 10, 12, 13, 14, 15])
def test_the_version_of_a_stata_file_is_kept(tmp_path, version):
    pyreadstat.write_dta(pd.DataFrame({"a": [1.0]}), tmp_path / "in.dta", version=version)
    document = io.read(tmp_path / "in.dta")
    io.write(tmp_path / "out.dta", document.frame, like=document)
    start = slice(0, 60 if version > 12 else 1)
    assert (tmp_path / "out.dta").read_bytes()[start] == (tmp_path / "in.dta").read_bytes()[start]


def test_whole_and_decimal_numbers_of_every_stata_type_keep_their_values(tmp_path):
    frame = pd.DataFrame(
        {
            "b": np.array([-127, 100], "int8"),
            "i": np.array([-32767, 32740], "int16"),
            "l": np.array([-2147483647, 2147483620], "int32"),
            "f": np.array([0.1, 1e30], "float32"),
            "d": [0.1, 1e300],
        }
    )
    frame.to_stata(tmp_path / "in.dta", write_index=False, version=118)
    document = io.read(tmp_path / "in.dta")
    again = rewritten(document, document.frame, {name: np.array([1, 0]) for name in frame})
    assert again.frame.iloc[::-1].to_numpy().tolist() == document.frame.to_numpy().tolist()


def test_zsav_is_compressed(spss):
    again = rewritten(spss, spss.frame, same(spss), suffix=".zsav")
    assert again.path.read_bytes().startswith(b"$FL3")
    pd.testing.assert_frame_equal(again.layout.stored, spss.layout.stored)


def test_labels_survive_a_change_of_package(spss):
    again = rewritten(spss, spss.frame, suffix=".dta")
    assert again.format == "stata"
    assert again.layout.metadata.column_names_to_labels["sex"] == "Sex of person"
    assert again.layout.metadata.variable_value_labels["sex"] == {
        1: "female",
        2: "male",
    }
    assert again.frame["born"].tolist()[0] == spss.frame["born"].tolist()[0]


def test_conversion_to_and_from_text(spss, tmp_path):
    io.write(tmp_path / "out.csv", spss.frame[["sex", "city", "born"]], like=spss)
    assert (tmp_path / "out.csv").read_text() == (
        "sex,city,born\n1,Köln,1994-09-26 23:06:40\n2,,\n,,2020-02-02 05:20:00\n"
        "1,x y,1963-01-18 21:20:00\n"
    )
    document = io.read(tmp_path / "out.csv")
    for suffix in ("sav", "dta", "xpt"):
        io.write(tmp_path / f"out.{suffix}", document.frame, like=document)
        again = io.read(tmp_path / f"out.{suffix}").frame
        assert again["sex"].fillna(-1).tolist() == [1, 2, -1, 1]
        assert again["city"].isna().tolist() == [False, True, True, False]


def test_no_rows_are_a_table(document):
    again = rewritten(document, document.frame.iloc[:0], {"city": np.array([], dtype=int)})
    assert len(again.frame) == 0


def test_any_frame_can_be_written(tmp_path):
    frame = pd.DataFrame(
        {
            "c": pd.Categorical(["u", None]),
            "k": pd.Categorical([1, None]),
            "b": [True, False],
            "i": [2**40, 1],
            "n": pd.array([1, None], dtype="Int8"),
            "z": pd.to_datetime(["2020-01-01T00:00Z", None]),
            "t": pd.to_timedelta([1, 2], unit="h"),
        }
    )
    for suffix in ("sav", "dta"):
        io.write(tmp_path / f"out.{suffix}", frame)
        again = io.read(tmp_path / f"out.{suffix}").frame
        assert again["c"].tolist()[0] == "u"
        assert again["k"].fillna(-1).tolist() == [1, -1]
        assert again["i"].tolist() == [2**40, 1]
        assert again["z"].tolist()[0] == pd.Timestamp("2020-01-01")
        assert again["t"].tolist() == [3600, 7200]


def test_dates_of_a_frame_become_dates(tmp_path):
    frame = pa.table({"d": [dt.date(2020, 1, 1), None], "m": [dt.datetime(2020, 1, 1, 2), None]})
    for suffix in ("sav", "dta", "xpt"):
        io.write(tmp_path / f"out.{suffix}", frame)
        again = io.read(tmp_path / f"out.{suffix}").frame
        assert again["d"].tolist() == [pd.Timestamp("2020-01-01"), pd.NaT]
        assert again["m"].tolist() == [pd.Timestamp("2020-01-01 02:00"), pd.NaT]


@pytest.mark.parametrize("suffix", ["sav", "dta", "xpt"])
def test_lists_are_refused_by_their_column(tmp_path, suffix):
    with pytest.raises(OutputError, match="column 'a' holds something other") as caught:
        io.write(tmp_path / f"out.{suffix}", pa.table({"a": [["CANARY"]]}))
    assert "CANARY" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", ["sav", "zsav", "dta", "xpt", "sas7bdat"])
def test_broken_files_are_refused_without_their_content(tmp_path, suffix):
    path = tmp_path / f"bad.{suffix}"
    path.write_bytes(b"CANARY,1\n" * 50)
    with pytest.raises(FileError, match=r"is not a readable .* file, or it is cut off") as caught:
        io.read(path)
    assert "CANARY" not in str(caught.value)


@pytest.mark.parametrize("name", ["spss", "stata"])
def test_cut_off_files_are_refused(name, request, tmp_path):
    document = request.getfixturevalue(name)
    whole = document.path.read_bytes()
    for length in (len(whole) - 20, len(whole) // 2):
        path = tmp_path / f"cut{document.path.suffix}"
        path.write_bytes(whole[:length])
        with pytest.raises(FileError, match="cut off"):
            io.read(path)


def test_names_that_a_package_forbids_are_listed(tmp_path):
    for suffix in ("sav", "dta", "xpt"):
        with pytest.raises(InputError, match=r"not 'two words', '1st'\. Rename"):
            io.write(
                tmp_path / f"out.{suffix}", pa.table({"two words": [1], "ok": [1], "1st": [2]})
            )
    assert list(tmp_path.iterdir()) == []


def test_sas_files_are_read(tmp_path, monkeypatch):
    frame, metadata = pd.DataFrame({"a": [1.0, 2.0]}), None
    pyreadstat.write_xport(frame, tmp_path / "a.xpt")
    frame, metadata = pyreadstat.read_xport(tmp_path / "a.xpt")
    monkeypatch.setattr(file, "read_apart", lambda *_, **__: (frame, metadata))
    (tmp_path / "a.sas7bdat").write_bytes(b"x")
    document = io.read(tmp_path / "a.sas7bdat")
    assert document.format == "sas"
    assert document.frame["a"].tolist() == [1, 2]


def test_sas_date_formats_are_known():
    metadata = SimpleNamespace(
        original_variable_types={"d": "MMDDYY10", "m": "DATETIME19", "t": "TIME8", "n": "BEST12"},
        readstat_variable_types=dict.fromkeys("dmtn", "double"),
        missing_ranges={},
    )
    stored = pd.DataFrame({"d": [1.0], "m": [86400.0], "t": [60.0], "n": [5.0]})
    kinds = {
        name: column.dtype.kind for name, column in parse_frame("sas", stored, metadata).items()
    }
    assert kinds == {"d": "M", "m": "M", "t": "f", "n": "f"}


def test_without_pyreadstat_the_remedy_is_told(tmp_path, hide):
    hide("pyreadstat")
    (tmp_path / "a.sav").write_bytes(b"x")
    with pytest.raises(UsageError, match=r'pip install "swapmeet\[formats\]"'):
        io.read(tmp_path / "a.sav")
    with pytest.raises(UsageError, match=r'pip install "swapmeet\[formats\]"'):
        io.write(tmp_path / "b.sav", pa.table({"a": [1]}))


@pytest.mark.parametrize("suffix", ["sav", "zsav", "dta", "xpt"])
def test_a_full_disk_leaves_nothing(small_disk, suffix):
    noise = np.random.default_rng(0).random(50_000)
    with pytest.raises(OutputError, match=r"could not be written: .*full"):
        io.write(small_disk / f"out.{suffix}", pa.table({"a": noise}))
    assert list(small_disk.iterdir()) == []


@pytest.mark.parametrize(("suffix", "name"), [("sav", "ALL"), ("sav", "with"), ("dta", "long")])
def test_words_of_the_language_are_no_column_names(tmp_path, suffix, name):
    with pytest.raises(InputError, match=f"no words of the language; not '{name}'"):
        io.write(tmp_path / f"out.{suffix}", pd.DataFrame({name: [1.0]}))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_days_become_days_elsewhere_and_moments_moments(tmp_path, suffix):
    frame = pd.DataFrame({"day": [13643e6, np.nan, 13643e6 + 86400], "moment": [13643e6 + 1] * 3})
    frame["day"] = frame["day"] // 86400 * 86400
    pyreadstat.write_sav(
        frame, tmp_path / "in.sav", variable_format={"day": "DATE11", "moment": "DATETIME20"}
    )
    document = io.read(tmp_path / "in.sav")
    io.write(tmp_path / f"out.{suffix}", document.frame, like=document)
    again = io.read(tmp_path / f"out.{suffix}").frame
    assert again["day"].type == pa.date32()
    assert again["day"].to_pylist()[0] == document.frame["day"][0].date()
    assert pa.types.is_timestamp(again["moment"].type)
