"""The project file that satc 0.1.0 made, and what its commands printed for it."""

from __future__ import annotations

import gzip
from pathlib import Path

EARLIER = Path(__file__).parent / "earlier"
N_EVENTS = 32


def unpack(folder: Path) -> Path:
    """Write a copy of the project file into a folder."""
    path = folder / "survey.satc"
    path.write_bytes(gzip.decompress((EARLIER / "survey-0.1.0.satc.gz").read_bytes()))
    return path
