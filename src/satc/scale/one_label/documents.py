"""The one label of each stored document, and its utility, as expressions.

The probability of a class *alone* is the logistic function of sigma x score. P(document belongs to
class) is this divided by its sum over all classes. The label is the class with the largest score
or, where labels are chosen for a measure, with the largest ``slope * probability + offset``; among
equal values it is the first class. It is found by the maximum of a structure (value, place of the
class), which engines compute in one pass together with sums. Pairs that are not stored count in the
sums, but are never the label. A document without a stored pair has a flaw.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ibis
import numpy as np
import pyarrow as pa

from satc.decisions import LEAST_RELATIVE_PROBABILITY, OneLabelRule
from satc.gains import Gains, unit_gains
from satc.ranking.model import RankingModel
from satc.scale.decisions import membership_probability
from satc.scale.exact import ExactSums, number
from satc.scale.stored import StoredScores
from satc.scale.utilities import class_keys, flaws_of

_FAR = -25.0  # sigma x score; the exponential is the logistic function of less, up to 1e-11


def one_label_utilities(scores: StoredScores, model: RankingModel, gains: Gains) -> Any:
    """Expression: document, utility, flaws; the gains are weighted."""
    pairs = OneLabelPairs.of(scores, model, gains)
    documents = pairs.labelled(model.rule)
    classes = pairs.classes.select("place", "gain_fp", "gain_fn")
    table = documents.left_join(classes, documents.label == classes.place)
    missed = pairs.missed.cut(table.alone * table.gain_fn)
    others = (table.missed_coarse - missed[0]) + (table.missed_fine - missed[1])
    others = others + table.absent_missed
    wrong = 1.0 - table.alone / table.total
    utility = wrong * table.gain_fp + others / table.total
    table = table.mutate(utility=utility.fill_null(number(float("nan")))).view()
    return table.select("document", "utility", flaws=flaws_of(scores, table, sum(pairs.keys)))


def one_label_labels(scores: StoredScores, model: RankingModel) -> Any:
    """Expression: document, class, one row for each document; without a rule, by scores."""
    if model.rule is None:
        pairs = stored_pairs(scores, class_table(scores))
        best = pairs.group_by("document").aggregate(best=first_best(scores, pairs, pairs.score))
        documents = best.select("document", label=-best.best["minus_place"])
    else:
        pairs = OneLabelPairs.of(scores, model, unit_gains(len(scores.classes)))
        documents = pairs.labelled(model.rule)
    classes = class_table(scores)
    table = documents.join(classes, documents.label == classes.place)
    return table.select("document", **{"class": table.name})


def class_table(scores: StoredScores, **columns: Any) -> Any:
    """Return a table of the engine with the place, the name and given numbers of each class."""
    names = list(scores.classes)
    rows = {"place": np.arange(len(names)), "name": names, **columns}
    return scores.engine.temporary_table(pa.table(rows))


def stored_pairs(scores: StoredScores, classes: Any) -> Any:
    """Expression: the pairs with the columns of their classes; scores as double precision."""
    pairs = scores.pairs
    score = pairs.score.cast("float64")
    if scores.absent is not None and not scores.is_long:
        score = score.fill_null(number(-scores.absent))
    pairs = pairs.select("document", score=score, of_class=pairs["class"].cast("string"))
    return pairs.left_join(classes, pairs.of_class == classes.name)


def first_best(
    scores: StoredScores, pairs: Any, value: Any, likely: Any = None, **payload: Any
) -> Any:
    """Expression: the pair of the largest value, of several the first class, as a structure.

    `likely` says which pairs are probable enough for a label; by default all are.
    """
    where = likely
    if scores.absent is not None:
        stored = pairs.score != number(-scores.absent)
        where = stored if likely is None else stored & likely
    return ibis.struct({"value": value, "minus_place": -pairs.place, **payload}).max(where=where)


@dataclass(frozen=True, eq=False)
class OneLabelPairs:
    """Stored pairs, from which labels and sums of the documents are computed.

    Sums are exact, but probabilities below 1e-11 have few digits in them. If a document has only
    such ones (`_is_far`), its probabilities are computed relative to the largest.
    """

    scores: StoredScores
    sigma: float
    gains: Gains

    @classmethod
    def of(cls, scores: StoredScores, model: RankingModel, gains: Gains) -> OneLabelPairs:
        """Return the pairs for a model that has a sigma."""
        if model.sigma is None:
            raise ValueError(f"method {model.method.name!r} cannot rank at scale")
        return cls(scores, model.sigma, gains)

    @cached_property
    def sums(self) -> ExactSums:
        """Sums of probabilities over the classes of a document."""
        return ExactSums(1.0, 2 * len(self.scores.classes))

    @cached_property
    def missed(self) -> ExactSums:
        """Sums of probability x gain of a missed label."""
        return ExactSums(float(np.abs(self.gains.fn).max()), 2 * len(self.scores.classes))

    @cached_property
    def keys(self) -> list[int]:
        """A random number for each class, which shows whether a document has every class once."""
        return class_keys(len(self.scores.classes))

    @cached_property
    def classes(self) -> Any:
        """The table of the classes: place, name, gains, and what is needed for sums."""
        coarse, fine = self.missed.cut(np.asarray(self.gains.fn))
        columns = {"gain_fp": self.gains.fp, "gain_fn": self.gains.fn, "class_key": self.keys}
        return class_table(self.scores, gain_coarse=coarse, gain_fine=fine, **columns)

    @cached_property
    def pairs(self) -> Any:
        """Expression: the pairs with the probability of their class alone; NaN if not finite."""
        pairs = stored_pairs(self.scores, self.classes)
        top: Any = None
        if self._is_far:
            best = pairs.group_by(of_best=pairs.document).aggregate(best=pairs.score.max())
            best = best.select("of_best", top=self._top(best.best))
            pairs = pairs.left_join(best, pairs.document == best.of_best)
            top = pairs.top
        alone = self._alone(pairs.score, top) + (pairs.score - pairs.score)
        return pairs.mutate(alone=alone).view()

    @cached_property
    def _is_far(self) -> bool:
        """Whether there is a document all of whose probabilities are almost 0."""
        return self.sigma * self.scores.smallest_best_score < _FAR

    def _top(self, best: Any) -> Any:
        """Expression: the largest score of a document, of absent pairs too."""
        if self.scores.absent is None:
            return best
        return ibis.greatest(best, number(-self.scores.absent))

    def _alone(self, score: Any, top: Any = None) -> Any:
        """Expression: the probability of a class alone; relative to that of `top` if it is far."""
        return alone_probability(score, self.sigma, top)

    def labelled(self, rule: OneLabelRule | None) -> Any:
        """Expression: document, its sums, the place of its label, and its probability alone."""
        pairs = self.pairs
        if rule is None:
            best = first_best(self.scores, pairs, pairs.score, alone=pairs.alone)
            return _unpacked(self._summed(best=best))
        documents = self._summed()
        chosen = self._chosen(documents, rule)
        table = documents.left_join(chosen, documents.document == chosen.of_document)
        return _unpacked(table.drop("of_document"))

    def _chosen(self, documents: Any, rule: OneLabelRule) -> Any:
        """Expression: of_document, best; the labels by a rule."""
        table = self.with_totals(documents)
        rules = class_table(self.scores, slope=rule.slope, offset=rule.offset)
        rules = rules.select(rule_place="place", slope="slope", offset="offset")
        table = table.join(rules, table.place == rules.rule_place)
        best = first_best(
            self.scores, table, value_by_rule(table), is_likely(table), alone=table.alone
        )
        return table.group_by(of_document=table.document).aggregate(best=best)

    def with_totals(self, documents: Any = None) -> Any:
        """Expression: document, place, score, alone; total, and alone of absent pairs."""
        documents = self._summed() if documents is None else documents
        totals = documents.select("total", "absent_alone", "best_alone", of_total="document")
        pairs = self.pairs.select("document", "place", "score", "alone")
        return pairs.join(totals, pairs.document == totals.of_total).drop("of_total")

    def _summed(self, **further: Any) -> Any:
        """Expression: document, the total of its probabilities alone, and other sums."""
        pairs = self.pairs
        part = pairs.alone * pairs.gain_fn
        (coarse, fine), alone = self.missed.cut(part), self.sums.cut(pairs.alone)
        table = pairs.group_by("document").aggregate(
            alone_coarse=alone[0].sum(),
            alone_fine=alone[1].sum(),
            missed_coarse=coarse.sum(),
            missed_fine=fine.sum(),
            gain_coarse=pairs.gain_coarse.sum(),
            gain_fine=pairs.gain_fine.sum(),
            best_score=pairs.score.max(),
            best_alone=pairs.alone.max(where=self._stored(pairs)),
            usable=part.count(),
            stored=pairs.count(),
            class_keys=pairs.class_key.sum(),
            **further,
        )
        return self._with_absent(table).view()

    def _stored(self, pairs: Any) -> Any:
        """Expression: whether a pair can get a label; None if all can."""
        return None if self.scores.absent is None else pairs.score != number(-self.scores.absent)

    def _with_absent(self, table: Any) -> Any:
        """Add the pairs that are not stored to the sums of documents."""
        total, absent = table.alone_coarse + table.alone_fine, number(0.0)
        if self.scores.absent is None:
            return table.mutate(total=total, absent_alone=absent, absent_missed=absent)
        top = self._top(table.best_score) if self._is_far else None
        absent = self._alone(number(-self.scores.absent), top)
        lacking = (len(self.scores.classes) - table.stored).cast("float64")
        coarse, fine = (number(part.sum()) for part in self.missed.cut(np.asarray(self.gains.fn)))
        gains = (coarse - table.gain_coarse) + (fine - table.gain_fine)
        return table.mutate(
            total=total + lacking * absent, absent_alone=absent, absent_missed=gains * absent
        )


def alone_probability(score: Any, sigma: float, top: Any = None) -> Any:
    """Expression: the probability of a class alone.

    `top` is the largest score of the document. If even that is so small that all probabilities of
    the document are almost 0, they are computed relative to that of `top`, because their sum
    could be 0.
    """
    alone = membership_probability(score, sigma)
    if top is None:
        return alone
    relative = ((score - top) * number(sigma)).exp()
    return ibis.ifelse(top * number(sigma) < number(_FAR), relative, alone)


def value_by_rule(pairs: Any) -> Any:
    """Expression: ``slope * probability + offset``, which is largest for the label by a rule."""
    return pairs.slope * (pairs.alone / pairs.total) + pairs.offset


def is_likely(pairs: Any) -> Any:
    """Expression: whether a pair is probable enough for the only label of its document."""
    return pairs.alone >= number(LEAST_RELATIVE_PROBABILITY) * pairs.best_alone


def _unpacked(documents: Any) -> Any:
    """Replace the structure of the best pair by the place of the label and its probability."""
    best = documents.best
    table = documents.mutate(label=-best["minus_place"], alone=best["alone"])
    return table.drop("best").view()
