"""Figures, times and names as pages write them."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from swapmeet.base import sentences
from swapmeet.base.sentences import figure, join_names, show_controls
from swapmeet.measures.overall import COSTLY, SOME
from swapmeet.methods import METHODS
from swapmeet.reporting import figures

ON_PAGES = (
    (r"Name your own with --limit", "Set your own under Protect"),
    (r"Name limits, such as --limit linkage=0\.2", "Set limits under Protect"),
    (r"`swapmeet tune FILE [^`]*` searches for", "“Search for me” under Protect looks for"),
    (r"Search longer: the same command goes on\.", "“Go on with it” searches longer."),
    (r"Search longer to know: the same command goes on\.", "“Go on with it” searches longer."),
    (r" Or let values move between positions: leave out --position \(`position`\)\.", ""),
    (r"Or mask them by another method \(per-column\), or give", "Or give"),
    (r" \(--at-most, or a larger table\)", " (a larger table)"),
    (r" \(--whole-households\)", " (under Roles, “What else holds in the table”)"),
    (r"combine methods with per-column, or give them", "choose one of these, or give them"),
    (r"(may be known), say so\.", r"\1, tick the column under Roles."),
)
OPTIONS = re.compile(r"(?<![\w-])--[a-z]")
WHERE = (
    "Words that begin with two dashes are options of the command line. Here they are “Not read as "
    "it should be?” in step 1, the roles and lines of step 2, and the settings of step 3."
)


def say_on_page(sentence: str) -> str:
    """Return a verdict's advice without options that a page does not have.

    >>> say_on_page("Name your own with --limit if others fit your data.")
    'Set your own under Protect if others fit your data.'
    """
    for pattern, words in ON_PAGES:
        sentence = re.sub(pattern, words, sentence)
    return sentence


def explain_options(message: str) -> str:
    """Say where the page has the options that a refusal names; empty if it names none."""
    return WHERE if OPTIONS.search(message) else ""


MINUTE, HOUR = 60.0, 3600.0
FEW = 10


def duration(seconds: float) -> str:
    """A time for people.

    >>> duration(0.4), duration(42.2), duration(160), duration(8000)
    ('a second', '42 seconds', '3 minutes', '2.2 hours')
    """
    if seconds < 1.5:
        return "a second"
    if seconds < 1.5 * MINUTE:
        return f"{seconds:.0f} seconds"
    return f"{seconds / MINUTE:.0f} minutes" if seconds < HOUR else f"{seconds / HOUR:.1f} hours"


def clock(moment: float) -> str:
    """A time of the day, here; with the date, if that day is gone."""
    then = time.localtime(moment)
    of_day = time.strftime("%H:%M", then)
    if then[:3] == time.localtime()[:3]:
        return of_day
    return f"{then.tm_mday} {time.strftime('%b %Y', then)}, {of_day}"


def in_100(share: float | None) -> str:
    """A share as so many of 100 people.

    >>> in_100(0.034), in_100(1.0), in_100(0.998), in_100(None)
    ('3.4 of 100', '100 of 100', 'more than 99 of 100', '–')
    """
    if share is None:
        return figures.NOTHING
    many = 100.0 * share
    return f"{'more than 99' if 99.5 <= many < 100.0 else figure(many, 2)} of 100"


def range_in_100(interval: Sequence[float]) -> str:
    """An interval of a share, in people of 100.

    >>> range_in_100([0.0743, 0.1675])
    '7.4 to 17'
    """
    return " to ".join(figure(100.0 * end, 2) for end in interval)


def number(value: float | None) -> str:
    """A number of any size, without powers of ten.

    >>> number(16343.2), number(-0.0321), number(None)
    ('16,343', '-0.0321', '–')
    """
    return figures.NOTHING if value is None or not math.isfinite(value) else figure(value)


def title_method(name: str) -> str:
    """The full name of a method.

    >>> title_method("rwn")
    'Randomization within neighbourhoods'
    """
    title = METHODS[name].title if name in METHODS else name
    return title[:1].upper() + title[1:]


def name_methods(text: str) -> str:
    """What the command line says, with the full names of methods.

    >>> name_methods("best so far: loss 0.02, rank-swap window=0.1")
    'best so far: loss 0.02, Rank swapping window=0.1'
    """
    names = "|".join(sorted(map(re.escape, METHODS), key=len, reverse=True))
    pattern = rf"(?<![\w-])({names})(?![\w-])"
    return re.sub(pattern, lambda match: title_method(match[0]), text)


def part_words(command: str) -> Markup:
    """A command whose lines end between words, or after a comma.

    >>> part_words("mask --drop a,b")
    Markup('<span>mask</span> <span>--drop</span> <span>a,</span><span>b</span>')
    """
    words = (re.findall("[^,]+,?|,", word) for word in show_controls(command).split(" "))
    return Markup(" ").join(
        Markup("").join(Markup("<span>{}</span>").format(part) for part in parts) for parts in words
    )


def label_setting(facts: Mapping[str, Any]) -> str:
    """A method with its settings, in short.

    >>> label_setting({"method": "rank-swap", "chosen": {"window": 0.1}, "protect": True})
    'Rank swapping (window 0.1), then exposed people more'
    """
    chosen = facts.get("chosen") or {}
    settings = ", ".join(f"{name} {figures.setting(value)}" for name, value in chosen.items())
    more = ", then exposed people more" if facts.get("protect") else ""
    return title_method(facts.get("method", "")) + (f" ({settings})" if settings else "") + more


def label_trial(candidate: Mapping[str, Any]) -> str:
    """A setting that a search has tried, with the full name of its method.

    >>> label_trial({"method": "rank-swap", "label": "rank-swap window=0.1 top=5"})
    'Rank swapping (window 0.1, top 5)'
    """
    method, label = candidate["method"], candidate["label"]
    rest = label.removeprefix(method).removeprefix(":").strip()
    pairs = rest.split()
    if all("=" in pair for pair in pairs):
        rest = ", ".join(pair.replace("=", " ", 1) for pair in pairs)
    return title_method(method) + (f" ({rest})" if rest else "")


def say_loss(loss: float | None) -> str:
    """The mean loss of a setting, in words and as a figure.

    >>> say_loss(0.0151), say_loss(0.3), say_loss(None)
    ('analysts lose little (0.0151 of 1)', 'analysts lose much (0.3 of 1)', 'the loss is not known')
    """
    if loss is None or not math.isfinite(loss):
        return "the loss is not known"
    much = "much" if loss >= COSTLY[0] else "something" if loss >= SOME[0] else "little"
    return f"analysts lose {much} ({figures.coarse(loss)} of 1)"


def join_few(names: Sequence[str]) -> str:
    """Names in a sentence; of very many the first and how many more.

    >>> join_few(["a", "b"]), join_few([f"x{at}" for at in range(30)])
    ('a and b', 'x0, x1, x2, x3, x4, x5, x6, x7, x8, x9 and 20 more')
    """
    if len(names) <= FEW + 2:
        return join_names(names)
    return f"{', '.join(names[:FEW])} and {len(names) - FEW} more"


FILTERS: dict[str, Callable[..., Any]] = {
    "figure": figures.figure,
    "coarse": figures.coarse,
    "number": number,
    "span": figures.span,
    "percent": figures.percent,
    "count": figures.count,
    "counted": sentences.count,
    "bounds": figures.bounds,
    "setting": figures.setting,
    "join_names": join_names,
    "join_few": join_few,
    "duration": duration,
    "clock": clock,
    "in_100": in_100,
    "range_in_100": range_in_100,
    "label_setting": label_setting,
    "label_trial": label_trial,
    "say_loss": say_loss,
    "name_methods": name_methods,
    "part_words": part_words,
    "title_method": title_method,
    "say_on_page": say_on_page,
    "explain_options": explain_options,
}
