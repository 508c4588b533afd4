from __future__ import annotations

from pathlib import Path

import pytest

from swapmeet.errors import FileError, InputError, UsageError
from swapmeet.plan.plan import Plan, find_beside, place_beside


def test_run_file_stands_beside_the_release():
    assert place_beside(Path("d/people.csv")) == Path("d/people.csv.run.toml")
    assert place_beside(Path("d/people.CSV.GZ")) == Path("d/people.CSV.GZ.run.toml")
    assert place_beside(Path("d/people")) == Path("d/people.run.toml")


@pytest.mark.parametrize("name", ["people.csv", "people.CSV.GZ"])
def test_a_run_file_with_the_name_of_earlier_versions_is_found(tmp_path, name):
    assert find_beside(tmp_path / name) is None
    (tmp_path / "people.run.toml").touch()
    assert find_beside(tmp_path / name) == tmp_path / "people.run.toml"
    (tmp_path / f"{name}.run.toml").touch()
    assert find_beside(tmp_path / name) == tmp_path / f"{name}.run.toml"


def test_all_problems_are_told_together(tmp_path):
    config = tmp_path / "c.toml"
    config.write_text("[input]\nsheet = 1\ncoding = 'x'\n[output]\nkeep_order = 1\n")
    with pytest.raises(InputError) as caught:
        Plan.load(config)
    assert len(str(caught.value).splitlines()) == 3


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00a", "folder"])
def test_a_run_file_that_cannot_be_read_is_refused(tmp_path, content):
    config = tmp_path / "c.toml"
    if content == "folder":
        config.mkdir()
    elif content is not None:
        config.write_bytes(content)
    with pytest.raises(FileError, match=r"c\.toml"):
        Plan.load(config)


def test_nothing_is_asked_without_a_run_file():
    assert Plan.load(None) == Plan()


def test_saving_does_not_replace_unasked(tmp_path):
    Plan().save(tmp_path / "r.toml", overwrite=False)
    with pytest.raises(UsageError, match="exists already"):
        Plan().save(tmp_path / "r.toml", overwrite=False)
    assert Plan.load(tmp_path / "r.toml") == Plan()
