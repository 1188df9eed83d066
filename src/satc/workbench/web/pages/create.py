"""The page on which managers make a project from their files."""

from __future__ import annotations

from babel import Locale
from fastapi import APIRouter, Request, Response

from satc.learners.text.languages import known_languages
from satc.measures import names
from satc.ranking.methods import METHODS
from satc.texts.learner_names import learner_names
from satc.workbench.model.settings import Settings
from satc.workbench.web.api.dependencies import CurrentAuthenticator, CurrentManager
from satc.workbench.web.api.kept_files import ENDINGS
from satc.workbench.web.api.routes.upload.learner_fields import LearnerFields
from satc.workbench.web.language import messages_for
from satc.workbench.web.rendering import render_page

router = APIRouter()


@router.get("/new")
def new_project(
    request: Request, user: CurrentManager, authenticator: CurrentAuthenticator
) -> Response:
    """Show the form of a new project, with the defaults of `satc create`."""
    return render_page(
        request,
        authenticator,
        user,
        "create.html",
        areas=("common", "create"),
        settings=Settings("-"),
        learning=LearnerFields(),
        learners=learner_names(),
        text_languages=_languages(messages_for(request).language),
        measures=names(),
        methods=[one.name for one in METHODS.values() if not (one.needs_truth or one.is_rival)],
        endings=",".join(ENDINGS),
    )


def _languages(language: str) -> dict[str, str]:
    """Return the names of the languages that satc knows, in the language of the page."""
    names = Locale.parse(language).languages
    found = {code: str(names.get(code, code)) for code in known_languages()}
    return dict(sorted(found.items(), key=lambda one: one[1].casefold()))
