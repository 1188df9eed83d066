"""A person at the workbench: press keys, and read the page."""

from __future__ import annotations

import header_login
from playwright.sync_api import Dialog, Page, Response, expect
from sites import PASSWORD, is_header_login

# For scripts of the tests: the address of a path of the server, which may be below a path itself.
OWN_ADDRESS = """
const icon = () => document.querySelector("link[rel=icon]").href;
window.ownAddress = (path) => icon().replace("/static/icon.svg", path);
"""


class Reader:
    """Wrap a page; record its errors, dialogs and hosts for the tests.

    With `by_header`, a person is logged in by the header of a proxy, not by a password.
    """

    def __init__(self, page: Page, *, by_header: bool | None = None) -> None:
        self.page = page
        self.by_header = is_header_login() if by_header is None else by_header
        self.errors: list[str] = []
        self.dialogs: list[str] = []
        self.hosts: set[str] = set()
        page.add_init_script(OWN_ADDRESS)
        page.on("dialog", self._answer)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda line: line.type == "error" and self.errors.append(line.text))
        page.on("request", lambda request: self.hosts.add(request.url.split("/")[2]))

    def _answer(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.type)
        dialog.accept()

    def enter(self, url: str) -> Reader:
        self.page.goto(url)
        expect(self.page.locator("#reading")).to_be_visible()
        return self

    def enter_without_page(self, url: str) -> Reader:
        """Get the cookie only: the page would ask for a document, and open it."""
        self.page.context.request.get(url)
        return self

    def log_in(self, url: str, name: str, password: str = PASSWORD) -> Reader:
        if self.by_header:
            header_login.log_in(self.page, url, name)
            self.page.goto(url)
        else:
            self.page.goto(f"{url}/login")
            self.page.get_by_label("Name").fill(name)
            self.page.get_by_label("Password").fill(password)
            self.page.get_by_role("button", name="Log in").click()
        expect(self.page.locator("#reading, .projects").first).to_be_visible()
        return self

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def accept(self) -> str:
        """Accept, wait until the next document is there, and return its identity."""
        before = self.document
        self.press("Enter")
        return self.wait_for_another(before)

    def wait_for_another(self, before: str) -> str:
        expect(self.page.locator("#document-id")).not_to_have_text(before)
        expect(self.page.locator("#reading")).to_be_visible()
        return self.document

    def wait_for(self, document: str) -> None:
        expect(self.page.locator("#document-id")).to_have_text(document)

    def wait_for_validated(self, n: int) -> None:
        expect(self.page.locator("#progress-short")).to_contain_text(f"{n} of ")

    def saving(self, path: str = "/decision") -> object:
        """Return a context manager that waits for the response to a request that saves."""

        def wanted(response: Response) -> bool:
            return response.url.endswith(path) and response.request.method != "GET"

        return self.page.expect_response(wanted)

    @property
    def document(self) -> str:
        return self.page.locator("#document-id").inner_text()

    @property
    def text(self) -> str:
        return self.page.locator("#document-text").evaluate("node => node.textContent")

    @property
    def focus(self) -> str:
        return self.page.evaluate("document.activeElement.id")

    @property
    def chosen(self) -> list[str]:
        return self.page.locator(
            ".label:is([aria-pressed=true], [aria-checked=true]) .name"
        ).all_inner_texts()

    @property
    def offered(self) -> list[str]:
        return self.page.locator(".label .name").all_inner_texts()
