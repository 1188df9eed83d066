"""Formulas as MathML, made when the site is built: the pages load nothing to show them.

The Markdown extension arithmatex leaves TeX in elements of its own class; it is turned here into
MathML, which browsers lay out by themselves.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from latex2mathml.converter import convert

INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
BLOCK = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)


def on_page_content(html: str, **_: Any) -> str:
    """Replace the formulas of a page."""
    html = INLINE.sub(lambda found: _mathml(found[1], "inline"), html)
    return BLOCK.sub(lambda found: f'<div class="formula">{_mathml(found[1], "block")}</div>', html)


def _mathml(tex: str, display: str) -> str:
    return convert(unescape(tex).strip(), display=display)
