"""Round numbers in messages so that two different values do not look equal."""

from __future__ import annotations

_MOST_DECIMALS = 9


def apart(more: float, less: float) -> tuple[str, str]:
    """Return both numbers with just enough decimals to show which is larger: `60.4 s, the target is 60 s`."""
    for decimals in range(_MOST_DECIMALS):
        high, low = round(more, decimals), round(less, decimals)
        if high > low:
            return _plain(high, decimals), _plain(low, decimals)
    return _plain(more, _MOST_DECIMALS), _plain(less, _MOST_DECIMALS)


def _plain(figure: float, decimals: int) -> str:
    text = f"{figure:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text
