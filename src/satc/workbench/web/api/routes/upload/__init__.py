"""Routes for uploads: look into files, create a project from them."""

from fastapi import APIRouter

from satc.workbench.web.api.routes.upload import creation, dismissal, preview

router = APIRouter()
for part in (preview, creation, dismissal):
    router.include_router(part.router)
