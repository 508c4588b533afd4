from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from modes import is_private

import swapmeet as sm
from swapmeet.errors import FileError, UsageError
from swapmeet.release.audit import FORMAT, AuditRecord

N = 40
SEED = 918_273_645_546_372_819


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    return pd.DataFrame({"age": rng.random(N), "income": rng.random(N), "kept": np.arange(N)})


@pytest.fixture(scope="module")
def release(frame, masked):
    schema = sm.Schema.infer(frame).assign(keep=["kept"])
    return masked(frame, sm.RWN(k=3), schema=schema, seed=SEED)


@pytest.fixture
def saved(release, tmp_path):
    path = tmp_path / "run.audit"
    release.audit.save(path)
    return path


def test_shuffled_rows_are_those_of_the_data_in_the_order_of_their_owners(release):
    published, owner = release.shuffled(), release.audit.owner
    assert sorted(owner) == list(range(N))
    assert owner.tolist() != list(range(N))
    assert published["kept"].tolist() == owner.tolist()
    assert published["age"].tolist() == release.data["age"].to_numpy()[owner].tolist()
    assert published.index.tolist() == list(range(N))


def test_shuffling_twice_gives_the_same_order(release):
    assert release.shuffled().equals(release.shuffled())


def test_donors_span_all_published_columns(release):
    assert release.audit.columns == ("age", "income", "kept")
    assert release.audit.donors.shape == (N, 3)
    assert release.audit.moved[:, :2].all()
    assert not release.audit.moved[:, 2].any()


def test_repr_tells_method_and_size_but_neither_seed_nor_donors(release):
    assert repr(release).startswith("<Release of 40 rows and 3 columns by rwn(k=3, ")
    assert repr(release.audit) == "<AuditRecord: secret; save it apart from the release>"
    for text in (repr(release), str(release), repr(release.audit), str(release.audit)):
        assert str(SEED) not in text
        assert str(release.audit.donors[0, 0]) + " " not in text
        assert str(release.data["age"].iloc[0])[:8] not in text


def test_saved_record_is_for_its_owner_only(saved):
    assert is_private(saved)


def test_saved_record_comes_back_whole(release, saved):
    again = AuditRecord.load(saved)
    assert again.seed.key == release.audit.seed.key
    assert again.seed.chosen
    assert again.columns == release.audit.columns
    assert np.array_equal(again.donors, release.audit.donors)
    assert np.array_equal(again.owner, release.audit.owner)
    assert np.array_equal(again.moved, release.audit.moved)


def test_saved_record_has_the_fingerprint_of_its_release(release, saved):
    again, fingerprint = AuditRecord.load(saved).fingerprint, release.audit.fingerprint
    assert again.precisions == fingerprint.precisions
    assert np.array_equal(again.prints.rows, fingerprint.prints.rows)
    assert np.array_equal(again.prints.totals, fingerprint.prints.totals)


def test_older_record_without_a_fingerprint_is_read(tmp_path):
    older = forged(tmp_path / "a", facts={"format": "swapmeet audit record 2"})
    assert AuditRecord.load(older).fingerprint is None


def test_record_of_an_unseeded_run_comes_back_as_such(frame, tmp_path, masked):
    release = masked(frame, sm.RWN(k=3))
    release.audit.save(tmp_path / "a")
    assert not AuditRecord.load(tmp_path / "a").seed.chosen
    assert not release.reproducible


def test_record_with_suppressed_cells_and_odd_names_comes_back(tmp_path, masked):
    frame = pd.DataFrame({"größe\n": [1.0, 2.0, 900.0], "": [1.0, 2.0, 900.0]})
    release = masked(frame, sm.NBRS(eps=0.5), seed=1)
    release.audit.save(tmp_path / "a")
    again = AuditRecord.load(tmp_path / "a")
    assert again.columns == ("größe\n", "")
    assert (again.donors == -1).any()


def test_existing_record_is_overwritten_only_on_request(release, saved):
    with pytest.raises(UsageError, match="exists already"):
        release.audit.save(saved)
    release.audit.save(saved, overwrite=True)
    AuditRecord.load(saved)


