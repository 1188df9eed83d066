"""Messages as text: chooses the plural form, and formats numbers and dates for the language.

`static/shared/messages.js` does the same in the browser.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from babel import Locale
from babel.dates import format_date, format_datetime
from babel.lists import format_list
from babel.numbers import format_decimal, format_percent

from satc.workbench.messages.catalogue import Text, find_text, texts_of
from satc.workbench.messages.message import Message

PLACEHOLDER = re.compile(r"\{(\w+)(?::(\w+))?\}")


class Messages:
    """Renders messages in one language.

    >>> say = Messages("de")
    >>> say("common.checked", n=1200, total=3000).count(".")
    2
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self._locale = Locale.parse(language)

    @property
    def direction(self) -> str:
        """The direction of the text: "ltr" or "rtl"."""
        return str(self._locale.text_direction)

    def __call__(self, message: Message | str, /, **values: Any) -> str:
        """Render a message, or the text of a key with values."""
        if isinstance(message, Message):
            return self(message.key, **message.values)
        text = self._form(find_text(self.language, message), values)
        return PLACEHOLDER.sub(lambda found: self._format(values[found[1]], found[2]), text)

    def texts(self, areas: Iterable[str]) -> dict[str, Text]:
        """Return the texts of some areas, for the scripts of a page."""
        return {key: text for area in areas for key, text in texts_of(self.language, area).items()}

    def percent(self, probability: float) -> str:
        """Return a percentage; a probability is never rounded to 0% or 100%.

        >>> say = Messages("en")
        >>> say.percent(0.002), say.percent(0.62), say.percent(0.998), say.percent(1.0)
        ('<1%', '62%', '>99%', '100%')
        """
        rounded = round(100 * probability)
        if rounded == 0 and probability > 0:
            return f"<{format_percent(0.01, locale=self._locale)}"
        if rounded == 100 and probability < 1:
            return f">{format_percent(0.99, locale=self._locale)}"
        return format_percent(rounded / 100, locale=self._locale)

    def _form(self, text: Text, values: dict[str, Any]) -> str:
        if isinstance(text, str):
            return text
        return text.get(self._locale.plural_form(values["n"]), text["other"])

    def _format(self, value: Any, how: str | None) -> str:
        formats: dict[str | None, Callable[[Any], str]] = {
            "percent": self.percent,
            "decimal": lambda x: format_decimal(round(x, 1), locale=self._locale),
            "date": lambda at: format_date(_time(at), "medium", locale=self._locale),
            "datetime": lambda at: format_datetime(_time(at), "short", locale=self._locale),
            "list": self._list,
            None: self._plain,
        }
        return formats[how](value)

    def _list(self, items: Iterable[Any]) -> str:
        """Items that contain commas ("Arrhythmias, Cardiac") are separated by semicolons."""
        texts = [self._format(item, None) for item in items]
        if len(texts) > 1 and any("," in text for text in texts):
            return "; ".join(texts)
        return format_list(texts, locale=self._locale)

    def _plain(self, value: Any) -> str:
        if isinstance(value, Message):
            return self(value)
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return format_decimal(value, locale=self._locale) if is_number else str(value)


def _time(at: str | datetime) -> datetime:
    return at if isinstance(at, datetime) else datetime.fromisoformat(at)
