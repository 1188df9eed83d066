"""Results of a stored project, as pages and files.

Each function takes a store and a project first, and its result can be sent to another process, so
that a server can compute it beside its own work (`review/aside.py`).
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from satc.assurance import Certificate, certificate_html, certificate_json
from satc.files import write_table
from satc.files.exchange import write
from satc.files.values import jsonable
from satc.workbench.project.certificate import about, certify_project, with_undecided_draws
from satc.workbench.project.history import History
from satc.workbench.project.verification.checked import read_checked_history
from satc.workbench.reports.export import exported_documents
from satc.workbench.reports.report import make_report
from satc.workbench.reports.report_page import Estimated, as_html
from satc.workbench.reports.shares import project_shares
from satc.workbench.store import Store
from satc.workbench.store.projects import Project


def report_page(store: Store, project: Project, estimated: Estimated) -> str:
    """Return the report as a page, with estimates of the accuracy that are known already."""
    history = read_checked_history(store, project)
    return as_html(store, make_report(store, project, history), history, *estimated)


def certificate_page(store: Store, project: Project) -> str:
    """Return the certificate as a page."""
    history = read_checked_history(store, project)
    found = _certificate(store, project, history)
    return certificate_html(found, about(project, history), project.names)


def certificate_file(store: Store, project: Project) -> bytes:
    """Return the certificate as JSON."""
    history = read_checked_history(store, project)
    return certificate_json(_certificate(store, project, history), about(project, history)).encode()


def shares_file(store: Store, project: Project) -> bytes:
    """Return the shares of the classes as a table."""
    found = project_shares(store, project, read_checked_history(store, project))
    rows = [jsonable(row) for row in found.rows()]
    with TemporaryDirectory(prefix="satc-") as folder:
        path = Path(folder) / "shares.csv"
        write_table(path, {name: [row[name] for row in rows] for name in rows[0]})
        return path.read_bytes()


def export_file(store: Store, project: Project, path: Path, form: str) -> None:
    """Write all documents with their present labels into a file."""
    documents = exported_documents(store, project, read_checked_history(store, project))
    write(documents, path, form, classes=project.classes, task=project.settings.task)


def _certificate(store: Store, project: Project, history: History) -> Certificate:
    return with_undecided_draws(certify_project(store, project, history), history)
