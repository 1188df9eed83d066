"""The pages for people who are logged in, one module per page."""

from fastapi import APIRouter

from satc.workbench.web.pages import (
    create,
    disagreements,
    documents,
    home,
    join,
    manage,
    people,
    printed,
    workbench,
)

router = APIRouter(include_in_schema=False)
for page in (home, join, create, workbench, documents, disagreements, manage, printed, people):
    router.include_router(page.router)
