"""Commands that Swapmeet prints, found in what it says and made ready to be run by a test.

A command stands between backticks, as in sentences, between the tags of code, as on pages, or at
the end of a line, as in lists of what to do next. Words in capital letters, such as FILE, stand for
something of the reader's, which a test fills in.
"""

from __future__ import annotations

import html
import re
import shlex

PLACE = re.compile(r"[A-Z]{3,}(\.html)?")
"""A word that stands for something of the reader's."""
IN_TEXT = re.compile(r"`(swapmeet [^`]+)`|(?<!`)\b(swapmeet [a-z][^`\n]*)$", re.MULTILINE)
ON_PAGE = re.compile(
    r"<(?:code|pre)[^>]*>\s*(swapmeet .*?)</(?:code|pre)>|`(swapmeet [^`]+)`", re.S
)


def find_commands(text, **places):
    """The words after `swapmeet` of each command in a text, each once, in order.

    `places` are what is meant by words in capital letters: FILE="people.csv". One that nobody fills
    in is an error, for then nobody has thought of the command.

    >>> find_commands("Try `swapmeet tune FILE\\n--limit linkage=0.2` then.", FILE="my people.csv")
    [['tune', 'my people.csv', '--limit', 'linkage=0.2']]
    >>> find_commands("release   swapmeet mask a.csv OUT --from a.jsonl\\nend", OUT="b.csv")
    [['mask', 'a.csv', 'b.csv', '--from', 'a.jsonl']]
    """
    return _fill_in(IN_TEXT, text, places)


def find_commands_on_page(page, **places):
    """The same of a page of HTML.

    >>> find_commands_on_page("<p><code>swapmeet inspect 'a &amp; b.csv'</code></p>")
    [['inspect', 'a & b.csv']]
    """
    return _fill_in(ON_PAGE, page, places, html.unescape)


def _fill_in(pattern, text, places, clean=str):
    found = dict.fromkeys(" ".join(filter(None, parts)).strip() for parts in pattern.findall(text))
    return [[_fill(word, places) for word in shlex.split(clean(one))[1:]] for one in found]


def _fill(word, places):
    name = word.removesuffix(".html")
    if not PLACE.fullmatch(word):
        return word
    assert name in places, f"a command is printed with {word}, which the test does not fill in"
    return str(places[name])
