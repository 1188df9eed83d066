"""Download a file so that a cut connection costs nothing: what arrived is kept and continued.

What has arrived stands in ``NAME.part``, and ``NAME.part.json`` says of which version it is (ETag,
date, size). The next call asks for the rest of that same version. A server that has another version
by now, or that cannot send parts, sends everything, and the download starts anew.
"""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import asdict, dataclass
from email.message import Message
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any

from satc.errors import DataError

Progress = Callable[[int, int | None], None]

LIMIT = 1 << 30  # bytes; the largest of the known archives has a tenth of that
TIMEOUT = 30.0  # seconds without a byte
_CHUNK = 1 << 16
_RANGE = re.compile(r"bytes (\d{1,15})-\d{1,15}/(\d{1,15})")


class UnreachableError(DataError):
    """A server does not have the file, or does not answer: another one may."""


class _ChangedError(DataError):
    """The server has another version than the part is of."""


@dataclass(frozen=True)
class Version:
    """Which version of which file a server sends, as far as it says."""

    url: str
    etag: str | None
    modified: str | None
    size: int | None

    @property
    def validator(self) -> str | None:
        """What `If-Range` takes: a strong ETag, or the date."""
        if self.etag is not None and not self.etag.startswith("W/"):
            return self.etag
        return self.modified


def download(url: str, target: Path, progress: Progress | None = None) -> Path:
    """Bring `url` into ``target.part``, continuing where an earlier call was cut off.

    Returns
    -------
    The path of the complete ``.part`` file; its content is for the caller to check.

    Raises
    ------
    satc.errors.DataError
        If the connection was cut: the part stays, and another call goes on from there.
    """
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"url must begin with http:// or https://, but is {url!r}")
    try:
        return _attempt(url, part_of(target), progress)
    except _ChangedError:
        forget(target)
        return _attempt(url, part_of(target), progress)


def _attempt(url: str, part: Path, progress: Progress | None) -> Path:
    try:
        with _request(url, part) as response:
            version, offset = _answered(url, response, part)
            received = _receive(response, part, version, offset, progress)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:  # the server's file ends before our part does
            raise _ChangedError(f"{url} has changed since it was cut off") from error
        raise UnreachableError(f"{url} answers {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        raise UnreachableError(f"{url} does not answer: {error.reason}") from error
    except (TimeoutError, ConnectionError, HTTPException) as error:
        raise DataError(_cut(url, part, None, str(error) or type(error).__name__)) from error
    except OSError as error:
        raise DataError(f"{url} cannot be kept in {part}: {error.strerror or error}") from error
    if version.size is not None and received != version.size:
        raise DataError(_cut(url, part, version.size, "the connection was closed"))
    return part


def part_of(target: Path) -> Path:
    """Return where a download stands until it is complete and checked."""
    return target.with_name(f"{target.name}.part")


def forget(target: Path) -> None:
    """Remove what an earlier call left."""
    part_of(target).unlink(missing_ok=True)
    _note_of(part_of(target)).unlink(missing_ok=True)


def _request(url: str, part: Path) -> Any:
    headers = {"User-Agent": "satc", "Accept-Encoding": "identity"}
    earlier = _earlier(url, part)
    if earlier is not None:
        headers["Range"] = f"bytes={part.stat().st_size}-"
        if earlier.validator is not None:
            headers["If-Range"] = earlier.validator
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 (checked in download)
    return urllib.request.urlopen(request, timeout=TIMEOUT)  # noqa: S310


def _earlier(url: str, part: Path) -> Version | None:
    """Return which version the part is of, if it is of this address and can be continued."""
    try:
        version = Version(**json.loads(_note_of(part).read_text(encoding="utf-8")))
        usable = version.url == url and 0 < part.stat().st_size < (version.size or 0)
    except (OSError, ValueError, TypeError):
        return None
    return version if usable else None


def _answered(url: str, response: Any, part: Path) -> tuple[Version, int]:
    """Read from the headers what comes, and from which byte on."""
    headers: Message = response.headers
    offset, size = 0, _number(headers["Content-Length"])
    if response.status == 206:
        span = _RANGE.fullmatch(headers["Content-Range"] or "")
        offset, size = (int(span[1]), int(span[2])) if span else (0, None)
    version = Version(url, headers["ETag"], headers["Last-Modified"], size)
    if response.status == 206 and (version != _earlier(url, part) or offset != _size(part)):
        raise _ChangedError(f"{url} has changed since it was cut off")
    if size is not None and size > LIMIT:
        raise DataError(f"{url} must have at most {LIMIT:,} bytes, but has {size:,}")
    return version, offset


def _receive(
    response: IO[bytes], part: Path, version: Version, offset: int, progress: Progress | None
) -> int:
    _note_of(part).write_text(json.dumps(asdict(version)), encoding="utf-8")
    received = offset
    with part.open("r+b" if offset else "wb") as file:
        file.seek(offset)
        while chunk := response.read(_CHUNK):
            file.write(chunk)
            received += len(chunk)
            if received > LIMIT:
                raise DataError(f"{version.url} must have at most {LIMIT:,} bytes, but has more")
            if progress is not None:
                progress(received, version.size)
    return received


def _cut(url: str, part: Path, size: int | None, why: str) -> str:
    of = "" if size is None else f" of {size:,}"
    return f"{url} was cut off after {_size(part):,}{of} bytes ({why}); fetch again to continue"


def _note_of(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _number(value: str | None) -> int | None:
    return int(value) if value is not None and value.isdecimal() else None
