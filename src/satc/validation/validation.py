"""`Validation`: a live validation session (the algorithm of Section 7).

It returns the most useful document, records the labels that people decide on, and updates the order
of the remaining documents. Several people can work at the same time: a document that is *taken* is
not given to anybody else until it is submitted or given back.
"""

from __future__ import annotations

from typing import Any, Unpack

from satc.ranking.options import RankingOptions, shows_options
from satc.ranking.preparation import prepare
from satc.validation.cold_start import LearningQueue


class Validation(LearningQueue):
    """Validate documents one by one, the most useful first.

    The parameters are those of `satc.rank`. If the true labels are submitted, the documents come in
    the order of `satc.simulate`.

    Without training documents it is a *cold start*: after 10, 20, 40, ... decisions, probabilities,
    tables and (with ``decide="measure"``) labels are estimated anew from what was decided;
    `standing` says what they rest on. The estimate of accuracy then needs documents from `draw`.

    Examples
    --------
    >>> import satc
    >>> V = [[1.0, -0.8], [0.4, -0.3], [-0.2, 0.9], [-1.1, 0.1], [-0.6, -0.9], [0.3, -0.5]]
    >>> Y = [[0, 0], [0, 0], [0, 0], [0, 1], [0, 0], [1, 0]]
    >>> scores = [[0.9, -0.1], [0.1, -0.2], [-0.7, 0.8]]
    >>> v = satc.Validation(scores, oof_scores=V, y_train=Y, method="u-theoretic")
    >>> i = v.next()
    >>> v.submit(i, [1, 1])
    >>> v.next(), v.n_validated, v.undo()
    (0, 1, 1)
    """

    @shows_options()
    def __init__(
        self, scores: Any, *, y_true: Any = None, **options: Unpack[RankingOptions]
    ) -> None:
        self._start(prepare(scores, y_true=y_true, **options))
        self._learns = self.model.is_cold
