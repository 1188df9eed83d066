"""The pages of the workbench in their states, as data: `test_every_page` visits each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from playwright.sync_api import Page, expect
from sites import is_header_login

# A server without users knows no invitations; by a header, there is a user.
NO_INVITATION = 410 if is_header_login() else 404


def wait_for_text(page: Page) -> None:
    expect(page.locator("#reading")).to_be_visible()


def wait_for_document(page: Page) -> None:
    wait_for_text(page)
    expect(page.locator("#why-sentence")).not_to_be_empty()


def wait_for_heading(page: Page) -> None:
    expect(page.locator("h1").first).to_be_visible()


def wait_until_loaded(page: Page) -> None:
    expect(page.locator("body:not([data-state=loading])")).to_be_visible()


def _choose_file(page: Page, part: str, content: str) -> None:
    file = {"name": f"{part}.csv", "mimeType": "text/csv", "buffer": content.encode()}
    page.locator(f"#file-{part}").set_input_files(file)
    expect(page.locator(f'.file[data-part="{part}"] .file-name')).to_be_visible()


def _files_chosen(page: Page) -> None:
    rows = "".join(f"{i},a long answer {i} {'word ' * 80},{i % 2},1\n" for i in range(60))
    _choose_file(page, "documents", f"id,text,price,staff\n{rows}")
    _choose_file(page, "train", f"id,text,price,staff\n{rows}")
    page.locator("#more-settings > summary").click()
    expect(page.locator("#next-steps li").first).to_be_visible()


def _files_refused(page: Page) -> None:
    _choose_file(page, "documents", "id,text,label\n1,a,x\n2,b,y\n")
    page.get_by_label("The documents have labels already").check()
    page.locator("#name").fill("not/allowed")
    page.get_by_role("button", name="Create the project").click()
    expect(page.locator("#problem .error").first).to_be_visible()


def _chosen(page: Page) -> None:
    wait_for_document(page)
    page.locator("button.label").first.click()


def _decided(page: Page) -> None:
    wait_for_document(page)
    before = page.locator("#document-id").inner_text()
    page.keyboard.press("Enter")
    expect(page.locator("#document-id")).not_to_have_text(before)
    expect(page.locator("button.decision").first).to_be_visible()


def _editing(page: Page) -> None:
    _decided(page)
    page.locator("button.decision").first.click()
    expect(page.locator("#editing-banner")).to_be_visible()


def _flagged(page: Page) -> None:
    wait_for_document(page)
    if page.locator("#flag").get_attribute("aria-pressed") == "false":
        page.keyboard.press("f")
    expect(page.locator("#flag")).to_have_attribute("aria-pressed", "true")


def _details(page: Page) -> None:
    wait_for_document(page)
    for summary in page.locator("#side summary:visible").all():
        summary.click()


def _searching(page: Page) -> None:
    wait_for_document(page)
    page.locator("#search").fill("ch")
    expect(page.locator("#search-hits li").first).to_be_visible()


def _tree(page: Page) -> None:
    wait_for_document(page)
    page.locator("#tree-panel > summary").click()
    expect(page.locator("#tree [role=treeitem]").first).to_be_visible()


def _note(page: Page) -> None:
    wait_for_document(page)
    page.keyboard.press("n")
    expect(page.locator("#note-dialog")).to_be_visible()


def _keys(page: Page) -> None:
    wait_for_document(page)
    page.keyboard.press("?")
    expect(page.locator("#keys-dialog")).to_be_visible()


def _status(page: Page) -> None:
    wait_for_document(page)
    page.locator("#status > summary").click()
    expect(page.locator("#progress")).to_be_visible()


def _view(page: Page) -> None:
    wait_for_document(page)
    page.locator("#view > summary").click()
    expect(page.locator("#view-form")).to_be_visible()


def _guidelines(page: Page) -> None:
    wait_for_document(page)
    page.keyboard.press("g")
    expect(page.locator("#guidelines")).to_be_visible()


def _definition(page: Page) -> None:
    wait_for_document(page)
    page.locator(".label", has_text="Chess").focus()
    expect(page.locator("#class-tip")).to_be_visible()


def _undone(page: Page) -> None:
    _decided(page)
    page.keyboard.press("u")
    expect(page.locator("#alerts .info")).to_be_visible()


def _all_checked(page: Page) -> None:
    expect(page.locator("body")).not_to_have_attribute("data-state", "loading")
    for _ in range(2):
        if page.locator("#reading").is_visible():
            page.keyboard.press("Enter")
            page.wait_for_timeout(150)
    expect(page.locator("#no-document-heading")).to_contain_text("checked")


def _documents(page: Page) -> None:
    expect(page.locator("body")).to_have_attribute("data-state", "ready")
    if page.locator("#more-filters > summary").is_visible():
        page.locator("#more-filters > summary").click()


def _managed(page: Page) -> None:
    expect(page.locator("#progress progress")).to_be_visible()
    expect(page.locator("#attention table, #attention p").first).to_be_visible()


def _settings_refused(page: Page) -> None:
    page.locator("#audit").fill("120")
    page.locator("#settings button[type=submit]").click()
    expect(page.locator("#alerts .notice")).to_be_visible()


def _other_labels(page: Page) -> None:
    wait_until_loaded(page)
    page.keyboard.press("/")
    expect(page.locator("#classes input").first).to_be_visible()


def wait_for_index(page: Page) -> None:
    """Wait until near-duplicates are known: the first request begins to look for them."""
    url = page.url.replace("/p/", "/api/v1/projects/") + "/documents/0/duplicates"
    page.evaluate("async (url) => { while (!(await (await fetch(url)).json()).ready); }", url)


def _nearly_the_same(page: Page) -> None:
    wait_for_document(page)
    wait_for_index(page)
    offer = page.locator("#near-offer")
    while not offer.is_visible():
        before = page.locator("#document-id").inner_text()
        with page.expect_response(lambda response: response.url.endswith("/duplicates")):
            page.keyboard.press("Enter")
        expect(page.locator("#document-id")).not_to_have_text(before)
    page.keyboard.press("d")
    expect(page.locator("#near-dialog")).to_be_visible()


def _managing(page: Page) -> None:
    expect(page.locator("#progress")).not_to_be_empty()
    expect(page.locator("#open-documents").get_by_role("row").nth(1)).to_be_visible()


def _people(page: Page) -> None:
    expect(page.get_by_role("row").filter(has_text="ben")).to_be_visible()


def _invited(page: Page) -> None:
    page.locator("#invite [name=name]").fill("eve")
    page.locator("#invite [type=submit]").click()
    expect(page.locator("#link")).to_be_visible()


def _joining(page: Page) -> None:
    page.locator("#invite [name=name]").fill("zoe")
    page.locator("#invite [type=submit]").click()
    expect(page.locator("#link-value")).not_to_have_value("")
    page.goto(page.locator("#link-value").input_value())
    expect(page.locator("#repeated")).to_be_visible()


def _choosing_projects(page: Page) -> None:
    page.get_by_role("button", name="Choose projects ben").click()
    expect(page.locator("#rights select")).to_have_count(2)


def _inviting(page: Page) -> None:
    expect(page.locator("#invite-choices input")).to_have_count(2)


def _webhook_added(page: Page) -> None:
    page.locator("#url").fill("https://8.8.8.8/a-rather-long-path-without-any-spaces/" + "x" * 60)
    page.locator("#add [type=submit]").click()
    expect(page.locator("#secret-value")).not_to_have_value("")
    page.get_by_role("button", name="Messages").first.click()
    expect(page.locator("#sent")).to_be_visible()


class PageState(NamedTuple):
    """A page in one state.

    `project` is a name in `PROJECTS`, `path` what follows the address of the project, or an
    absolute path, and `prepare` brings the page into the state. `status` is that of the answer,
    and `who` the person who logs in; without one, the secret link opens the page.
    """

    name: str
    project: str
    path: str = ""
    prepare: Callable[[Page], None] = wait_for_document
    status: int = 200
    who: str = ""


STATES = (
    PageState("login", "plain", "/login", wait_for_heading),
    PageState("error", "plain", "/p/nonsense", wait_for_heading, 404),
    PageState(
        "invitation that does not exist", "plain", "/join?key=x", wait_for_heading, NO_INVITATION
    ),
    PageState("projects", "plain", "/projects", wait_for_heading),
    PageState("new project", "plain", "/new", wait_for_heading),
    PageState("new project with files", "plain", "/new", _files_chosen),
    PageState("new project with errors", "plain", "/new", _files_refused),
    PageState("document", "worded"),
    PageState("many classes", "plain"),
    PageState("chosen", "plain", prepare=_chosen),
    PageState("decided", "plain", prepare=_decided),
    PageState("editing", "plain", prepare=_editing),
    PageState("flagged", "plain", prepare=_flagged),
    PageState("details", "explained", prepare=_details),
    PageState("searching", "sports", prepare=_searching),
    PageState("tree", "sports", prepare=_tree),
    PageState("note", "plain", prepare=_note),
    PageState("keys", "plain", prepare=_keys),
    PageState("hostile", "hostile"),
    PageState("one label", "tickets"),
    PageState("one label of few", "few"),
    PageState("blind", "blind", prepare=wait_for_text),
    PageState("cold", "cold"),
    PageState("estimate", "cold-known"),
    PageState("documents", "survey", "documents", _documents),
    PageState(
        "documents found",
        "survey",
        "documents?q=doctor&state=decided&by=ann&corrected=true&sort=-when",
        _documents,
    ),
    PageState("documents none found", "survey", "documents?q=nothing&noted=true", _documents),
    PageState("documents hostile", "hostile", "documents", _documents),
    PageState("disagreements", "used", "disagreements", wait_until_loaded),
    PageState("no disagreements", "plain", "disagreements", wait_until_loaded),
    PageState("status", "cold-known", prepare=_status),
    PageState("view", "worded", prepare=_view),
    PageState("guidelines", "plain", prepare=_guidelines),
    PageState("definition", "sports", prepare=_definition),
    PageState("undone", "plain", prepare=_undone),
    PageState("one label of many", "intents"),
    PageState("list of many classes", "intents", prepare=_tree),
    PageState("manage", "survey", "manage", _managed),
    PageState("manage hostile", "hostile", "manage", _managed),
    PageState("settings", "survey", "settings", wait_for_heading),
    PageState("settings refused", "plain", "settings", _settings_refused),
    PageState("webhooks", "plain", "webhooks", _webhook_added),
    PageState("people alone", "survey", "/people", wait_for_heading),
    PageState("report served", "survey", "report", wait_for_heading),
    PageState("no certificate", "plain", "certificate", wait_for_heading, 409),
    PageState("other labels", "disputed", "disagreements", _other_labels),
    PageState("nearly the same", "repeated", prepare=_nearly_the_same),
    PageState("manage a team", "team", "manage", _managing, who="max"),
    PageState("people", "team", "/people", _people, who="max"),
    PageState("invitation made", "team", "/people", _invited, who="max"),
    PageState("invitation followed", "team", "/people", _joining, who="max"),
    PageState("invitation to one of two projects", "two-projects", "/people", _inviting, who="max"),
    PageState("projects of a person", "two-projects", "/people", _choosing_projects, who="max"),
    PageState("certificate served", "cold-known", "certificate", wait_for_heading),
    PageState("all checked", "small", prepare=_all_checked),
)
PRINTED_STATES = ("report of audit", "certificate", "demonstration", "reproduction", "comparison")
