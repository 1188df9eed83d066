"""Near-duplicates: the page offers them after a decision, and a key copies the labels."""

import re

import pytest
import sites
from page_states import wait_for_index
from playwright.sync_api import expect

FAMILY = {"d0", "d1", "d2", "d3"}


@pytest.fixture
def reading(project, tmp_path, new_reader):
    """Open the page of a project with near-duplicates; the index is ready."""
    with sites.serving(project("repeated"), tmp_path) as site:
        reader = new_reader().enter(site.enter_url)
        wait_for_index(reader.page)
        yield reader


def reach_family(reader):
    """Accept until one of the family was decided, and the page offers the others."""
    for _ in range(12):
        document = reader.document
        with reader.saving(), reader.page.expect_response(re.compile("/duplicates$")):
            reader.press("Enter")
        if document in FAMILY:
            break
        reader.wait_for_another(document)
    expect(reader.page.locator("#near-offer")).to_be_visible()
    return document


def labels_of(reader, document):
    url = reader.page.url.replace("/p/", "/api/v1/projects/") + f"/documents/{document[1:]}"
    script = "async (url) => await (await fetch(url)).json()"
    found = reader.page.evaluate(script, url)
    return found["labels"], found["source"]


def test_near_duplicates_are_offered_and_a_key_copies_the_labels(reading):
    first = reach_family(reading)
    expect(reading.page.locator("#near-offer")).to_contain_text("3 documents are nearly the same")
    reading.press("d")
    expect(reading.page.locator("#near-dialog")).to_be_visible()
    for _ in range(3):
        with reading.saving("/same-as") as saved:
            reading.press("d")
        assert saved.value.ok
    expect(reading.page.locator("#near-dialog")).to_be_hidden()
    expect(reading.page.locator("#near-offer")).to_be_hidden()
    expect(reading.page.locator("#alerts")).to_contain_text("3 more documents")
    wanted = labels_of(reading, first)
    assert all(labels_of(reading, one) == wanted for one in FAMILY)
    assert reading.document not in FAMILY
    assert reading.errors == []


def test_the_differing_words_are_marked(reading):
    reach_family(reading)
    reading.press("d")
    marks = reading.page.locator("#near-text ins, #near-text del")
    for _ in range(3):
        if marks.count():
            break
        reading.press("n")
    assert {"elsewhere", "word20"} & {text.strip() for text in marks.all_inner_texts()}
    expect(reading.page.locator("#near-legend")).to_be_visible()


def test_documents_with_the_same_words_are_decided_together(reading):
    first = reach_family(reading)
    reading.page.get_by_role("button", name="Compare").click()
    expect(reading.page.locator("#near-dialog")).to_be_visible()
    if first == "d3":  # the others differ from it by a word
        expect(reading.page.locator("#near-all")).to_be_hidden()
        return
    with reading.saving("/same-as"):
        reading.press("Shift+D")
    expect(reading.page.locator("#near-id")).to_have_text("d3")
    reading.press("Escape")
    expect(reading.page.locator("#near-offer")).to_contain_text("1 document is nearly the same")
    reading.page.locator("#near-dismiss").click()
    expect(reading.page.locator("#near-offer")).to_be_hidden()


def test_each_copy_is_undone_by_itself(reading):
    first = reach_family(reading)
    reading.press("d")
    second = reading.page.locator("#near-id").inner_text()
    with reading.saving("/same-as"):
        reading.press("d")
    reading.press("Escape")
    with reading.saving("/undo"):
        reading.press("u")
    reading.wait_for(second)
    assert labels_of(reading, second)[1] == "automatic"
    assert labels_of(reading, first)[1] == "human"


def test_the_dialog_fits_a_phone(reading):
    reach_family(reading)
    reading.page.set_viewport_size({"width": 390, "height": 800})
    reading.press("d")
    expect(reading.page.locator("#near-same")).to_be_in_viewport()
    box = reading.page.locator("#near-dialog").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
