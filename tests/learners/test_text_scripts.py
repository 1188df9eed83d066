"""Words by Unicode's properties, in many scripts."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satc.learners.text import stems
from satc.learners.text.scripts import has_unspaced, pieces_of, symbols_of, words_of
from satc.learners.text.words import WordAnalyzer, parts_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("मुझे बहुत खुशी हुई।", ["मुझे", "बहुत", "खुशी", "हुई"]),
        ("می‌خواهم بروم", ["میخواهم", "بروم"]),
        ("мы йога, ещё", ["мы", "йога", "ещё"]),
        (unicodedata.normalize("NFD", "Größe élan"), ["Gro\u0308ße", "e\u0301lan"]),
        ("co\u00adoperate", ["cooperate"]),
        ("x_y 3.5 a1b", ["x", "y", "a", "b"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("", []),
    ],
)
def test_marks_stay_with_their_letters(text, words):
    assert words_of(text) == words


def test_numbers_are_words_if_that_is_wanted():
    assert words_of("room 101, 3.5 kg", digits=True) == ["room", "101", "3.5", "kg"]
    assert WordAnalyzer(digits=True)("第3章") == ["第", "3", "章"]
    assert WordAnalyzer()("第3章") == ["第", "章"]


@pytest.mark.parametrize("text", ["简单说", "カード", "ภาษาไทย", "ភាសាខ្មែរ", "မြန်မာ", "ພາສາລາວ"])
def test_scripts_without_spaces_are_runs(text):
    assert has_unspaced(text)
    (piece,) = pieces_of(text)
    assert (piece.text, piece.is_run) == (text, True)


def test_runs_and_words_are_told_apart_with_their_places():
    text = "我的iPhone坏了 again"
    pieces = list(pieces_of(text))
    assert [(one.text, one.is_run) for one in pieces] == [
        ("我的", True),
        ("iPhone", False),
        ("坏了", True),
        ("again", False),
    ]
    assert all(text[one.start : one.end] == one.text for one in pieces)


def test_a_run_gives_its_characters_and_pairs_of_them():
    assert WordAnalyzer()("坏了 USB") == ["坏", "坏了", "了", "usb"]
    assert WordAnalyzer(runs=False)("坏了 USB") == ["usb"]


def test_symbols_come_last_and_long_ones_are_cut():
    assert symbols_of("😀 wow??????? :-) …") == ["😀", "???", ":-)", "…"]
    assert WordAnalyzer(symbols=True)("wow! 😀") == ["wow", "!", "😀"]


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=60))
def test_english_words_are_those_of_the_paper(text):
    assert WordAnalyzer(("en",), remove_stop_words=True)(text) == stems(text)


@given(st.text(max_size=40))
def test_every_text_has_words_without_white_space(text):
    for term in WordAnalyzer(("de", "en"), symbols=True, digits=True)(text):
        assert term
        assert not any(sign.isspace() for sign in term)


@given(st.text(alphabet="abc", min_size=1, max_size=8), st.integers(1, 4))
def test_parts_of_a_run_are_all_its_short_substrings(run, longest):
    n = len(run)
    slow = [run[i : i + k] for i in range(n) for k in range(1, longest + 1) if i + k <= n]
    assert parts_of(run, longest) == slow
