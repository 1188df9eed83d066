"""The page says who says what about a document, and shows similar labelled documents."""

import json
import re

import pytest
from playwright.sync_api import expect
from sites import HOSTILE
from test_page_phone import OVERFLOW


def training_of(path):
    """Return the training documents of a project by their ids."""
    lines = path.with_name("train.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}


def shown_similar(reader):
    """Return text, labels, similarity and id of the similar documents on the page."""
    found = []
    for item in reader.page.locator("#similar li").all():
        text, labels, about = item.locator("span").all_inner_texts()
        percent, identity = re.fullmatch(r"(\d+)% similar · (.+)", about).groups()
        found.append((text, labels, int(percent), identity))
    return found


@pytest.mark.parametrize("width", [1280, 390])
def test_similar_training_documents_are_shown(reader, explained_site, project, width):
    training = training_of(project("explained"))
    reader.page.set_viewport_size({"width": width, "height": 900})
    reader.enter(explained_site.enter_url)
    for _ in range(3):
        expect(reader.page.locator("#similar li")).to_have_count(3)
        found = shown_similar(reader)
        for text, labels, _, identity in found:
            assert text == training[identity]["text"].strip()
            assert labels == ", ".join(training[identity]["labels"])
        similarities = [percent for _, _, percent, _ in found]
        assert similarities == sorted(similarities, reverse=True)
        assert similarities[-1] > 0
        assert reader.page.evaluate(OVERFLOW) <= 0
        reader.accept()
    assert reader.errors == []


def test_the_page_says_where_an_opinion_differs_and_only_there(reader, explained_site):
    reader.enter(explained_site.enter_url)
    opinions, told = reader.page.locator("#why-opinions"), []
    for _ in range(15):
        expect(reader.page.locator("#why-sentence")).not_to_be_empty()
        told.append(opinions.inner_text() if opinions.is_visible() else "")
        reader.accept()
    said = [sentence for sentence in told if sentence]
    assert 0 < len(said) < len(told)
    wanted = r"The classifier says “(\w+)”; the opinion “embeddings” says “(\w+)”\."
    for sentence in said:
        classifier, opinion = re.fullmatch(wanted, sentence).groups()
        assert classifier != opinion


def test_hostile_names_and_texts_are_shown_and_never_run(reader, explained_hostile_site):
    reader.enter(explained_hostile_site.enter_url)
    opinions = reader.page.locator("#why-opinions")
    seen = 0
    for _ in range(10):
        expect(reader.page.locator("#similar li")).to_have_count(3)
        for excerpt in reader.page.locator(".excerpt").all():
            assert "<script>window.hacked = 1;" in excerpt.text_content()
        if opinions.is_visible():
            seen += 1
            assert f"“{HOSTILE}”" in opinions.text_content()
        assert reader.page.locator("#why :is(img, script, svg, b)").count() == 0
        reader.accept()
    assert seen
    reader.page.locator("#why summary").click()
    for width in (1280, 390, 320):
        reader.page.set_viewport_size({"width": width, "height": 800})
        assert reader.page.evaluate(OVERFLOW) <= 0
    assert reader.page.evaluate("window.hacked") is None
    assert reader.dialogs == []
    assert reader.errors == []


def test_without_features_no_similar_documents_are_shown(reader, site):
    reader.enter(site.enter_url)
    expect(reader.page.locator("#why-sentence")).not_to_be_empty()
    expect(reader.page.locator("#similar")).to_be_hidden()
    expect(reader.page.locator("#why-opinions")).to_be_hidden()
