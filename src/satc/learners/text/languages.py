"""Languages: their stemmers and their stop words.

Languages have the codes of ISO 639-1. Stems are those of Snowball, in the languages that PyStemmer
has; the stop words come from the package `stopwordsiso`, except the English ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

AUTO, NONE = "auto", "none"
ENGLISH = "en"

_STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    ENGLISH: "porter",  # the stems of the paper
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
# Function words only, with the parts of their contractions before and after an apostrophe. The list
# of scikit-learn also contains words like "interest", "bill" and "system", which are topics here.
# "won" and "let" are not stop words.
_FUNCTION_WORDS = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she
her hers herself it its itself they them their theirs themselves what which who whom this that
these those am is are was were be been being have has had having do does did doing would should
could ought can cannot a an the and but if or because as until while of at by for with about
against between into through during before after above below to from up down in out on off over
under again further then once here there when where why how all any both each few more most
other some such no nor not only own same so than too very
ll re ve aren couldn didn doesn don hadn hasn haven isn mustn shan shouldn wasn weren wouldn
"""
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())


@cache
def known_languages() -> tuple[str, ...]:
    """Return the codes of the languages that have a stemmer or stop words."""
    import stopwordsiso

    return tuple(sorted({*_STEMMERS, *stopwordsiso.langs()}))


def check_language(language: str) -> str:
    """Return a language if it is known, "auto" or "none"; else raise an error that lists them."""
    if language not in (AUTO, NONE, *known_languages()):
        raise ValueError(
            f"language must be {AUTO!r}, {NONE!r} or one of {', '.join(known_languages())}, "
            f"but is {language!r}"
        )
    return language


def stop_words_of(language: str) -> frozenset[str]:
    """Return the stop words of a language; none if they are not known."""
    import stopwordsiso

    if language == ENGLISH:
        return STOP_WORDS
    known = stopwordsiso.has_lang(language)
    return frozenset(stopwordsiso.stopwords(language)) if known else frozenset()


def stemmer_of(language: str) -> Callable[[str], str]:
    """Return the function from a word to its stem; the word itself if there is no stemmer.

    >>> [stemmer_of(language)("houses") for language in ("en", "sw")]
    ['hous', 'houses']
    """
    if language not in _STEMMERS:
        return str
    import Stemmer

    stem: Callable[[str], str] = Stemmer.Stemmer(_STEMMERS[language], 0).stemWord
    return stem
