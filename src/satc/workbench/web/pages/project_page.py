"""What all pages of a project show: its title, and the links to its other pages."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, HTTPException, Path, Request, Response

from satc.ranking.options import FOR_MEASURE
from satc.workbench.messages import Message
from satc.workbench.review.opening import Opening
from satc.workbench.store.projects import Project, list_projects
from satc.workbench.web.addresses import own_path
from satc.workbench.web.api.dependencies import (
    RETRY_SECONDS,
    CurrentAuthenticator,
    CurrentOpenProjects,
    CurrentUser,
)
from satc.workbench.web.pages.navigation import links_of
from satc.workbench.web.rendering import render_page


class ProjectPage:
    """Renders a page of one project for the user of the request.

    Attributes
    ----------
    project
        The project of the path, without its classes.
    user
        The user who asks.
    """

    def __init__(
        self,
        request: Request,
        user: CurrentUser,
        authenticator: CurrentAuthenticator,
        open_projects: CurrentOpenProjects,
        name: Annotated[str, Path(max_length=100)],
    ) -> None:
        found = {one.name: one for one in list_projects(open_projects.store)}
        if name not in found:
            raise HTTPException(404, Message("server.no_such_project", name=name))
        self.project: Project = found[name]
        self.user = user
        self._request = request
        self._authenticator = authenticator
        self._opening = open_projects.begin(name)

    def render(self, template: str, *areas: str, **values: Any) -> Response:
        """Render a template; its scripts get the texts of these areas, and those of all pages.

        While the project is being opened, a page says so instead, and loads itself again.
        """
        if self._opening is not None:
            return self._render_opening(self._opening)
        settings = self.project.settings
        path = own_path(self._request.scope)
        links = links_of(self.project.name, path, is_manager=self.user.is_manager)
        shown = {
            "name": self.project.name,
            "title": settings.title,
            "is_single": settings.is_single_label,
            "is_chosen": settings.decide == FOR_MEASURE,
            "measure": settings.measure_name,
            "links": links,
        }
        return render_page(
            self._request,
            self._authenticator,
            self.user,
            template,
            areas=("common", *areas),
            project=shown,
            **values,
        )

    def _render_opening(self, opening: Opening) -> Response:
        page = render_page(
            self._request,
            self._authenticator,
            self.user,
            "opening.html",
            project={"name": self.project.name, "title": self.project.settings.title},
            step=opening.say(),
            has_failed=opening.error is not None,
        )
        page.status_code = 503
        page.headers["Retry-After"] = RETRY_SECONDS
        return page


CurrentPage = Annotated[ProjectPage, Depends()]
