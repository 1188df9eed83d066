"""What a project was set to when it was made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from satc.errors import DataError
from satc.inputs import check_average
from satc.measures import parse
from satc.texts.columns import Columns
from satc.workbench.model.subset_origin import SubsetOrigin

LEASE_SECONDS = 1800
TARGET, PROBABILITY = 0.95, 0.9  # of a plan, unless others are given


def class_weights_of(
    weights: Mapping[str, float] | None, classes: Sequence[str]
) -> tuple[float, ...] | None:
    """Return weights of classes, given by name, in the order of the classes; 1 where none is."""
    if weights is None:
        return None
    unknown = [name for name in weights if name not in classes]
    if unknown:
        raise DataError(f"class weights must be of classes, but one is of {unknown[0]!r}")
    return tuple(float(weights.get(name, 1.0)) for name in classes)


@dataclass(frozen=True)
class Settings:
    """The settings of a project.

    Attributes
    ----------
    title, guidelines
        For the people who work on it, plain text.
    method, measure, average, seed
        As for `satc.rank`.
    overlap
        The share of documents that a second person checks as well.
    blind
        The share of documents whose predictions are hidden.
    lease_seconds
        How long a document is kept for the person who has opened it.
    learner
        What made the scores, for the record.
    id_column, text_column
        What the columns were called in the file of documents.
    audit
        The share of the work that is a random audit, for the certificate.
    cap
        The most labels that a document lacks, declared for the certificate.
    stop
        When to say that the work may end, as `satc.assurance.parse_rule` reads it; or nothing.
    price
        What an hour of work costs.
    reading
        What reading takes: "length", the name of a column with minutes, or nothing.
    class_weights, error_costs
        As for `satc.rank`.
    stored
        Where the rest is, if the project holds a part of a larger set.
    """

    title: str
    guidelines: str = ""
    method: str = "contextual-dynamic"
    measure: str = "f1"
    average: str = "macro"
    seed: int = 0
    overlap: float = 0.0
    blind: float = 0.0
    lease_seconds: int = LEASE_SECONDS
    learner: str = ""
    id_column: str = Columns.id_column
    text_column: str = Columns.text_column
    audit: float = 0.0
    cap: int = 5
    stop: str = ""
    price: float | None = None
    reading: str = ""
    class_weights: tuple[float, ...] | None = None
    error_costs: tuple[float, float] | None = None
    stored: SubsetOrigin | None = None

    def __post_init__(self) -> None:
        # Imported here: the command line reads the defaults above without loading scikit-learn.
        from satc.assurance.stopping_rules import parse_rule
        from satc.ranking.methods import parse_method

        parse(self.measure)
        if self.stop:
            parse_rule(self.stop)
        if isinstance(self.stored, dict):
            object.__setattr__(self, "stored", SubsetOrigin(**self.stored))
        if self.stored is not None:
            self._check_stored()
        if self.cap < 1:
            raise ValueError(f"cap must be at least 1 label, but is {self.cap}")
        for name in ("class_weights", "error_costs"):  # JSON has lists
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, tuple(given))
        check_average(self.average)
        if parse_method(self.method).needs_truth:
            raise ValueError(
                f"method {self.method!r} needs the true labels, which nobody knows here; "
                "'contextual-dynamic' and 'u-theoretic-dynamic' do without"
            )
        for name in ("overlap", "blind", "audit"):
            share = getattr(self, name)
            if not 0.0 <= share <= 1.0:
                raise ValueError(f"{name} must be a share from 0 to 1, but is {share}")
        if self.lease_seconds < 1:
            raise ValueError(f"lease_seconds must be at least 1, but is {self.lease_seconds}")

    def _check_stored(self) -> None:
        if self.audit:
            raise ValueError(
                "audit must be 0 where a project holds a part of a larger set: "
                "a certificate needs a random sample of all documents"
            )
        if self.reading:
            raise ValueError(
                "reading must be empty where a project holds a part of a larger set: "
                "how long the documents outside are is not known"
            )

    def as_dict(self) -> dict[str, Any]:
        """Return what `from_dict` takes."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Settings:
        """Read settings, of an earlier version too; what is unknown is left out.

        >>> Settings.from_dict({"title": "Claims", "measure": "f2"}).measure
        'f2'
        """
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})
