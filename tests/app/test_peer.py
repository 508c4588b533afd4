from __future__ import annotations

import os
import socket
from contextlib import contextmanager

import pytest

from swapmeet.app import guard as peer
from swapmeet.app.guard import is_stranger

SERVER, CLIENT = ("127.0.0.1", 8417), ("127.0.0.1", 50000)
HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout"
LINE = "   1: {}:{:04X} {}:{:04X} 01 00000000:00000000 00:00000000 00000000 {:5}        0 4606145"
V4, V6 = "0100007F", "0000000000000000FFFF00000100007F"
LINUX = pytest.mark.skipif(not peer.TABLES[0].exists(), reason="no table of connections here")
LITTLE = pytest.mark.skipif(peer.sys.byteorder != "little", reason="tables differ")


@pytest.fixture
def tell(tmp_path, monkeypatch):
    """Have a table of connections with some lines."""
    monkeypatch.setattr("os.getuid", lambda: 1000, raising=False)
    monkeypatch.setattr(peer, "TABLES", [tmp_path / "tcp", tmp_path / "tcp6"])

    def write(*lines, name="tcp"):
        (tmp_path / name).write_text("\n".join([HEAD, *lines, ""]))

    return write


def line_of(user, address=V4, local=CLIENT[1], remote=SERVER[1]):
    return LINE.format(address, local, address, remote, user)


@LITTLE
@pytest.mark.parametrize(("user", "strange"), [(1000, False), (0, False), (1001, True)])
def test_whose_connection_it_is_decides(tell, user, strange):
    tell(line_of(user))
    assert is_stranger(CLIENT, SERVER) is strange


@LITTLE
def test_a_connection_of_the_newer_kind_counts_too(tell):
    tell(line_of(1001, V6), name="tcp6")
    assert is_stranger(CLIENT, SERVER)


@LITTLE
def test_other_connections_of_others_do_not_count(tell):
    tell(
        line_of(1001, local=CLIENT[1] + 1),
        line_of(1001, remote=SERVER[1] + 1),
        line_of(1001, local=SERVER[1], remote=CLIENT[1]),
        line_of(1001, address="0100007E"),
        line_of(1000),
    )
    assert not is_stranger(CLIENT, SERVER)


def test_where_the_system_does_not_tell_nobody_is_a_stranger(tell):
    assert not is_stranger(CLIENT, SERVER)
    tell("nonsense")
    assert not is_stranger(CLIENT, SERVER)
    assert not is_stranger(None, SERVER)
    assert not is_stranger(("testclient", 1), SERVER)


@contextmanager
def connected(family, address):
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(family, socket.SOCK_STREAM) as client,
    ):
        client.connect((address, server.getsockname()[1]))
        yield client.getsockname()[1], server.getsockname()[1]


@LINUX
@pytest.mark.parametrize(
    ("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")]
)
def test_the_owner_of_a_real_connection_is_found(family, address):
    try:
        with connected(family, address) as (client, server):
            found = peer._find_owners(("127.0.0.1", client), ("127.0.0.1", server))
    except OSError:
        pytest.skip("no addresses of this version here")
    assert found == {os.getuid()}
