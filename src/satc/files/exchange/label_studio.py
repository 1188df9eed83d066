"""Tasks for Label Studio, and annotations from its exports.

A task holds the document, the predicted labels as a prediction, and a person's decision as an
annotation. Label Studio numbers tasks itself and, in its shorter export (JSON-MIN), writes that
number into `id`; so the document's id is also in `satc_id`. Label Studio accepts an annotation's
author only if the author is a member there, known by e-mail; other names are only in the data.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from satc.errors import DataError
from satc.files import fields
from satc.files.atomic import output_file
from satc.files.exchange.columns import SEVERAL, Layout, rename_taken, satc_columns
from satc.files.exchange.exported_document import ExportedDocument, iso_time
from satc.files.exchange.imported_decision import ImportedDecision
from satc.files.formats.json_lists import read_json_list, write_json_list
from satc.files.values import to_json
from satc.inputs import MULTI_LABEL, SINGLE_LABEL, check_task

CONTROL = "labels"
MODEL = "satc"
# Names that JSON-MIN writes beside the data, and satc's own.
_TAKEN = frozenset(
    {"satc_id", CONTROL, "annotator", "annotation_id", "created_at"}
    | {"updated_at", "lead_time", "agreement", "was_cancelled"}
)
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class LabelConfig(NamedTuple):
    """The classes of a labelling configuration, and the task of its project."""

    classes: tuple[str, ...]
    task: str


def label_config(classes: Sequence[str], task: str = MULTI_LABEL) -> str:
    """Return the labelling configuration of a project.

    In a multi-label task, each text has any number of the classes; in a single-label task, exactly
    one.

    >>> print(label_config(["corn", 'a<"b"']))
    <View>
      <Text name="text" value="$text"/>
      <Choices name="labels" toName="text" choice="multiple">
        <Choice value="corn"/>
        <Choice value='a&lt;"b"'/>
      </Choices>
    </View>
    """
    check_task(task)
    for name in classes:
        if not name or _NOT_XML.search(name):
            raise ValueError(
                f"classes must be names without control characters for Label Studio, "
                f"but one is {name!r}"
            )
    choices = "".join(f"    <Choice value={quoteattr(name)}/>\n" for name in classes)
    kind = ' required="true" choice="single"' if task == SINGLE_LABEL else ' choice="multiple"'
    return (
        '<View>\n  <Text name="text" value="$text"/>\n'
        f'  <Choices name="{CONTROL}" toName="text"{kind}>\n'
        f"{choices}  </Choices>\n</View>"
    )


def read_label_config(config: str) -> LabelConfig:
    """Read the classes and the task of a labelling configuration with the control `labels`.

    >>> read_label_config(label_config(["corn", 'a<"b"'], "single-label"))
    LabelConfig(classes=('corn', 'a<"b"'), task='single-label')
    """
    if "<!" in config:  # a document type or an entity; values have them as &lt;
        raise DataError("a labelling configuration must be without <!...>, but has it")
    try:
        view = ElementTree.fromstring(config)  # noqa: S314 (no entities, see above)
    except ElementTree.ParseError as error:
        raise DataError(f"a labelling configuration must be XML, but is not: {error}") from error
    for choices in view.iter("Choices"):
        if choices.get("name") == CONTROL:
            names = tuple(one.get("value", "") for one in choices.iter("Choice"))
            several = choices.get("choice", "single") == "multiple"  # Label Studio's default
            return LabelConfig(names, MULTI_LABEL if several else SINGLE_LABEL)
    raise DataError(f"a labelling configuration must have <Choices name={CONTROL!r}>, but has none")


def write_tasks(documents: Iterable[ExportedDocument], path: Path, layout: Layout = SEVERAL) -> int:
    """Write a list of tasks for Label Studio's import; return the number of documents."""
    with output_file(path) as temporary:
        return write_json_list(temporary, (to_json(task(one, layout)) for one in documents))


def task(document: ExportedDocument, layout: Layout = SEVERAL) -> dict[str, Any]:
    """Return a document as a task."""
    columns = satc_columns(document, layout)
    own = {name: value for name, value in columns.items() if value is not None}
    return {
        "data": {
            "id": document.id,
            "text": document.text,
            "satc_id": document.id,
            **rename_taken(document.columns, _TAKEN.union(layout.reserved)),
            **own,
        },
        "predictions": [
            {
                "model_version": MODEL,
                **_score(document, layout),
                "result": _result(document.predicted),
            }
        ],
        "annotations": [_annotation(document)] if document.source == "human" else [],
    }


