"""The parts of a workbook: its sheets, the formats of its cells, and its texts."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from satc.errors import DataError
from satc.files.archives import ZipMembers, open_zip, reading_errors
from satc.files.formats.xlsx.number_formats import Show, show_of
from satc.files.formats.xlsx.strings import SharedStrings, read_shared_strings
from satc.files.formats.xlsx.xml_parts import PartHandler, parse_part

MAX_STYLES = 1 << 17  # a spreadsheet program has at most 65,490
MAX_SHEETS = 10_000

_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # files of old programs, and encrypted files
_RE_SAVE = "open it in a spreadsheet program and save it as .xlsx"


@dataclass(frozen=True)
class Sheet:
    """A sheet of a workbook: its name, its part, and whether a person sees it."""

    name: str
    part: str
    is_visible: bool


@dataclass(frozen=True)
class Workbook:
    """An open workbook."""

    path: Path
    members: ZipMembers
    sheets: tuple[Sheet, ...]
    shows: tuple[Show, ...]  # how cells of each style show a number
    strings: SharedStrings

    def open_sheet(self, sheet: Sheet) -> IO[bytes]:
        """Open the XML of a sheet."""
        return self.members.open(sheet.part)


@contextmanager
def open_workbook(path: Path) -> Iterator[Workbook]:
    """Open a workbook; errors name the file."""
    _check_is_zip(path)
    strings = SharedStrings()
    try:
        with open_zip(path) as members:
            yield _workbook(path, members, strings)
    finally:
        strings.close()


def _check_is_zip(path: Path) -> None:
    with reading_errors(path), path.open("rb") as file:
        head = file.read(8)
    if head == _COMPOUND:
        raise DataError(
            f"{path} must be an .xlsx file, but is an old .xls file or protected by a password: "
            f"{_RE_SAVE}, without a password"
        )
    if not head.startswith(b"PK"):
        raise DataError(f"{path} must be an .xlsx file, but is none: {_RE_SAVE}")


def _workbook(path: Path, members: ZipMembers, strings: SharedStrings) -> Workbook:
    mains = _targets(path, members, "", "officeDocument")
    if not mains:
        raise DataError(f"{path} must be an .xlsx file, but is another kind of file: {_RE_SAVE}")
    main = mains[0]
    found = _Book(f"{path}, part {main}")
    _parse(members, main, found)
    relations = _relations(path, members, main)
    styles = _Styles(f"{path}, cell formats")
    for target in _targets(path, members, main, "styles"):
        _parse(members, target, styles)
    for target in _targets(path, members, main, "sharedStrings"):
        read_shared_strings(members.open(target), strings, f"{path}, list of texts")
    sheets = tuple(
        Sheet(name, relations[key].target, state == "visible")
        for name, key, state in found.sheets
        if key in relations and relations[key].kind == "worksheet"
    )
    return Workbook(path, members, sheets, styles.shows(found.from_1904), strings)


def _parse(members: ZipMembers, part: str, handler: PartHandler) -> None:
    for _ in parse_part(members.open(part), handler):
        pass


@dataclass(frozen=True)
class _Relation:
    kind: str
    target: str


def _targets(path: Path, members: ZipMembers, part: str, kind: str) -> list[str]:
    found = _relations(path, members, part).values()
    return [one.target for one in found if one.kind == kind and one.target in members.names]


def _relations(path: Path, members: ZipMembers, part: str) -> dict[str, _Relation]:
    """Return the parts to which a part refers, by the keys that it uses for them."""
    folder, name = posixpath.split(part)
    listed = posixpath.join(folder, "_rels", f"{name}.rels")
    handler = _Relations(f"{path}, part {listed}", folder)
    if listed in members.names:
        _parse(members, listed, handler)
    return handler.found


class _Relations(PartHandler):
    def __init__(self, where: str, folder: str) -> None:
        super().__init__(where)
        self._folder = folder
        self.found: dict[str, _Relation] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship" and attributes.get("TargetMode") != "External":
            joined = posixpath.join("/", self._folder, attributes.get("Target", ""))
            target = posixpath.normpath(joined).lstrip("/")
            kind = attributes.get("Type", "").rpartition("/")[2]
            self.found[attributes.get("Id", "")] = _Relation(kind, target)
            if len(self.found) > MAX_SHEETS:
                raise DataError(f"{self.where} refers to more than {MAX_SHEETS:,} parts")

    def end(self, name: str) -> None:
        pass


class _Book(PartHandler):
    """Names of the sheets, keys of their parts, and whether they are visible."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.sheets: list[tuple[str, str, str]] = []
        self.from_1904 = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "sheet":
            key = next((v for k, v in attributes.items() if k.endswith(":id")), "")
            state = attributes.get("state", "visible")
            self.sheets.append((attributes.get("name", ""), key, state))
            if len(self.sheets) > MAX_SHEETS:
                raise DataError(f"{self.where} has more than {MAX_SHEETS:,} sheets")
        elif name == "workbookPr":
            self.from_1904 = attributes.get("date1904") in ("1", "true", "on")

    def end(self, name: str) -> None:
        pass


class _Styles(PartHandler):
    """The number format of each style of cells."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self._codes: dict[int, str] = {}
        self._styles: list[int] = []
        self._in_styles = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "numFmt" and "formatCode" in attributes:
            self._codes[_integer(attributes.get("numFmtId"))] = attributes["formatCode"]
        elif name == "cellXfs":
            self._in_styles = True
        elif name == "xf" and self._in_styles:
            self._styles.append(_integer(attributes.get("numFmtId")))
        if len(self._styles) + len(self._codes) > MAX_STYLES:
            raise DataError(f"{self.where}: there must be at most {MAX_STYLES:,}")

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self._in_styles = False

    def shows(self, from_1904: bool) -> tuple[Show, ...]:
        """Return for each style how it shows a number."""
        made = {key: show_of(key, self._codes.get(key), from_1904) for key in set(self._styles)}
        return tuple(made[key] for key in self._styles)


def _integer(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 0
