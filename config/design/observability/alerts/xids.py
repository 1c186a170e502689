"""Alerts for XIDs by their action, from DCGM's count and from the kernel log if DCGM missed the XID.

The field DCGM_FI_DEV_XID_ERRORS contains the last code and is never reset
(https://github.com/NVIDIA/dcgm-exporter/issues/500), so the alerts use only the count within a window. DCGM does
not deliver every event (https://github.com/NVIDIA/DCGM/issues/235), so they also use the kernel log.
"""

from __future__ import annotations

from config.catalog.observability.xids import XidAction, XidSeverity, xids
from config.design.observability.alerts.model import HOUR, MINUTE, NODE, Alert

_CHECKS = (
    "Run `dmesg -T | grep -i xid` on the node: the message contains more details than the code.",
    "Run `nvidia-smi -q -i GPU` and `dcgmi health -g 0 -c` on the node.",
    "Read the meaning of the code in docs/xids.md.",
)

BOOTED_S = 30 * MINUTE


def _codes(codes: tuple[int, ...]) -> str:
    return "|".join(map(str, codes))


def _seen(match: str) -> tuple[str, str]:
    """Return two expressions: DCGM's count, and lines of the kernel log for codes that DCGM did not count."""
    kernel = f"<kernel_xid>{{{match}}}"
    return (
        f"max by ({NODE}, gpu, xid) (<xid_count>{{{match}}}) > 0",
        f"max by ({NODE}, pci, xid) ({_logged(kernel)})"
        f" unless on (cluster, node, xid) (max_over_time(<xid_count>{{{match}}}[15m]) > 0)",
    )


def _logged(series: str) -> str:
    """Return an expression for new lines in the kernel log.

    The first line starts a new series, and a new series has no increase, so new series are also counted. A
    series that did not exist ten minutes ago counts as new only if the node was scraped at that time or has
    booted since. Otherwise, if metrics were missing for a while, every fault since the boot would fire again.
    """
    scraped = f'<up>{{job="node"}} offset 10m or time() - <node_boot_time> < {BOOTED_S}'
    new = f"({series} unless {series} offset 10m) and on (cluster, node) ({scraped})"
    return f"(increase({series}[10m]) > 0) or ({new})"


def _alert(
    name: str,
    action: XidAction,
    severity: XidSeverity,
    meaning: str,
    remedy: str,
    keep_s: int,
    match: str | None = None,
) -> Alert:
    """Return the alert for the codes with this action and severity, or for the codes that `match` selects."""
    # an unknown code has no row in docs/xids.md
    checks = _CHECKS if match is None else _CHECKS[:-1]
    match = match or f'xid=~"{_codes(xids().codes(action, severity))}"'
    return Alert(
        name=name,
        severity=severity,
        family="gpu",
        action=action,
        queries=_seen(match),
        summary="{{ $labels.node }}: XID {{ $labels.xid }} of GPU {{ $labels.gpu }}{{ $labels.pci }}",
        meaning=meaning,
        checks=checks,
        remedy=remedy,
        keep_s=keep_s,
        for_s=0,
    )


ALERTS = (
    _alert(
        "GpuXidReplace",
        "replace",
        "critical",
        "The GPU has a fault that a reset does not repair.",
        "Drain the node and replace it.",
        HOUR,
    ),
    _alert(
        "GpuXidReboot",
        "reboot",
        "critical",
        "The driver cannot use the GPU until the node is rebooted.",
        "Reboot the node. Replace it if the alert fires again within a day.",
        HOUR,
    ),
    _alert(
        "GpuXidReset",
        "reset",
        "critical",
        "The GPU cannot run any work until it is reset.",
        "Drain the node, then reset the GPU or reboot the node. Replace the node if the alert fires again.",
        HOUR,
    ),
    _alert(
        "GpuXidResetLater",
        "reset",
        "warning",
        "The GPU isolated a memory error. A job may have failed, but the GPU still works.",
        "Restart the job if it failed. Reset the GPU when the node is idle.",
        30 * MINUTE,
    ),
    _alert(
        "GpuXidReport",
        "report",
        "warning",
        "A program caused the error, or the required action depends on the text of the message.",
        "Read the message. Check the program first. Check the GPU if several programs fail on the same GPU.",
        15 * MINUTE,
    ),
    _alert(
        "GpuXidNoted",
        "report",
        "info",
        "The error is a consequence of another error, or has no effect.",
        "No action is needed unless the alert fires often.",
        5 * MINUTE,
    ),
    _alert(
        "GpuXidUnknown",
        "report",
        "warning",
        "docs/xids.md does not list this XID.",
        "Search for the code in NVIDIA's XID catalog, which may be newer than docs/xids.md.",
        15 * MINUTE,
        f'xid!~"0|{_codes(tuple(xids().rows))}"',
    ),
    Alert(
        name="NvswitchError",
        family="gpu",
        queries=f"max by ({NODE}, pci, sxid) ({_logged('<kernel_sxid>')})",
        summary="{{ $labels.node }}: SXID {{ $labels.sxid }} of NVSwitch {{ $labels.pci }}",
        meaning="An NVSwitch of the node reports an error. NVLink may be slow or down for all GPUs of the node.",
        checks=(
            "Run `dmesg -T | grep -i sxid`: the message states whether the error is fatal.",
            "Run `journalctl -u nvidia-fabricmanager`, and check the alert GpuFabricUnhealthy of the node.",
        ),
        remedy="If the error is fatal, drain and reboot the node. Replace it if the alert fires again.",
        keep_s=15 * MINUTE,
        for_s=0,
    ),
)
