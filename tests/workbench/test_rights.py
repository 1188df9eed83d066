"""Rights per project: who may open which project, and as what."""

from __future__ import annotations

from contextlib import closing
from time import monotonic, sleep

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from calling import TEAM, bearer, csrf, log_in
from earlier_project import unpack
from projects_made import add_empty_project, make, make_project, write_files
from sqlalchemy import create_engine
from test_threats import calls

from satc.errors import DataError
from satc.workbench.model.settings import Settings
from satc.workbench.review.creating.jobs import CreationJob
from satc.workbench.store import open_store, upgrading
from satc.workbench.store.people import members, users
from satc.workbench.store.people.invitations import list_invitations
from satc.workbench.store.people.members import Member
from satc.workbench.web.access import authentication, invitations
from satc.workbench.web.access.accounts import add_user

NO_PASSWORD = "no password fits this"  # noqa: S105
PEOPLE = "/api/v1/people"
PAGES = ["", "/documents", "/disagreements", "/manage", "/settings", "/report", "/shares.csv"]


def add_empty(store, *names):
    """Add projects without documents; their names and pages are there."""
    for name in names:
        add_empty_project(store, name, Settings(f"Title of {name}"), ["a", "b"])


@pytest.fixture
def store(location):
    """Return a store with one project, made, and max, a manager."""
    make_project(make(n=5), location)
    with closing(open_store(location)) as store:
        users.add_user(store, "max", "manager", NO_PASSWORD)
        yield store


@pytest.fixture
def two(team, monkeypatch):
    """Serve a second project, secret, of which ann is no member."""
    monkeypatch.setattr(authentication, "_TOKEN_CACHE_SECONDS", 0.0)
    add_empty(team.state.open_projects.store, "secret")
    return team


@pytest.fixture
def ann(two, stranger):
    stranger.headers.update(bearer(two, "ann"))
    return stranger


def test_a_new_user_opens_the_only_project_and_chooses_no_other(store):
    users.add_user(store, "ann", "annotator", NO_PASSWORD)
    assert members.projects_of(store, "ann") == {"made"}
    add_empty(store, "other")
    users.add_user(store, "ben", "annotator", NO_PASSWORD)
    assert members.projects_of(store, "ann") == {"made"}
    assert members.projects_of(store, "ben") == set()
    assert members.readers_of(store, 1) == ["ann", "max"]


def test_rights_are_granted_changed_and_withdrawn(store):
    add_empty(store, "other")
    users.add_user(store, "ann", "annotator", NO_PASSWORD, projects={"other": "annotator"})
    assert users.find_access(store, "ann", "other").role == "annotator"
    assert users.find_access(store, "ann", "made").role is None
    assert users.find_access(store, "max", "made").role == "manager"
    members.grant(store, "ann", "made", "manager")
    assert Member("ann", "made", "manager") in members.list_members(store)
    assert members.withdraw(store, "ann", "other")
    assert not members.withdraw(store, "ann", "other")
    assert members.projects_of(store, "ann") == {"made"}
    members.set_projects(store, "ann", {"other": "annotator"})
    assert members.projects_of(store, "ann") == {"other"}


def test_a_right_needs_a_user_and_a_project(store):
    with pytest.raises(DataError, match="no user “ann”"):
        members.grant(store, "ann", "made", "annotator")
    users.add_user(store, "ann", "annotator", NO_PASSWORD)
    with pytest.raises(DataError, match=r"no project “none”\. There are: made"):
        members.set_projects(store, "ann", {"none": "annotator"})
    assert members.projects_of(store, "ann") == {"made"}
    with pytest.raises(DataError, match="no project “none”"):
        users.add_user(store, "ben", "annotator", NO_PASSWORD, projects={"none": "annotator"})
    assert users.find_user(store, "ben") is None


def test_a_name_that_no_database_can_hold_is_nobodys(store):
    assert users.find_access(store, "max\0", "made") is None
    assert users.find_access(store, "max", "made\0").role == "manager"
    users.add_user(store, "ann", "annotator", NO_PASSWORD)
    assert users.find_access(store, "ann", "made\0").role is None


