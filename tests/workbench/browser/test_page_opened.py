"""A document that was opened from another page comes first, with a way back."""

from playwright.sync_api import expect


def open_document(reader, site, index):
    """Go from the list of projects to a document of the project."""
    reader.page.goto(site.enter_url)
    expect(reader.page.locator("#reading")).to_be_visible()
    project = reader.page.evaluate("location.pathname")
    reader.page.evaluate("url => { location.href = url }", f"{project}?document={index}")
    expect(reader.page.locator("#reading")).to_be_visible()


def undecided(reader):
    """Return the number and the id of a document that nobody has open."""
    found = reader.page.evaluate(
        """async () => {
          const base = ownAddress(`/api/v1/projects/${document.body.dataset.project}`);
          const get = (path) => fetch(`${base}/${path}`).then((answer) => answer.json());
          const { assignments } = await get("assignments");
          const open = new Set(assignments.map((one) => one.document.index));
          const index = [...Array(20).keys()].find((i) => !open.has(i));
          return [index, (await get(`documents/${index}`)).document.id];
        }"""
    )
    return found


def test_an_undecided_document_is_leased_and_decided(reader, site):
    reader.enter(site.enter_url)
    first = reader.document
    index, identity = undecided(reader)
    open_document(reader, site, index)
    reader.wait_for(identity)
    expect(reader.page.locator("#editing-banner")).not_to_be_visible()
    with reader.saving():
        reader.press("Enter")
    reader.wait_for(first)  # then the work goes on
    assert "document=" not in reader.page.url
    reader.wait_for_validated(1)
    expect(reader.page.locator(".decision")).to_have_count(1)


def test_a_decided_document_is_opened_for_revision(reader, site):
    reader.enter(site.enter_url)
    first = reader.document
    second = reader.accept()
    reader.wait_for_validated(1)
    index = reader.page.locator(".decision").first.get_attribute("data-edit")
    open_document(reader, site, index)
    reader.wait_for(first)
    expect(reader.page.locator("#editing-banner")).to_be_visible()
    reader.press("1")
    with reader.saving():
        reader.press("Enter")
    reader.wait_for(second)
    assert "document=" not in reader.page.url


def test_a_reload_keeps_the_document_that_was_opened(reader, site):
    reader.enter(site.enter_url)
    index, identity = undecided(reader)
    open_document(reader, site, index)
    reader.wait_for(identity)
    reader.press("2")
    chosen = reader.chosen
    reader.page.reload()
    reader.wait_for(identity)
    assert reader.chosen == chosen


def test_a_document_that_cannot_be_opened_is_named_and_the_work_goes_on(reader, site):
    open_document(reader, site, 999)
    expect(reader.page.locator("#alerts .error")).to_be_visible()
    expect(reader.page.locator("#reading")).to_be_visible()


def test_a_link_leads_back_to_the_page_that_the_person_came_from(reader, site):
    reader.enter(site.enter_url)
    expect(reader.page.locator("#way-back")).not_to_be_visible()
    project = reader.page.evaluate("location.pathname")
    reader.page.goto(f"{reader.page.url}/disagreements?page=2")
    reader.page.evaluate("url => { location.href = url }", f"{project}?document=3")
    back = reader.page.get_by_role("link", name="Back")
    expect(back).to_be_visible()
    reader.page.reload()
    expect(back).to_have_attribute("href", f"{project}/disagreements?page=2")
