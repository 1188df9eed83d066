"""Errors that a person sees: a page with a sentence and a way on; programs get JSON."""

import pytest
from calling import log_in
from fastapi.testclient import TestClient
from projects_made import make_project, make_single

from satc.workbench.store import StoreError, open_store
from satc.workbench.web.access.accounts import add_user
from satc.workbench.web.app import make_app
from satc.workbench.web.local_paths import page_to_open

PASSWORD = "correct horse battery"  # noqa: S105
PAGE = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    path = tmp_path_factory.mktemp("team") / "claims.satc"
    store = open_store(make_project(make_single(n=8), path))
    for name, role in (("ann", "annotator"), ("max", "manager")):
        add_user(store, name, role, PASSWORD)
    app = make_app(store, estimating=False)

    @app.get("/breaks")
    def breaks():
        raise RuntimeError("a secret of the program")

    @app.get("/full")
    def full():
        raise StoreError("claims.satc: database or disk is full")

    yield app
    store.close()


@pytest.fixture
def client(app):
    app.state.authenticator.limiter._times.clear()
    with TestClient(
        app, base_url="http://127.0.0.1", follow_redirects=False, raise_server_exceptions=False
    ) as client:
        yield client


@pytest.fixture
def ann(client):
    log_in(client, "ann")
    return client


@pytest.mark.parametrize(
    ("path", "code", "said"),
    [
        ("/p/nonsense", 404, "There is no project “nonsense”."),
        ("/nothing/here", 404, "There is no page at this address."),
        ("/api/v1/projects/claims/export", 403, "Only managers may do this."),
        ("/api/v1/projects/claims/documents/99", 404, "There is no document with the number 99."),
        ("/api/v1/projects/claims/documents/x", 422, "Input should be a valid integer"),
        ("/full", 503, "The disk is full, so nothing can be saved."),
        ("/breaks", 500, "The server made an error."),
    ],
)
def test_a_person_gets_a_page_with_a_sentence_and_a_way_on(ann, path, code, said):
    answer = ann.get(path, headers=PAGE)
    assert answer.status_code == code
    assert answer.headers["content-type"].startswith("text/html")
    assert said in answer.text
    assert 'href="/projects"' in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "secret of the program" not in answer.text


def test_a_program_gets_json(ann):
    for path, code in (("/p/nonsense", 404), ("/api/v1/projects/claims/export", 403)):
        answer = ann.get(path, headers={"Accept": "application/json"})
        assert answer.status_code == code
        assert set(answer.json()) == {"detail"}
    assert ann.get("/breaks").json()["detail"].startswith("The server made an error.")


def test_the_page_leads_back_to_the_page_before_it_but_not_to_another_site(ann):
    here = {**PAGE, "Referer": "http://127.0.0.1/p/claims?document=3"}
    assert 'href="/p/claims?document=3"' in ann.get("/p/nonsense", headers=here).text
    elsewhere = {**PAGE, "Referer": "https://evil.example/p/claims"}
    page = ann.get("/p/nonsense", headers=elsewhere).text
    assert ">Go back<" not in page
    assert "evil" not in page


def test_a_name_in_an_error_is_no_markup(ann):
    page = ann.get("/p/<script>alert(1)", headers=PAGE).text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_a_wrong_password_keeps_the_name_and_asks_for_the_password(client):
    answer = log_in(client, "ann", "wrong")
    assert answer.status_code == 401
    assert 'value="ann"' in answer.text
    password = answer.text.partition('id="password"')[2].partition(">")[0]
    assert "autofocus" in password
    assert "wrong" not in password
    assert "The name or the password is wrong." in answer.text


def test_a_name_that_was_typed_is_no_markup(client):
    assert '"><b>' not in log_in(client, '"><b>', "wrong").text


def test_after_the_login_the_page_that_was_asked_for_opens(client):
    answer = client.get("/p/claims?document=3", headers=PAGE)
    assert answer.headers["location"] == "/login?next=/p/claims%3Fdocument%3D3"
    form = client.get(answer.headers["location"]).text
    assert 'name="next" value="/p/claims?document=3"' in form
    sent = {"name": "ann", "password": PASSWORD, "next": "/p/claims?document=3"}
    answer = client.post("/login", data=sent)
    assert (answer.status_code, answer.headers["location"]) == (303, "/p/claims?document=3")


def test_an_export_that_needs_a_login_asks_a_person_for_it(client):
    answer = client.get("/api/v1/projects/claims/export", headers=PAGE)
    assert answer.headers["location"] == "/login?next=/api/v1/projects/claims/export"
    assert client.get("/api/v1/projects/claims/export").status_code == 401


@pytest.mark.parametrize(
    "path",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "javascript:alert(1)",
        "p/claims",
        "",
        "/login?next=/login",
        "/logout",
        "/" + "x" * 5_000,
    ],
)
def test_only_pages_of_this_server_are_opened_after_a_login(client, path):
    assert page_to_open(path) == "/"
    if len(path) < 2_000:
        answer = client.post("/login", data={"name": "ann", "password": PASSWORD, "next": path})
        assert answer.headers["location"] == "/"


def test_too_many_passwords_are_said_in_plain_words(client):
    for _ in range(5):
        log_in(client, "nobody", "wrong")
    answer = log_in(client, "nobody", "wrong")
    assert answer.status_code == 429
    assert "Wait a minute, and then try again." in answer.text


def test_one_project_opens_at_once_and_managers_have_a_way_to_the_list(client):
    log_in(client, "max")
    assert client.get("/").headers["location"] == "/p/claims"
    page = client.get("/projects").text
    assert "0 of 8 documents are checked." in page or "8 documents" in page
    assert 'href="/projects"' in client.get("/p/claims").text


def test_annotators_see_no_link_to_the_list(ann):
    assert 'href="/projects"' not in ann.get("/p/claims").text
