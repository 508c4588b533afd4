"""The operating system's seeds are the same in each run of a test, so that none fails by luck."""

from __future__ import annotations

import hashlib
from itertools import count

import pytest

from swapmeet.base.seeds import BITS, Seed


class FixedEntropy:
    """Gives each test, and each fixture that tests share, seeds of its own in place of fresh ones.

    Two of them differ, as fresh ones do; the same test gets the same ones each time. Only processes
    of their own, and tests with the mark `real_entropy`, ask the operating system.
    """

    def __init__(self):
        self._real = Seed.__dict__["fresh"]
        self._label, self._count = "", count()
        Seed.fresh = classmethod(lambda cls: cls(self._next_key()))

    def _next_key(self):
        label = f"{next(self._count)} {self._label}"
        return hashlib.blake2b(label.encode(), digest_size=BITS // 8).digest()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        fixed = Seed.__dict__["fresh"]
        if item.get_closest_marker("real_entropy"):
            Seed.fresh = self._real
        try:
            return (yield)
        finally:
            Seed.fresh = fixed

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item):
        with_label = self._restart(item.nodeid)
        return (yield from with_label)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef, request):
        name = f"{fixturedef.baseid} {fixturedef.argname} {request.param_index}"
        own = f"{name} {request.node.nodeid}" if fixturedef.scope == "function" else name
        return (yield from self._restart(own))

    def _restart(self, label):
        before = self._label, self._count
        self._label, self._count = label, count()
        try:
            return (yield)
        finally:
            self._label, self._count = before
