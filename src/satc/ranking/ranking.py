"""`rank`: which documents to validate first, and why (Section 4.5)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from satc.calibration.contextual.calibrator import ClassContext
from satc.calibration.evidence import evidence_of
from satc.calibration.similarity.similar import SimilarDocument
from satc.gains import Gains
from satc.ranking.documents import RankedDocuments
from satc.ranking.options import RankingOptions, shows_options
from satc.ranking.preparation import prepare
from satc.ranking.reasons.opinions import Said, said_about
from satc.ranking.reasons.similar import SIMILAR, similar_to
from satc.ranking.shown.frame import ranking_frame
from satc.ranking.shown.notebook import ranking_html


class Contribution(NamedTuple):
    """What one class adds to the utility of a document."""

    class_index: int
    decision: bool  # whether the classifier put the document into the class
    error_probability: float
    gain: float  # of correcting the decision, if it is wrong
    contribution: float  # error_probability x gain
    context: ClassContext | None = None  # what moved the probability, for the contextual methods


@dataclass(frozen=True, eq=False)
class Ranking:
    """Documents by decreasing utility.

    Attributes
    ----------
    order : int array
        Document indices, the first to validate first.
    utility : float array
        One value per document, in the documents' own order.
    """

    order: NDArray[np.int64]
    utility: NDArray[np.float64]
    documents: RankedDocuments

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """P(document belongs to class), documents x classes."""
        return self.documents.probability()

    def explain(self, i: int) -> list[Contribution]:
        """Explain the rank of document i: what each class contributes, largest first.

        The utility of a ranking of others, such as ``entropy``, is not a sum over the classes. The
        contribution of a class is then P(error), divided by the cost of the document if there is
        one.
        """
        return contributions(self.documents, self._document(i), self.documents.model.gains)

    def opinions(self, i: int) -> Said:
        """Return what the classifier and the other opinions say about document i.

        Its method ``sentence(class_names)`` says in words where they differ.
        """
        contexts = [one.context for one in self.explain(i)]
        return said_about(self.documents, self._document(i), contexts)

    def similar(self, i: int, n: int = SIMILAR) -> list[SimilarDocument]:
        """Return the documents with known labels that are most similar to document i.

        They are at most n training documents, the nearest first, each with its ``row``,
        ``similarity`` (the cosine of the features) and ``labels``. The list is empty without
        features, and for methods that are not contextual.
        """
        return similar_to(self.documents, self._document(i), n)

    def to_frame(
        self,
        ids: Sequence[Hashable] | None = None,
        classes: Sequence[Hashable] | None = None,
    ) -> Any:
        """Return the ranking as a pandas data frame, the first document to check first.

        Parameters
        ----------
        ids : sequence, one per document, optional
            The ids of the documents, in their own order; by default, their numbers.
        classes : sequence, one per class, optional
            The names of the classes; by default, those of the frames that were ranked, or else
            their numbers.

        Returns
        -------
        pandas.DataFrame
            The index is the document. The columns are those of the table of ``satc rank``:
            ``rank`` (from 1), ``utility``, ``predicted`` (the labels that are to be validated, as a
            list), ``doubtful`` (the class that adds most to the utility) and ``probability_wrong``
            (P(error) of the decision on it). If every document has exactly one label,
            ``predicted`` is this label, and ``instead``, the most probable other class, replaces
            ``doubtful``. A random order has no such class.

        Examples
        --------
        >>> import satc
        >>> ranking = satc.rank([[0.9, -0.1], [0.1, -0.2]], method="baseline", sigma=1.0)
        >>> frame = ranking.to_frame(ids=["a", "b"], classes=["corn", "wheat"])
        >>> frame.index.tolist(), frame["doubtful"].tolist()
        (['b', 'a'], ['corn', 'wheat'])
        """
        return ranking_frame(self, ids, classes)

    def _repr_html_(self) -> str:
        """Return a table of the first documents, for notebooks."""
        return ranking_html(self)

    def _document(self, i: int) -> int:
        n = len(self.documents.scores)
        if not -n <= i < n:
            raise ValueError(f"i must be a document, 0 to {n - 1}, but is {i}")
        return i % n


def contributions(documents: RankedDocuments, i: int, gains: Gains) -> list[Contribution]:
    """Return what each class contributes to the utility of document i, largest first."""
    if documents.misclassification is None:
        return []
    decided = documents.decided_on(i)
    gain = documents.weighted(i, np.where(decided, *gains))
    wrong = documents.misclassification.of_documents(slice(i, i + 1))[0]
    contribution = wrong * gain
    context = _context(documents, i)
    return [
        Contribution(
            int(j),
            bool(decided[j]),
            float(wrong[j]),
            float(gain[j]),
            float(contribution[j]),
            context[j],
        )
        for j in np.argsort(-contribution, kind="stable")
    ]


def _context(documents: RankedDocuments, i: int) -> Sequence[ClassContext | None]:
    calibrator = documents.model.calibrator
    if calibrator is None:
        return [None] * documents.model.n_classes
    known = evidence_of(documents.features).rows(slice(i, i + 1))
    return calibrator.context(documents.scores[i : i + 1], 0, known)


@shows_options()
def rank(scores: Any, *, y_true: Any = None, **options: Unpack[RankingOptions]) -> Ranking:
    """Rank documents by the expected gain of validating each of them.

    Parameters
    ----------
    scores : array of shape (n_documents, n_classes)
        The classifier's scores: the sign is its decision, the magnitude its confidence.
    y_true : array of shape (n_documents, n_classes), optional
        The true labels; only the oracles use them.
    oof_scores, y_train : arrays of shape (n_train, n_classes)
        Out-of-fold scores and true labels (0/1) of the training documents, or of a held-out set.
        Sigma, probabilities and contingency tables are estimated from them. Without them, the
        contextual methods start from a prior (`satc.predictions` makes scores of predictions of any
        kind), and `Validation` learns from what people decide.
    task : {"multi-label", "single-label"}
        ``single-label`` if every document has exactly one label: the classifier's own label is the
        class with the largest score, and probabilities sum to 1. Scores may then be the outputs of
        a softmax, too; their logarithms are used.
    method : str
        ``contextual``, ``contextual-dynamic``, ``baseline``, ``u-theoretic``,
        ``u-theoretic-dynamic``, ``oracle1``, ``oracle1-dynamic``, ``oracle2``,
        ``oracle2-dynamic`` or ``random``. Or the ranking of others, for comparison:
        ``least-confidence``, ``smallest-margin``, ``entropy``, ``mean-confidence``,
        ``minimum-confidence``, ``cardinality-inconsistency``, ``cleanlab-self-confidence``,
        ``cleanlab-normalized-margin``, ``cleanlab-confidence-weighted-entropy``,
        ``expected-f1-loss``, ``document-difficulty-mean`` or ``document-difficulty-minimum``. For a
        dynamic method, this is the ranking before the first correction; `Validation` updates it
        after each correction.
    measure : str or callable of (tp, fp, fn, tn)
        The measure to improve: ``f1``, ``f2``, ``accuracy``, ... (see `satc.measures.parse`).
    average : {"macro", "micro"}
        ``macro`` gives all classes the same weight, ``micro`` all decisions.
    decide : {"sign", "measure"}
        The labels that are to be validated: the signs of the scores, as in the paper, or labels
        chosen for the measure (see `satc.decide`).
    prior_shift : bool
        For the contextual methods: the classes may be more or less frequent among the documents
        than among the training documents. With True, their frequencies are estimated from the
        probabilities of all documents, and the probabilities are corrected. Rare classes stay near
        their frequency in training. Needs training documents; a cold start ignores it.
    sigma : float, optional
        The growth rate of the logistic function; by default it is calibrated.
    features, train_features : arrays or sparse matrices, documents x features, optional
        For the contextual methods, which also look at the labels of similar training documents;
        in a cold start, at those of similar documents that were decided or predicted.
        Use features whose cosine measures similarity, such as tf-idf or embeddings.
    opinions : mapping from a name to an array, or to a pair of arrays, optional
        For the contextual methods: what other classifiers, a language model or people say about the
        same documents, documents x classes: scores, probabilities or 0/1 labels. In a pair, the
        second array is about the training documents, by a classifier that was not trained on them:
        what the opinion is worth is then learnt from them, class by class. Without it, that is
        learnt from how the opinion agrees with the scores. A row of NaN says nothing about its
        document. An opinion by chance changes nothing.
    training : Training, optional
        `oof_scores`, `y_train`, `train_features` and the second arrays of `opinions` in one object,
        instead of these.
    hierarchy : satc.code_book.Hierarchy, optional
        A label implies its ancestors: these are added to the decided labels, and to the labels of
        the training documents. By default, labels do not imply each other.
    random_state : int, Generator or None
        For ``random``.
    class_weights : sequence of numbers, one per class, optional
        How much each class matters; 1 by default. The rankings of others take no weights.
    costs : sequence of numbers, one per document, optional
        The cost of reading each document, in minutes or any other unit. Documents are then
        ranked by utility per unit of cost.
    error_costs : pair of numbers, or of sequences with one number per class, optional
        The cost of a false positive and of a false negative.

    Returns
    -------
    Ranking
        ``order``, ``utility``, ``probability``, ``explain(i)``, ``opinions(i)`` and
        ``similar(i)``.

    Examples
    --------
    >>> import satc
    >>> V = [[1.0, -0.8], [0.4, -0.3], [-0.2, 0.9], [-1.1, 0.1], [-0.6, -0.9], [0.3, -0.5]]
    >>> Y = [[0, 0], [0, 0], [0, 0], [0, 1], [0, 0], [1, 0]]
    >>> ranking = satc.rank([[0.9, -0.1], [0.1, -0.2], [-0.7, 0.8]], oof_scores=V, y_train=Y,
    ...                     method="u-theoretic")
    >>> ranking.order
    array([1, 0, 2])
    """
    return ranked(prepare(scores, y_true=y_true, **options))


def ranked(documents: RankedDocuments) -> Ranking:
    """Rank prepared documents by decreasing utility; `ties`, or else the index, decides ties."""
    if documents.utility is None:
        rng = np.random.default_rng(documents.model.random_state)
        order = rng.permutation(len(documents.scores))
        return Ranking(order, np.zeros(len(order)), documents)
    utility = finite_utilities(documents.utility)
    if documents.ties is not None:
        return Ranking(np.lexsort((documents.ties, -utility)), utility, documents)
    return Ranking(np.argsort(-utility, kind="stable"), utility, documents)


def finite_utilities(utility: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return utilities; refuse those that are not finite, because they give no order."""
    if not np.isfinite(utility).all():
        i = int(np.flatnonzero(~np.isfinite(utility))[0])
        raise ValueError(
            f"the utility of document {i} is {utility[i]}, so the documents have no order: the "
            "measure, class_weights, costs or error_costs must give finite values"
        )
    return utility
