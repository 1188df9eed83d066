"""Label Studio uses a project as its model: predictions with our order, annotations back."""

from __future__ import annotations

import base64
import json
import shutil

import numpy as np
import pytest
from calling import BASE
from fastapi.testclient import TestClient
from label_studio_made import (
    annotation,
    choice,
    message,
    prediction_request,
    setup_request,
    task,
)
from projects_made import make, make_project, make_single
from serving import Site

from needs import absent
from satc.files.exchange import write
from satc.workbench.project.history import read_history
from satc.workbench.reports.export import exported_documents
from satc.workbench.store import open_store
from satc.workbench.web.app import make_app
from satc.workbench.web.label_studio.access import LabelStudioKeys
from satc.workbench.web.middleware import MAX_BODY_BYTES, MAX_TASKS_BYTES


class Guest:
    """Label Studio as a client: it knows the address of the model, and nothing else."""

    def __init__(self, store, **more):
        self.keys = LabelStudioKeys(store)
        self.app = make_app(store, estimating=False, label_studio=self.keys, **more)
        self.client = TestClient(self.app, base_url="http://127.0.0.1", follow_redirects=False)
        [self.name] = self.app.state.open_projects.names()
        self.address = self.keys.path(self.name)

    @property
    def desk(self):
        return self.app.state.open_projects.open(self.name).desk

    @property
    def classes(self):
        return self.desk.project.classes

    def get(self, path):
        return self.client.get(f"{self.address}{path}")

    def post(self, path, body, **headers):
        return self.client.post(f"{self.address}{path}", json=body, headers=headers)

    def predict(self, *tasks):
        answer = self.post("/predict", prediction_request(list(tasks), self.classes))
        assert answer.status_code == 200, answer.text
        return answer.json()["results"]

    def send(self, action, annotations, tasks=None):
        return self.post("/webhook", message(action, annotations, self.classes, tasks))

    def labels(self, i):
        current = self.desk.record.current_decision(i)
        return None if current is None else [self.classes[j] for j in current.labels]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A project of each kind; they are made once, and each test gets a copy."""
    folder = tmp_path_factory.mktemp("made")
    same = make(n=40, texts=["same"] * 2 + [f"text {i}" for i in range(38)])
    for kind, made, settings in (
        ("static", make(n=40), {"method": "u-theoretic"}),
        ("dynamic", make(n=40), {"method": "u-theoretic-dynamic"}),
        ("single", make_single(n=40), {"method": "u-theoretic", "task": "single-label"}),
        ("same", same, {"method": "u-theoretic"}),
    ):
        (folder / kind).mkdir()
        make_project(made, folder / kind / "claims.satc", **settings)
    return folder


@pytest.fixture
def opened(files, tmp_path):
    """Open a copy of a project as Label Studio sees it."""
    stores = []

    def open_one(kind):
        stores.append(open_store(shutil.copy(files / kind / "claims.satc", tmp_path)))
        stores[-1].lock()
        return Guest(stores[-1])

    yield open_one
    for store in stores:
        store.close()


@pytest.fixture
def guest(opened):
    return opened("static")


@pytest.fixture
def dynamic(opened):
    return opened("dynamic")


@pytest.fixture
def one_label(opened):
    return opened("single")


def documents(n=40):
    return [task(100 + i, id=f"d{i}", body="elsewhere") for i in range(n)]


@pytest.mark.parametrize("path", ["", "/", "/health"])
def test_the_model_says_that_it_is_up(guest, path):
    answer = guest.get(path)
    assert (answer.status_code, answer.json()["status"]) == (200, "UP")


def test_setup_tells_the_version(guest):
    answer = guest.post("/setup", setup_request(guest.classes))
    assert answer.json() == {"model_version": "satc"}


def test_tasks_sorted_by_their_score_have_our_order(guest):
    found = guest.predict(*documents())
    order = np.argsort([one["score"] for one in found], kind="stable")
    expected = [guest.desk.next("ann")[0].document for _ in range(3)]
    assert order[:3].tolist() == expected
    assert sorted(one["score"] for one in found) == [k / 40 for k in range(40)]


@pytest.mark.parametrize("kind", ["static", "dynamic", "single"])
def test_exported_tasks_have_the_version_and_the_scores_of_the_model(kind, opened, tmp_path):
    """Label Studio does not ask for a prediction where one of the same version is there."""
    guest = opened(kind)
    store, project = guest.app.state.open_projects.store, guest.desk.project
    path = tmp_path / "tasks.json"
    exported = exported_documents(store, project, read_history(store, project))
    write(exported, path, task=project.settings.task)
    tasks = json.loads(path.read_text())
    written = [one["predictions"][0] for one in tasks]
    given = guest.predict(*[task(k, id=one["data"]["id"]) for k, one in enumerate(tasks)])
    for name in ("model_version", "score"):
        assert [one[name] for one in written] == [one[name] for one in given]


def test_a_prediction_has_the_labels_in_the_control_of_the_configuration(guest):
    [found] = guest.predict(task(7, satc_id="d3", id="d1"))
    decided = np.flatnonzero(guest.desk.validation.documents.decided_on(3))
    [region] = found["result"]
    assert region["value"]["choices"] == [guest.classes[j] for j in decided]
    assert (region["from_name"], region["to_name"], region["type"]) == (
        "topics",
        "report",
        "choices",
    )
    assert found["model_version"] == "satc"


def test_tasks_are_found_by_id_in_data_or_meta_and_by_text(guest):
    text = make(n=40).texts[5]
    for given in (
        task(1, id="d5"),
        task(2, satc_id="d5"),
        task(3, body="x") | {"meta": {"id": "d5"}},
        task(4, body=f" {text}\n"),
    ):
        assert guest.predict(given) == guest.predict(task(9, id="d5"))


def test_a_task_that_is_not_in_the_project_gets_no_prediction(guest):
    found = guest.predict(task(1, id="unknown", body="unknown"), task(2, id="d5"))
    assert found[0] == []
    assert found[1]["score"] < 1


def test_a_text_that_two_documents_have_names_neither(opened):
    found = opened("same").predict(task(1, body="same"), task(2, body="text 0"))
    assert found[0] == []
    assert found[1]["score"] < 1


def test_an_annotation_is_a_decision(guest):
    name = guest.classes[2]
    sent = annotation(17, 105, [choice(name), choice("glad", control="mood")])
    answer = guest.send("ANNOTATION_CREATED", sent, task(105, id="d5"))
    assert (answer.status_code, answer.json()) == (201, {"status": "ok", "decisions": 1})
    decision = guest.desk.record.current_decision(5)
    assert guest.labels(5) == [name]
    assert (decision.who, decision.seconds) == ("1", 37.13)
    assert decision.details["imported"] == "label-studio"
    again = guest.send("ANNOTATION_CREATED", sent, task(105, id="d5"))
    assert again.json()["decisions"] == 0


def test_a_changed_annotation_replaces_the_decision_and_a_deleted_one_undoes_it(guest):
    first, second = guest.classes[:2]
    where = task(105, id="d5")
    guest.send("ANNOTATION_CREATED", annotation(17, 105, [choice(first)]), where)
    guest.send("ANNOTATION_UPDATED", annotation(17, 105, [choice(second)]), where)
    assert guest.labels(5) == [second]
    assert guest.desk.record.seconds == 37.13
    answer = guest.send("ANNOTATIONS_DELETED", [{"id": 17}, {"id": 99}])
    assert answer.json() == {"status": "ok", "undone": 2}
    assert guest.labels(5) is None
    stored = read_history(guest.desk.store, guest.desk.project)
    assert stored.record.current_decision(5) is None


def test_deleting_one_annotation_leaves_that_of_another_person(guest):
    first, second = guest.classes[:2]
    where = task(105, id="d5")
    guest.send("ANNOTATION_CREATED", annotation(17, 105, [choice(first)]), where)
    other = annotation(18, 105, [choice(second)], completed_by=2)
    guest.send("ANNOTATION_CREATED", other, where)
    guest.send("ANNOTATIONS_DELETED", [{"id": 18}])
    assert guest.labels(5) == [first]


def test_a_task_that_was_predicted_is_known_by_its_number(guest):
    guest.predict(*documents())
    sent = annotation(17, 105, [choice(guest.classes[0])])
    assert guest.send("ANNOTATION_CREATED", sent).json()["decisions"] == 1
    assert guest.labels(5) == [guest.classes[0]]


def test_several_annotations_come_at_once(guest):
    sent = [annotation(i, 100 + i, [choice(guest.classes[0])]) for i in range(3)]
    tasks = [task(100 + i, id=f"d{i}") for i in range(3)]
    answer = guest.send("ANNOTATIONS_CREATED", sent, tasks)
    assert answer.json() == {"status": "ok", "decisions": 3}


def test_no_choice_is_the_decision_that_there_is_no_label(guest):
    guest.send("ANNOTATION_CREATED", annotation(17, 105, []), task(105, id="d5"))
    assert guest.labels(5) == []


def test_where_every_document_has_one_label_no_choice_is_refused(one_label):
    answer = one_label.send("ANNOTATION_CREATED", annotation(17, 105, []), task(105, id="d5"))
    assert answer.status_code == 400
    assert "labels must be exactly one class" in answer.json()["detail"]
    assert one_label.labels(5) is None


def test_a_skipped_task_is_no_decision(guest):
    sent = annotation(17, 105, [], was_cancelled=True)
    answer = guest.send("ANNOTATION_CREATED", sent, task(105, id="d5"))
    assert answer.json() == {"status": "ok", "decisions": 0}


@pytest.mark.parametrize("action", ["TASKS_CREATED", "PROJECT_UPDATED", "START_TRAINING", None, 3])
def test_other_messages_are_acknowledged(guest, action):
    answer = guest.post("/webhook", {"action": action, "project": {"id": 2}})
    assert (answer.status_code, answer.json()) == (200, {"status": "ignored"})


def without_config(guest, number, i):
    """A message about an annotation, as a version that sends no configuration sends it."""
    made = annotation(number, 100 + i, [choice(guest.classes[0])])
    sent = message("ANNOTATION_CREATED", made, guest.classes, task(100 + i, id=f"d{i}"))
    return sent | {"project": {"id": 2}}


@pytest.mark.parametrize("before", ["/setup", "/predict"])
def test_a_message_without_a_configuration_has_the_one_that_was_given_before(guest, before):
    if before == "/setup":
        answer = guest.post("/setup", setup_request(guest.classes))
    else:
        answer = guest.post("/predict", prediction_request([], guest.classes))
    assert answer.status_code == 200, answer.text
    answer = guest.post("/webhook", without_config(guest, 1, 3))
    assert answer.status_code == 201, answer.text
    assert guest.labels(3) == [guest.classes[0]]


def test_a_message_without_any_configuration_is_refused_with_what_is_missing(guest):
    answer = guest.post("/webhook", without_config(guest, 1, 3))
    assert answer.status_code == 400
    assert (
        "must have the labelling configuration in 'project.label_config', but has none"
        in (answer.json()["detail"])
    )
    assert guest.labels(3) is None


def test_a_decision_of_the_workbench_is_the_prediction(guest):
    lease, _ = guest.desk.next("ann")
    guest.desk.submit(lease.lease, "ann", [0], 1.0)
    [found] = guest.predict(task(1, id=f"d{lease.document}"))
    assert found["result"][0]["value"]["choices"] == [guest.classes[0]]


def test_the_version_changes_when_an_order_that_follows_corrections_has_changed(dynamic):
    before = dynamic.predict(*documents())
    for i in range(10):
        sent = annotation(i, 100 + i, [choice(*dynamic.classes)])
        dynamic.send("ANNOTATION_CREATED", sent, task(100 + i, id=f"d{i}"))
        version = dynamic.post("/setup", setup_request(dynamic.classes)).json()["model_version"]
        assert version == ("satc" if i < 9 else "satc-10")
    after = dynamic.predict(*documents())
    assert {one["model_version"] for one in after} == {"satc-10"}
    assert [one["score"] for one in after[:10]] == [1.0] * 10
    assert [one["score"] for one in after] != [one["score"] for one in before]
    remaining = dynamic.desk.validation.remaining()
    assert np.argsort([one["score"] for one in after])[:30].tolist() == remaining.tolist()


def test_our_own_export_is_understood(guest, tmp_path):
    desk = guest.desk
    history = read_history(desk.store, desk.project)
    exported = exported_documents(desk.store, desk.project, history)
    write(exported, tmp_path / "tasks.json", "label-studio")
    tasks = json.loads((tmp_path / "tasks.json").read_text())
    numbered = [one | {"id": 500 + i} for i, one in enumerate(tasks)]
    found = guest.predict(*numbered)
    for one, answer in zip(tasks, found, strict=True):
        given = one["predictions"][0]["result"]
        assert [r["value"] for r in answer["result"]] == [r["value"] for r in given]


def test_answers_and_messages_are_objects_of_label_studio_s_own_library(guest):
    try:
        from label_studio_sdk.types.annotation import Annotation
        from label_studio_sdk.types.lse_task import LseTask
        from label_studio_sdk.types.prediction import Prediction
    except ImportError:
        absent("needs label-studio-sdk: pip install --no-deps label-studio-sdk")
    theirs = LseTask(id=105, data={"id": "d5"}, project=2, meta={}, predictions=[], annotations=[])
    [found] = guest.predict(theirs.model_dump(mode="json"))
    prediction = Prediction.model_validate({"task": 105, "project": 2, **found})
    assert (prediction.score, prediction.model_version) == (found["score"], "satc")
    name = guest.classes[1]
    made = Annotation(id=17, task=105, completed_by=1, result=[choice(name)], was_cancelled=False)
    sent = made.model_dump(mode="json")
    assert guest.send("ANNOTATION_CREATED", sent, theirs.model_dump(mode="json")).is_success
    assert guest.labels(5) == [name]


HOSTILE_CONFIGS = [
    None,
    3,
    "",
    "<View>",
    "<View></View>",
    '<!DOCTYPE a [<!ENTITY b "c">]><View>&b;</View>',
    '<View><Choices name="topics" toName="report"><Choice value="x"/></Choices></View>',
    "<a>" * 50_000 + "</a>" * 50_000,
]


@pytest.mark.parametrize("given", HOSTILE_CONFIGS, ids=range(len(HOSTILE_CONFIGS)))
def test_a_configuration_without_the_classes_is_refused(guest, given):
    answer = guest.post("/setup", {"schema": given})
    assert answer.status_code == 400
    assert "the labelling configuration must" in answer.json()["detail"]


def test_a_configuration_may_have_the_names_of_a_code_book_or_aliases(guest):
    choices = "".join(f'<Choice value="{i}" alias="{c}"/>' for i, c in enumerate(guest.classes))
    given = f'<View><Choices name="c" toName="t">{choices}</Choices></View>'
    request = prediction_request([task(1, id="d3")], guest.classes, label_config=given)
    [found] = guest.post("/predict", request).json()["results"]
    assert set(found["result"][0]["value"]["choices"]) <= set(guest.classes)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"nonsense",
        b"\xff",
        b"[" * 100_000,
        b'{"tasks": 3}',
        b'{"tasks": [3], "label_config": ""}',
        b'{"a": 1, "a": 2}',
    ],
)
def test_a_body_that_is_no_request_is_refused(guest, body):
    for path in ("/predict", "/setup"):
        answer = guest.client.post(f"{guest.address}{path}", content=body)
        assert answer.status_code == 400, answer.text


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (3, "'annotation' must be an object"),
        (annotation("x", 105, []), "'id' of an annotation must be an integer"),
        (annotation(17, 999, []), "its task must be a document of the project"),
        (annotation(17, 105, 3), "'result' must be a list of objects"),
        (annotation(17, 105, [choice("unknown")]), "'unknown' must be a class of the project"),
        (annotation(17, 105, [choice(3)]), "'choices' must be a list of labels"),
        (annotation(17, 105, [], completed_by=["x"]), "'completed_by' must be a string"),
    ],
)
def test_an_annotation_that_cannot_be_a_decision_is_refused(guest, sent, said):
    answer = guest.send("ANNOTATION_CREATED", sent, task(105, id="d5"))
    assert answer.status_code == 400
    assert said in answer.json()["detail"]
    assert guest.labels(5) is None


def test_one_bad_annotation_of_several_saves_none(guest):
    sent = [annotation(1, 101, [choice(guest.classes[0])]), annotation(2, 102, [choice("no")])]
    tasks = [task(101, id="d1"), task(102, id="d2")]
    assert guest.send("ANNOTATIONS_CREATED", sent, tasks).status_code == 400
    assert guest.labels(1) is None


def test_without_the_key_there_is_no_model(guest):
    wrong = guest.address[:-1] + ("0" if guest.address[-1] != "0" else "1")
    for path in (f"{wrong}/health", f"/label-studio/other/{guest.keys.key('claims')}/health"):
        assert guest.client.get(path).status_code == 404
    assert guest.client.post(f"{wrong}/webhook", json={}).status_code == 404
    answer = guest.client.get("/label-studio/claims/health")
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Basic")


def test_the_key_may_be_a_password_or_a_token(guest):
    key = guest.keys.key("claims")
    basic = base64.b64encode(f"anyone:{key}".encode()).decode()
    for sent in (f"Basic {basic}", f"Bearer {key}"):
        answer = guest.client.get("/label-studio/claims/health", headers={"Authorization": sent})
        assert answer.status_code == 200
    for sent in ("Basic ?", "Basic YTpi", "Bearer x", f"Token {key}"):
        answer = guest.client.get("/label-studio/claims/health", headers={"Authorization": sent})
        assert answer.status_code == 401


def test_the_key_opens_nothing_else(guest):
    key = guest.keys.key("claims")
    for header in (f"Bearer {key}", f"Bearer {guest.app.state.authenticator.link_key}"):
        guest.client.headers["Authorization"] = header
        answer = guest.client.get(BASE)
        assert answer.status_code == (401 if key in header else 200)
    assert guest.client.get("/label-studio/claims/health").status_code == 401


def test_a_key_is_of_one_project_and_ends_when_it_is_replaced(guest):
    store = guest.desk.store
    assert guest.keys.key("claims") != guest.keys.key("other")
    assert LabelStudioKeys(store).key("claims") == guest.keys.key("claims")
    renewed = LabelStudioKeys(store, renewed=True)
    assert renewed.key("claims") != guest.keys.key("claims")
    assert LabelStudioKeys(store).key("claims") == renewed.key("claims")


def test_a_server_without_the_option_has_no_model(client):
    assert client.get("/label-studio/claims/health").status_code == 404


def test_another_host_name_is_refused(guest):
    answer = guest.client.get(f"{guest.address}/health", headers={"Host": "evil.example"})
    assert answer.status_code == 400


def test_only_the_key_allows_many_texts_at_a_time(guest):
    body = json.dumps(prediction_request([task(1, id="d3", body="x" * MAX_BODY_BYTES)], []))
    assert guest.client.post(f"{guest.address}/predict", content=body).status_code == 400
    without = guest.client.post("/label-studio/claims/predict", content=body)
    assert without.status_code == 413
    headers = {"Content-Length": str(MAX_TASKS_BYTES + 1)}
    answer = guest.client.post(f"{guest.address}/predict", content=b"", headers=headers)
    assert answer.status_code == 413


@pytest.mark.slow
def test_serve_prints_the_address_and_keeps_the_key(tmp_path):
    make_project(make(n=10), tmp_path / "claims.satc", method="u-theoretic")
    paths = []
    for options in (["--label-studio"], ["--label-studio"], ["--new-label-studio-key"]):
        site = Site(tmp_path / "claims.satc", options=options)
        try:
            address = site.process.stdout.readline().split()[-1]
            paths.append(address.removeprefix(site.url))
            assert site.client().get(f"{address}/health").json()["status"] == "UP"
        finally:
            site.stop()
    assert paths[0] == paths[1] != paths[2]
