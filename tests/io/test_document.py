from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import swapmeet as sm
from swapmeet.errors import SwapmeetWarning, UsageError
from swapmeet.io.document import Document

METHOD = sm.RWN(k=30, weights=0.01)


@pytest.fixture
def text(tmp_path):
    """Numbers in several spellings, of which one is a price with a decimal comma."""
    lines = [f"{i};{i % 7},{i % 10}0;town {i % 5}" for i in range(60)]
    path = tmp_path / "people.csv"
    path.write_bytes(("nr;price;Ort\r\n" + "\r\n".join(lines)).encode("latin-1"))
    return path


@pytest.fixture
def survey(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({
        "sex": [1.0, 2.0, 9.0] * 20, "w": [1.0 + i / 7 for i in range(60)],
        "income": [float(i * i % 61) for i in range(60)],
    })  # fmt: skip
    pyreadstat.write_sav(
        frame, tmp_path / "p.sav", column_labels={"sex": "Sex of the person"},
        variable_value_labels={"sex": {1.0: "man", 2.0: "woman", 9.0: "unknown"}},
        missing_ranges={"sex": [9.0]}, variable_measure={"sex": "nominal"},
    )  # fmt: skip
    return tmp_path / "p.sav"


def test_a_document_tells_how_it_was_read_and_shows_no_cell(text):
    document = sm.read(text)
    assert repr(document) == (
        "<Document people.csv: delimited text, 60 rows and 3 columns, delimiter ';', "
        f"encoding {document.options['encoding']!r}>"
    )
    assert len(document) == 60
    assert document.names == ("nr", "price", "Ort")
    assert sm.read(text, **document.options).frame.equals(document.frame)


def test_labels_and_codes_for_missing_values_are_told(survey):
    document = sm.read(survey)
    assert document.column_labels == {"sex": "Sex of the person"}
    assert set(document.labels["sex"].values()) == {"man", "woman"}
    assert set(document.missing_codes) == {"sex"}
    assert str(document.schema["sex"].kind) == "nominal"
    assert "man" not in repr(document)
    assert repr(document).endswith("labels of 1>")


def test_a_format_from_elsewhere_has_a_repr_too():
    other = Document(path=Path("x.jsonl"), format="json-lines", frame=pa.table({"a": [1, 2]}))
    assert repr(other) == "<Document x.jsonl: json-lines, 2 rows and 1 columns>"
    assert other.options == other.column_labels == other.missing_codes == {}


def test_what_is_written_like_its_document_keeps_spelling_and_dialect(text, tmp_path):
    document = sm.read(text)
    release = sm.mask(document, METHOD, drop=["nr"], seed=1)
    release.write(tmp_path / "o.csv", like=document)
    lines = (tmp_path / "o.csv").read_bytes().decode("latin-1").split("\r\n")
    assert lines[0] == "price;Ort"
    spelled = {line.split(";")[1] for line in text.read_text("latin-1").split("\n")[1:]}
    assert {line.split(";")[0] for line in lines[1:61]} <= spelled


def test_another_document_of_as_many_rows_lends_no_cells(text, tmp_path):
    """Its rows may stand in another order: only labels and dialect are taken from it."""
    release = sm.mask(sm.read(text), METHOD, drop=["nr"], seed=1)
    other = sm.read(text)
    turned = replace(other, frame=other.frame.take(list(range(59, -1, -1))))
    release.write(tmp_path / "a.csv", like=turned)
    release.write(tmp_path / "b.parquet")
    written = sm.read(tmp_path / "a.csv", delimiter=";").frame
    assert written.equals(sm.read(tmp_path / "b.parquet").frame.cast(written.schema))


def test_release_and_record_are_written_at_once_or_not_at_all(text, tmp_path):
    document, folder = sm.read(text), tmp_path / "out"
    folder.mkdir()
    release = sm.mask(document, METHOD, drop=["nr"], seed=1)

    def stop(label, done, total):
        raise sm.Stopped

    with pytest.raises(sm.Stopped):
        release.write(folder / "o.csv", folder / "p.csv", like=document, audit=folder / "o.audit",
                      progress=stop)  # fmt: skip
    assert list(folder.iterdir()) == []
    release.write(folder / "o.csv", folder / "o.parquet", like=document, audit=folder / "o.audit")
    released = sm.read(folder / "o.parquet")
    record = sm.AuditRecord.load(folder / "o.audit")
    card = sm.assess(document, released, audit=record, drop=["nr"], measures=["pscr", "dbrl"])
    own = sm.assess(document, release, measures=["pscr", "dbrl"])
    assert card["dbrl"].value == own["dbrl"].value


def test_rows_that_stay_in_order_have_a_record_that_says_so(text, tmp_path):
    document = sm.read(text)
    release = sm.mask(document, METHOD, drop=["nr"], seed=1)
    release.write(tmp_path / "o.parquet", keep_order=True, audit=tmp_path / "o.audit")
    assert sm.read(tmp_path / "o.parquet").frame["price"].equals(release.data["price"])
    assert sm.AuditRecord.load(tmp_path / "o.audit").owner.tolist() == list(range(60))


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["o.csv", "o.csv"], "named twice"),
        (["people.csv"], "is the original"),
        (["o.xyz"], "unknown file format"),
        (["there.csv"], "exists already"),
    ],
)
def test_files_that_must_not_be_written_are_refused(text, tmp_path, names, words):
    document = sm.read(text)
    release = sm.mask(document, METHOD, drop=["nr"], seed=1)
    (tmp_path / "there.csv").write_text("mine")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(UsageError, match=words):
        release.write(*(tmp_path / name for name in names), like=document)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_an_spss_file_keeps_its_labels_and_a_text_gets_them_as_values(survey, tmp_path):
    document = sm.read(survey)
    release = sm.mask(document, METHOD, keep=["w"], seed=1)
    with pytest.warns(SwapmeetWarning, match=r"o\.csv does not keep: labels of columns"):
        release.write(tmp_path / "o.sav", tmp_path / "o.csv", like=document, labels="text")
    assert sm.read(tmp_path / "o.sav").labels == document.labels
    assert set(pd.read_csv(tmp_path / "o.csv")["sex"]) == {"man", "woman", "unknown"}
    again = sm.read(tmp_path / "o.csv")
    card = sm.assess(document, again, keep=["w"], measures=["margins"])
    own = sm.assess(document, release, measures=["margins"])
    assert card["margins"].value == own["margins"].value


