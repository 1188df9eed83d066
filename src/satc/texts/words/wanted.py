"""What a user wants to be counted in texts."""

from __future__ import annotations

from dataclasses import dataclass

AUTO = "auto"


@dataclass(frozen=True)
class WantedAnalysis:
    """The options of `satc.learners.text.TextVectorizer`."""

    language: str = AUTO
    analyzer: str = AUTO
    digits: bool = False

    @property
    def is_named(self) -> bool:
        """Whether the user has named anything."""
        return self != WantedAnalysis()
