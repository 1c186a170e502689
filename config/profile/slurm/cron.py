"""AWS cron expressions in the form that HyperPod accepts."""

from __future__ import annotations

import calendar
import re

_FIELDS = (
    ("minute", r"[0-5]?[0-9]", "0 to 59"),
    ("hour", r"[01]?[0-9]|2[0-3]", "0 to 23"),
    ("day of the month", r"0?[1-9]|[12][0-9]|3[01]|\?", "1 to 31, or ? if a day of the week is set"),
    ("month", r"0?[1-9]|1[0-2]|\*|\*/([1-9]|1[0-2])", "1 to 12, *, or */2 for every second month"),
    (
        "day of the week",
        r"MON|TUE|WED|THU|FRI|SAT|SUN|[1-7]|\?|L|[1-7]#[1-5]|[1-7]L",
        "MON to SUN, 1 to 7, 1#2 for the second Sunday, 1L for the last Sunday, or ?",
    ),
    ("year", r"20[2-9][0-9]|\*", "2020 to 2099, or *"),
)
"""Fields that AWS::SageMaker::Cluster accepts: no lists and no ranges, and steps only for months."""

_LEAP = 2028


def malformed(text: str) -> str | None:
    """Return the invalid field of an expression and its allowed values, None if the expression is valid."""
    inside = re.fullmatch(r"\s*cron\((.*)\)\s*", text)
    if inside is None:
        return "it is not cron(...)"
    parts = inside[1].split()
    if len(parts) != len(_FIELDS):
        return f"it has {len(parts)} fields, but {len(_FIELDS)} are required"
    for part, (name, form, allowed) in zip(parts, _FIELDS, strict=True):
        if not re.fullmatch(form, part):
            return f"the {name} is {part}; allowed: {allowed}"
    return None


def no_match(text: str, this_year: int) -> str | None:
    """Return why a valid expression matches no date from `this_year` on; None if it matches a date."""
    _, _, day, month, weekday, year = text.removeprefix("cron(").removesuffix(")").split(" ")
    if year != "*" and int(year) < this_year:
        return f"{year} is in the past"
    if day == "?":
        return "it sets neither the day of the month nor the day of the week" if weekday == "?" else None
    months = _months(month)
    longest = max(months, key=lambda number: _days(number, year))
    if int(day) <= _days(longest, year):
        return None
    name = calendar.month_name[longest]
    if year != "*":
        return f"{name} of {year} has {_days(longest, year)} days"
    return f"{name} has at most {_days(longest, year)} days"


def _months(field: str) -> list[int]:
    if "*" not in field:
        return [int(field)]
    return list(range(1, 13, int(field.partition("/")[2] or 1)))


def _days(month: int, year: str) -> int:
    return calendar.monthrange(_LEAP if year == "*" else int(year), month)[1]
