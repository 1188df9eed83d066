"""The pages of managers: who may open them, and the report and certificate behind their buttons."""

from __future__ import annotations

import json
import re

import pytest
from calling import BASE, bearer, labels_of, log_in
from fastapi.testclient import TestClient

from satc.files.exchange import FORMATS
from satc.workbench.web.printed_policy import printed_policy

PAGES = ("/p/team/manage", "/p/team/settings", "/p/team/webhooks", "/people")
PRINTED = ("/p/team/report", "/p/team/certificate", "/p/team/certificate.json")
PRINTED += ("/p/team/shares.csv",)


@pytest.mark.parametrize("path", [*PAGES, *PRINTED])
def test_annotators_do_not_open_the_pages_of_managers(path, stranger):
    assert stranger.get(path).headers["location"].startswith("/login")
    log_in(stranger, "ann")
    refused = stranger.get(path, headers={"Accept": "text/html"})
    assert (refused.status_code, refused.headers["content-type"][:9]) == (403, "text/html")
    assert "Manage" not in stranger.get("/p/team").text


@pytest.mark.parametrize("path", PAGES)
def test_managers_open_their_pages(path, stranger):
    log_in(stranger, "max")
    answer = stranger.get(path)
    assert answer.status_code == 200
    assert "default-src 'none'; script-src 'self'" in answer.headers["content-security-policy"]
    assert ">Manage</a>" in stranger.get("/p/team").text


def test_the_overview_offers_all_formats_of_the_export(client):
    page = client.get("/p/claims/manage").text
    offered = re.findall(r"export\?format=([a-z-]+)", page)
    assert set(offered) == set(FORMATS) - {"hugging-face"}
    assert client.get(f"{BASE}/export", params={"format": offered[0]}).status_code == 200


def test_the_settings_page_shows_values_and_reasons(client):
    client.patch(BASE, json={"title": "<b>Claims</b>", "overlap": 0.125, "price": 12.5})
    page = client.get("/p/claims/settings").text
    assert "&lt;b&gt;Claims&lt;/b&gt;" in page
    assert "<b>Claims" not in page
    assert 'value="12.5" data-kind="share"' in page.replace("\n    ", " ")
    assert "It was declared before the random check." in page


def test_a_single_user_is_told_how_to_work_as_a_team(client):
    page = client.get("/people").text
    assert "Add yourself as the first manager" in page
    assert 'id="first-manager"' in page


def decide(client, made, n):
    for _ in range(n):
        given = client.post(f"{BASE}/next").json()["assignment"]
        sent = {"labels": labels_of(made, given["document"]["index"]), "seconds": 3}
        client.post(f"{BASE}/leases/{given['lease']}/decision", json=sent)


def test_the_report_allows_its_own_style_and_nothing_else(client, made):
    decide(client, made, 3)
    answer = client.get("/p/claims/report")
    policy = answer.headers["content-security-policy"]
    assert "Commodities" in answer.text
    assert policy == printed_policy(answer.text)
    assert "style-src 'sha256-" in policy
    assert "script-src" not in policy
    assert "unsafe" not in policy
    assert " style=" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_project_without_an_audit_has_no_certificate(client):
    for path in ("/p/claims/certificate", "/p/claims/certificate.json"):
        answer = client.get(path)
        assert answer.status_code == 409
        assert "A certificate needs documents that were drawn at random." in answer.text
    client.patch(BASE, json={"audit": 0.5})
    assert "No document of the random check is decided yet." in client.get(path).text


def test_the_certificate_is_a_page_and_a_file(client, made):
    client.patch(BASE, json={"audit": 1})
    decide(client, made, 5)
    page = client.get("/p/claims/certificate")
    assert page.headers["content-security-policy"] == printed_policy(page.text)
    assert "Certificate of accuracy" in page.text
    file = client.get("/p/claims/certificate.json")
    assert "claims-certificate.json" in file.headers["content-disposition"]
    assert json.loads(file.text)["counts"]["n_audited"] == 5


def test_the_certificate_says_which_draws_are_undecided(client, made):
    client.patch(BASE, json={"audit": 1})
    decide(client, made, 3)
    client.post(f"{BASE}/next")
    page = client.get("/p/claims/certificate").text
    assert re.search(r"drawn.{0,40}not decided|undecided", page)


def test_the_shares_are_a_table(client, made):
    decide(client, made, 3)
    answer = client.get("/p/claims/shares.csv")
    lines = answer.text.splitlines()
    assert lines[0].startswith("class,share,low,high,count")
    assert len(lines) == 1 + len(client.get(f"{BASE}/classes").json()["classes"])
    assert "claims-shares.csv" in answer.headers["content-disposition"]


def test_there_is_no_report_of_another_project(team):
    with TestClient(team, base_url="http://workbench.example") as client:
        boss = bearer(team, "max")
        for path in ("report", "certificate", "manage", "settings"):
            assert client.get(f"/p/nonsense/{path}", headers=boss).status_code == 404