def test_labels_of_a_file_without_any_are_refused(text, tmp_path):
    document = sm.read(text)
    release = sm.mask(document, METHOD, drop=["nr"], seed=1)
    with pytest.raises(UsageError, match="has no labels of values"):
        release.write(tmp_path / "o.csv", like=document, labels="text")


def test_what_a_file_says_of_its_columns_is_known_everywhere(survey):
    document = sm.read(survey)
    assert str(sm.mask(document, METHOD, keep=["w"], seed=1).schema["sex"].kind) == "nominal"
    facts = {column.name: column.kind for column in sm.inspect(document).columns}
    assert facts["sex"] == "nominal"
    study = sm.tune(document, ["rwn:k=30:weights=0.01"], limit={}, measures=["pscr"], keep=["w"],
                    goal=sm.Goal({"pscr": 1.0}, {"margins": 1.0}), repeats=1, final_repeats=1,
                    workers=1, seed=1)  # fmt: skip
    assert str(study.setup.schema["sex"].kind) == "nominal"
    assert sm.apply(study, document, seed=1).release.source is document.key


def test_a_weight_that_the_file_names_is_not_masked_unsaid(survey):
    document = replace(sm.read(survey), weight="w")
    with pytest.warns(SwapmeetWarning, match="names 'w' as its weight"):
        sm.mask(document, METHOD, seed=1)
