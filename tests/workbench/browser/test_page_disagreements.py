"""The page of disagreements: a third person settles them, and sees how well people agree."""

import pytest
import sites
from playwright.sync_api import expect

N_DISPUTED = 3


@pytest.fixture(scope="module")
def disputed(tmp_path_factory):
    path = tmp_path_factory.mktemp("disputed") / "disputed.satc"
    return sites.disputed(path, ann="annotator", eve="annotator", max="manager")


@pytest.fixture
def disputed_site(disputed, tmp_path):
    with sites.serving(disputed, tmp_path) as site:
        yield site


@pytest.fixture
def visit(disputed_site, new_reader):
    """Open the page for a person: ``visit("eve")``."""

    def visiting(who):
        reader = new_reader().log_in(disputed_site.url, who)
        reader.page.get_by_role("link", name="Disagreements").click()
        expect(reader.page.locator("body:not([data-state=loading])")).to_be_visible()
        return reader

    return visiting


def case_of(reader):
    return reader.page.locator("#document-id").inner_text()


def expect_left(reader, n, settled):
    expect(reader.page.locator("#counts")).to_have_text(f"{n} to settle, {settled} settled")


def test_both_answers_stand_side_by_side(visit):
    reader = visit("eve")
    expect_left(reader, 3, 0)
    first, second = (reader.page.locator(f"#answer-{place}") for place in ("first", "second"))
    expect(first).to_contain_text("ann")
    expect(second).to_contain_text("ben")
    assert first.locator(".name").all_inner_texts() == second.locator(".name").all_inner_texts()
    assert first.locator(".alone, .absent").count() > 0
    expect(reader.page.locator("#queue li")).to_have_count(N_DISPUTED - 1)
    assert reader.errors == []


def test_keys_settle_one_after_the_other_and_the_labels_are_saved(visit):
    reader = visit("eve")
    for n in range(N_DISPUTED):
        before = case_of(reader)
        with reader.saving("/settle") as saved:
            reader.press("12"[n % 2])
        assert saved.value.ok
        expect_left(reader, N_DISPUTED - n - 1, n + 1)
        if n < N_DISPUTED - 1:
            expect(reader.page.locator("#document-id")).not_to_have_text(before)
    expect(reader.page.locator("#nothing")).to_contain_text("All 3 disagreements")
    reader.page.reload()
    expect_left(reader, 0, 3)
    expect(reader.page.locator("#people")).to_be_hidden()  # eve has read nothing twice


def test_other_labels_can_be_chosen_by_search(visit):
    reader = visit("eve")
    reader.press("/")
    reader.page.locator("#filter").fill("5")
    reader.press("Enter")
    expect(reader.page.locator("#chosen-labels")).to_contain_text("5")
    with reader.saving("/settle") as saved:
        reader.page.get_by_role("button", name="Settle with the chosen labels").click()
    assert 4 in saved.value.request.post_data_json["labels"]
    expect_left(reader, 2, 1)


def test_a_settlement_is_undone_and_the_document_comes_back(visit):
    reader = visit("eve")
    before = case_of(reader)
    with reader.saving("/settle"):
        reader.press("1")
    expect_left(reader, 2, 1)
    with reader.saving("/undo"):
        reader.press("u")
    expect_left(reader, 3, 0)
    expect(reader.page.locator("#document-id")).to_have_text(before)


def test_later_shows_the_next_one_and_a_line_of_the_list_opens_it(visit):
    reader = visit("eve")
    before = case_of(reader)
    reader.press("s")
    expect(reader.page.locator("#document-id")).not_to_have_text(before)
    reader.page.locator("#queue button", has_text=before).click()
    expect(reader.page.locator("#document-id")).to_have_text(before)


def test_somebody_who_gave_an_answer_is_told_to_wait(visit):
    reader = visit("ann")
    expect(reader.page.locator("#nothing")).to_contain_text("wait for a third person")
    expect(reader.page.locator("#case")).to_be_hidden()
    expect(reader.page.locator("#people tbody tr")).to_have_count(1)
    expect(reader.page.locator("#drifts")).to_contain_text("too few documents to tell")


def test_a_refused_settlement_is_shown_and_the_queue_is_loaded_again(visit):
    eve, other = visit("eve"), visit("max")
    assert case_of(eve) == case_of(other)
    with eve.saving("/settle"):
        eve.press("1")
    other.press("2")
    expect(other.page.locator("#alerts")).to_contain_text("do not disagree any more")
    expect_left(other, 2, 1)


def test_a_manager_sees_the_agreement_of_everybody(visit):
    reader = visit("max")
    expect(reader.page.locator("#agreement-text")).to_contain_text("1 of them")
    expect(reader.page.locator("#people tbody tr")).to_have_count(2)
    expect(reader.page.locator("#by-class tbody tr").first).to_be_visible()


def test_a_project_without_second_readings_says_how_they_come_about(site, reader):
    reader.enter(site.enter_url)
    reader.page.goto(reader.page.url + "/disagreements")
    expect(reader.page.locator("#nothing")).to_contain_text("nobody reads a document")
    expect(reader.page.locator("#nothing-help")).to_contain_text("--overlap")
    expect(reader.page.locator("#agreement")).to_be_hidden()


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_the_page_fits_every_width_and_runs_no_text(visit, width):
    reader = visit("eve")
    reader.page.set_viewport_size({"width": width, "height": 800})
    assert reader.page.evaluate("document.documentElement.scrollWidth") <= width
    for _ in range(N_DISPUTED):
        reader.press("s")
    assert reader.page.evaluate("window.hacked") is None
    assert (reader.dialogs, reader.errors) == ([], [])
