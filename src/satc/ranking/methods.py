"""The named ranking methods.

Those of the paper and ours have the formula U(d) = sum of P(error) x gain. They differ in the
source of the error probabilities, of the contingency tables and of the gains, and in whether
corrections change the ranking (Sections 4, 6.5 and 7). The rankings of others (`rivals`) have
formulas of their own, and so have those of installed packages (`satc.plugins`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from satc.inputs import SINGLE_LABEL
from satc.plugins.installed import Plugin
from satc.plugins.kinds import METHODS as KIND
from satc.plugins.table import PluginTable
from satc.ranking.rivals.document_difficulty import mean_difficulty, minimum_difficulty
from satc.ranking.rivals.entropy import entropy
from satc.ranking.rivals.expected_f1 import expected_f1_loss
from satc.ranking.rivals.label_cardinality import cardinality_inconsistency
from satc.ranking.rivals.label_confidence import mean_confidence, minimum_confidence
from satc.ranking.rivals.label_quality import (
    confidence_weighted_entropy,
    normalized_margin,
    self_confidence,
)
from satc.ranking.rivals.least_confidence import least_confidence
from satc.ranking.rivals.plugins import plugin_formula
from satc.ranking.rivals.predicted import Formula
from satc.ranking.rivals.smallest_margin import smallest_margin


@dataclass(frozen=True)
class Method:
    """A ranking method: its name and its four choices."""

    name: str
    probability: Literal["context", "sigma", "truth", "none"]
    tables: Literal["none", "k-fold", "expected", "truth"]
    gains: Literal["unit", "average", "pointwise", "none"]
    is_dynamic: bool = False  # whether corrections change the ranking (Section 7)
    formula: Formula | None = None  # the utility of a document, where it is not the sum
    counts_labels: bool = False  # whether it compares numbers of labels

    @property
    def is_rival(self) -> bool:
        """Whether this is the ranking of others, with a formula of its own."""
        return self.formula is not None

    @property
    def without_context(self) -> str:
        """The name of the corresponding method of the paper, which does not use context."""
        return self.name.replace("contextual", "u-theoretic")

    @property
    def needs_truth(self) -> bool:
        """Whether this method is an oracle: it needs the true labels."""
        return "truth" in (self.probability, self.tables)

    def check_task(self, task: str) -> None:
        """Refuse a task in which the method gives no order."""
        if self.counts_labels and task == SINGLE_LABEL:
            raise ValueError(
                f"method {self.name!r} needs a multi-label task: where every document has exactly "
                "one label, the number of labels gives no order"
            )


def _rival(name: str, formula: Formula, *, counts_labels: bool = False) -> Method:
    """Return the ranking of others with this formula; P(error) explains it."""
    return Method(name, "sigma", "none", "unit", formula=formula, counts_labels=counts_labels)


METHODS = {
    method.name: method
    for method in (
        Method("contextual", "context", "expected", "average"),
        Method("contextual-dynamic", "context", "expected", "average", is_dynamic=True),
        Method("baseline", "sigma", "none", "unit"),
        Method("u-theoretic", "sigma", "k-fold", "average"),
        Method("u-theoretic-dynamic", "sigma", "k-fold", "pointwise", is_dynamic=True),
        Method("oracle1", "sigma", "truth", "average"),
        Method("oracle1-dynamic", "sigma", "truth", "pointwise", is_dynamic=True),
        Method("oracle2", "truth", "truth", "average"),
        Method("oracle2-dynamic", "truth", "truth", "pointwise", is_dynamic=True),
        Method("random", "none", "none", "none"),
        _rival("least-confidence", least_confidence),
        _rival("smallest-margin", smallest_margin),
        _rival("entropy", entropy),
        _rival("mean-confidence", mean_confidence),
        _rival("minimum-confidence", minimum_confidence),
        _rival("cardinality-inconsistency", cardinality_inconsistency, counts_labels=True),
        _rival("cleanlab-self-confidence", self_confidence),
        _rival("cleanlab-normalized-margin", normalized_margin),
        _rival("cleanlab-confidence-weighted-entropy", confidence_weighted_entropy),
        _rival("expected-f1-loss", expected_f1_loss),
        _rival("document-difficulty-mean", mean_difficulty),
        _rival("document-difficulty-minimum", minimum_difficulty),
    )
}


def _adapt(plugin: Plugin, function: Any) -> Method:
    return _rival(plugin.name, plugin_formula(plugin, function))


PLUGINS = PluginTable(KIND, lambda: METHODS, _adapt)


def parse_method(name: str) -> Method:
    """Return the method of this name; the error for an unknown name lists all names."""
    return PLUGINS.choice(name, METHODS)
