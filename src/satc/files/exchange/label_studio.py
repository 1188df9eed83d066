"""Tasks for Label Studio, and annotations from it.

A task carries the document, the classifier's labels as a prediction, and a person's decision as an
annotation. Label Studio numbers tasks itself, and in its shorter export (JSON-MIN) writes that
number over `id`; so the document's id is also in `satc_id`, where it is safe. The person of an
annotation must be a member there, known by e-mail: other names stand only in the data.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from satc.errors import DataError
from satc.files.exchange import fields
from satc.files.exchange.columns import OURS, ours, renamed
from satc.files.exchange.json_objects import read_list, write_list
from satc.files.exchange.record import Finished, Record, iso

CONTROL = "labels"
MODEL = "satc"
# The names under which JSON-MIN puts its own beside the data, and ours.
_TAKEN = frozenset(
    {"id", "text", "satc_id", *OURS, CONTROL, "annotator", "annotation_id", "created_at"}
    | {"updated_at", "lead_time", "agreement", "was_cancelled"}
)
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def label_config(classes: Sequence[str]) -> str:
    """Return the labelling configuration of a project: any number of the classes for a text.

    >>> print(label_config(["corn", 'a<"b"']))
    <View>
      <Text name="text" value="$text"/>
      <Choices name="labels" toName="text" choice="multiple">
        <Choice value="corn"/>
        <Choice value='a&lt;"b"'/>
      </Choices>
    </View>
    """
    for name in classes:
        if not name or _NOT_XML.search(name):
            raise ValueError(
                f"classes must be names without control characters for Label Studio, "
                f"but one is {name!r}"
            )
    choices = "".join(f"    <Choice value={quoteattr(name)}/>\n" for name in classes)
    return (
        '<View>\n  <Text name="text" value="$text"/>\n'
        f'  <Choices name="{CONTROL}" toName="text" choice="multiple">\n'
        f"{choices}  </Choices>\n</View>"
    )


def write_tasks(records: Iterable[Record], path: Path) -> int:
    """Write a list of tasks, as Label Studio imports them; return how many there were."""
    return write_list(map(task, records), path)


def task(record: Record) -> dict[str, Any]:
    """Return a record as a task."""
    own = {name: value for name, value in ours(record).items() if value is not None}
    return {
        "data": {
            "id": record.id,
            "text": record.text,
            "satc_id": record.id,
            **renamed(record.columns, _TAKEN),
            **own,
        },
        "predictions": [
            {"model_version": MODEL, **_score(record), "result": _result(record.predicted)}
        ],
        "annotations": [_annotation(record)] if record.source == "human" else [],
    }


def _annotation(record: Record) -> dict[str, Any]:
    annotation: dict[str, Any] = {"result": _result(record.labels), "was_cancelled": False}
    if record.who is not None and "@" in record.who:
        annotation["completed_by"] = {"email": record.who}
    if record.when is not None:
        annotation["created_at"] = iso(record.when)
    return annotation


def _result(labels: Sequence[str]) -> list[dict[str, Any]]:
    if not labels:
        return []
    value = {"choices": list(labels)}
    return [{"from_name": CONTROL, "to_name": "text", "type": "choices", "value": value}]


def _score(record: Record) -> dict[str, float]:
    """P(the prediction is right), were the classes independent; none where nothing is known."""
    if not record.probabilities:
        return {}
    right = (p if name in record.predicted else 1 - p for name, p in record.probabilities.items())
    return {"score": math.prod(right)}


def read_annotations(path: Path) -> Iterator[Finished]:
    """Yield the annotations of Label Studio's export, JSON or JSON-MIN.

    Each annotation of a task is a decision of its own. Those that were cancelled (skipped tasks),
    drafts and predictions are none. The choices are those of the control `labels`.
    """
    for where, item in read_list(path, "task"):
        if "annotation_id" in item:
            yield from _from_short(item, where)
        else:
            yield from _from_task(item, where)


def _from_task(item: Mapping[str, Any], where: str) -> Iterator[Finished]:
    data = fields.of(item, "data", where)
    annotations = fields.of(item, "annotations", where)
    if not isinstance(data, dict) or not isinstance(annotations, list):
        raise DataError(f"{where}: 'data' must be an object and 'annotations' a list")
    key = "satc_id" if "satc_id" in data else "id"
    identity = fields.identity(fields.of(data, key, f"{where}: 'data'"), key, where)
    for number, annotation in enumerate(annotations, start=1):
        place = f"{where}, annotation {number}"
        if not isinstance(annotation, dict):
            raise DataError(f"{place} must be an object, but is {annotation!r:.80}")
        if not annotation.get("was_cancelled"):
            who = annotation.get("completed_by", data.get("satc_validated_by"))
            yield Finished(
                identity,
                _choices(fields.of(annotation, "result", place), place),
                _person(who, "completed_by", place),
                fields.moment(annotation.get("created_at"), "created_at", place),
                place,
            )


def _choices(result: Any, where: str) -> tuple[str, ...]:
    if not isinstance(result, list) or not all(isinstance(one, dict) for one in result):
        raise DataError(f"{where}: 'result' must be a list of objects, but is {result!r:.80}")
    chosen = [one for one in result if one.get("type") == "choices"]
    ours_ = [one for one in chosen if one.get("from_name") == CONTROL]
    if chosen and not ours_:
        raise DataError(
            f"{where}: choices must be those of the control {CONTROL!r}, "
            f"but are of {chosen[0].get('from_name')!r:.80}"
        )
    values = [one.get("value") for one in ours_]
    lists = [value.get("choices") if isinstance(value, dict) else None for value in values]
    found = [name for one in lists for name in fields.names(one, "choices", where)]
    return tuple(dict.fromkeys(found))


def _from_short(item: Mapping[str, Any], where: str) -> Iterator[Finished]:
    if "satc_id" not in item:
        raise DataError(
            f"{where} must have 'satc_id', since 'id' is Label Studio's own number in JSON-MIN; "
            "export as JSON instead"
        )
    if not item.get("was_cancelled"):
        yield Finished(
            fields.identity(item["satc_id"], "satc_id", where),
            _short_choices(item.get(CONTROL, []), where),
            _person(item.get("annotator"), "annotator", where),
            fields.moment(item.get("created_at"), "created_at", where),
            where,
        )


def _short_choices(value: Any, where: str) -> tuple[str, ...]:
    """One choice is its name there, several are an object that lists them."""
    if isinstance(value, dict):
        value = value.get("choices")
    return fields.names([value] if isinstance(value, str) else value, CONTROL, where)


def _person(value: Any, name: str, where: str) -> str | None:
    if isinstance(value, dict):
        value = value.get("email") or value.get("id")
    return fields.person(value, name, where)
