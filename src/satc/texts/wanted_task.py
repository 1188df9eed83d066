"""What a user says about the task: how many labels a document has."""

from __future__ import annotations

from dataclasses import dataclass

from satc.inputs import MULTI_LABEL, SINGLE_LABEL


@dataclass(frozen=True)
class WantedTask:
    """The task that a user wants.

    Attributes
    ----------
    task
        "multi-label" or "single-label"; None for the one that the labels suggest.
    none_class
        The class of documents without a label; the task is single-label then.
    """

    task: str | None = MULTI_LABEL
    none_class: str | None = None

    @property
    def without_labels(self) -> str:
        """The task where there are no labels that could suggest one."""
        return self.task or (MULTI_LABEL if self.none_class is None else SINGLE_LABEL)

    @property
    def is_named(self) -> bool:
        """Whether the user has named the task."""
        return self.task is not None or self.none_class is not None
