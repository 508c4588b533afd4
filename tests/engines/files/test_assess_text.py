"""Delimited text that is assessed piece by piece has the scores of the tables in memory."""

from __future__ import annotations

import warnings

import pytest

import swapmeet as sm
from swapmeet import io
from swapmeet.errors import TableError
from swapmeet.io.delimited import pieces as csv_pieces
from swapmeet.release.audit import AuditRecord
from swapmeet.running.assessing import assess_file
from swapmeet.running.masking import mask_file

EXACT = ["dbrl", "pscr", "rid", "margins", "correlations", "k-anonymity", "cell-distance"]


@pytest.mark.slow
def test_texts_have_the_scores_of_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_pieces, "PIECE", 20_000)
    path, target, secret = (tmp_path / name for name in ("a.csv", "b.csv", "a.npz"))
    sm.datasets.load("fair").to_csv(path, index=False)
    schema = sm.datasets.schema("fair")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        mask_file(path, target, sm.RWN(k=5, weights=0.2), schema=schema, audit=secret)
    card = assess_file(path, target, audit=secret, schema=schema, measures=EXACT, at_most=500)
    whole = sm.assess(
        io.read(path).frame, io.read(target).frame, audit=AuditRecord.load(secret), schema=schema,
        measures=EXACT, at_most=500,
    )  # fmt: skip
    for name in EXACT:
        assert card[name].value == pytest.approx(whole[name].value, rel=1e-9), name
    assert not [entry for entry in tmp_path.iterdir() if entry.name.startswith(".")]


def test_a_release_with_guarded_formulas_is_refused_piece_by_piece(tmp_path):
    original, release = tmp_path / "a.csv", tmp_path / "b.csv"
    rows = [f"{'=cmd' if row % 3 else 'plain'},{row}" for row in range(60)]
    original.write_text("\n".join(["name,age", *rows]) + "\n")
    release.write_text("\n".join(["name,age", *rows]).replace("=cmd", "'=cmd") + "\n")
    with pytest.raises(TableError, match="'name': text of the release has the apostrophes"):
        sm.assess_file(original, release, memory="1GB", match="rows")
