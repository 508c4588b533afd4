from __future__ import annotations

from swapmeet import warming
from swapmeet.warming import list_jobs


def test_the_command_says_how_much_is_kept_and_where(swapmeet, monkeypatch):
    monkeypatch.setattr(warming, "_do_apart", len)
    run = swapmeet("warm-up", "--json")
    assert run.code == 0
    assert run.json["jobs"] == len(list_jobs())
    assert run.json["kernels"] >= 0
    assert "loops are kept in" in swapmeet("warm-up").out


def test_only_commands_that_compile_have_another_process_help():
    from swapmeet.cli.entry_point import _find_last_needed

    assert _find_last_needed(["demo"]) == ["guessing"]
    assert _find_last_needed(["mask", "a.csv", "b.csv", "--method", "matched-swap"]) == ["trading"]
    assert _find_last_needed(["mask", "a.csv", "b.csv", "--method", "rwn"]) == []
