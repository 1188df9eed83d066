"""Response bodies for projects."""

from __future__ import annotations

from satc.inputs import SINGLE_LABEL
from satc.workbench.review.creating.jobs import CreationJob
from satc.workbench.review.open_projects import OpenProject, OpenProjects
from satc.workbench.store.people.members import projects_of
from satc.workbench.store.projects import get_project, list_projects
from satc.workbench.web.access.authentication import Identity
from satc.workbench.web.api.models.projects import ProjectLine, ProjectOut, Projects, Task


def task_response(task: str) -> Task:
    """Return the task as the API names it."""
    return "single-label" if task == SINGLE_LABEL else "multi-label"


def projects_response(open_projects: OpenProjects, user: Identity) -> Projects:
    """List the projects that a user may open; managers see those that are being created, too.

    The jobs come first: a job ends after its project is stored, so that no project is missed.
    """
    store, jobs = open_projects.store, open_projects.jobs
    names = [one.name for one in list_projects(store)]
    if not user.is_manager:
        own = projects_of(store, user.name)
        return Projects(projects=[_ready_line(open_projects, one) for one in names if one in own])
    running = {name for name, job in jobs.items() if job.error is None}
    ready = [_ready_line(open_projects, name) for name in names if name not in running]
    return Projects(projects=ready + [_job_line(name, job) for name, job in jobs.items()])


def _ready_line(open_projects: OpenProjects, name: str) -> ProjectLine:
    found = open_projects.find(name)
    project = get_project(open_projects.store, name)
    return ProjectLine(
        name=name,
        title=project.settings.title,
        task=task_response(project.settings.task),
        state="ready",
        n_documents=project.n_whole,
        n_classes=len(project.classes),
        n_validated=None if found is None else found.desk.validation.n_validated,
    )


def _job_line(name: str, job: CreationJob) -> ProjectLine:
    return ProjectLine(
        name=name,
        title=job.title,
        task=None if job.task is None else task_response(job.task),
        state="creating" if job.error is None else "failed",
        n_documents=0,
        n_classes=0,
        n_validated=None,
        error=job.error,
        progress=job.progress,
    )


def project_response(open_project: OpenProject) -> ProjectOut:
    """Describe the settings of a project."""
    project = open_project.desk.project
    settings = project.settings
    return ProjectOut(
        name=project.name,
        title=settings.title,
        guidelines=settings.guidelines,
        task=task_response(settings.task),
        measure=settings.measure,
        average=settings.average,
        method=settings.method,
        labels_by="measure" if settings.decide == "measure" else "sign",
        n_documents=project.n_whole,
        n_classes=len(project.classes),
        lease_seconds=settings.lease_seconds,
        overlap=settings.overlap,
        blind=settings.blind,
        has_words=bool(open_project.lexicon),
    )
