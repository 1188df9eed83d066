"""Notebooks as pages: run when the site is built, and shown with what they print.

The files under ``docs/notebooks`` hold no output; a cell that fails fails the build. Each notebook
can be downloaded from its page.
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from mkdocs.structure.files import File
from nbclient import NotebookClient
from traitlets.config import Config

FOLDER = "notebooks"


def on_files(files: Any, config: Any) -> Any:
    """Add a page for each notebook."""
    for path in sorted(Path(config["docs_dir"], FOLDER).glob("*.ipynb")):
        page = f"{FOLDER}/{path.stem}.md"
        files.append(File.generated(config, page, content=as_markdown(run(path), path.name)))
    return files


def run(path: Path) -> Any:
    """Run a notebook from its first cell to its last, in a process of its own."""
    notebook = nbformat.read(path, as_version=4)
    config = Config({"KernelManager": {"transport": "ipc"}})  # files, not open ports
    client = NotebookClient(notebook, timeout=300, config=config, coalesce_streams=True)
    with TemporaryDirectory() as folder:  # the names of sockets must be short
        os.environ["JUPYTER_RUNTIME_DIR"] = folder
        return client.execute()


def as_markdown(notebook: Any, name: str) -> str:
    """Return a notebook with its outputs as a page."""
    cells = "\n\n".join(_cell(cell) for cell in notebook.cells)
    return f"{cells}\n\n[Download this notebook]({name})\n"


def _cell(cell: Any) -> str:
    if cell.cell_type != "code":
        return cell.source
    return "\n\n".join([f"```python\n{cell.source}\n```", *map(_output, cell.outputs)])


def _output(output: Any) -> str:
    if output.output_type == "stream":
        return _shown(output.text)
    if svg := output.data.get("image/svg+xml"):
        return f'<div class="picture">\n{"".join(svg).strip()}\n</div>'
    return _shown(output.data.get("text/plain", ""))


def _shown(text: str) -> str:
    return f'```text title="Output"\n{text.rstrip()}\n```'
