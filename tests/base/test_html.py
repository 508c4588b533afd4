from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from swapmeet.base.html import (
    write_box,
    write_fold,
    write_heading,
    write_list,
    write_mark,
    write_table,
    write_text,
)

TAGS = {"div", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"}
TEXTS = st.one_of(st.text(max_size=12), st.sampled_from(["<script>", "</td>", '"', "'", "&amp;"]))


class Reader(HTMLParser):
    """Which tags there are, and what a reader sees."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.words, self.open = set(), set(), [], 0

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open += 1

    def handle_endtag(self, tag):
        self.open -= 1

    def handle_data(self, data):
        self.words.append(data)


def read(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=2), max_size=4), TEXTS)
def test_whatever_names_hold_is_text_and_nothing_else(rows, text):
    told = read(
        write_box(
            write_heading(text), write_text(text), write_mark(text, "red"), write_list([text]),
            write_table([text, text], rows), write_fold(text, write_text(text)),
        )
    )  # fmt: skip
    assert told.tags <= TAGS
    assert told.attributes <= {"style"}
    assert told.open == 0


def test_cells_are_read_as_they_were_written():
    told = read(write_table(["a<b", "figure"], [["<script>alert('x')</script>", "1.5"]]))
    assert told.words == ["a<b", "figure", "<script>alert('x')</script>", "1.5"]


def test_figures_are_flush_right_and_words_left():
    html = write_table(["name", "share"], [["age", "12 %"], ["sex", "–"]])
    assert html.count("text-align:right") == 3
    assert html.count("text-align:left") == 3