def _annotation(document: ExportedDocument) -> dict[str, Any]:
    annotation: dict[str, Any] = {"result": _result(document.labels), "was_cancelled": False}
    if document.who is not None and "@" in document.who:
        annotation["completed_by"] = {"email": document.who}
    if document.when is not None:
        annotation["created_at"] = iso_time(document.when)
    return annotation


def _result(labels: Sequence[str]) -> list[dict[str, Any]]:
    if not labels:
        return []
    value = {"choices": list(labels)}
    return [{"from_name": CONTROL, "to_name": "text", "type": "choices", "value": value}]


def _score(document: ExportedDocument, layout: Layout) -> dict[str, float]:
    """The place in the validation order, or else P(all predicted labels are right).

    The model that satc serves to Label Studio gives the same scores, and Label Studio does not ask
    it again for tasks that have a prediction. The one label of a document is right with its own
    probability. For several labels, classes are taken as independent.
    """
    if document.place is not None:
        return {"score": document.place}
    if not document.probabilities:
        return {}
    if layout.is_single:
        known = document.probabilities.get(document.predicted[0])
        return {} if known is None else {"score": known}
    right = (
        p if name in document.predicted else 1 - p for name, p in document.probabilities.items()
    )
    return {"score": math.prod(right)}


def read_annotations(path: Path) -> Iterator[ImportedDecision]:
    """Yield the annotations of Label Studio's export, JSON or JSON-MIN.

    Each annotation of a task is a decision of its own. Cancelled annotations (skipped tasks),
    drafts and predictions are not decisions. The labels are the choices of the control `labels`.
    """
    for where, item in read_json_list(path, "task"):
        if "annotation_id" in item:
            yield from _from_json_min(item, where)
        else:
            yield from _from_task(item, where)


def _from_task(item: Mapping[str, Any], where: str) -> Iterator[ImportedDecision]:
    data = fields.required(item, "data", where)
    annotations = fields.required(item, "annotations", where)
    if not isinstance(data, dict) or not isinstance(annotations, list):
        raise DataError(f"{where}: 'data' must be an object and 'annotations' a list")
    key = "satc_id" if "satc_id" in data else "id"
    identity = fields.document_id(fields.required(data, key, f"{where}: 'data'"), key, where)
    for number, annotation in enumerate(annotations, start=1):
        position = f"{where}, annotation {number}"
        if not isinstance(annotation, dict):
            raise DataError(f"{position} must be an object, but is {annotation!r:.80}")
        if not annotation.get("was_cancelled"):
            who = annotation.get("completed_by", data.get("satc_validated_by"))
            yield ImportedDecision(
                identity,
                _choices(fields.required(annotation, "result", position), position),
                _person(who, "completed_by", position),
                fields.timestamp(annotation.get("created_at"), "created_at", position),
                position,
            )


def _choices(result: Any, where: str) -> tuple[str, ...]:
    if not isinstance(result, list) or not all(isinstance(one, dict) for one in result):
        raise DataError(f"{where}: 'result' must be a list of objects, but is {result!r:.80}")
    chosen = [one for one in result if one.get("type") == "choices"]
    labels = [one for one in chosen if one.get("from_name") == CONTROL]
    if chosen and not labels:
        raise DataError(
            f"{where}: choices must be those of the control {CONTROL!r}, "
            f"but are of {chosen[0].get('from_name')!r:.80}"
        )
    values = [one.get("value") for one in labels]
    lists = [value.get("choices") if isinstance(value, dict) else None for value in values]
    found = [name for one in lists for name in fields.label_names(one, "choices", where)]
    return tuple(dict.fromkeys(found))


def _from_json_min(item: Mapping[str, Any], where: str) -> Iterator[ImportedDecision]:
    if "satc_id" not in item:
        raise DataError(
            f"{where} must have 'satc_id', since 'id' is Label Studio's own number in JSON-MIN; "
            "export as JSON instead"
        )
    if not item.get("was_cancelled"):
        yield ImportedDecision(
            fields.document_id(item["satc_id"], "satc_id", where),
            _json_min_choices(item.get(CONTROL, []), where),
            _person(item.get("annotator"), "annotator", where),
            fields.timestamp(item.get("created_at"), "created_at", where),
            where,
        )


def _json_min_choices(value: Any, where: str) -> tuple[str, ...]:
    """Return the labels: JSON-MIN writes one as a string, several as an object with a list."""
    if isinstance(value, dict):
        value = value.get("choices")
    return fields.label_names([value] if isinstance(value, str) else value, CONTROL, where)


def _person(value: Any, name: str, where: str) -> str | None:
    if isinstance(value, dict):
        value = value.get("email") or value.get("id")
    return fields.person(value, name, where)
