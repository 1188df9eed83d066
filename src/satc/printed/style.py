"""The style of the printed pages, and the policy under which a browser shows them.

The colours and fonts are those of the workbench, which serves the same file. A printed page is one
file, so that its style stands in the page. The policy allows this style and nothing else: no
script, no other style, no file.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from pathlib import Path

STYLES = Path(__file__).with_name("styles")


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _policy(style: str) -> str:
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


STYLE = _read(STYLES / "theme.css") + _read(STYLES / "printed.css")
POLICY = _policy(STYLE)
