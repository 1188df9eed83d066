"""The frame of a printed page: header, main part and footer."""

from __future__ import annotations

from html import escape

from satc.printed.style import POLICY, STYLE


def html_page(title: str, *, kind: str, main: str, lead: str = "", footer: str = "") -> str:
    """Return a page as one file.

    Parameters
    ----------
    title
        The heading, as text.
    kind
        What the page is, as text: "Certificate".
    main, lead, footer
        HTML of the main part, and of the paragraphs below the heading and at the end.
    """
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f'<header>\n<p class="brand"><b>satc</b> · {escape(kind)}</p>\n<h1>{escape(title)}</h1>\n'
        f"{_paragraph(lead, 'muted')}</header>\n<main>\n{main}\n</main>\n"
        f"{f'<footer>{_paragraph(footer)}</footer>' if footer else ''}\n</body>\n</html>\n"
    )


def section(heading: str, content: str) -> str:
    """Return a part of the main part, under a heading."""
    return f"<section>\n<h2>{escape(heading)}</h2>\n{content}\n</section>\n"


def _paragraph(html: str, style: str = "") -> str:
    start = f'<p class="{style}">' if style else "<p>"
    return f"{start}{html}</p>\n" if html else ""
