"""The languages of the pages, and which of them a reader prefers."""

from __future__ import annotations

ENGLISH = "en"
# Each with its own name, as the menu shows it.
LANGUAGES = {
    ENGLISH: "English",
    "de": "Deutsch",
    "fr": "Français",
    "es": "Español",
    "zh": "中文",
}


def choose_language(chosen: str, accepted: str) -> str:
    """Return the language that a reader has chosen, or else the best one that the browser accepts.

    Parameters
    ----------
    chosen
        The language that was chosen on the page; "" if none was.
    accepted
        The header `Accept-Language`.

    Examples
    --------
    >>> choose_language("", "pt-BR, fr-CH;q=0.8, en;q=0.9")
    'en'
    >>> choose_language("zh", "fr")
    'zh'
    """
    if chosen in LANGUAGES:
        return chosen
    for tag in _by_preference(accepted):
        if (primary := tag.partition("-")[0]) in LANGUAGES:
            return primary
    return ENGLISH


def _by_preference(accepted: str) -> list[str]:
    """Return the language tags of the header, the most wanted first; refused ones are left out."""
    weighted = [_weighted(part) for part in accepted[:1000].split(",")]
    wanted = [(tag, weight) for tag, weight in weighted if tag and weight > 0]
    return [tag for tag, _ in sorted(wanted, key=lambda one: -one[1])]


def _weighted(part: str) -> tuple[str, float]:
    tag, _, rest = part.strip().lower().partition(";")
    name, _, value = rest.strip().partition("=")
    try:
        return tag.strip(), float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return tag.strip(), 0.0
