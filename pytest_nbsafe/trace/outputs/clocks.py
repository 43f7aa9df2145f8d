"""Dates and clocks that show when a run was: those near the present, and no others.

A date that is data is compared. Only where a new text shows today's date, or the present time, is
what stands there a clock; then the saved text may show any other date in its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from pytest_nbsafe import patterns

_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_DAY = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?"
_DATE = (
    r"\d{4}([-/.])\d\d?\1\d\d?|\d\d?([-/.])\d\d?\2\d{4}"
    rf"|{_DAY}{_MONTH} +\d\d?,?(?: \d\d:\d\d:\d\d(?: [A-Z]{{3,4}})?)?(?: \d{{4}})?"
    rf"|{_DAY}\d\d? {_MONTH},?(?: \d{{4}})?"
    r"|(?:19|20)\d{6}(?!\d)|\b(?:datetime|date)\(\d{4}, \d\d?, \d\d?(?:, \d+){0,5}\)"
)
_CLOCK = r"\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AaPp][Mm])?"
_TIME = patterns.compile(
    rf"(?<![\d:])(?:(?:{_DATE})(?:(?:,? |[T_-]){_CLOCK}|[_-]\d{{4,6}}(?!\d))?(?:Z|[+-]\d\d:?\d\d)?"
    rf"|{_CLOCK}|1\d{{9}}(?:\.\d+)?)(?!\w)"
)
_NEAR = timedelta(minutes=15)
_OF_DAY = patterns.compile(r"(?<![\d:])(\d\d?):(\d\d)(?::\d\d)?")
_EPOCH = patterns.compile(r"(?<![\w.])1\d{9}(?![\w])")
_DAY_S = 86_400
_MARK = "(now)"


def masked(saved: str, new: str, now: datetime) -> tuple[str, str]:
    """Return two lines without their dates and clocks, where the new one shows the present."""
    if not _shows(new, now):
        return saved, new
    return _TIME.sub(_MARK, saved), _TIME.sub(_MARK, new)


def _shows(line: str, now: datetime) -> bool:
    days = (now, now - timedelta(days=1), now + timedelta(days=1))
    if any(date in line for day in days for date in _spellings(day)):
        return True
    if any(abs(int(match[0]) - now.timestamp()) < _DAY_S for match in _EPOCH.finditer(line)):
        return True
    return any(_is_near(int(m[1]) * 60 + int(m[2]), now) for m in _OF_DAY.finditer(line))


def _is_near(minute: int, now: datetime) -> bool:
    """Return whether a time of the day is the present one, here or in UTC."""
    utc = now.astimezone().utctimetuple()
    for present in (now.hour * 60 + now.minute, utc.tm_hour * 60 + utc.tm_min):
        if min((present - minute) % 1440, (minute - present) % 1440) * 60 < _NEAR.seconds:
            return True
    return False


def _spellings(day: datetime) -> Iterator[str]:
    year, month, date = day.year, day.month, day.day
    name = _MONTHS[month - 1]
    for sign in "-/.":
        yield f"{year}{sign}{month:02}{sign}{date:02}"
        yield f"{month:02}{sign}{date:02}{sign}{year}"
        yield f"{date:02}{sign}{month:02}{sign}{year}"
    yield f"{year}{month:02}{date:02}"
    yield f"({year}, {month}, {date}"
    for spelled in (name, day.strftime("%B")):
        yield f"{spelled} {date:02}"
        yield f"{spelled} {date:2}"
        yield f"{spelled} {date},"
        yield f"{date:02} {spelled}"
        yield f"{date} {spelled} {year}"
