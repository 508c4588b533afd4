from __future__ import annotations

import pickle

from swapmeet.base.notes import (
    MergeableNote,
    list_counts,
    mark_part,
    merge_notes,
    sum_by_column,
)


def lonely(rows, count, k=1):
    return f"{count} of {rows} rows have no {k} neighbours."


def sizes(low, high):
    return f"{low} to {high} rows."


def remark(count, rows=10, k=1):
    return MergeableNote.of(lonely, {"count": sum}, rows=rows, count=count, k=k)


def test_a_remark_is_a_sentence():
    assert remark(3) == "3 of 10 rows have no 1 neighbours."


def test_counts_add_up_and_rows_are_those_of_the_table():
    assert merge_notes([[remark(3)], [], [remark(4)]], 30) == (
        "7 of 30 rows have no 1 neighbours.",
    )


def test_extremes_are_those_of_all_blocks():
    low_high = {"low": min, "high": max}
    blocks = [
        [MergeableNote.of(sizes, low_high, low=a, high=b)] for a, b in ((5, 6), (3, 4), (4, 9))
    ]
    assert merge_notes(blocks, 0) == ("3 to 9 rows.",)


def test_what_differs_in_more_than_counts_is_said_for_itself():
    assert merge_notes([[remark(1, k=5)], [remark(1, k=6)]], 20) == (
        "1 of 20 rows have no 5 neighbours.",
        "1 of 20 rows have no 6 neighbours.",
    )


def test_plain_sentences_are_said_once():
    assert merge_notes([["a", "b"], ["b"], ["a"]], 3) == ("a", "b")


def test_parts_of_a_method_speak_for_themselves():
    first, second = mark_part([remark(1), "plain"], 0), mark_part([remark(2)], 1)
    assert merge_notes([[*first, *second], [*second]], 20) == (
        "1 of 20 rows have no 1 neighbours.",
        "plain",
        "4 of 20 rows have no 1 neighbours.",
    )


def test_what_was_joined_can_be_joined_again():
    half = merge_notes([[remark(1)], [remark(2)]], 20)
    assert merge_notes([half, half], 40) == ("6 of 40 rows have no 1 neighbours.",)


def test_columns_are_counted_each_for_itself():
    assert list_counts(sum_by_column([{"b": 1, "a": 0}, {"a": 2, "b": 1}])) == "b 2, a 2"


def test_a_remark_travels():
    first, second = (pickle.loads(pickle.dumps(remark(count))) for count in (1, 2))
    assert first == remark(1)
    assert merge_notes([[first], [second]], 20) == ("3 of 20 rows have no 1 neighbours.",)