def test_absent_record_is_told(tmp_path):
    with pytest.raises(FileError) as caught:
        AuditRecord.load(tmp_path / "none")
    assert str(caught.value) == (
        f"{tmp_path / 'none'}: an audit record is needed; this file does not exist."
    )


def test_folder_is_no_record(tmp_path):
    with pytest.raises(FileError, match="this folder is not one"):
        AuditRecord.load(tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"PK\x03\x04", b"\x93NUMPY\x01\x00", b"a,b\n1,2\n", b"\x80\x04N."]
)
def test_other_files_are_no_record(tmp_path, content):
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(FileError, match="this file is not one"):
        AuditRecord.load(path)


def test_single_array_is_no_record(tmp_path):
    np.save(tmp_path / "other.npy", np.arange(3))
    with pytest.raises(FileError, match="this file is not one"):
        AuditRecord.load(tmp_path / "other.npy")


def test_cut_record_is_refused_wherever_it_was_cut(saved, tmp_path):
    whole = saved.read_bytes()
    for length in range(0, len(whole), 37):
        (tmp_path / "cut").write_bytes(whole[:length])
        with pytest.raises(FileError):
            AuditRecord.load(tmp_path / "cut")


def test_record_with_a_flipped_byte_is_refused_or_was_not_hurt(release, saved, tmp_path):
    whole = bytearray(saved.read_bytes())
    refused = 0
    for at in range(0, len(whole), 23):
        tampered = bytearray(whole)
        tampered[at] ^= 0xFF
        (tmp_path / "tampered").write_bytes(tampered)
        try:
            again = AuditRecord.load(tmp_path / "tampered")
        except FileError:
            refused += 1
        else:
            assert np.array_equal(again.donors, release.audit.donors)
            assert again.seed.key == release.audit.seed.key
    assert refused > 10


PRINTED = {"precisions": {"a": "usual", "b": "single"}, "totals": [1, 2]}


def forged(path, **changes):
    facts = {"format": FORMAT, "chosen": True, "columns": ["a", "b"], "stuck": {"b": 1}}
    facts |= changes.pop("facts", {})
    arrays = {
        "facts": np.array(json.dumps(facts)),
        "seed": np.zeros(32, np.uint8),
        "donors": np.zeros((3, 2), np.int64),
        "owner": np.arange(3),
        "stuck": np.zeros(1, np.int64),
    }
    with path.open("wb") as file:
        np.savez_compressed(file, **(arrays | changes))
    return path


def test_record_made_by_hand_is_read_when_it_is_consistent(tmp_path):
    assert AuditRecord.load(forged(tmp_path / "a")).columns == ("a", "b")


@pytest.mark.parametrize(
    "changes",
    [
        {"facts": {"format": "swapmeet audit record 9"}},
        {"facts": {"columns": ["a"]}},
        {"facts": {"columns": None}},
        {"seed": np.zeros(3, np.uint8)},
        {"donors": np.full((3, 2), 9)},
        {"donors": np.zeros((3, 2))},
        {"donors": np.zeros(3, np.int64)},
        {"owner": np.arange(2)},
        {"owner": np.zeros(3, np.int64)},
        {"facts": {"stuck": {"c": 1}}},
        {"facts": {"stuck": {"b": 2}}, "stuck": np.array([0, 1])},
        {"stuck": np.array([1])},
        {"stuck": np.array([7])},
        {"facts": {"fingerprint": {}}, "prints": np.zeros(3, np.uint64)},
        {"facts": {"fingerprint": PRINTED}, "prints": np.zeros(2, np.uint64)},
        {"facts": {"fingerprint": PRINTED}, "prints": np.zeros(3, np.int64)},
        {"facts": {"fingerprint": PRINTED | {"totals": [1]}}, "prints": np.zeros(3, np.uint64)},
    ],
)
def test_inconsistent_record_is_refused(tmp_path, changes):
    with pytest.raises(FileError, match="this file is not one"):
        AuditRecord.load(forged(tmp_path / "a", **changes))


def test_a_release_cannot_be_changed(release):
    with pytest.raises(AttributeError):
        release.data = None
    with pytest.raises(AttributeError):
        release.audit.owner = None