def test_rights_end_with_the_user_and_with_the_role_of_a_manager(store):
    users.add_user(store, "ann", "manager", NO_PASSWORD)
    members.grant(store, "ann", "made", "manager")
    users.change_user(store, "ann", role="annotator")
    assert users.find_access(store, "ann", "made").role == "annotator"
    users.remove_user(store, "ann")
    assert Member("ann", "made", "annotator") not in members.list_members(store)


def test_an_invited_person_gets_the_chosen_projects(store):
    add_empty(store, "other", "third")
    link = invitations.invite(store, "eve", "annotator", "max", ["other"])
    (stored,) = list_invitations(store)
    assert stored.projects == ["other"]
    assert invitations.accept(store, link.path.partition("=")[2], "a good password")
    assert members.projects_of(store, "eve") == {"other"}
    with pytest.raises(DataError, match="no project “none”"):
        invitations.invite(store, "ida", "annotator", "max", ["none"])


def _upgrade_before_rights(location, monkeypatch):
    """Make an empty store of the version before rights."""
    seen, upgrade = [], command.upgrade

    def upgrade_to(config, revision):
        scripts = ScriptDirectory.from_config(config)
        rights = [one for one in scripts.walk_revisions() if one.path.endswith("_rights.py")]
        seen.append(rights[0].down_revision)
        upgrade(config, seen[-1])

    with monkeypatch.context() as patched:
        patched.setattr(upgrading.command, "upgrade", upgrade_to)
        open_store(location, new=True).close()
    assert seen


def test_who_could_log_in_before_is_a_member_of_every_project(location, monkeypatch):
    _upgrade_before_rights(location, monkeypatch)
    first = "INSERT INTO projects (key, name, settings, n_documents, created_at) VALUES "
    user = "INSERT INTO users (name, role, password, created_at) VALUES "
    rows = [
        f"{first}(1, 'first', '{{}}', 0, '2026'), (2, 'second', '{{}}', 0, '2026')",
        f"{user}('ann', 'annotator', 'x', ''), ('max', 'manager', 'x', '')",
    ]
    rows.append(
        "INSERT INTO invitations (digest, kind, name, role, invited_by, created_at, expires_at) "
        "VALUES ('d', 'new', 'eve', 'annotator', 'max', '2026', '2999')"
    )
    _execute(location, rows)
    with closing(open_store(location)) as store:
        assert members.projects_of(store, "ann") == {"first", "second"}
        assert users.find_access(store, "ann", "second").role == "annotator"
        assert sorted(list_invitations(store)[0].projects) == ["first", "second"]


def _execute(location, statements):
    address = str(location)
    is_server = address.startswith("postgresql")
    url = (
        address.replace("postgresql:", "postgresql+psycopg:")
        if is_server
        else f"sqlite:///{address}"
    )
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


def test_a_file_of_the_first_version_opens_with_rights(tmp_path):
    with closing(open_store(unpack(tmp_path))) as store:
        add_user(store, "ann", "annotator", "a good password")
        assert members.projects_of(store, "ann") == {"survey"}


# Over HTTP


def test_a_project_of_others_does_not_exist_for_an_annotator(two, ann):
    secret, absent = (
        {
            (method, path): ann.request(method, path.replace("/team", f"/{name}"))
            for method, path in calls(two)
            if path.startswith(TEAM)
        }
        for name in ("secret", "absent")
    )
    assert len(secret) > 20
    for call, answer in secret.items():
        assert answer.status_code == 404, call
        said = answer.text.replace("secret", "absent")
        assert (said, answer.headers["content-type"]) == (
            absent[call].text,
            absent[call].headers["content-type"],
        )


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_a_project_of_others_does_not_exist(ann, page):
    shown = {"Accept": "text/html"}
    secret, absent = (ann.get(f"/p/{name}{page}", headers=shown) for name in ("secret", "absent"))
    assert (secret.status_code, absent.status_code) == (404, 404)
    assert secret.text.replace("secret", "absent") == absent.text


