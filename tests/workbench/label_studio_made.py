"""Messages of Label Studio, as its documentation and its own programs describe them."""

from __future__ import annotations

CONFIG = """<View>
  <Text name="report" value="$body"/>
  <Choices name="topics" toName="report" choice="{kind}">
    {choices}
  </Choices>
  <Choices name="mood" toName="report"><Choice value="glad"/><Choice value="sad"/></Choices>
</View><!-- {{"data": {{"body": "an example"}}}} -->"""


def config(classes, kind="multiple"):
    choices = "".join(f'<Choice value="{name}"/>' for name in classes)
    return CONFIG.format(kind=kind, choices=choices)


def task(number, **data):
    """A task as Label Studio sends it for a prediction."""
    return {
        "id": number,
        "data": data,
        "meta": {},
        "created_at": "2026-01-05T13:51:02.590839Z",
        "updated_at": "2026-01-05T13:51:02.590873Z",
        "is_labeled": False,
        "overlap": 1,
        "inner_id": number,
        "total_annotations": 0,
        "cancelled_annotations": 0,
        "total_predictions": 0,
        "project": 2,
        "file_upload": 46,
        "annotations": [],
        "predictions": [],
    }


def prediction_request(tasks, classes, **more):
    return {
        "tasks": tasks,
        "project": "2.1629208574",
        "label_config": config(classes),
        "params": {"login": None, "password": None, "context": None},
    } | more


def setup_request(classes):
    return {
        "project": "2.1629208574",
        "schema": config(classes),
        "hostname": "http://localhost:8080",
        "access_token": "0123456789",
        "extra_params": None,
    }


def choice(*names, control="topics"):
    return {
        "value": {"choices": list(names)},
        "id": "WArqkkifYE",
        "from_name": control,
        "to_name": "report",
        "type": "choices",
        "origin": "manual",
    }


def annotation(number, of, result, **more):
    return {
        "id": number,
        "result": result,
        "created_username": " ann@example.org, 1",
        "created_at": "2026-01-05T13:52:48.536303Z",
        "updated_at": "2026-01-05T13:52:48.536370Z",
        "was_cancelled": False,
        "ground_truth": False,
        "lead_time": 37.13,
        "prediction": {},
        "result_count": 0,
        "task": of,
        "completed_by": 1,
    } | more


def message(action, annotations, classes, tasks=None):
    """A message of a webhook; newer versions of Label Studio send the task, too."""
    sent = {
        "action": action,
        "project": {"id": 2, "title": "New Project #2", "label_config": config(classes)},
    }
    sent["annotations" if action == "ANNOTATIONS_DELETED" else "annotation"] = annotations
    return sent if tasks is None else sent | {"task": tasks}
