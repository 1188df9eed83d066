import csv
import json
from contextlib import closing

import pytest
import typer
from commanding import command as satc
from projects_made import add_empty_project, make, make_project, quiet, write_files
from typer.testing import CliRunner

from satc.cli import app
from satc.cli.login_options import LoginOptions, login_settings
from satc.texts.scores_source import ScoresSource
from satc.workbench.model.settings import Settings
from satc.workbench.project.creation import create
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store
from satc.workbench.store.people.users import find_user
from satc.workbench.web.access.passwords import has_password


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "claims.satc"
    make_project(make(n=12), path)
    return path


def test_create_export_and_import_go_round(tmp_path):
    files = write_files(make(n=12), tmp_path / "in")
    options = [f"--{name.replace('_', '-')}={path}" for name, path in files.items()]
    project = tmp_path / "claims.satc"
    done = satc("create", project, *options, "--method=u-theoretic", "--overlap=10%")
    assert done.returncode == 0, done.stderr
    assert "12 documents are ready" in done.stdout

    output = tmp_path / "labels.csv"
    assert satc("export", project, "-o", output).returncode == 0
    rows = list(csv.DictReader(output.read_text().splitlines()))
    assert [row["id"] for row in rows] == [f"d{i}" for i in range(12)]

    finished = tmp_path / "done.jsonl"
    lines = [{"id": "d3", "labels": ["class 1", "class 2"]}, {"id": "d5", "labels": []}]
    finished.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert satc("import", project, finished, "--who", "ann").stdout.startswith("2 decisions")
    assert satc("import", project, finished, "--who", "ann").stdout.startswith("0 decisions")
    satc("export", project, "-o", output)
    rows = list(csv.DictReader(output.read_text().splitlines()))
    assert (rows[3]["satc_labels"], rows[3]["satc_validated_by"]) == ("class 1|class 2", "ann")
    assert rows[5]["satc_source"] == "human"
    store = open_store(project)
    assert open_desk(store).validation.n_validated == 2
    store.close()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "d99", "labels": []}', "'d99' must be in the project"),
        ('{"id": "d1", "labels": ["class 9"]}', "'class 9' must be a class of the project"),
    ],
)
def test_an_import_with_a_fault_changes_nothing(project, tmp_path, line, message):
    finished = tmp_path / "done.jsonl"
    finished.write_text('{"id": "d0", "labels": []}\n' + line + "\n")
    done = satc("import", project, finished)
    assert done.returncode == 1
    assert message in done.stderr
    store = open_store(project)
    assert open_desk(store).validation.n_validated == 0
    store.close()


def test_bad_rows_are_listed_one_by_one(tmp_path):
    files = write_files(make(n=12), tmp_path / "in")
    documents = tmp_path / "docs.csv"
    documents.write_text("id,text\na,one\nb\nc,two,three\n")
    done = satc(
        "create", tmp_path / "x.satc", "--documents", documents, "--scores", files["scores"]
    )
    assert done.returncode == 1
    complaints = [line for line in done.stderr.splitlines() if "docs.csv, line" in line]
    assert len(complaints) == 2
    assert "nothing was created" in done.stderr
    assert not (tmp_path / "x.satc").exists()


def test_users_come_get_tokens_and_go(project):
    assert "nobody yet" in satc("users", "list", project).stdout
    done = satc("users", "add", project, "ann", "--role", "manager", stdin="a good password\n")
    assert done.returncode == 0, done.stderr
    assert "manager" in satc("users", "list", project).stdout
    assert satc("users", "token", project, "ann").stdout.startswith("satc_")
    assert satc("users", "revoke", project, "ann").stdout.startswith("1 tokens")
    assert satc("users", "role", project, "ann", "annotator").returncode == 0
    assert json.loads(satc("users", "list", project, "--json").stdout)[0]["role"] == "annotator"
    done = satc("users", "password", project, "ann", stdin="short\n")
    assert (done.returncode, "at least 8" in done.stderr) == (1, True)
    assert satc("users", "remove", project, "ann").returncode == 0
    done = satc("users", "remove", project, "ann")
    assert "there must be a user 'ann', but there is nobody" in done.stderr