def test_lists_show_ones_own_projects(two, ann):
    creations = two.state.open_projects.creations
    creations.add("new one", CreationJob("Title of the new one"))  # managers see it
    assert [one["name"] for one in ann.get("/api/v1/projects").json()["projects"]] == ["team"]
    assert ann.get("/").headers["location"] == "/p/team"
    assert "secret" not in ann.get("/projects").text
    creations.dismiss("new one")
    boss = bearer(two, "max")
    found = ann.get("/api/v1/projects", headers=boss).json()["projects"]
    assert [one["name"] for one in found] == ["secret", "team"]


def test_somebody_without_a_project_is_told_to_ask(two, ann):
    members.set_projects(two.state.open_projects.store, "ann", {})
    assert "Ask a manager for access" in ann.get("/").text
    assert ann.get(f"{TEAM}/status").status_code == 404


def test_a_role_holds_in_its_project_only(two, ann):
    store = two.state.open_projects.store
    members.grant(store, "ann", "team", "manager")
    members.grant(store, "ann", "secret", "annotator")
    assert ann.get(f"{TEAM}/export").status_code == 200
    assert ann.get("/p/team/manage").status_code == 200
    assert ann.get("/p/secret").status_code == 200
    for path in ("/p/secret/manage", "/people", "/new", PEOPLE):
        assert ann.get(path).status_code == 403, path
    sent = {"projects": {"secret": "manager"}}
    assert ann.put(f"{PEOPLE}/ann/projects", json=sent).status_code == 403
    members.withdraw(store, "ann", "team")
    assert ann.get(f"{TEAM}/export").status_code == 404


def test_a_document_is_given_to_members_only(two, stranger):
    store = two.state.open_projects.store
    add_user(store, "ben", "annotator", "a good password")
    boss = bearer(two, "max")
    overview = stranger.get(f"{TEAM}/overview", headers=boss).json()
    assert overview["readers"] == ["ann", "max"]
    lease = stranger.post(f"{TEAM}/next", headers=boss).json()["assignment"]["lease"]
    for name, code in (("ben", 404), ("ann", 200)):
        url = f"{TEAM}/leases/{lease}/assign"
        assert stranger.post(url, json={"who": name}, headers=boss).status_code == code


def test_a_manager_chooses_the_projects_of_a_person(two, stranger):
    log_in(stranger, "max")
    stranger.headers.update(csrf(stranger))
    sent = {"projects": {"secret": "manager"}}
    assert stranger.put(f"{PEOPLE}/ann/projects", json=sent).status_code == 200
    found = {one["name"]: one["projects"] for one in stranger.get(PEOPLE).json()["users"]}
    assert found["ann"] == {"secret": "manager"}
    for wrong, code in (({"secret": "king"}, 422), ({"none": "annotator"}, 400)):
        answer = stranger.put(f"{PEOPLE}/ann/projects", json={"projects": wrong})
        assert answer.status_code == code
    assert stranger.put(f"{PEOPLE}/nobody/projects", json=sent).status_code == 404


def test_the_creator_is_a_member_of_a_new_project(two, stranger, tmp_path):
    boss, store = bearer(two, "max"), two.state.open_projects.store
    files = write_files(make(n=10), tmp_path / "sent")
    sent = {name: (path.name, path.read_bytes()) for name, path in files.items()}
    fields = {"name": "new", "method": "u-theoretic"}
    answer = stranger.post("/api/v1/projects", data=fields, files=sent, headers=boss)
    assert answer.status_code == 202, answer.text
    wait_until(
        lambda: "max" in {one.user for one in members.list_members(store) if one.project == "new"}
    )
    assert Member("max", "new", "manager") in members.list_members(store)
    assert "new" not in members.projects_of(store, "ann")
    assert stranger.get("/api/v1/projects/new", headers=bearer(two, "ann")).status_code == 404


def wait_until(holds, seconds=60.0):
    end = monotonic() + seconds
    while not holds():
        assert monotonic() < end
        sleep(0.05)
