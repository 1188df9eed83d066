"""The settings of a project."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from satc.errors import DataError
from satc.inputs import MULTI_LABEL, SINGLE_LABEL, check_average, check_task
from satc.measures import display_name, parse
from satc.texts.columns import Columns
from satc.workbench.model.subset_origin import SubsetOrigin

LEASE_SECONDS = 1800
TARGET, PROBABILITY = 0.95, 0.9  # of a plan, unless others are given


def default_decide(*, from_texts: bool) -> str:
    """Return the default of `decide`.

    If satc trains a learner on texts, labels are chosen for the measure. If the user gives the
    scores of a classifier, its own labels are kept, which are the signs of the scores.
    """
    return "measure" if from_texts else "sign"


def class_weights_of(
    weights: Mapping[str, float] | None, classes: Sequence[str]
) -> tuple[float, ...] | None:
    """Return the weight of each class, 1 if `weights` does not name it; None if there are none."""
    if weights is None:
        return None
    unknown = [name for name in weights if name not in classes]
    if unknown:
        raise DataError(f"class weights must name classes, but one names {unknown[0]!r}")
    return tuple(float(weights.get(name, 1.0)) for name in classes)


@dataclass(frozen=True)
class Settings:
    """The settings of a project.

    Attributes
    ----------
    title, guidelines
        Plain text for the people who work on the project.
    task
        "multi-label", or "single-label" where every document has exactly one label.
    method, measure, average, seed
        As for `satc.rank`.
    decide
        As for `satc.rank`. The labels are decided once, when the project is made. Projects that
        were made before this setting existed have the signs of the scores.
    prior_shift
        As for `satc.rank`.
    overlap
        The share of documents that a second person checks as well.
    blind
        The share of documents whose predictions are hidden.
    lease_seconds
        How long a document is kept for the person who has opened it.
    learner
        The name of the learner; empty if the scores come from elsewhere.
    id_column, text_column
        Names of columns in the file of documents.
    audit
        The share of the work that is a random audit, for the certificate.
    audit_seed
        The seed of the audit's draws, a random number that is chosen when the project is made. None
        in projects that were made before this setting existed: `seed` is used.
    cap
        How many labels a document lacks at most, declared for the certificate. It is 1 in a
        single-label project.
    stop
        A stopping rule in the syntax of `satc.assurance.parse_rule`, or empty.
    price
        The price of an hour of work.
    reading
        The reading time of documents: "length", the name of a column with minutes, or empty.
    class_weights, error_costs
        As for `satc.rank`.
    closed
        Whether a label implies its ancestors in the hierarchy of the code book.
    stored
        The larger set, if the project holds a part of one.
    """

    title: str
    guidelines: str = ""
    task: str = MULTI_LABEL
    method: str = "contextual-dynamic"
    measure: str = "f1"
    average: str = "macro"
    decide: str = "sign"
    prior_shift: bool = False
    seed: int = 0
    overlap: float = 0.0
    blind: float = 0.0
    lease_seconds: int = LEASE_SECONDS
    learner: str = ""
    id_column: str = Columns.id_column
    text_column: str = Columns.text_column
    audit: float = 0.0
    audit_seed: int | None = None
    cap: int = 5
    stop: str = ""
    price: float | None = None
    reading: str = ""
    class_weights: tuple[float, ...] | None = None
    error_costs: tuple[float, float] | None = None
    closed: bool = False
    stored: SubsetOrigin | None = None

    @property
    def draw_seed(self) -> int:
        """The seed from which the draws of the audit follow."""
        return self.seed if self.audit_seed is None else self.audit_seed

    def __post_init__(self) -> None:
        # Imported here: the command line reads the defaults above without loading scikit-learn.
        from satc.assurance.stopping_rules import parse_rule
        from satc.ranking.options import check_decide

        self._convert_json()
        parse(self.measure)
        check_average(self.average)
        check_task(self.task)
        check_decide(self.decide)
        if self.stop:
            parse_rule(self.stop)
        self._check_method()
        self._check_numbers()
        if self.is_single_label:
            object.__setattr__(self, "cap", 1)
        self._check_closed()
        self._check_prior_shift()
        if self.stored is not None:
            self._check_stored()

    def _convert_json(self) -> None:
        """Convert dicts and lists, which JSON has, to the types of the fields."""
        if isinstance(self.stored, dict):
            object.__setattr__(self, "stored", SubsetOrigin(**self.stored))
        for name in ("class_weights", "error_costs"):
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, tuple(given))

    def _check_method(self) -> None:
        from satc.ranking.methods import parse_method

        method = parse_method(self.method)
        if method.needs_truth:
            raise ValueError(
                f"method {self.method!r} needs the true labels, which are not known here; "
                "'contextual-dynamic' and 'u-theoretic-dynamic' do not need them"
            )
        method.check_task(self.task)
        if method.is_rival:
            self._check_rival()

    def _check_rival(self) -> None:
        """Refuse settings that the rankings of others do not know."""
        for name in ("class_weights", "error_costs", "stored"):
            if getattr(self, name) is not None:
                raise ValueError(
                    f"{name} must be left out for method {self.method!r}; 'contextual-dynamic' and "
                    "'u-theoretic-dynamic' take it"
                )

    def _check_numbers(self) -> None:
        if self.cap < 1:
            raise ValueError(f"cap must be at least 1 label, but is {self.cap}")
        for name in ("overlap", "blind", "audit"):
            share = getattr(self, name)
            if not 0.0 <= share <= 1.0:
                raise ValueError(f"{name} must be a share from 0 to 1, but is {share}")
        if self.price is not None and not 0.0 <= self.price < math.inf:
            raise ValueError(f"price must be a number from 0 up, but is {self.price}")
        if self.lease_seconds < 1:
            raise ValueError(f"lease_seconds must be at least 1, but is {self.lease_seconds}")

    def _check_closed(self) -> None:
        if not self.closed:
            return
        if self.is_single_label:
            raise ValueError(
                "closed must be false in a single-label project: a label that implies its parents "
                "would not be the only one"
            )
        if self.stored is not None:
            raise ValueError("closed must be false if a project holds a part of a larger set")

    def _check_prior_shift(self) -> None:
        from satc.ranking.options import check_prior_shift

        check_prior_shift(self.prior_shift)
        if self.prior_shift and self.stored is not None:
            raise ValueError("prior_shift must be false if a project holds a part of a larger set")

    def _check_stored(self) -> None:
        if self.audit:
            raise ValueError(
                "audit must be 0 if a project holds a part of a larger set: "
                "a certificate needs a random sample of all documents"
            )
        if self.reading:
            raise ValueError(
                "reading must be empty if a project holds a part of a larger set: "
                "the length of the other documents is not known"
            )

    @property
    def is_single_label(self) -> bool:
        """Whether every document of the project has exactly one label."""
        return self.task == SINGLE_LABEL

    @property
    def measure_name(self) -> str:
        """The measure and its average, for people.

        >>> Settings("Claims", measure="f2", average="micro").measure_name
        'micro-F2'
        """
        return self.name_of(self.average)

    def name_of(self, average: str) -> str:
        """Return the name of the measure under an average, for people.

        >>> Settings("Claims").name_of("micro")
        'micro-F1'
        >>> Settings("Claims", task="single-label").name_of("micro")
        'accuracy'
        """
        return display_name(self.measure, average, self.task)

    @property
    def decided_how(self) -> str:
        """How the labels were decided on, to follow the words "the labels were".

        >>> Settings("Claims").decided_how
        'decided by the sign of the score'
        >>> Settings("Claims", decide="measure").decided_how
        'chosen for macro-F1'
        >>> Settings("Claims", task="single-label").decided_how
        'decided by the largest score'
        """
        if self.decide == "measure":
            return f"chosen for {self.measure_name}"
        by = "the largest score" if self.is_single_label else "the sign of the score"
        return f"decided by {by}"

    def as_dict(self) -> dict[str, Any]:
        """Return the form in which settings are stored."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Settings:
        """Read stored settings, also of other versions of satc: unknown names are ignored.

        >>> Settings.from_dict({"title": "Claims", "measure": "f2"}).measure
        'f2'
        """
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})
