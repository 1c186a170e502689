"""AWS's cron expressions as HyperPod takes them: which field is wrong, and whether their time ever comes."""

from __future__ import annotations

import calendar
import re

_FIELDS = (
    ("minute", r"[0-5]?[0-9]", "0 to 59"),
    ("hour", r"[01]?[0-9]|2[0-3]", "0 to 23"),
    ("day of the month", r"0?[1-9]|[12][0-9]|3[01]|\?", "1 to 31, or ? where a day of the week is stated"),
    ("month", r"0?[1-9]|1[0-2]|\*|\*/([1-9]|1[0-2])", "1 to 12, *, or */2 for every second one"),
    (
        "day of the week",
        r"MON|TUE|WED|THU|FRI|SAT|SUN|[1-7]|\?|L|[1-7]#[1-5]|[1-7]L",
        "MON to SUN, 1 to 7, 1#2 for a second one, 1L for a last one, or ?",
    ),
    ("year", r"20[2-9][0-9]|\*", "2020 to 2099, or *"),
)
"""What AWS::SageMaker::Cluster takes of each field: no lists, no ranges, no steps but of months."""

_LEAP = 2028


def malformed(text: str) -> str | None:
    """Which field of an expression is wrong, and what it takes; None where that cannot be said."""
    inside = re.fullmatch(r"\s*cron\((.*)\)\s*", text)
    if inside is None:
        return "it is not cron(...)"
    parts = inside[1].split()
    if len(parts) != len(_FIELDS):
        return f"{len(parts)} fields between the brackets, there are {len(_FIELDS)}"
    for part, (name, form, takes) in zip(parts, _FIELDS, strict=True):
        if not re.fullmatch(form, part):
            return f"the {name} is {part}, it takes {takes}"
    return None


def never_comes(text: str, this_year: int) -> str | None:
    """Why a well-formed expression never comes; None for one that does. `this_year` and later ones come."""
    _, _, day, month, weekday, year = text.removeprefix("cron(").removesuffix(")").split(" ")
    if year != "*" and int(year) < this_year:
        return f"{year} is over"
    if day == "?":
        return "it states no day, of the month or of the week" if weekday == "?" else None
    months = _months(month)
    longest = max(months, key=lambda number: _days(number, year))
    if int(day) <= _days(longest, year):
        return None
    name = calendar.month_name[longest]
    if year != "*":
        return f"{name} of {year} has {_days(longest, year)} days"
    return f"{name} has {_days(longest, year)} days at most"


def _months(field: str) -> list[int]:
    if "*" not in field:
        return [int(field)]
    return list(range(1, 13, int(field.partition("/")[2] or 1)))


def _days(month: int, year: str) -> int:
    return calendar.monthrange(_LEAP if year == "*" else int(year), month)[1]
