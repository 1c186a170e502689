"""Table of actions for XIDs, the numbered GPU errors that the NVIDIA driver reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Literal

from config.catalog.files import read_one

XidAction = Literal["reset", "reboot", "replace", "report"]
XidSeverity = Literal["critical", "warning", "info"]
Decoded = Literal["ignore", "reset", "follow-154"]

NAMED_ACTIONS: Mapping[str, XidAction] = MappingProxyType(
    {
        "none": "report",
        "gpu reset": "reset",
        "node reboot": "reboot",
        "drain p2p": "reset",
        "drain and reset": "reset",
    }
)
"""Our action for each action that XID 154 names. For a drain, the GPU is reset when it runs no job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Xid:
    """One XID: its meaning, NVIDIA's immediate action, and our action.

    `decoded`: the action depends on the decoded message (`Xids.decode`). `named`: the message names the
    action.
    """

    code: int
    meaning: str
    immediate: str
    action: XidAction
    severity: XidSeverity
    note: str = ""
    decoded: bool = False
    named: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Xids:
    """Table of XIDs, decoding rows for NVLink 5 messages, and the codes for which EKS repairs nodes."""

    rows: Mapping[int, Xid] = field(hash=False)
    decode_rows: Mapping[int, Mapping[str, Mapping[str, str]]] = field(hash=False)
    aliases: Mapping[str, str] = field(hash=False)
    unfit: frozenset[int]
    sources: Mapping[str, tuple[str, ...]] = field(hash=False)

    def codes(self, action: XidAction, severity: XidSeverity) -> tuple[int, ...]:
        """Return the codes with this action and severity."""
        return tuple(
            code for code, row in self.rows.items() if (row.action, row.severity) == (action, severity)
        )

    def decode(self, code: int, unit: str, intrinfo: int, status: int) -> Decoded | None:
        """Return the decoded action of an NVLink 5 message; None if the table does not contain it."""
        rows = self.decode_rows.get(code, {}).get(self.aliases.get(unit, unit))
        if rows is None:
            return None
        value = (intrinfo >> 20) & 0x3F if rows.get("by") == "subcode" else status
        return next((way for way in _WAYS if f"{value:X}" in rows.get(way, "").split()), None)

    def action(self, code: int, decoded: Decoded | None = None, named: str | None = None) -> XidAction:
        """Return the action for a code and its message; an unknown code is only reported."""
        row = self.rows.get(code)
        if row is None:
            return "report"
        if row.decoded and decoded == "reset":
            return "reset"
        if row.named and named is not None:
            return NAMED_ACTIONS.get(named.lower().removesuffix(" required"), "report")
        return row.action


_WAYS: tuple[Decoded, ...] = ("ignore", "reset", "follow-154")


@cache
def xids() -> Xids:
    """Return the table, which is read at the first call."""
    document = read_one("xids")
    return Xids(
        rows=MappingProxyType(
            {int(code): Xid(code=int(code), **row) for code, row in document["rows"].items()}
        ),
        decode_rows=MappingProxyType({int(code): units for code, units in document["decode"].items()}),
        aliases=document["aliases"],
        unfit=frozenset(document["unfit"]),
        sources=document["sources"],
    )
