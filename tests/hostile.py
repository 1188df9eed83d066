"""Damaged files: truncated, with changed bytes, or of another format than their name says."""

from __future__ import annotations

from hypothesis import strategies as st

from satc.errors import SatcError

PIECES = [
    *(b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\xff" * 4, b"\0" * 4, b"\r", b"\n", b"\r\n", b'"'),
    *(b",", b"\t", b"[", b"]", b"{", b"}", b"[{}]", b"null", b"NaN", b"-1", b"1e999", b"9" * 30),
    *(b"\\ud800", b"<", b">", b"&#55555;", b"\xc3", b"\x1f\x8b", b"PK\x03\x04"),
]
_edits = st.lists(
    st.tuples(
        st.integers(0, 1 << 20),  # where
        st.sampled_from(["turn", "cut", "drop", "insert", "write", "repeat"]),
        st.integers(1, 255),
        st.sampled_from(PIECES),
    ),
    min_size=1,
    max_size=6,
)


def damaged(content: bytes):
    """Return a strategy: the content with some edits, or unrelated bytes."""
    edited = _edits.map(lambda edits: _edited(content, edits))
    return edited | edited | edited | st.binary(max_size=200)


def _edited(content: bytes, edits) -> bytes:
    for place, kind, number, piece in edits:
        at = place % (len(content) + 1)
        before, after = content[:at], content[at:]
        content = {
            "turn": before + bytes(byte ^ number for byte in after[:1]) + after[1:],
            "cut": before,
            "drop": before + after[number % 20 :],
            "insert": before + piece + after,
            "write": before + piece + after[len(piece) :],
            "repeat": before + after[: number % 20] * 3 + after,
        }[kind]
    return content


def outcome(read, path):
    """Return the result of a reader, or None if it raises an error that names the file."""
    try:
        return read(path)
    except (SatcError, ValueError) as error:
        if str(path) not in str(error):
            raise AssertionError(f"the file is not named: {error}") from error
        return None
