"""Where the labels of a project are in a labelling configuration of Label Studio.

This is a control ``<Choices>`` that has all classes of the project, by their codes or names. What
people choose in other controls is no label of the project.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from xml.etree import ElementTree

from satc.errors import DataError
from satc.files.fields import label_names
from satc.workbench.store.projects import Project

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LIMIT = 1 << 22  # characters of a configuration


class Control(NamedTuple):
    """The control of the labels.

    Attributes
    ----------
    name, to_name
        The name of the control, and that of the text that it is about.
    text_field
        The field of a task that holds the text; None if the configuration does not say it.
    choices
        What a result calls each class of the project, in their order.
    """

    name: str
    to_name: str
    text_field: str | None
    choices: tuple[str, ...]

    def result(self, labels: Iterable[int]) -> list[dict[str, Any]]:
        """Return labels as the result of a prediction."""
        chosen = [self.choices[j] for j in labels]
        if not chosen:
            return []
        value = {"choices": chosen}
        place = {"from_name": self.name, "to_name": self.to_name, "type": "choices"}
        return [{"id": "satc", **place, "value": value}]

    def labels(self, result: Any, where: str) -> tuple[int, ...]:
        """Return the labels of the result of an annotation."""
        if not isinstance(result, list) or not all(isinstance(one, Mapping) for one in result):
            raise DataError(f"{where}: 'result' must be a list of objects, but is {result!r:.80}")
        number = {name: j for j, name in enumerate(self.choices)}
        found: set[int] = set()
        for one in result:
            if one.get("from_name") == self.name and one.get("type") == "choices":
                value = one.get("value")
                chosen = value.get("choices") if isinstance(value, Mapping) else None
                for name in label_names(chosen, "choices", where):
                    if name not in number:
                        raise DataError(
                            f"{where}: {name!r:.80} must be a class of the project, but is not"
                        )
                    found.add(number[name])
        return tuple(sorted(found))


def find_control(config: Any, project: Project) -> Control:
    """Return the control of the labels of a project.

    Raises
    ------
    DataError
        If no control has all classes of the project.
    """
    view = _parsed(config)
    missing = ""
    for choices in view.iter("Choices"):
        values = {one.get("alias") or one.get("value") or "" for one in choices.iter("Choice")}
        for names in (project.classes, project.names):
            lacking = [name for name in names if name not in values]
            if not lacking:
                to_name = choices.get("toName") or ""
                field = _field(view, to_name)
                return Control(choices.get("name") or "", to_name, field, tuple(names))
            missing = missing or f"; {choices.get('name')!r:.80} lacks {lacking[0]!r:.80}"
    raise DataError(
        "the labelling configuration must have a control <Choices> with all classes of the "
        f"project, but has none{missing}"
    )


def _parsed(config: Any) -> ElementTree.Element:
    if not isinstance(config, str) or len(config) > _LIMIT:
        raise DataError("the labelling configuration must be a text of XML, but is not")
    config = _COMMENT.sub("", config)
    if "<!" in config:  # a document type or an entity; values have them as &lt;
        raise DataError("the labelling configuration must be without <!...>, but has it")
    try:
        return ElementTree.fromstring(config)  # noqa: S314 (no entities, see above)
    except (ElementTree.ParseError, RecursionError) as error:
        raise DataError(f"the labelling configuration must be XML, but is not: {error}") from error


def _field(view: ElementTree.Element, name: str) -> str | None:
    """Return the field of a task that an object shows: ``value="$text"``."""
    for one in view.iter():
        value = one.get("value") or ""
        if name and one.get("name") == name and value.startswith("$"):
            return value[1:]
    return None
