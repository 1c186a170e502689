"""What is done about each XID, the errors that the NVIDIA driver reports of a GPU by number."""

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
"""What XID 154 names in its text, and what that is to us: a GPU that is drained is reset when it is empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Xid:
    """One code: what it means, NVIDIA's own word for what to do at once, and what is done here.

    `decoded`: what is done hangs on the words of the message (`Xids.decode`). `named`: on the action in it.
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
    """The table: codes, how the messages of NVLink 5 are read, and the codes that EKS repairs nodes for."""

    rows: Mapping[int, Xid] = field(hash=False)
    decode_rows: Mapping[int, Mapping[str, Mapping[str, str]]] = field(hash=False)
    aliases: Mapping[str, str] = field(hash=False)
    unfit: frozenset[int]
    sources: Mapping[str, tuple[str, ...]] = field(hash=False)

    def codes(self, action: XidAction, severity: XidSeverity) -> tuple[int, ...]:
        """The codes of one action and severity."""
        return tuple(
            code for code, row in self.rows.items() if (row.action, row.severity) == (action, severity)
        )

    def decode(self, code: int, unit: str, intrinfo: int, status: int) -> Decoded | None:
        """What a message of NVLink 5 asks for; None where the table does not have it."""
        rows = self.decode_rows.get(code, {}).get(self.aliases.get(unit, unit))
        if rows is None:
            return None
        value = (intrinfo >> 20) & 0x3F if rows.get("by") == "subcode" else status
        return next((way for way in _WAYS if f"{value:X}" in rows.get(way, "").split()), None)

    def action(self, code: int, decoded: Decoded | None = None, named: str | None = None) -> XidAction:
        """What is done about a code, by what its message says; an unknown code is only reported."""
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
    """The table, read on the first call."""
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
