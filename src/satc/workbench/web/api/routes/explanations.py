"""Routes for explanations: why a document is next, and which of its words matter."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path

from satc.workbench.review.explanation.classes import as_dict
from satc.workbench.review.explanation.document import explain
from satc.workbench.store.documents import get_document
from satc.workbench.web.api.checks import check_not_blind
from satc.workbench.web.api.dependencies import (
    CurrentMessages,
    CurrentProject,
    CurrentUser,
    DocumentIndex,
)
from satc.workbench.web.api.models.explanations import (
    ClassExplained,
    Explanation,
    MarkOut,
    Marks,
    OpinionOut,
    SimilarOut,
)

router = APIRouter(prefix="/projects/{name}/documents/{index}")


@router.get("/explanation")
def explanation(
    user: CurrentUser, project: CurrentProject, index: DocumentIndex, say: CurrentMessages
) -> Explanation:
    """Explain why you have a document, and what is known about it."""
    check_not_blind(project.desk, index, user.name)
    found = explain(project.desk, index, user.name)
    return Explanation(
        source=found.source,
        sentence=say(found.sentence),
        classes=[ClassExplained(**as_dict(one, say)) for one in found.classes],
        classifier_says=list(found.said.classifier),
        opinions=[
            OpinionOut(who=who, says=list(says)) for who, says in found.said.opinions.items()
        ],
        disagreement=" ".join(say(sentence) for sentence in found.disagreement),
        similar=[SimilarOut(**one._asdict()) for one in found.similar],
    )


@router.get("/words/{label}")
def words(
    user: CurrentUser,
    project: CurrentProject,
    index: DocumentIndex,
    label: Annotated[int, Path(ge=0, lt=2**31, description="Number of the class.")],
) -> Marks:
    """Return the words for and against a class; empty where the learner is not known."""
    desk = project.desk
    if label >= len(desk.project.classes):
        raise HTTPException(404, f"there is no class {label}")
    check_not_blind(desk, index, user.name)
    text = get_document(desk.store, desk.project.key, index).text
    marks = project.marks(text, label)
    return Marks(words=[MarkOut(**mark._asdict()) for mark in marks])
