"""A file that a browser sends, written to the private folder piece by piece as it comes."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Any

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect

from swapmeet.app.forms import CONTROL, require_own
from swapmeet.base.disk import name_reason, remove
from swapmeet.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from starlette.requests import Request

LONGEST_TEXT = 4096
LONGEST_NAME = 200
"""In bytes, as file systems count."""
FULL = (
    "The file could not be kept: {reason}. Make room, or open it by its path instead: then it is "
    "not copied."
)
BROKEN = "The upload was broken off. Try again, or open the file by its path."
NOTHING = "No file was chosen. Choose one first."


class Upload:
    """A form of one text, the key, and one file, in this order."""

    def __init__(self, request: Request, scratch: Path) -> None:
        self._request, self._scratch = request, scratch
        self._part, self._header, self._value = "", b"", b""
        self._headers: dict[str, str] = {}
        self._text = b""
        self._file: BinaryIO | None = None
        self._is_whole = False
        self.name = ""
        self.path = scratch / secrets.token_hex(8)

    async def receive(self) -> Path:
        """Read it all; where the file is now. Whatever goes wrong, nothing is left behind."""
        try:
            return await self._receive()
        except OSError as error:
            remove(self.path)
            raise FileError(FULL.format(reason=name_reason(error))) from None
        except (ClientDisconnect, MultipartParseError):
            remove(self.path)
            raise FileError(BROKEN) from None
        except BaseException:
            remove(self.path)
            raise
        finally:
            self._close()

    async def _receive(self) -> Path:
        kind, options = parse_options_header(self._request.headers.get("content-type", ""))
        if kind != b"multipart/form-data" or b"boundary" not in options:
            raise FileError(NOTHING)
        parser = MultipartParser(options[b"boundary"], self._callbacks())  # type: ignore[arg-type]
        async for piece in self._request.stream():
            parser.write(piece)
        parser.finalize()
        self._close()
        if self.name and not self._is_whole:
            raise FileError(BROKEN)
        if not self.name:
            raise FileError(NOTHING)
        return self.path

    def _callbacks(self) -> dict[str, Any]:
        return {
            "on_part_begin": self._begin,
            "on_header_field": self._take_header,
            "on_header_value": self._take_value,
            "on_header_end": self._end_header,
            "on_headers_finished": self._open,
            "on_part_data": self._take,
            "on_part_end": self._end,
            "on_end": self._finish,
        }

    def _begin(self) -> None:
        self._headers, self._text = {}, b""

    def _take_header(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _take_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _end_header(self) -> None:
        name = self._header.decode("latin-1").lower()
        self._headers[name] = self._value.decode("latin-1")
        self._header = self._value = b""

    def _open(self) -> None:
        _, options = parse_options_header(self._headers.get("content-disposition", ""))
        self._part = options.get(b"name", b"").decode("utf-8", "replace")
        given = options.get(b"filename")
        if self._part == "file" and given:
            require_own(self._request, getattr(self, "_key", ""))
            self.name = clean_name(given.decode("utf-8", "replace"))
            self._file = self.path.open("xb")
            self.path.chmod(0o600)

    def _take(self, data: bytes, start: int, end: int) -> None:
        if self._file is not None:
            self._file.write(data[start:end])
        elif len(self._text) < LONGEST_TEXT:
            self._text += data[start:end]

    def _end(self) -> None:
        if self._part == CONTROL:
            self._key = self._text.decode("latin-1")
        self._close()

    def _finish(self) -> None:
        self._is_whole = True

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def clean_name(text: str) -> str:
    r"""The name of a file that a browser gives, as a name that is safe here; its end stays.

    >>> clean_name("C:\\data\\..\\people 2.sav"), clean_name("../../etc/passwd"), clean_name("-a")
    ('people 2.sav', 'passwd', '_-a')
    """
    name = re.split(r"[\\/]", text)[-1]
    name = "".join(c if c.isprintable() and c not in '<>:"|?*' else "_" for c in name)
    name = name.encode()[-LONGEST_NAME:].decode(errors="ignore").strip(". ") or "table"
    return f"_{name}" if name.startswith("-") else name
