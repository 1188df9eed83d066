"""Settings as people write them: shares such as "10%", stopping rules, two costs.

The command and the web pages read settings with the same functions, so both make the same checks.
An error is a `ValueError` that calls the setting by the name that the person knows.
"""

from __future__ import annotations

from satc.workbench.model.setting_changes import canonical_rule


def read_share(text: str, name: str) -> float:
    """Read a share.

    >>> read_share("10%", "overlap"), read_share("0.25", "overlap")
    (0.1, 0.25)
    >>> read_share("10", "overlap")
    Traceback (most recent call last):
    ...
    ValueError: overlap must be a share such as 10% or 0.1, but is '10'
    """
    given = text.strip()
    try:
        number = float(given.removesuffix("%")) / (100.0 if given.endswith("%") else 1.0)
    except ValueError:
        number = -1.0
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"{name} must be a share such as 10% or 0.1, but is {text!r}")
    return number


def read_rule(text: str, name: str) -> str:
    """Return the canonical form of a stopping rule; "" means no rule.

    >>> read_rule("budget( hours=8 )", "stop")
    'budget(hours=8)'
    """
    try:
        return canonical_rule(text)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def read_costs(text: str, name: str) -> tuple[float, float]:
    """Read the costs of a false positive and of a false negative.

    >>> read_costs("1,5", "error_costs")
    (1.0, 5.0)
    """
    try:
        fp, fn = (float(part) for part in text.split(","))
    except ValueError:
        raise ValueError(f"{name} must be two numbers such as 1,5, but is {text!r}") from None
    return fp, fn


def read_threshold(text: str, name: str) -> float | None:
    """Read the smallest probability that is a label; None if the text is no number.

    >>> read_threshold("30%", "threshold"), read_threshold("thresholds.json", "threshold")
    (0.3, None)
    """
    given = text.strip()
    try:
        number = float(given.removesuffix("%")) / (100.0 if given.endswith("%") else 1.0)
    except ValueError:
        return None
    if not 0.0 < number < 1.0:
        raise ValueError(f"{name} must be above 0 and below 1, but is {text}")
    return number
