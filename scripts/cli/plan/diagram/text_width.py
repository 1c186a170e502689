"""Estimated width of a text, from the widths of DejaVu Sans, which is wider than most fonts."""

from __future__ import annotations

import unicodedata
from math import ceil

_BOLD = 1.12
_WIDE, _OTHER = 1.0, 0.7
_WIDTHS = {
    0.28: "ijlI|'!",
    0.32: " .,·",
    0.36: "-/:;f\\",
    0.41: "()[]rt",
    0.53: "cszL",
    0.6: "axvyekFTPYJ",
    0.64: "0123456789bdghnopquES",
    0.7: "ABCKRUVXZ$€&",
    0.79: "DGHNOQ",
    0.85: "Mw+=<>~#",
    1.0: "mW%@",
}
_OF = {letter: width for width, letters in _WIDTHS.items() for letter in letters}


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """Return a width in pixels that a text with this font size does not exceed in nearly every font."""
    total = sum(_OF.get(letter) or _unusual(letter) for letter in text)
    return total * size * (_BOLD if bold else 1.0)


def fitted(text: str, size: float, width: float, *, bold: bool = False) -> str:
    """Return the text, shortened in the middle if it is too wide, so that similar names differ."""
    if width_of(text, size, bold=bold) <= width:
        return text
    shown = len(text)
    while shown:
        shown -= 1
        first, last = text[: ceil(shown / 2)].rstrip(" ,;:"), text[len(text) - shown // 2 :].lstrip(" ,;:")
        if width_of(f"{first}…{last}", size, bold=bold) <= width:
            return f"{first}…{last}"
    return "…"


def wrapped(text: str, size: float, width: float, *, most: int, bold: bool = False) -> list[str]:
    """Return the text in at most `most` lines, broken at spaces; a line that is too wide is shortened."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if not lines[-1] or width_of(longer, size, bold=bold) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    if len(lines) > most:
        lines[most - 1 :] = [" ".join(lines[most - 1 :])]
    return [fitted(line, size, width, bold=bold) for line in lines]


def _unusual(letter: str) -> float:
    return _WIDE if unicodedata.east_asian_width(letter) in "WF" else _OTHER
