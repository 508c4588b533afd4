"""Somebody who has no mouse."""

from __future__ import annotations

from dataclasses import dataclass

MOST = 400
"""Stops on the longest page, and some."""
HAS_FOCUS = "one => one === document.activeElement"
SHOWS_FOCUS = """one => {
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    const ring = one.querySelector(".hit");
    const isSeen = ring ? getComputedStyle(ring).stroke !== "none"
        : outlineStyle !== "none" && outlineWidth !== "0px";
    return one.matches(":focus-visible") && isSeen;
}"""
"""A line around it; points on the map have a ring of their own."""


@dataclass
class Keyboard:
    page: object

    def press(self, key):
        self.page.keyboard.press(key)

    def reach(self, target):
        """Go from stop to stop until the target has the focus, which must be seen there."""
        target.wait_for()
        for _ in range(MOST):
            if target.evaluate(HAS_FOCUS):
                break
            self.press("Tab")
        assert target.evaluate(HAS_FOCUS), "no key leads there"
        assert target.evaluate(SHOWS_FOCUS), "nobody sees where the focus is"

    def press_on(self, target, key="Enter"):
        self.reach(target)
        self.press(key)

    def write(self, target, words):
        self.reach(target)
        self.page.keyboard.type(words)

    def take(self, target, key="Enter"):
        """The download that a key on the target starts."""
        with self.page.expect_download() as download:
            self.press_on(target, key)
        return download.value
