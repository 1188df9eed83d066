"""Charts of printed pages: the colours of a drawn chart become those of the theme."""

from __future__ import annotations

import re
from html import escape

# The colours that Vega draws with, and the tokens of `theme.css` that replace them.
_TOKENS = {
    "white": "sheet",
    "#fff": "sheet",
    "black": "ink",
    "#000": "ink",
    "gray": "muted",
    "#888": "control",
    "#ddd": "line",
    "#4c78a8": "chart-1",
    "#1f77b4": "chart-1",
    "#ff7f0e": "chart-2",
    "#2ca02c": "chart-3",
    "#d62728": "chart-4",
    "#9467bd": "chart-5",
    "#8c564b": "chart-6",
}
_COLOUR = re.compile(r'(fill|stroke)="([^"]+)"')


def figure(svg: str, label: str, caption: str) -> str:
    """Return a chart with a caption.

    Parameters
    ----------
    svg
        The chart, as an SVG element.
    label
        What the chart shows, as text, for people who cannot see it.
    caption
        The caption, as text.
    """
    named = f'<svg role="img" aria-label="{escape(label)}" '
    drawn = re.sub(r'class="marks"', 'class="chart"', svg, count=1).replace("<svg ", named, 1)
    return f"<figure>{_themed(drawn)}<figcaption>{escape(caption)}</figcaption></figure>"


def _themed(svg: str) -> str:
    """Replace colours by tokens.

    >>> _themed('<path fill="#000" stroke="none"/>')
    '<path fill="var(--ink, #000)" stroke="none"/>'
    """

    def replaced(found: re.Match[str]) -> str:
        attribute, colour = found.groups()
        token = _TOKENS.get(colour)
        return f'{attribute}="var(--{token}, {colour})"' if token else found[0]

    return _COLOUR.sub(replaced, svg)
