"""Reuters-21578, Distribution 1.0, in the "ModApté" split (Section 6.4 of the paper).

The files are latin-1 SGML with numeric references to control characters. Training documents have
LEWISSPLIT="TRAIN" and TOPICS="YES", test documents LEWISSPLIT="TEST" and TOPICS="YES". The text is
title and body. Stories of TYPE="BRIEF" have no BODY element, but a title and the filler "Blah blah
blah.". The filler is kept, because the initial errors are then closest to the paper's. Stories of
TYPE="UNPROC" have neither title nor body, and the whole TEXT element is their text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from satc.datasets.dataset import Document, Split
from satc.errors import DataError
from satc.files.archives import members

N_FILES = 22

_FILE = re.compile(r"reut2-\d{3}\.sgm")
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_LABEL = re.compile(r"<D>([^<]*)</D>")
_CONTROL = re.compile(r"&#\d{1,4};")


def read(paths: tuple[Path, ...]) -> Split:
    """Read the ModApté split from the archive."""
    (path,) = paths
    train: list[Document] = []
    test: list[Document] = []
    destination = {("TRAIN", "YES"): train, ("TEST", "YES"): test}
    files = {_base(name): file.read() for name, file in members(path, _is_story_file)}
    if len(files) != N_FILES:
        raise DataError(
            f"{path} must hold the {N_FILES} files reut2-000.sgm to reut2-021.sgm, "
            f"but holds {len(files)} such files"
        )
    records = 0
    for name in sorted(files):
        for attributes, story in _stories(files[name].decode("latin-1"), f"{path}: {name}"):
            records += 1
            key = (attributes.get("LEWISSPLIT", ""), attributes.get("TOPICS", ""))
            if key in destination:
                destination[key].append(_document(attributes["NEWID"], story))
    return Split(train, test, records)


def _is_story_file(name: str) -> bool:
    return _FILE.fullmatch(_base(name)) is not None


def _base(name: str) -> str:
    return name.rsplit("/", 1)[-1].lower()


def _stories(content: str, where: str) -> Iterator[tuple[dict[str, str], str]]:
    *stories, rest = content.split("</REUTERS>")
    if "<REUTERS" in rest or not stories:
        raise DataError(f"{where} is damaged or cut off: its last story does not end")
    for story in stories:
        _, begin, tail = story.partition("<REUTERS ")
        attributes = dict(_ATTRIBUTE.findall(tail.partition(">")[0]))
        if not begin or "NEWID" not in attributes:
            raise DataError(f"{where} is damaged: a story has no <REUTERS ... NEWID=...> tag")
        yield attributes, tail


def _document(newid: str, story: str) -> Document:
    topics = tuple(_LABEL.findall(_element(story, "TOPICS") or ""))
    return Document(newid, _text(_element(story, "TEXT") or ""), topics)


def _text(element: str) -> str:
    title, body = _element(element, "TITLE"), _element(element, "BODY")
    if title is not None and body is None:
        body = element.partition("</TITLE>")[2]
    found = [field for field in (title, body) if field is not None] or [element]
    return "\n".join(_plain(field) for field in found)


def _element(sgml: str, tag: str) -> str | None:
    """Return the content between <tag ...> and </tag>, or None if there is no such element."""
    begin = sgml.find(f"<{tag}")
    end = sgml.find(f"</{tag}>", begin)
    if begin < 0 or end < 0:
        return None
    return sgml[sgml.index(">", begin) + 1 : end]


def _plain(sgml: str) -> str:
    """Resolve entities; references to control characters become spaces.

    >>> _plain("&#2;PROFIT &lt;IBM> RISES&#3;")
    'PROFIT <IBM> RISES'
    """
    return html.unescape(_CONTROL.sub(" ", sgml)).strip()
