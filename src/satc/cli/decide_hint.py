"""One line that says what labels chosen for the measure would bring."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from satc.ranking.documents import RankedDocuments

_LEAST_GAIN = 0.005  # a smaller one is not worth a line


def hint(documents: RankedDocuments) -> str | None:
    """Compare the classifier's own labels with labels chosen for the measure, by expected values.

    Both values come from the probabilities of the ranking method. There is nothing to say (None) if
    labels were chosen already, without training documents, for a method without probabilities, and
    where choosing would bring less than 0.005.
    """
    from satc.measures import display_name

    model = documents.model
    known = documents.misclassification is not None and model.training is not None
    if documents.decisions is not None or not known:
        return None
    probability = documents.probability()
    now = model.expected_value(probability, documents.decided)
    chosen = model.choose(probability).expected
    if chosen is None or chosen - now < _LEAST_GAIN:
        return None
    name = display_name(model.measure, model.average, model.task)
    return (
        f"{name} is about {now:.2f}; choosing labels for it "
        f"would give about {chosen:.2f} before anyone reads a document: --decide measure"
    )