def test_a_user_is_granted_a_project_and_loses_it(project):
    with closing(open_store(project)) as store:
        add_empty_project(store, "other", Settings("Other"), ["a"])
    satc("users", "add", project, "max", "--role", "manager", "--no-password")
    done = satc("users", "add", project, "ann", "--no-password")
    assert "ann may open no project yet: satc users grant" in done.stderr
    done = satc("users", "add", f"{project}/other", "ben", "--no-password")
    assert (done.returncode, done.stderr) == (0, "")
    done = satc("users", "grant", f"{project}/claims", "ann", "--role", "manager")
    assert done.stdout == "ann may open claims as manager\n"
    rows = satc("users", "list", project).stdout.splitlines()
    assert [row.split("  ")[-1] for row in rows] == ["claims (manager)", "other", "all projects"]
    found = json.loads(satc("users", "list", project, "--json").stdout)
    assert [one["projects"] for one in found] == [{"claims": "manager"}, {"other": "annotator"}, {}]
    assert satc("users", "withdraw", f"{project}/claims", "ann").stdout.endswith("open claims\n")
    assert "every project" in satc("users", "withdraw", f"{project}/claims", "max").stdout
    for arguments, message in (
        (("grant", f"{project}/none", "ann"), "must hold the project 'none', but holds"),
        (("grant", f"{project}/claims", "nobody"), "no user “nobody”"),
        (("grant", f"{project}/claims", "ann", "--role", "king"), "role must be one of"),
        (("add", project, "Ann", "--no-password"), "“Ann” looks like “ann”"),
    ):
        done = satc("users", *arguments)
        assert (done.returncode, message in done.stderr) == (1, True), done.stderr


def test_a_password_can_be_removed(project):
    satc("users", "add", project, "ann", stdin="a good password\n")
    assert satc("users", "password", project, "ann", "--remove").stdout == "ann has no password\n"
    with closing(open_store(project)) as store:
        assert not has_password(find_user(store, "ann").password)


HEADER = ("--auth-header=X-Forwarded-User",)
ISSUER = ("--oidc-issuer=https://id.example.org",)
CLIENT = (*ISSUER, "--oidc-client-id=satc")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (HEADER, "--auth-header needs --trusted-proxy"),
        (("--auth-groups-header=X-Groups",), "--auth-groups-header needs --auth-header"),
        (ISSUER, "--oidc-issuer and --oidc-client-id must be given together"),
        (("--oidc-issuer=http://id.example.org", *CLIENT[1:]), "must begin with https://"),
        ((*CLIENT, "--oidc-scope=email"), "--oidc-scope must contain openid"),
        (("--no-passwords",), "--no-passwords needs --auth-header or --oidc-issuer"),
        (("--role-mapping=leads=manager",), "--role-mapping needs --auth-groups-header"),
        ((*CLIENT, "--role-mapping=leads"), "--role-mapping must be GROUP=ROLE"),
        ((*CLIENT, "--role-mapping=leads=king"), "must be one of"),
        ((*CLIENT, "--default-role=king"), "must be one of"),
        ((*CLIENT, "--oidc-client-secret-file=/dev/null"), "must hold the client secret"),
    ],
)
def test_options_of_the_company_login_that_do_not_fit_are_refused(project, options, message):
    done = satc("serve", project, *options)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())


def test_the_secret_of_the_client_comes_from_a_file_or_a_variable(tmp_path, monkeypatch):
    given = {"oidc_issuer": "https://id.example.org", "oidc_client_id": "satc"}
    file = tmp_path / "secret"
    file.write_text("of the file\n")
    found = [login_settings(LoginOptions(**given), has_trusted_proxy=False)]
    monkeypatch.setenv("SATC_OIDC_CLIENT_SECRET", "of the variable")
    found.append(login_settings(LoginOptions(**given), has_trusted_proxy=False))
    found.append(
        login_settings(LoginOptions(**given, oidc_client_secret_file=file), has_trusted_proxy=False)
    )
    secrets = [settings.openid.client_secret for settings in found]
    assert secrets == [None, "of the variable", "of the file"]
    options = [one.name for one in typer.main.get_command(app).commands["serve"].params]
    assert [name for name in options if "secret" in name] == ["oidc_client_secret_file"]


def test_people_are_invited_by_a_link(project):
    done = satc("users", "invite", project, "eve")
    assert (done.returncode, "There must be a manager" in done.stderr) == (1, True)
    satc("users", "add", project, "ann", "--role", "manager", stdin="a good password\n")
    link = satc("users", "invite", project, "eve", "--address", "https://here.example/")
    assert link.stdout.startswith("https://here.example/join?key=")
    assert "send this link to eve" in link.stderr
    again = satc("users", "invite", project, "ann")
    assert again.returncode == 0, again.stderr
    assert satc("users", "invite", project, "a b").returncode == 1


