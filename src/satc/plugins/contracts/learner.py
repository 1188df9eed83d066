"""The contract of a learner: a function that returns a classifier of texts.

The function takes no argument. It returns a new scikit-learn classifier, which is not fitted. Its
`fit` takes a list of texts, and it has `decision_function` or `predict_proba`.
"""

from __future__ import annotations

from typing import Any


def make_classifier(function: Any) -> Any:
    """Call the function of a learner, and return its classifier, checked."""
    if not callable(function):
        raise ValueError(f"it must be a function, but is {function!r:.80}")
    try:
        classifier = function()
    except TypeError as error:
        raise ValueError(f"it must be a function without arguments: {error}") from error
    for name in ("fit", "get_params"):
        if isinstance(classifier, type) or not callable(getattr(classifier, name, None)):
            raise ValueError(
                f"it must return a scikit-learn classifier with {name!r}, but returns "
                f"{classifier!r:.80}"
            )
    if not any(hasattr(classifier, name) for name in ("decision_function", "predict_proba")):
        raise ValueError(
            "its classifier must have 'decision_function' or 'predict_proba', but "
            f"{classifier!r:.80} has neither"
        )
    return classifier
