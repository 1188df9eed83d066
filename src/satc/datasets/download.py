"""Download a file; after a cut connection, the next call continues the download.

The bytes that have arrived are in ``NAME.part``, and ``NAME.part.json`` describes the version of
the file (ETag, date, size). The next call asks for the rest of this version. A server that has
another version by then, or that cannot send parts, sends the whole file, and the download starts
again.
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

SIZE_LIMIT = 1 << 30  # bytes; the largest known archive has a tenth of that
TIMEOUT = 30.0  # seconds without a byte
_CHUNK = 1 << 16
_RANGE = re.compile(r"bytes (\d{1,15})-\d{1,15}/(\d{1,15})")


class UnreachableError(DataError):
    """A server does not have the file or does not answer; another server may."""


class _ChangedError(DataError):
    """The server has another version of the file than the part."""


@dataclass(frozen=True)
class Version:
    """The version of a file, as the server describes it."""

    url: str
    etag: str | None
    modified: str | None
    size: int | None

    @property
    def validator(self) -> str | None:
        """The value of the header `If-Range`: a strong ETag, or the date."""
        if self.etag is not None and not self.etag.startswith("W/"):
            return self.etag
        return self.modified


def download(url: str, target: Path, progress: Progress | None = None) -> Path:
    """Download `url` to ``target.part``; continue there if an earlier call was cut off.

    Returns
    -------
    The path of the complete ``.part`` file; the caller must check its content.

    Raises
    ------
    satc.errors.DataError
        If the connection was cut. The part is kept, and the next call continues it.
    """
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"url must begin with http:// or https://, but is {url!r}")
    try:
        return _attempt(url, part_path(target), progress)
    except _ChangedError:
        remove_part(target)
        return _attempt(url, part_path(target), progress)


def _attempt(url: str, part: Path, progress: Progress | None) -> Path:
    try:
        with _request(url, part) as response:
            version, offset = _parse_headers(url, response, part)
            received = _receive(response, part, version, offset, progress)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:  # the server's file is shorter than the part
            raise _ChangedError(f"{url} has changed since it was cut off") from error
        raise UnreachableError(f"{url} answers {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        raise UnreachableError(f"{url} does not answer: {error.reason}") from error
    except (TimeoutError, ConnectionError, HTTPException) as error:
        raise DataError(_cut_off(url, part, None, str(error) or type(error).__name__)) from error
    except OSError as error:
        raise DataError(f"{url} cannot be saved in {part}: {error.strerror or error}") from error
    if version.size is not None and received != version.size:
        raise DataError(_cut_off(url, part, version.size, "the connection was closed"))
    return part


def part_path(target: Path) -> Path:
    """Return the path of a download that is not complete and checked yet."""
    return target.with_name(f"{target.name}.part")


def remove_part(target: Path) -> None:
    """Remove the part of an earlier call, and the description of its version."""
    part_path(target).unlink(missing_ok=True)
    _version_path(part_path(target)).unlink(missing_ok=True)


def _request(url: str, part: Path) -> Any:
    headers = {"User-Agent": "satc", "Accept-Encoding": "identity"}
    saved = _saved_version(url, part)
    if saved is not None:
        headers["Range"] = f"bytes={part.stat().st_size}-"
        if saved.validator is not None:
            headers["If-Range"] = saved.validator
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 (checked in download)
    return urllib.request.urlopen(request, timeout=TIMEOUT)  # noqa: S310


def _saved_version(url: str, part: Path) -> Version | None:
    """Return the version of the part if it comes from this address and can be continued."""
    try:
        version = Version(**json.loads(_version_path(part).read_text(encoding="utf-8")))
        usable = version.url == url and 0 < part.stat().st_size < (version.size or 0)
    except (OSError, ValueError, TypeError):
        return None
    return version if usable else None


def _parse_headers(url: str, response: Any, part: Path) -> tuple[Version, int]:
    """Return the version that the server sends, and the position of its first byte."""
    headers: Message = response.headers
    offset, size = 0, _number(headers["Content-Length"])
    if response.status == 206:
        span = _RANGE.fullmatch(headers["Content-Range"] or "")
        offset, size = (int(span[1]), int(span[2])) if span else (0, None)
    version = Version(url, headers["ETag"], headers["Last-Modified"], size)
    if response.status == 206 and (version != _saved_version(url, part) or offset != _size(part)):
        raise _ChangedError(f"{url} has changed since it was cut off")
    if size is not None and size > SIZE_LIMIT:
        raise DataError(f"{url} must have at most {SIZE_LIMIT:,} bytes, but has {size:,}")
    return version, offset


def _receive(
    response: IO[bytes], part: Path, version: Version, offset: int, progress: Progress | None
) -> int:
    _version_path(part).write_text(json.dumps(asdict(version)), encoding="utf-8")
    received = offset
    with part.open("r+b" if offset else "wb") as file:
        file.seek(offset)
        while chunk := response.read(_CHUNK):
            file.write(chunk)
            received += len(chunk)
            if received > SIZE_LIMIT:
                raise DataError(
                    f"{version.url} must have at most {SIZE_LIMIT:,} bytes, but has more"
                )
            if progress is not None:
                progress(received, version.size)
    return received


def _cut_off(url: str, part: Path, size: int | None, why: str) -> str:
    of = "" if size is None else f" of {size:,}"
    return f"{url} was cut off after {_size(part):,}{of} bytes ({why}); fetch again to continue"


def _version_path(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _number(value: str | None) -> int | None:
    return int(value) if value is not None and value.isdecimal() else None
