"""The catalogue of messages: every text that is used exists, and every text is used."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import satc.workbench
from satc.workbench.messages import Message, Messages, choose_language
from satc.workbench.messages.catalogue import FOLDER, areas, texts_of
from satc.workbench.messages.languages import LANGUAGES
from satc.workbench.messages.rendering import PLACEHOLDER

WORKBENCH = Path(satc.workbench.__file__).parent
KINDS = {".py", ".js", ".html"}
FORMATS = {None, "percent", "decimal", "date", "datetime", "list"}
KEY = r"[a-z]+\.\w+"
# The plural forms of whole numbers that a translation needs.
PLURALS = {"de": ("one", "other"), "fr": ("one", "other"), "es": ("one", "other"), "zh": ("other",)}


def sources():
    return [
        path.read_text(encoding="utf-8")
        for path in WORKBENCH.rglob("*")
        if path.suffix in KINDS and path.parent.name != "messages"
    ]


def english():
    return {key: text for area in areas() for key, text in texts_of("en", area).items()}


def forms(text):
    return [text] if isinstance(text, str) else list(text.values())


def found(pattern):
    return {key for text in sources() for key in re.findall(pattern, text)}


def asked_keys():
    """Keys in calls that look a text up."""
    return found(rf'\b(?:t|say|Message|PageLink)\(\s*["\'`]({KEY})["\'`]')


def begun_keys():
    """Beginnings of keys that the sources complete: ``t(`documents.state_${state}`)``."""
    return found(rf'["\'`]({KEY}_)(?:\$?\{{|["\'`] ~)')


def test_every_key_that_is_looked_up_has_a_text():
    known = english()
    assert not asked_keys() - set(known) - begun_keys()
    assert all(any(key.startswith(beginning) for key in known) for beginning in begun_keys())


def test_every_text_is_used():
    unused = set(english()) - found(rf'["\'`]({KEY})["\'`]')
    assert not {key for key in unused if not key.startswith(("?", *begun_keys()))}


def test_texts_have_known_formats_and_a_plural_form_for_every_other_number():
    for key, text in english().items():
        for form in forms(text):
            assert form.strip() == form, key
            assert {how or None for _, how in PLACEHOLDER.findall(form)} <= FORMATS, key
        assert isinstance(text, str) or "other" in text, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_message_is_rendered_in_every_language(language):
    say = Messages(language)
    assert "1" in say(Message("common.checked", n=1, total=2))


def test_numbers_follow_the_language():
    message = Message("common.checked", n=1200, total=3000)
    assert "1,200" in Messages("en")(message)
    assert "1.200" in Messages("de")(message)


def test_values_can_be_messages():
    inner = Message("common.checked", n=1, total=2)
    outer = Message("common.checked", n=inner, total=2)
    assert str(outer) == "1 of 2 checked of 2 checked"


@pytest.mark.parametrize(
    ("chosen", "accepted", "language"),
    [
        ("", "", "en"),
        ("", "de-AT,de;q=0.9,en;q=0.8", "de"),
        ("", "pt, es;q=0.5", "es"),
        ("", "zh-Hant-TW", "zh"),
        ("", "de;q=0, fr;q=nonsense, es;q=0.1", "es"),
        ("fr", "de", "fr"),
        ("xx", "de", "de"),
    ],
)
def test_the_language_is_the_chosen_one_or_the_best_that_the_browser_accepts(
    chosen, accepted, language
):
    assert choose_language(chosen, accepted) == language


def test_items_with_commas_are_separated_by_semicolons():
    say = Messages("en")
    names = ["Arrhythmias, Cardiac", "Heart Block"]
    assert say("common.implied_names", items=names).endswith("Arrhythmias, Cardiac; Heart Block")
    assert say("common.implied_names", items=["Stroke", "Shock"]).endswith("Stroke and Shock")


TRANSLATIONS = [
    (path.parent.name, path.stem)
    for path in sorted(FOLDER.glob("*/*.json"))
    if path.parent.name != "en"
]


def test_every_area_is_translated_into_every_language():
    assert len(TRANSLATIONS) == (len(LANGUAGES) - 1) * len(areas())


@pytest.mark.parametrize(("language", "area"), TRANSLATIONS)
def test_a_translation_has_the_texts_of_english_and_the_same_placeholders(language, area):
    translated = json.loads((FOLDER / language / f"{area}.json").read_text(encoding="utf-8"))
    assert {f"{area}.{key}" for key in translated} == set(texts_of("en", area))
    for key, text in translated.items():
        source = english()[f"{area}.{key}"]
        assert isinstance(source, str) or set(PLURALS[language]) == set(text), key
        assert {*PLACEHOLDER.findall(" ".join(forms(text)))} == {
            *PLACEHOLDER.findall(" ".join(forms(source)))
        }, key
