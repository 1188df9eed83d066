"""The tree of all classes: opened, searched, and labels that imply their parents."""

import re
from contextlib import closing

import pytest
from playwright.sync_api import expect
from sites import HOSTILE

from satc.datasets.mesh import code_book
from satc.workbench.project.history import read_history
from satc.workbench.reports.report import make_report
from satc.workbench.reports.report_page import as_html
from satc.workbench.store import open_store
from satc.workbench.store.projects import get_project

pytestmark = pytest.mark.slow


def open_tree(reader):
    reader.page.locator("#tree-panel > summary").click()
    expect(reader.page.locator("#tree [role=treeitem]").first).to_be_visible()


def item(reader, name, n=0):
    """The row of a class in the tree; of several, the one number n."""
    return reader.page.get_by_role("treeitem", name=name, exact=True).nth(n)


def clear(reader):
    """Remove all chosen labels."""
    while reader.chosen:
        reader.page.locator(".label[aria-pressed=true]").first.click()


def chosen_in(reader):
    """The names of the labels that are chosen, as the line above the buttons lists them."""
    return set(reader.chosen)


@pytest.mark.data
def test_mesh_is_opened_searched_chosen_stored_closed_and_rolled_up(reader, mesh_site, tmp_path):
    reader.enter(mesh_site.enter_url)
    clear(reader)
    open_tree(reader)
    assert reader.page.locator("#tree > li").count() == 1
    expect(item(reader, "Cardiovascular Diseases")).to_have_attribute("aria-expanded", "true")
    expect(item(reader, "Heart Diseases")).to_have_attribute("aria-expanded", "false")
    reader.press("/")
    reader.page.keyboard.type("angina pect")
    hit = reader.page.locator("#search-hits li").first
    path = "Cardiovascular Diseases › Heart Diseases › Myocardial Ischemia"
    expect(hit.locator(".about")).to_contain_text(path)
    reader.press("Enter", "Escape")
    book = code_book()
    above = {book.names[k] for k in book.hierarchy.ancestors(book.codes.index("Angina Pectoris"))}
    assert len(above) > 3  # it has two parents: one among heart diseases, one among vascular ones
    assert chosen_in(reader) == above | {"Angina Pectoris"}
    implied = reader.page.locator(".label[aria-pressed=true]", has_text="implied")
    assert set(implied.locator(".name").all_inner_texts()) == above
    expect(item(reader, "Angina Pectoris")).to_have_attribute("aria-checked", "true")
    with reader.saving() as saved:
        document = reader.document
        reader.press("Enter")
    assert saved.value.json()["implied"] == []  # the page has sent all of them
    stored_as(tmp_path, document, above | {"Angina Pectoris"})
    assert reader.errors == []


def stored_as(folder, document, names):
    """Check the decision in the store, and the figures of the report that roll up from it."""
    with closing(open_store(folder / "project.satc")) as store:
        project = get_project(store)
        history = read_history(store, project)
        (decision,) = history.record.current_decisions()
        assert {project.classes[j] for j in decision.labels} == names
        report = make_report(store, project, history)
        line = {one.code: one for one in report.nodes}
        for name in names:
            assert line[name].validated == 1
            assert line[name].documents >= 1
        page = as_html(store, report, history, None)
    assert "Classes, rolled up" in page
    assert re.search(r'class="name in1">Heart Diseases<', page)


@pytest.mark.data
def test_removing_a_parent_removes_what_is_below_it_and_can_be_undone(reader, mesh_site):
    reader.enter(mesh_site.enter_url)
    clear(reader)
    for name in ("Angina Pectoris", "Hypertension"):
        reader.press("/")
        reader.page.keyboard.type(name)
        reader.press("Enter", "Escape")
    before = chosen_in(reader)
    reader.page.locator(".label", has_text="Heart Diseases").first.click()
    after = chosen_in(reader)
    assert "Angina Pectoris" not in after
    assert {"Hypertension", "Vascular Diseases", "Cardiovascular Diseases"} <= after
    expect(reader.page.locator("#removed-labels")).to_contain_text("Removed with Heart Diseases")
    reader.page.get_by_role("button", name="Put back").click()
    assert chosen_in(reader) == before
    expect(reader.page.locator("#removed-labels")).to_be_hidden()


def test_implied_labels_are_folded_into_one_chip_that_opens_them(reader, wide_tree_site):
    reader.enter(wide_tree_site.enter_url)
    clear(reader)
    reader.press("/")
    reader.page.keyboard.type("class 1999")
    reader.press("Enter", "Escape")
    chips = reader.page.locator("#chosen .name")
    folded = reader.page.locator("#implied-chip")
    assert chips.all_inner_texts() == ["Class 1999"]
    expect(folded).to_have_text("+2 implied")
    expect(folded).to_have_attribute("title", re.compile("All and Class 1$"))
    folded.focus()
    reader.press("Enter")
    assert set(chips.all_inner_texts()) == {"Class 1999", "All", "Class 1"}
    expect(folded).to_be_focused()
    expect(folded).to_have_attribute("aria-expanded", "true")
    reader.press("Enter")
    assert chips.all_inner_texts() == ["Class 1999"]


