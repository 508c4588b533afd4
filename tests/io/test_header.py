from __future__ import annotations

import openpyxl
import pytest

import swapmeet as sm
from swapmeet import io
from swapmeet.errors import FileError, SwapmeetWarning

QUESTION = r"does the first line name the columns\?"
RECORDS = {
    "numbers": "34,1,70000\n51,2,42000\n29,1,38000\n",
    "text that occurs again": "CANARY,Bonn\nAnn,Ulm\nBea,Bonn\n",
    "dates": "CANARY,2020-01-31\nAnn,2021-02-01\n",
    "days with points": "CANARY;31.01.2020\nAnn;01.02.2021\n",
    "codes": "CANARY,AB123\nAnn,CD456\n",
    "codes with zeros": "CANARY,007\nAnn,012\n",
    "the same twice": "CANARY,CANARY\nAnn,Bob\n",
    "moments": "2020-01-01T10:00,x\n2020-01-02T11:00,y\n",
    "truth values": "true,Ann\nfalse,Bea\n",
    "missing values": "1,,CANARY\n2,3,x\n",
    "years of birth": "CANARY,1961\nx,1990\ny,1961\n",
    "no delimiter that is known": "1 2.66 20 0\n2 2.89 22 1\n",
    "decimal commas": "CANARY;1,5\nx;2,25\n",
    "one line": "34,CANARY,70000\n",
    "a dirty number": "34,1,7,x,?\n51,2,4,y,1\n29,1,3,z,2\n",
}  # fmt: skip
HEADERS = {
    "names": "age,sex\n34,f\n51,m\n",
    "years": "country,2019,2020,2021\nde,1,2,3\nfr,4,5,2020\n",
    "one year": "country,2019\nde,1\nfr,4\n",
    "places": "0,1,2\n1,0,1\n0,1,2\n",
    "wavelengths": "1100.5,1102.5,1104.5\n1,2,3\n4,5,6\n",
    "text alone": "name,city\nAnn,Bonn\nBob,Ulm\n",
    "options of a question": "id,Red,Blue\n1,Red,\n2,,Blue\n3,Red,Blue\n",
    "a name as a value": "id,other\n1,other\n2,none\n",
    "numbered questions": "q1,q2\na,b\nb,a\n",
    "no rows": "age,sex\n",
}  # fmt: skip


def save(folder, text):
    path = folder / "in.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize("text", RECORDS.values(), ids=RECORDS)
def test_a_record_in_the_place_of_names_is_asked_about_and_not_shown(tmp_path, text):
    with pytest.raises(FileError, match=QUESTION) as caught:
        io.read(save(tmp_path, text))
    said = str(caught.value).replace(str(tmp_path), "")
    assert "CANARY" not in said
    assert "--no-header" in said


@pytest.mark.parametrize("text", HEADERS.values(), ids=HEADERS)
def test_names_are_names(tmp_path, text):
    first = text.split("\n")[0].split(",")
    assert io.read(save(tmp_path, text)).frame.column_names == first


def test_the_index_of_pandas_is_called_by_its_place(tmp_path):
    with pytest.warns(SwapmeetWarning, match="column 1 has no name"):
        names = io.read(save(tmp_path, ",age,sex\n0,34,f\n1,51,m\n")).frame.column_names
    assert names == ["column_1", "age", "sex"]


@pytest.mark.slow
def test_files_of_research_have_a_header_and_miss_it_when_it_is_cut(shared, tmp_path):
    for path in sorted((shared / "data").glob("*.csv")):
        io.read(path)
        with pytest.raises(FileError, match=QUESTION):
            io.read(save(tmp_path, path.read_text().split("\n", 1)[1]))


def test_whoever_says_so_has_columns_with_numbers(tmp_path):
    document = io.read(save(tmp_path, RECORDS["numbers"]), header=False)
    assert document.frame.column_names == ["column_1", "column_2", "column_3"]
    assert document.frame["column_1"].to_pylist() == [34, 51, 29]


def test_whoever_insists_has_the_first_line_as_names(tmp_path):
    document = io.read(save(tmp_path, RECORDS["numbers"]), header=True)
    assert document.frame.column_names == ["34", "1", "70000"]


def test_a_release_of_a_file_without_header_has_none_in_any_delimiter(tmp_path):
    document = io.read(save(tmp_path, "1,a\n2,b\n"), header=False)
    for name, wanted in (("out.csv", "1,a\n2,b\n"), ("out.tsv", "1\ta\n2\tb\n")):
        io.write(tmp_path / name, document.frame, like=document)
        assert (tmp_path / name).read_text() == wanted


def test_a_sheet_without_names_is_asked_about_too(tmp_path):
    path, out = tmp_path / "in.xlsx", tmp_path / "out.xlsx"
    book = openpyxl.Workbook()
    for row in ([34, "CANARY", 70000], [51, "x", 42000]):
        book.active.append(row)
    book.save(path)
    with pytest.raises(FileError, match=QUESTION) as caught:
        io.read(path)
    assert "CANARY" not in str(caught.value).replace(str(tmp_path), "")
    document = io.read(path, header=False)
    assert list(document.frame.columns) == ["column_1", "column_2", "column_3"]
    io.write(out, document.frame, like=document)
    assert [cell.value for cell in openpyxl.load_workbook(out).active[1]] == [34, "CANARY", 70000]


def test_pieces_ask_too_and_the_release_can_be_assessed(tmp_path):
    path, out = tmp_path / "people.csv", tmp_path / "release.csv"
    path.write_text("".join(f"{20 + row % 50},{row % 7}.5,{row}\n" for row in range(300)))
    with pytest.raises(FileError, match=QUESTION):
        sm.mask_file(path, out, sm.RankSwap(window=0.1))
    sm.mask_file(path, out, sm.RankSwap(window=0.1), header=False, publish=["column_3"])
    assert len(out.read_text().splitlines()) == 300
    card = sm.assess_file(path, out, measures=["margins"], header=False)
    assert card["margins"].value >= 0.0
