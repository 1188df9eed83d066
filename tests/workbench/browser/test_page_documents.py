"""The page with the table of all documents."""

import pytest
from playwright.sync_api import expect


class Table:
    """The table in a browser."""

    def __init__(self, reader, site, query=""):
        self.page = reader.page
        self.reader = reader
        reader.enter_without_page(site.enter_url)
        self.address = f"{site.url}/p/survey/documents"
        self.page.goto(f"{self.address}{query}")
        self.wait()

    def wait(self):
        expect(self.page.locator("body")).to_have_attribute("data-state", "ready")
        expect(self.page.locator("#table")).not_to_have_attribute("aria-busy", "true")

    def expect_found(self, n):
        text = f"{n} document{'' if n == 1 else 's'}"
        expect(self.page.locator("#count")).to_have_text(text)

    @property
    def ids(self):
        return self.page.locator(".open").all_inner_texts()

    @property
    def n_found(self):
        return int(self.page.locator("#count").inner_text().split()[0])


@pytest.fixture
def table(reader, survey_site):
    return Table(reader, survey_site)


def test_all_documents_are_listed_in_the_order_of_their_use(table):
    table.expect_found(120)
    assert len(table.ids) == 50
    expect(table.page.locator("#page")).to_have_text("Page 1 of 3")
    expect(table.page.get_by_role("link", name="Documents")).to_have_attribute(
        "aria-current", "page"
    )
    assert table.reader.errors == []


def test_a_search_finds_words_and_marks_them(table):
    table.page.keyboard.press("/")
    assert table.reader.focus == "q"
    table.page.keyboard.type("kind doct")
    table.expect_found(30)
    marked = table.page.locator("tbody tr").first.locator("mark").all_inner_texts()
    assert marked == ["kind", "doctor"]
    assert "q=kind+doct" in table.page.url


def test_chinese_is_found_by_one_character(table):
    table.page.locator("#q").fill("护")
    table.expect_found(30)
    expect(table.page.locator("tbody mark").first).to_have_text("护")


def test_filters_are_combined_and_can_be_removed(table):
    page = table.page
    page.get_by_label("Status").select_option("Decided")
    expect(page.locator(".chip")).to_have_count(1)
    decided = table.n_found
    page.get_by_label("Decided by").select_option("ann")
    expect(page.locator(".chip")).to_have_count(2)
    table.wait()
    assert 0 < table.n_found < decided
    page.get_by_role("button", name="Remove the filter “Decided by ann”").click()
    expect(page.locator(".chip")).to_have_count(1)
    table.expect_found(decided)
    page.get_by_label("Flagged").check()
    expect(page.locator(".chip")).to_have_count(2)
    page.get_by_role("button", name="Clear all filters").first.click()
    table.expect_found(120)
    expect(page.locator("#state")).to_have_value("")
    expect(page.get_by_label("Flagged")).not_to_be_checked()


def test_a_class_is_chosen_by_its_name(table):
    page = table.page
    page.get_by_label("Predicted class").fill("Wait")
    page.get_by_label("Predicted class").blur()
    expect(page.locator("#predicted-problem")).to_have_text("No class has this name.")
    page.get_by_label("Predicted class").fill("waiting")
    expect(page.locator(".chip")).to_contain_text("Predicted: waiting")
    expect(page.locator("#predicted-problem")).to_have_text("")
    for names in page.locator("tbody tr td:nth-child(2)").all_inner_texts():
        assert "waiting" in names


def test_the_address_keeps_the_filters(table, new_reader, survey_site):
    page = table.page
    page.get_by_label("Status").select_option("Decided")
    page.get_by_label("Predicted class").fill("food")
    page.get_by_label("Sort by").select_option("Latest decision first")
    expect(page.locator(".chip")).to_have_count(2)
    expect(page.locator("th[data-sort=when]")).to_have_attribute("aria-sort", "descending")
    query = page.url.partition("?")[2]
    other = Table(new_reader(), survey_site, f"?{query}")
    expect(page.locator(".open")).to_have_text(other.ids)  # the answer may come a little later
    expect(other.page.get_by_label("Predicted class")).to_have_value("food")
    page.go_back()
    expect(page.locator("#sort")).to_have_value("rank")
    page.go_back()
    expect(page.locator(".chip")).to_have_count(1)
    expect(page.get_by_label("Predicted class")).to_have_value("")


