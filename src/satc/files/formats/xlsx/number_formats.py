"""Numbers as a person sees them in a cell: dates, times, percentages, and leading zeros.

Other formats, such as two decimals or a currency, change only how much of a number is shown. There
the whole number is returned, since a score must not lose its digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal

Show = Callable[[float], str]

_UNSEEN = re.compile(r'"[^"]*"?|[\\_*].|\[(?![hms]+\])[^\]]*\]', re.IGNORECASE | re.DOTALL)
# Formats that a workbook need not list: https://learn.microsoft.com/dotnet/api
# /documentformat.openxml.spreadsheet.numberingformat. 27 to 36 and 50 to 58 are dates in Asia.
_BUILT_IN = {9: "0%", 10: "0.00%", 22: "m/d/yy h:mm", 46: "[h]:mm:ss"}
_BUILT_IN |= dict.fromkeys((14, 15, 16, 17, *range(27, 32), 36, *range(50, 59)), "m/d/yy")
_BUILT_IN |= dict.fromkeys((18, 19, 20, 21, *range(32, 36), 45, 47), "h:mm:ss")

_EPOCH, _EPOCH_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
_FIRST_OF_MARCH = 61  # serial number; Excel counts a 29 February 1900, which there was not
_LAST_DAY = 2_958_465  # 31 December 9999


class DateRangeError(ValueError):
    """A number is not a date from 1900 to 9999."""


def show_of(format_id: int, code: str | None, from_1904: bool) -> Show:
    """Return the function that shows numbers of a format.

    `code` is the format as the workbook lists it, and `from_1904` says on which day it begins.

    >>> show_of(0, "0%", False)(0.07), show_of(0, "0000", False)(7.0)
    ('7%', '0007')
    >>> show_of(14, None, False)(46342.0), show_of(0, "hh:mm", False)(0.5)
    ('2026-11-16', '12:00:00')
    """
    seen = _UNSEEN.sub("", code if code is not None else _BUILT_IN.get(format_id, ""))
    first = seen.partition(";")[0].lower().replace("general", "")
    letters = set(first)
    if "[" in first:
        return duration
    if letters & set("yd") or ("m" in letters and not letters & set("hs")):
        return lambda value: date_time(value, from_1904)
    if letters & set("hs"):
        return lambda value: clock_time(value, from_1904)
    if "%" in letters:
        return percentage
    zeros = re.fullmatch("0{2,}", first)
    return plain_number if zeros is None else lambda value: _padded(value, len(first))


def plain_number(value: float) -> str:
    """Return a number with all its digits, and a whole number without a decimal point.

    >>> plain_number(1234.0), plain_number(-0.0), plain_number(0.1), plain_number(1e300)
    ('1234', '0', '0.1', '1e+300')
    """
    return str(int(value)) if value.is_integer() and abs(value) < 1e21 else repr(value)


def percentage(value: float) -> str:
    """Return a number as a percentage.

    >>> percentage(0.07), percentage(0.12345), percentage(1.0)
    ('7%', '12.345%', '100%')
    """
    shown = f"{Decimal(repr(value)) * 100:f}"
    return f"{shown.rstrip('0').rstrip('.') if '.' in shown else shown}%"


def _padded(value: float, digits: int) -> str:
    return f"{int(value):0{digits}d}" if value.is_integer() and value >= 0 else plain_number(value)


def date_time(value: float, from_1904: bool) -> str:
    """Return the date that a serial number means, with the time unless it is midnight.

    >>> date_time(46342.604166666664, False), date_time(1, False), date_time(0, True)
    ('2026-11-16 14:30:00', '1900-01-01', '1904-01-01')
    """
    if not from_1904 and int(value) == _FIRST_OF_MARCH - 1:
        return "1900-02-29"
    when = _moment(value, from_1904)
    day = when.date().isoformat()
    return day if when.time() == datetime.min.time() else f"{day} {_clock(when)}"


def clock_time(value: float, from_1904: bool) -> str:
    """Return the time of day, with the date if the number has one.

    >>> clock_time(0.25, False), clock_time(46342.5, False)
    ('06:00:00', '2026-11-16 12:00:00')
    """
    if value >= 1:
        return date_time(value, from_1904)
    return _clock(_moment(value, from_1904=True))


def duration(value: float) -> str:
    """Return hours, minutes and seconds.

    >>> duration(1.5), duration(-0.25)
    ('36:00:00', '-6:00:00')
    """
    seconds = round(abs(value) * 86_400)
    hours, rest = divmod(seconds, 3_600)
    return f"{'-' if value < 0 else ''}{hours}:{rest // 60:02d}:{rest % 60:02d}"


def _moment(value: float, from_1904: bool) -> datetime:
    if not 0 <= value < _LAST_DAY + 1:
        raise DateRangeError(f"{plain_number(value)} is no date from 1900 to 9999")
    epoch = _EPOCH_1904 if from_1904 else _EPOCH
    if not from_1904 and value < _FIRST_OF_MARCH:
        epoch += timedelta(days=1)
    try:
        return epoch + timedelta(milliseconds=round(value * 86_400_000))
    except OverflowError:
        raise DateRangeError(f"{plain_number(value)} is no date from 1900 to 9999") from None


def _clock(when: datetime) -> str:
    return when.time().isoformat("milliseconds" if when.microsecond else "seconds")


def serial_number(when: date) -> float | None:
    """Return the number that means a date; None if a workbook cannot hold it exactly.

    >>> serial_number(date(2026, 11, 16)), serial_number(date(1850, 1, 1))
    (46342.0, None)
    """
    is_time = isinstance(when, datetime)
    moment = when if isinstance(when, datetime) else datetime(when.year, when.month, when.day)
    if is_time and (moment.tzinfo is not None or moment.microsecond % 1_000):
        return None
    since = moment.replace(tzinfo=None) - _EPOCH
    days = since / timedelta(days=1)
    return days if days >= _FIRST_OF_MARCH else None
