"""Generator of docs/xids.md, the action for each XID."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.catalog.observability.xids import NAMED_ACTIONS, xids
from scripts.tools.docs.markdown import page, source, table

_INTRO = """\
XIDs are GPU errors that the NVIDIA driver reports in the kernel log and through DCGM. NVIDIA recommends an
immediate action for each XID. The actions on this page follow NVIDIA, or AWS's own agents if these are more
careful.

- `reset`: the GPU is reset, or the node is rebooted if the GPU cannot be reset. With severity `warning` this
  waits until the node is idle.
- `reboot`: the node is rebooted. If the fault occurs again within a day, the node is replaced.
- `replace`: the node is replaced.
- `report`: the receivers of the severity are notified. By default, `info` has no receiver.

[repair.md](repair.md) describes the automatic actions of each control plane, and [alerts.md](alerts.md) the
alerts. A code that is not on this page fires the alert GpuXidUnknown."""


def xids_page() -> str:
    """Return the page: the codes, then the decoding of NVLink 5 messages and of XID 154."""
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
        "For XIDs 144 to 150 the action depends on the unit and the error status in the message: reset,"
        " ignore, or follow XID 154. If a link is down, it depends on the subcode (bits 20 to 25 of"
        " intrinfo). All values are hexadecimal:",
        table(("XID", "unit", "by", "reset", "follow 154", "ignore"), _decode()),
        "## XID 154",
        "The message contains the action:",
        table(
            ("action in the message", "action"),
            [(f"`{name}`", action) for name, action in NAMED_ACTIONS.items()],
        ),
        "Sources: " + ", ".join(source(known[key]) for key in keys) + ".",
    )


def _decode() -> Iterator[tuple[object, ...]]:
    for code, units in xids().decode_rows.items():
        for unit, row in units.items():
            found = [f"`{row[way]}`" if way in row else "-" for way in ("reset", "follow-154", "ignore")]
            yield (code, f"`{unit}`", row.get("by", "status"), *found)
