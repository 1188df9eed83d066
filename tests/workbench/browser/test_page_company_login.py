"""The company's login in a browser: to a provider on another site, and back."""

import axe
import pytest
import sites
from openid_provider import CLIENT_ID, CLIENT_SECRET, running_provider
from playwright.sync_api import expect

from satc.workbench.web.access.company.settings import LoginSettings, OpenIdLogin

BUTTONS = {
    "en-US": "Log in with ACME",
    "de-DE": "Mit ACME anmelden",
    "fr-FR": "Se connecter avec ACME",
    "es-ES": "Iniciar sesión con ACME",
    "zh-CN": "使用 ACME 登录",
}


@pytest.fixture(scope="module")
def provider():
    with running_provider() as running:
        yield running


@pytest.fixture
def company_site(team_project, tmp_path, provider):
    openid = OpenIdLogin(provider.issuer, CLIENT_ID, CLIENT_SECRET, label="ACME")
    with sites.serving(team_project, tmp_path, login=LoginSettings(openid=openid)) as site:
        yield site


def test_a_person_comes_back_from_the_provider_to_the_wanted_page(company_site, provider, reader):
    provider.asks = True  # what follows begins on another site, and gets no strict cookie
    page = reader.page
    page.goto(f"{company_site.url}/p/plain/documents?sort=-rank")
    page.get_by_role("link", name="Log in with ACME").click()
    page.get_by_role("link", name="Allow").click()
    expect(page.locator(".who")).to_have_text("eve")
    assert page.url == f"{company_site.url}/p/plain/documents?sort=-rank"
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("link", name="Log in with ACME")).to_be_visible()


def test_the_login_page_is_accessible_and_speaks_five_languages(company_site, new_reader):
    for locale, button in BUTTONS.items():
        page = new_reader(locale).page
        page.goto(f"{company_site.url}/login")
        expect(page.get_by_role("link", name=button)).to_be_visible()
    page.evaluate(axe.source())
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert axe.violations(page) == []