def test_a_row_opens_its_document_and_back_returns_to_the_same_list(table):
    page = table.page
    page.get_by_label("Status").select_option("Not decided")
    page.locator("#q").fill("food")
    expect(page.locator(".chip")).to_have_count(2)
    table.wait()
    ids = table.ids
    index = page.locator("tbody tr").nth(1).get_attribute("data-index")
    page.locator("tbody tr").nth(1).click()
    expect(page.locator("#document-id")).to_have_text(f"d{index}")
    page.go_back()
    expect(page.locator("#q")).to_have_value("food")
    expect(page.locator(".open").first).to_have_text(ids[0])
    assert table.ids == ids


def test_a_decided_row_opens_for_a_change(reader, survey_site):
    table = Table(reader, survey_site, "?state=decided&sort=id")
    first = table.ids[0]
    table.page.locator(".open").first.click()
    expect(table.page.locator("#document-id")).to_have_text(first)
    expect(table.page.locator("#editing-banner")).to_be_visible()
    table.page.go_back()
    expect(table.page.locator(".open").first).to_have_text(first)


def test_heads_of_columns_sort(table):
    page = table.page
    page.get_by_role("button", name="Document").click()
    expect(page.locator(".open").first).to_have_text("d0")
    expect(page.locator("th[data-sort=id]")).to_have_attribute("aria-sort", "ascending")
    page.get_by_role("button", name="Document").click()
    expect(page.locator(".open").first).to_have_text("d119")
    expect(page.locator("th[data-sort=id]")).to_have_attribute("aria-sort", "descending")
    page.get_by_role("button", name="By whom and when").click()
    expect(page.locator("tbody tr").first.locator("td").nth(3)).not_to_be_empty()


def test_pages_are_turned(table):
    page = table.page
    page.get_by_label("Sort by").select_option("Order in the file")
    expect(page.locator(".open").first).to_have_text("d0")
    expect(page.get_by_role("button", name="Previous page")).to_be_disabled()
    page.get_by_role("button", name="Next page").click()
    expect(page.locator(".open").first).to_have_text("d50")
    page.get_by_role("button", name="Next page").click()
    expect(page.locator(".open").first).to_have_text("d100")
    expect(page.get_by_role("button", name="Next page")).to_be_disabled()
    expect(page.locator(".open")).to_have_count(20)
    page.go_back()
    expect(page.locator("#page")).to_have_text("Page 2 of 3")


def test_where_nothing_is_found_the_filters_can_be_cleared(table):
    table.page.locator("#q").fill("zebra")
    table.expect_found(0)
    expect(table.page.locator("#nothing")).to_contain_text("No document matches.")
    table.page.locator("#nothing").get_by_role("button", name="Clear all filters").click()
    table.expect_found(120)
    expect(table.page.locator("#q")).to_have_value("")


def test_changed_labels_are_marked(reader, survey_site):
    table = Table(reader, survey_site, "?corrected=true")
    row = table.page.locator("tbody tr").first
    expect(row.locator("ins, del").first).to_be_visible()
    before = set(row.locator("td").nth(1).locator("li").all_inner_texts())
    removed = set(row.locator("del").all_inner_texts())
    assert removed <= before


def test_notes_are_texts(reader, survey_site):
    table = Table(reader, survey_site, "?noted=true")
    expect(table.page.locator(".note").first).to_contain_text("<script>window.hacked = 1")
    assert table.page.evaluate("window.hacked") is None
    assert table.page.locator(".hostile").count() == 0
    assert table.reader.errors == []


def test_on_a_phone_documents_are_cards(new_reader, survey_site):
    reader = new_reader()
    reader.page.set_viewport_size({"width": 390, "height": 844})
    table = Table(reader, survey_site)
    page = table.page
    expect(page.locator("thead")).to_be_hidden()
    expect(page.get_by_label("Status")).to_be_hidden()
    page.locator("#more-filters > summary").click()
    page.get_by_label("Status").select_option("Decided")
    expect(page.locator(".chip")).to_have_count(1)
    card = page.locator("tbody tr").first
    assert card.bounding_box()["width"] > 340
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for control in ("#q", "#state", "#sort", ".chip"):
        assert page.locator(control).first.bounding_box()["height"] >= 44


def test_a_second_reader_does_not_see_the_first_opinion(new_reader, team_survey_site):
    reader = new_reader().log_in(team_survey_site.url, "cai")
    reader.page.goto(f"{team_survey_site.url}/p/survey/documents?state=decided")
    expect(reader.page.locator("body")).to_have_attribute("data-state", "ready")
    hidden = reader.page.locator("td", has_text="you may be asked for a second reading")
    expect(hidden.first).to_be_visible()
