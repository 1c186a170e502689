"""Node names in Slurm's list format: `train-[1-16]`."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NUMBERED = re.compile(r"(.*?[^0-9])([0-9]{1,9})")


def in_order(names: Iterable[str]) -> list[str]:
    """Sort names by their number: node 2 before node 10."""
    return sorted(names, key=_key)


def hostlist(names: Iterable[str]) -> str:
    """Return names as a Slurm hostlist, with ranges in brackets."""
    numbers: dict[tuple[str, int], list[int]] = {}
    keys: list[tuple[str, int]] = []
    for name in in_order(set(names)):
        found = _NUMBERED.fullmatch(name)
        # 07 and 7 are different names: zero-padded numbers are grouped by their width, others have width 0
        key = (name, -1)
        if found:
            digits = found[2]
            key = (found[1], len(digits) if digits.startswith("0") and digits != "0" else 0)
            numbers.setdefault(key, []).append(int(digits))
        if key not in keys:
            keys.append(key)
    return ",".join(_range_list(prefix, width, numbers) for prefix, width in keys)


def expand(hostlist: str) -> list[str]:
    """Return the names of a Slurm hostlist: `train-[1-3,7]`."""
    names: list[str] = []
    for word in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", hostlist):
        found = re.fullmatch(r"(.*)\[(.*)\]", word)
        if not found:
            names.append(word)
            continue
        for part in found[2].split(","):
            first, _, last = part.partition("-")
            width = len(first) if first.startswith("0") else 0
            names += [f"{found[1]}{n:0{width}}" for n in range(int(first), int(last or first) + 1)]
    return in_order(names)


def _key(name: str) -> tuple[str, int, str]:
    found = _NUMBERED.fullmatch(name)
    return (found[1], int(found[2]), name) if found else (name, -1, name)


def _range_list(prefix: str, width: int, numbers: dict[tuple[str, int], list[int]]) -> str:
    if width < 0:
        return prefix
    ranges = _ranges(numbers[prefix, width])
    text = ",".join(
        f"{first:0{width}}" if first == last else f"{first:0{width}}-{last:0{width}}"
        for first, last in ranges
    )
    return f"{prefix}{text}" if len(numbers[prefix, width]) == 1 else f"{prefix}[{text}]"


def _ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
