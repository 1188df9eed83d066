"""Why a document is next, what opinions say about it, and similar labelled documents."""

from satc.workbench.review.explanation.classes import ExplainedClass, as_dict
from satc.workbench.review.explanation.document import ExplainedDocument, explain

__all__ = ["ExplainedClass", "ExplainedDocument", "as_dict", "explain"]
