"""The text of a CSV file as spreadsheet programs save it: encoding and separator are found out.

UTF-8 and commas are the rule, and a file that follows it is read so. UTF-16 has a mark at its
beginning. A file that is not UTF-8 is read as Windows-1252, Excel's own encoding in the West, if
all of it looks like that. Cells may be separated by semicolons or tabs. Whatever departs from the
rule is said in a `GuessedFormatWarning`, and a doubtful file is an error.
"""

from __future__ import annotations

import codecs
import io
import re
import warnings
from collections.abc import Generator, Iterator
from itertools import islice
from pathlib import Path
from typing import IO

from satc.errors import DataError, GuessedFormatWarning
from satc.files.archives import open_unpacked
from satc.files.faults import OnFault
from satc.files.formats.text_lines import LINE_LIMIT, decode_utf8, limited_lines

SEPARATORS = {";": "semicolons", "\t": "tabs"}
_NAMED_SEPARATOR = re.compile(r'"?sep=(.)"?\r?\n?', re.IGNORECASE)
_QUOTED = re.compile(r'"(?:[^"]|"")*(?:"|$)')

# Signs that bytes mean something else than in Windows-1252: three characters beyond ASCII in a row
# that are no quotes or dashes (Cyrillic, Greek, Asian), a capital with an accent after a small
# letter (Macintosh), a sign inside a word (Central European), and control characters.
_UNLIKELY = re.compile(
    "[^\x00-\x7f\xa0“”„‘’«»–—…•·]{3}|[a-z][ŠŒŽŸÀ-ÖØ-Þ]|[A-Za-z][€‚ƒ„†‡ˆ‰™¡-¦¨©«¬®-±²³´¶¹»-¿×÷][A-Za-z]"
    "|[\x00-\x08\x0b\x0c\x0e-\x1f]"
)
_SAVE = "; save the file as UTF-8 (in Excel: CSV UTF-8)"
_WORD_START, _WORD_END = re.compile(r"\w*"), re.compile(r"\w*$")


def read_csv_lines(path: Path, on_fault: OnFault) -> Generator[str, None, None]:
    """Yield the lines of a file; one that cannot be decoded goes to `on_fault`."""
    with open_unpacked(path) as file:
        if file.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            yield from _utf16_lines(path, file)
        else:
            yield from _byte_lines(path, file, on_fault)


def _utf16_lines(path: Path, file: io.BufferedReader) -> Iterator[str]:
    _say(path, "UTF-16")
    text = io.TextIOWrapper(file, "utf-16", newline="\n")
    number = 0
    try:
        while line := text.readline(LINE_LIMIT + 1):
            number += 1
            if len(line) > LINE_LIMIT:
                raise DataError(f"{path}, line {number} is longer than {LINE_LIMIT:,} characters")
            yield line
    except UnicodeDecodeError as error:
        raise DataError(f"{path} must be UTF-16 to its end, but is not: {error.reason}") from error
    finally:
        text.detach()


def _byte_lines(path: Path, file: IO[bytes], on_fault: OnFault) -> Iterator[str]:
    """Yield lines; the first one with a byte beyond ASCII decides which encoding the file has."""
    encoding = "ascii"
    for number, line in enumerate(limited_lines(path, file), start=1):
        if encoding == "ascii" and not line.isascii():
            encoding = "utf-8" if _is_utf8(line) else _encoding_from(path, number)
        if encoding == "cp1252":
            yield line.decode("cp1252")
        else:
            yield decode_utf8(line, f"{path}, line {number}", on_fault, _SAVE)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _encoding_from(path: Path, first: int) -> str:
    """Return the encoding of a file whose first line beyond ASCII is not UTF-8.

    It is Windows-1252 if every line from there on can be, and none is UTF-8.
    """
    example = ""
    with open_unpacked(path) as file:
        for line in islice(limited_lines(path, file), first - 1, None):
            if line.isascii():
                continue
            text = _as_windows(line)
            if _is_utf8(line) or text is None:
                return "utf-8"  # with lines that are damaged
            example = example or _example(text)
    _say(path, "Windows-1252", f"; line {first} has {example!r:.40}")
    return "cp1252"


def _example(text: str) -> str:
    """Return the first word that has a character beyond ASCII."""
    place = next(i for i, one in enumerate(text) if not one.isascii())
    start = max(0, place - 20)
    before = _WORD_END.search(text[start:place])
    after = _WORD_START.match(text[place + 1 : place + 20])
    return f"{before[0] if before else ''}{text[place]}{after[0] if after else ''}"


def _as_windows(line: bytes) -> str | None:
    """Return a line in Windows-1252; None if it does not look like that."""
    try:
        text = line.decode("cp1252")
    except UnicodeDecodeError:
        return None
    return None if _UNLIKELY.search(text) else text


def _say(path: Path, encoding: str, more: str = "") -> None:
    warnings.warn(
        f"{path} was read as {encoding}, since it is not UTF-8{more}",
        GuessedFormatWarning,
        stacklevel=2,
    )


def find_separator(path: Path, first_line: str) -> str:
    r"""Return the character between the cells of a CSV file, by its first line.

    >>> find_separator(Path("a.csv"), "id,text\n")
    ','
    >>> find_separator(Path("a.csv"), "sep=|\n")
    '|'
    """
    if named := named_separator(first_line):
        return named
    if "\0" in first_line:
        raise DataError(f"{path} must be UTF-8, but seems to be UTF-16 without its mark{_SAVE}")
    line = _QUOTED.sub("", first_line)
    found = [one for one in SEPARATORS if one in line]
    if "," in line or not found:
        return ","
    if len(found) > 1:
        raise DataError(
            f"{path}, line 1 must have commas between the names of the columns, but has "
            f"{' and '.join(SEPARATORS.values())}: save the file with commas"
        )
    warnings.warn(
        f"{path} was read with {SEPARATORS[found[0]]} between its cells, since its first line has "
        "no commas",
        GuessedFormatWarning,
        stacklevel=2,
    )
    return found[0]


def named_separator(first_line: str) -> str | None:
    """Return the separator that a first line as ``sep=;`` names for Excel; None without one."""
    named = _NAMED_SEPARATOR.fullmatch(first_line)
    return None if named is None else named[1]
