"""XIDs by what is done about them: from DCGM's count, and from the kernel's log where DCGM missed one.

The field DCGM_FI_DEV_XID_ERRORS is the last code and never goes back
(https://github.com/NVIDIA/dcgm-exporter/issues/500), so only the count within a window is asked. DCGM does not
deliver every event (https://github.com/NVIDIA/DCGM/issues/235), hence the log.
"""

from __future__ import annotations

from config.catalog.observability.xids import XidAction, XidSeverity, xids
from config.design.observability.alerts.model import HOUR, MINUTE, NODE, Alert

_LOOK = (
    "`dmesg -T | grep -i xid` on the node: the message has more than the number",
    "`nvidia-smi -q -i GPU` and `dcgmi health -g 0 -c`",
    "docs/xids.md for what the code means",
)

BOOTED_S = 30 * MINUTE


def _codes(codes: tuple[int, ...]) -> str:
    return "|".join(map(str, codes))


def _seen(match: str) -> tuple[str, str]:
    """The count of DCGM, and the kernel's log where DCGM has not counted the code in the same time."""
    kernel = f"<kernel_xid>{{{match}}}"
    return (
        f"max by ({NODE}, gpu, xid) (<xid_count>{{{match}}}) > 0",
        f"max by ({NODE}, pci, xid) ({_logged(kernel)})"
        f" unless on (cluster, node, xid) (max_over_time(<xid_count>{{{match}}}[15m]) > 0)",
    )


def _logged(series: str) -> str:
    """What came newly into the kernel's log; a counter's first line is a new series, which has no increase.

    What was not there ten minutes ago is new only where the node was asked then, or has booted since: else
    every fault since boot would come again whenever collection was down.
    """
    asked = f'<up>{{job="node"}} offset 10m or time() - <node_boot_time> < {BOOTED_S}'
    new = f"({series} unless {series} offset 10m) and on (cluster, node) ({asked})"
    return f"(increase({series}[10m]) > 0) or ({new})"


def _alert(
    name: str,
    action: XidAction,
    severity: XidSeverity,
    meaning: str,
    cure: str,
    keep_s: int,
    match: str | None = None,
) -> Alert:
    """An alert of the codes with this action and severity, or of those that `match`."""
    match = match or f'xid=~"{_codes(xids().codes(action, severity))}"'
    return Alert(
        name=name,
        severity=severity,
        family="gpu",
        action=action,
        asks=_seen(match),
        summary="{{ $labels.node }}: XID {{ $labels.xid }} of GPU {{ $labels.gpu }}{{ $labels.pci }}",
        meaning=meaning,
        look=_LOOK,
        cure=cure,
        keep_s=keep_s,
        for_s=0,
    )


ALERTS = (
    _alert(
        "GpuXidReplace",
        "replace",
        "critical",
        "The GPU has a fault that no reset cures.",
        "Drain the node and have it replaced.",
        HOUR,
    ),
    _alert(
        "GpuXidReboot",
        "reboot",
        "critical",
        "The GPU is lost to the driver until the node is rebooted.",
        "Reboot the node; have it replaced when it comes again within a day.",
        HOUR,
    ),
    _alert(
        "GpuXidReset",
        "reset",
        "critical",
        "The GPU can run nothing more until it is reset.",
        "Drain the node and reset the GPU, or reboot the node; have it replaced when it comes again.",
        HOUR,
    ),
    _alert(
        "GpuXidResetLater",
        "reset",
        "warning",
        "The GPU's memory had an error that was contained: a job may be lost, the GPU works on.",
        "Restart the job; reset the GPU when the node is idle.",
        30 * MINUTE,
    ),
    _alert(
        "GpuXidReport",
        "report",
        "warning",
        "An error of a program, or one whose message has to be read before anything is done.",
        "Read the message; look at the program first, at the GPU when several programs have it there.",
        15 * MINUTE,
    ),
    _alert(
        "GpuXidNoted",
        "report",
        "info",
        "A sign of something else, or of nothing.",
        "Nothing, unless it comes again and again.",
        5 * MINUTE,
    ),
    _alert(
        "GpuXidUnknown",
        "report",
        "warning",
        "A code that docs/xids.md does not list.",
        "Look it up in NVIDIA's catalogue, which may be newer than this product.",
        15 * MINUTE,
        f'xid!~"0|{_codes(tuple(xids().rows))}"',
    ),
    Alert(
        name="NvswitchError",
        family="gpu",
        asks=f"max by ({NODE}, pci, sxid) ({_logged('<kernel_sxid>')})",
        summary="{{ $labels.node }}: SXID {{ $labels.sxid }} of NVSwitch {{ $labels.pci }}",
        meaning="An NVSwitch of the node reports an error: NVLink of all of its GPUs may be slower, or down.",
        look=(
            "`dmesg -T | grep -i sxid`: the message says whether it is fatal",
            "`journalctl -u nvidia-fabricmanager`, and GpuFabricUnhealthy of the node",
        ),
        cure="Where it is fatal drain the node and reboot it; have it replaced when it comes again.",
        keep_s=15 * MINUTE,
        for_s=0,
    ),
)
