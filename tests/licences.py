"""The licences of all distributions that an installation needs, as SPDX names.

`python tests/licences.py` prints the table of docs/dependencies.md.
"""

from __future__ import annotations

from importlib.metadata import Distribution

from closures import EXTRAS, closure, requirements

USERS = [extra for extra in EXTRAS if extra not in ("dev", "docs")]
PERMISSIVE = ("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSD", "CC0-1.0", "ISC", "MIT")
PERMISSIVE += ("CNRI-Python", "MIT-0", "PSF-2.0", "Zlib")
# Their terms hold for their own files only.
WEAK = ("LGPL-3.0-only", "MPL-2.0")
_CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "GNU General Public License v2 or later (GPLv2+)": "GPL-2.0-or-later",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
_FREE = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
}


def licence(one: Distribution) -> str:
    """Return the licence of a distribution, from its metadata."""
    if expression := one.metadata.get("License-Expression"):
        return str(expression)
    lines = one.metadata.get_all("Classifier") or []
    names = [line.rpartition(" :: ")[2] for line in lines if line.startswith("License ::")]
    found = [_CLASSIFIERS.get(name, name) for name in names if name != "OSI Approved"]
    free = str(one.metadata.get("License") or "unknown").splitlines()[0]
    return " OR ".join(found) or _FREE.get(free, free)


def parts(expression: str) -> set[str]:
    """Return the licences in an expression; exceptions only add permissions and are left out."""
    words = expression.replace("(", " ").replace(")", " ").replace(" WITH LLVM-exception", "")
    return {part.strip() for one in words.split(" AND ") for part in one.split(" OR ")}


def rows() -> list[tuple[str, str, str]]:
    """Return the name, the licence and the extras of every distribution."""
    core = closure(requirements())
    brought = {extra: closure(requirements(extra)) for extra in USERS}
    whole = closure(requirements(*USERS))
    return [
        (name, licence(one), "core" if name in core else _extras(name, brought))
        for name, one in sorted(whole.items())
    ]


def _extras(name: str, brought: dict[str, dict[str, Distribution]]) -> str:
    return ", ".join(extra for extra in USERS if name in brought[extra])


if __name__ == "__main__":
    print("| distribution | licence | brought by |\n|:--|:--|:--|")
    for row in rows():
        print(f"| {' | '.join(row)} |")
