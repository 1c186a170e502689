"""docs/xids.md: what is done about each XID."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.catalog.observability.xids import NAMED_ACTIONS, xids
from scripts.tools.docs.markdown import page, source, table

_INTRO = """\
XIDs are the errors that the NVIDIA driver reports of a GPU, in the kernel's log and through DCGM. NVIDIA says
for each what to do at once; what is done here follows it, and is more careful where AWS's own agents are.

- `reset`: the GPU is reset, or the node rebooted where nobody can; as a warning when the node is idle.
- `reboot`: the node is rebooted; the same fault within a day of a reboot wants another machine.
- `replace`: the node is given up for another one.
- `report`: somebody is told, or nobody (info).

What does it by itself, and when, is in [repair.md](repair.md); alerts are in [alerts.md](alerts.md). A code
that is not here is told as GpuXidUnknown."""


def xids_page() -> str:
    """The codes, then how the messages of NVLink 5 and of XID 154 are read."""
    table_ = xids()
    rows = [
        (
            code,
            row.meaning,
            f"`{row.immediate}`" if row.immediate else "-",
            row.action,
            row.severity,
            row.note or "-",
        )
        for code, row in table_.rows.items()
    ]
    known = catalog().sources
    keys = dict.fromkeys(key for keys in table_.sources.values() for key in keys)
    return page(
        "XIDs",
        _INTRO,
        table(("XID", "meaning", "NVIDIA: at once", "action", "severity", "note"), rows),
        "## NVLink 5",
        "XIDs 144 to 150 are reset, ignored, or left to XID 154 by the unit and the error status of their"
        " message, or by the subcode (bits 20 to 25 of intrinfo) where a link went down. In hexadecimal:",
        table(("XID", "unit", "by", "reset", "follow 154", "ignore"), _decode()),
        "## XID 154",
        "The message names what to do:",
        table(("named", "action"), [(f"`{name}`", action) for name, action in NAMED_ACTIONS.items()]),
        "Sources: " + ", ".join(source(known[key]) for key in keys) + ".",
    )


def _decode() -> Iterator[tuple[object, ...]]:
    for code, units in xids().decode_rows.items():
        for unit, row in units.items():
            found = [f"`{row[way]}`" if way in row else "-" for way in ("reset", "follow-154", "ignore")]
            yield (code, f"`{unit}`", row.get("by", "status"), *found)
