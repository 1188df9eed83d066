"""The fields of an upload about predictions that were made elsewhere."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from fastapi import Form

from satc.files.labels.column_names import wanted_names
from satc.texts.opinions.opinion_file import OpinionFile
from satc.workbench.model.new_project.setting_values import read_threshold
from satc.workbench.web.api.models.common import StorableText

Kind = Literal["scores", "probabilities", "logits", "labels", "votes"]


@dataclass(frozen=True)
class PredictionFields:
    """What predictions are, and which of them are labels."""

    kind: Annotated[
        Kind | None, Form(description="What the predictions are; by default, it is found out.")
    ] = None
    threshold: Annotated[
        str | None,
        Form(
            max_length=20,
            description="Smallest probability that is a label, as in 0.3 or 30%; by default 0.5.",
        ),
    ] = None
    class_columns: Annotated[
        StorableText | None,
        Form(
            max_length=200_000,
            description="Columns of the predictions that stand for a class each; by default all "
            "columns beside ids and texts.",
        ),
    ] = None
    opinion_name: Annotated[StorableText, Form(min_length=1, max_length=100)] = "opinion"

    def given(self) -> set[str]:
        """Return the fields that were sent."""
        return {name for name in ("kind", "threshold") if getattr(self, name) is not None}

    def read_threshold(self) -> float | None:
        """Return the threshold; None for the default."""
        if not self.threshold:
            return None
        if (number := read_threshold(self.threshold, "threshold")) is None:
            raise ValueError(
                f"threshold must be above 0 and below 1, such as 0.3, but is {self.threshold!r}"
            )
        return number

    def classes_file(self, folder: Path) -> Path | None:
        """Write the names of the class columns as a file of class names; None without any."""
        if not self.class_columns:
            return None
        path = folder / "columns.json"
        names = wanted_names(self.class_columns, "class_columns")
        path.write_text(json.dumps(list(names)), encoding="utf-8")
        return path

    def opinions(self, paths: dict[str, Path]) -> tuple[OpinionFile, ...]:
        """Return the file of a further opinion, if there is one."""
        path = paths.get("opinion")
        return () if path is None else (OpinionFile(self.opinion_name, path),)
