"""Languages: stemmers, stop words, and the guess of the languages of texts."""

from __future__ import annotations

import pytest
import Stemmer

from satc.learners.text.guessing import guess_languages, language_of
from satc.learners.text.languages import (
    _STEMMERS,
    check_language,
    known_languages,
    stemmer_of,
    stop_words_of,
)
from satc.learners.text.words import WordAnalyzer, stems_of

GERMAN = [
    "Das ist nicht so, wie ich es mir gedacht habe",
    "Wir haben auch noch ein Haus und einen Hund",
]
ENGLISH = ["This is not what I had in mind about it", "We have a house and they have a dog, too"]
RUSSIAN = ["Я не знаю, что это такое и как это было", "Мы были там, но они не пришли к нам"]


def test_every_stemmer_exists_and_every_one_of_snowball_has_a_language():
    names = set(Stemmer.algorithms())
    assert set(_STEMMERS.values()) <= names
    assert names - set(_STEMMERS.values()) == {"dutch_porter", "english"}


def test_an_unknown_language_is_answered_with_the_known_ones():
    assert {"de", "hi", "zh", "sw"} <= set(known_languages())
    for language in ("auto", "none", "de"):
        assert check_language(language) == language
    with pytest.raises(
        ValueError, match=r"language must be 'auto', 'none' or one of af, ar, .*'xx'"
    ):
        check_language("xx")


def test_a_language_without_a_stemmer_keeps_its_words():
    assert stemmer_of("sw")("vitabu") == "vitabu"
    assert stemmer_of("de")("häuser") == "haus"
    assert "und" in stop_words_of("de")
    assert stop_words_of("ta") == frozenset()


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (GERMAN, ("de",)),
        (RUSSIAN, ("ru",)),
        (ENGLISH * 3 + RUSSIAN, ("en", "ru")),
        (["wheat corn", "oil"], ()),
        (["你好", "坏了"], ()),
        ([], ()),
    ],
)
def test_the_stop_words_tell_the_languages(texts, expected):
    assert guess_languages(texts) == expected


def test_a_language_of_few_texts_is_left_out():
    assert guess_languages(ENGLISH * 30 + GERMAN) == ("en",)


def test_each_text_has_a_language_of_its_own():
    analyze = WordAnalyzer(("en", "de"), remove_stop_words=True)
    assert analyze("das sind die Häuser") == ["haus"]
    assert analyze("these are the houses") == ["hous"]
    assert language_of(["weizen"], ("en", "de")) == "en"  # in doubt, the first


def test_the_cache_of_stems_stays_bounded_and_right(monkeypatch):
    stems = stems_of("en", True)
    monkeypatch.setattr(type(stems), "limit", 10)
    stems.clear()
    words = [f"{chr(97 + i)}banks" for i in range(26)]
    assert [stems[word] for word in words] == [word[:-1] for word in words]
    assert len(stems) <= 10
    assert (stems["the"], stems["x"]) == ("", "")
