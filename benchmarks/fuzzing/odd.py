"""Odd values: numbers, texts and names that programs stumble over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

INTEGERS = (
    0, 1, -1, 2, 3, 7, 99, 2**31 - 1, 2**31, 2**53 + 1, 2**62, 2**63 - 1, 2**63, -(2**63),
    -(2**63) - 1, 2**64 - 1, 2**64, 10**30, -(10**30), 10**400,
)  # fmt: skip
FLOATS = (
    0.0, -0.0, 0.5, 1.0, 1.5, -1.0, 5e-324, -5e-324, 2.2e-308, 1e-300, 1e-160, 1e15, 1e16, 1e150,
    1e154, 1e299, 1.7e308, -1.7e308, float("inf"), float("-inf"), float("nan"), 0.1 + 0.2,
)  # fmt: skip
CHARACTERS = (
    "\x00", "\x1b", "\n", "\r", "\t", "\u2028", "\u200b", "\u202e", "\ufeff", "\ud800", "\udfff",
    "\U0001f600", "é", "ß", "İ", "٣", "²", "½", "Ⅷ", "`", '"', "'", "\\", "|", ";", ":", "=", ",",
    "<", ">", "(", ")", "[", "]", "{", "}", "%", "&", "~", "+", "-", "*", "/", ".", "_", " ",
    "\xa0",
)  # fmt: skip
NAMES = (
    "a", "b", "age", "income", "sex", "x y", "a,b", "a:b", "a=b", "`q`", '"q"', "", " ", "index",
    "C(a)", "0", "None", "nan", "é", "e\u0301", "\x1b[31m", "\ud800", "in", "missing",
    "__swapmeet_row",
    "name", "weight", "id", "C", "if", "a" * 300, "<b>", "a~b", "levels", "donors", "\n",
)  # fmt: skip
NUMERALS = (
    "0", "1", "-1", "+1", "1e5", "1e400", "-1e400", "1e-400", "nan", "inf", "-inf", "Infinity",
    "1_0",
    " 1 ", "0x10", "1.", ".5", "1,5", "٣", "²", "½", "1e", "--1", "", " ", "None", "true", "yes",
    "9" * 19, "9" * 25, "9" * 400, "1" + "0" * 5000, "9223372036854775807", "9223372036854775808",
    "0.15", "15", "5e-324", "1e299", "1e308", "1.7976931348623159e308", "-0.0", "1j", "1/2", "5%",
    "1" * 4301, "0" * 5000 + "1", "1e" + "9" * 30, "1e-" + "9" * 30,
)  # fmt: skip
JUNK = 0.1
"""How often a value is made of odd characters."""


def draw_text(rng: Random, examples: tuple[str, ...], words: tuple[str, ...]) -> str:
    """A text: an example that was damaged, words in any order, one inside the other, or junk."""
    way = rng.random()
    if way < 0.1:
        return rng.choice(examples)
    if way < 0.5:
        return damage(rng, rng.choice(examples), words)
    if way < 0.85:
        sign = rng.choice(("", " ", " "))
        return sign.join(rng.choice(words) for _ in range(rng.randint(0, 12)))
    if way < 0.93:
        return _nest(rng, examples, words)
    return "".join(rng.choice(CHARACTERS) for _ in range(rng.randint(0, 30)))


def damage(rng: Random, text: str, words: tuple[str, ...]) -> str:
    """The text with parts cut, doubled, swapped or put in."""
    for _ in range(rng.randint(1, 4)):
        one, two = sorted(rng.randint(0, len(text)) for _ in range(2))
        way = rng.randrange(6)
        if way == 0:
            text = text[:one] + text[two:]
        elif way == 1:
            text = text[:two] + text[one:two] + text[two:]
        elif way == 2:
            text = text[:one] + rng.choice(CHARACTERS) + text[one:]
        elif way == 3:
            text = text[:one] + rng.choice(words) + text[one:]
        elif way == 4:
            text = text[:one] + rng.choice(NUMERALS) + text[two:]
        else:
            text = text[two:] + text[:one]
    return text


def _nest(rng: Random, examples: tuple[str, ...], words: tuple[str, ...]) -> str:
    depth = rng.choice((5, 50, 61, 500, 5_000))
    opening = rng.choice(("(", "not ", "-", "[", "{", "abs(", "a = [", "if(a, ", rng.choice(words)))
    closing = {"(": ")", "[": "]", "{": "}", "abs(": ")", "if(a, ": ")", "a = [": "]"}
    return opening * depth + rng.choice(examples) + closing.get(opening, "") * depth


def draw_number(rng: Random) -> Any:
    """A number of Python or numpy, or what looks like one."""
    import numpy as np

    way = rng.random()
    if way < 0.4:
        return rng.choice(INTEGERS)
    if way < 0.8:
        return rng.choice(FLOATS)
    return rng.choice(
        (True, None, "1", np.int64(3), np.float32(0.5), np.uint64(2**63), [], 1j, b"1")
    )


def mutate(rng: Random, content: bytes) -> bytes:
    """The bytes with some changed, cut, doubled, or replaced by large lengths."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(len(data) + 1)
        way = rng.randrange(7)
        if way == 0 and at < len(data):
            data[at] = rng.randrange(256)
        elif way == 1 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif way == 2:
            del data[at : at + rng.choice((1, 4, 64, 4096))]
        elif way == 3:
            data[at:at] = data[at : at + rng.choice((1, 8, 64, 512))]
        elif way == 4:
            data[at : at + 4] = rng.choice(
                (b"\xff\xff\xff\x7f", b"\xff" * 4, b"\x00" * 4, b"\x80" * 4)
            )
        elif way == 5:
            data[at : at + 8] = rng.choice((b"\xff" * 8, b"\x00" * 8, b"\xff" * 7 + b"\x7f"))
        else:
            data = data[: rng.randrange(len(data) + 1)]
    return bytes(data)