CREATE = ("create", "x.satc", "--documents=d.csv")
TRAINED = (*CREATE, "--train=t.csv")
SCORED = (*CREATE, "--scores=s.npy")
SCORE = ("score", "--train=t.csv", "--documents=d.csv", "-o", "scores")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["serve", "missing.satc"], 1, "'satc create' makes a project"),
        (["serve", "x.satc", "--root-path=tools"], 2, "--root-path must begin with a slash"),
        (["serve", "x.satc", "--root-path=/p"], 2, "/satc/p would work"),
        (["serve", "x.satc", "--trusted-proxy=me"], 2, "must be an address or a network"),
        (["export", "missing.satc", "-o", "x.csv"], 1, "cannot be opened"),
        (["create", "x.satc", "--documents", "d.csv"], 2, "either --train, --predictions or"),
        (
            ["create", "x.satc", "--documents=d.csv", "--train=t.csv", "--overlap=lots"],
            2,
            "--overlap must be a share such as 10%",
        ),
        ([*TRAINED, "--oof-scores=o.npy"], 2, "--oof-scores needs --scores"),
        ([*TRAINED, "--train-labels=t.npy"], 2, "--train-labels needs --scores"),
        ([*TRAINED, "--top=5"], 2, "--top needs --scores"),
        ([*TRAINED, "--method=oracle2"], 2, "method 'oracle2' needs the true labels"),
        ([*SCORED, "--learner=svm"], 2, "--learner needs --train"),
        ([*SCORED, "--folds=5"], 2, "--folds needs --train"),
        ([*SCORED, "--engine=duckdb"], 2, "--engine needs --top"),
        ([*SCORED, "--master=local"], 2, "--master needs --top"),
        ([*SCORED, "--absent=2"], 2, "--absent needs --top"),
        ([*SCORED, "--top=5", "--master=local"], 2, "--master needs --engine spark"),
        ([*CREATE, "--scores=a/*.parquet"], 2, "stored scores need --top"),
        ([*CREATE, "--scores=."], 2, "stored scores need --top"),
        ([*SCORE, "--oof-output=nowhere/o.parquet"], 2, "a folder that exists, but nowhere"),
        ([*SCORE, "--oof-output=o.csv"], 2, "it must end in .parquet, but is 'o.csv'"),
    ],
)
def test_a_wrong_call_is_one_clear_line(arguments, code, message):
    done = satc(*arguments)
    assert done.returncode == code
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


def test_others_are_served_only_when_there_are_users(project):
    done = satc("serve", project, "--host", "203.0.113.1", "--port", "0")
    assert done.returncode == 1
    assert "add users first" in done.stderr


def test_a_proxy_is_served_only_when_there_are_users(project, tmp_path):
    done = satc("serve", project, "--uds", str(tmp_path / "satc.sock"))
    assert done.returncode == 1
    assert "add users first" in done.stderr
    assert not (tmp_path / "satc.sock").exists()


def test_settings_are_shown_and_changed(project):
    done = satc(
        "configure", project, "--audit", "100%", "--stop", "any(target(.9), budget(hours=2))"
    )
    assert done.returncode == 0, done.stderr
    assert "* audit: 1.0" in done.stdout
    shown = json.loads(satc("configure", project, "--json").stdout)
    assert (shown["audit"], shown["overlap"]) == (1.0, 0.0)
    assert shown["stop"] == "any(target(0.9, 0.9), budget(hours=2))"
    done = satc("configure", project, "--stop", "when(tired)")
    assert done.returncode == 2
    assert "target" in done.stderr


@pytest.mark.slow
def test_plan_report_and_certificate_are_written(tmp_path):
    made = make(n=60)
    project = tmp_path / "claims.satc"
    make_project(made, project, audit=0.5, cap=6)
    assert "must have audited documents" in satc("certify", project).stderr
    store = open_store(project)
    desk = open_desk(store)
    for _ in range(40):
        lease, _ = desk.next("ann")
        desk.submit(lease.lease, "ann", made.y_true[lease.document].nonzero()[0].tolist(), 12.0)
    store.close()
    done = satc("plan", project, "--target", "0.9", "--hours", 1, "--plot", tmp_path / "p.svg")
    assert done.returncode == 0, done.stderr
    assert "to reach 0.9 with probability 0.9" in done.stdout
    assert "1 hour buys " in done.stdout
    assert (tmp_path / "p.svg").read_text().startswith("<svg")
    assert satc("report", project, "-o", tmp_path / "report.html").returncode == 0
    assert "40" in (tmp_path / "report.html").read_text()
    done = satc("certify", project, "-o", tmp_path / "certificate.html")
    assert done.returncode == 0, done.stderr
    assert "micro-F1" in done.stdout
    held = json.loads((tmp_path / "certificate.json").read_text())
    assert held["counts"]["n_audited"] == 20
    done = satc("certify", project, "--check", tmp_path / "certificate.json")
    assert "which is the project's" in done.stdout


def test_one_of_several_projects_in_a_file_is_named_behind_it(project, tmp_path):
    files = write_files(make(n=5), tmp_path / "more")
    store = open_store(project)
    settings = Settings("Others", method="u-theoretic")
    create(store, "others", ScoresSource(**files), settings, files["documents"], quiet)
    store.close()
    runner = CliRunner()
    for name, title in (("", "Commodities"), ("claims", "Commodities"), ("others", "Others")):
        done = runner.invoke(app, ["configure", str(project / name), "--json"])
        assert json.loads(done.stdout)["title"] == title
    done = runner.invoke(app, ["configure", str(project / "third"), "--json"])
    assert "holds 'claims', 'others'" in str(done.exception)


def test_a_target_that_cannot_be_is_refused_at_once(project):
    done = CliRunner().invoke(app, ["plan", str(project), "--target", "3"])
    assert "target must be above 0 and up to 1, but is 3.0" in str(done.exception)