def test_labels_that_were_put_back_are_still_there_after_a_reload(reader, wide_tree_site):
    reader.enter(wide_tree_site.enter_url)
    clear(reader)
    reader.press("/")
    reader.page.keyboard.type("class 1999")
    reader.press("Enter", "Escape")
    reader.page.locator(".label", has_text="All").first.click()
    assert reader.chosen == []
    reader.page.get_by_role("button", name="Put back").click()
    reader.page.reload()
    expect(reader.page.locator("#reading")).to_be_visible()
    assert chosen_in(reader) == {"Class 1999", "Class 1", "All"}


def test_lists_of_decisions_name_only_what_others_do_not_imply(reader, wide_tree_site):
    reader.enter(wide_tree_site.enter_url)
    clear(reader)
    reader.press("/")
    reader.page.keyboard.type("class 1999")
    reader.press("Enter", "Escape")
    with reader.saving():
        reader.press("Enter")
    given = reader.page.locator(".decision .given").first
    expect(given).to_have_text("Class 1999 · +2 implied")
    reader.page.get_by_role("link", name="Documents", exact=True).click()
    decided = reader.page.locator("#rows tr", has_text="Class 1999").locator("td").nth(2)
    expect(decided).to_contain_text("Class 1999")
    reader.page.goto(f"{reader.page.url}?state=undecided")
    expect(reader.page.locator("#rows .names", has_text="implied").first).to_be_visible()


def test_the_arrow_keys_move_open_and_close(reader, sports_site):
    reader.enter(sports_site.enter_url)
    clear(reader)
    open_tree(reader)
    names = ["Sport", "Politics", "Indoors"]
    assert reader.page.locator("#tree > li > .node > .name").all_inner_texts() == names
    reader.page.locator("#tree [tabindex='0']").focus()
    focused = "document.activeElement.querySelector('.name').textContent"
    reader.press("ArrowRight", "ArrowRight", "ArrowDown")
    assert reader.page.evaluate(focused) == "Chess"
    expect(reader.page.locator("#tree-about")).to_contain_text("Sport; also in Indoors")
    expect(reader.page.locator("#tree-about")).to_contain_text("A board game.")
    document = reader.document
    reader.press("Space")
    assert "Chess" in reader.chosen
    assert reader.document == document  # Space has not accepted
    expect(reader.page.locator("#tree > li").nth(2).locator(".state")).to_have_text(
        "1 chosen below"
    )
    reader.press("End", "Enter")  # a heading cannot be chosen: it opens
    assert reader.chosen == ["Chess"]
    assert item(reader, "Chess", 1).get_attribute("aria-checked") == "true"
    reader.press("Home", "ArrowLeft")
    expect(item(reader, "Sport")).to_have_attribute("aria-expanded", "false")
    assert item(reader, "Indoors").get_attribute("aria-checked") is None


def test_codes_and_definitions_are_searched_and_keys_choose(reader, sports_site):
    reader.enter(sports_site.enter_url)
    clear(reader)
    for query in ("board", "S2"):
        reader.press("/")
        reader.page.keyboard.type(query)
        expect(reader.page.locator("#search-hits li").first).to_contain_text("Chess")
        reader.press("Escape")
    reader.press("c")
    assert reader.chosen == ["Chess"]
    expect(reader.page.locator(".label", has_text="Chess").locator("kbd")).to_have_text("c")
    reader.page.locator(".label", has_text="Chess").focus()
    expect(reader.page.get_by_role("tooltip")).to_have_text("A board game.")
    reader.press("Escape")
    expect(reader.page.get_by_role("tooltip")).to_be_hidden()
    reader.page.locator(".label", has_text="Chess").hover()
    expect(reader.page.get_by_role("tooltip")).to_have_text("A board game.")
    reader.press("?")
    expect(reader.page.locator("#keys-list")).to_contain_text("Chess")


def test_names_and_definitions_are_never_markup(reader, sports_site):
    reader.enter(sports_site.enter_url)
    open_tree(reader)
    item(reader, "Sport").locator(".twist").first.click()
    reader.press("w", "/")
    reader.page.keyboard.type("script")
    expect(reader.page.locator("#search-hits li").first).to_be_visible()
    assert reader.page.locator("b.hostile, #side script, #side img").count() == 0
    assert reader.page.evaluate("window.hacked") is None
    assert reader.page.locator("#tree").evaluate("node => node.textContent").count(HOSTILE) == 1
    assert reader.errors == []


def test_two_thousand_classes_are_made_when_they_are_opened(reader, wide_tree_site):
    reader.enter(wide_tree_site.enter_url)
    clear(reader)
    open_tree(reader)
    items = reader.page.locator("#tree [role=treeitem]")
    assert items.count() == 1001  # the root is open, and the classes below it are there
    reader.press("/")
    reader.page.keyboard.type("class 1999")
    reader.press("Enter", "Escape")
    assert chosen_in(reader) == {"Class 1999", "Class 1", "All"}
    assert items.count() == 2000
    expect(item(reader, "Class 1999")).to_be_visible()


def test_the_tree_fits_a_phone_and_a_tap_chooses(reader, sports_site):
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.enter(sports_site.enter_url)
    clear(reader)
    open_tree(reader)
    item(reader, "Politics").locator(".twist").first.click()
    item(reader, "Elections").locator(".name").click()
    assert reader.chosen == ["Elections"]
    expect(reader.page.locator("#tree-about")).to_contain_text("Votes.")
    heights = reader.page.locator("#tree .node").evaluate_all(
        "nodes => nodes.map((node) => node.getBoundingClientRect().height)"
    )
    assert min(heights) >= 44
    width = "document.documentElement.scrollWidth"
    assert reader.page.evaluate(width) <= 390
