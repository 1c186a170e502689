"""Alerts for FSx for Lustre, from CloudWatch metrics and from the checks on nodes."""

from __future__ import annotations

from functools import partial

from config.design.observability.alerts.model import MINUTE, NODE, Alert, Threshold, percent

_TARGET = "cluster, dimension_FileSystemId, dimension_StorageTargetId"
_SERVER = "cluster, dimension_FileSystemId, dimension_FileServer"
_NAME = "{{ $labels.dimension_FileSystemId }}"
_FULL = (
    "One storage target (OST or MDT) is almost full. Writes to a full target fail with `No space left on device`,"
    " even if other targets have free space."
)
_CHECKS_FULL = (
    "Run `lfs df -h /fsx` to find the fullest target.",
    "Run `lfs getstripe` for the largest files to find those on this target.",
)
_REMEDY_FULL = (
    "Delete files on this target, move them to other targets with `lfs migrate`, or grow the file system."
)
_alert = partial(Alert, family="storage")

ALERTS = (
    _alert(
        name="LustreTargetFull",
        # the fullest target, never the total: https://docs.aws.amazon.com/fsx/latest/LustreGuide/how_to_use_metrics.html
        queries=f"max by ({_TARGET}) (<lustre_target_used>) > $threshold",
        threshold=percent(80),
        summary=_NAME + ": {{ $labels.dimension_StorageTargetId }} is {{ printf `%.0f` $value }} % full",
        meaning=_FULL,
        checks=_CHECKS_FULL,
        remedy=_REMEDY_FULL,
    ),
    _alert(
        name="LustreTargetAlmostOut",
        severity="critical",
        queries=f"max by ({_TARGET}) (<lustre_target_used>) > $threshold",
        threshold=percent(92),
        summary=_NAME + ": {{ $labels.dimension_StorageTargetId }} is {{ printf `%.0f` $value }} % full",
        meaning=_FULL + " The next checkpoints may fail.",
        checks=_CHECKS_FULL,
        remedy=_REMEDY_FULL,
    ),
    _alert(
        name="LustreServerHot",
        queries=(
            f"max by ({_SERVER}) (<lustre_network_used>) > $threshold",
            f"max by ({_SERVER}) (<lustre_disk_used>) > $threshold",
            f"max by ({_SERVER}) (<lustre_server_cpu>) > $threshold",
        ),
        threshold=percent(90),
        summary=_NAME + ": {{ $labels.dimension_FileServer }} is {{ printf `%.0f` $value }} % busy",
        meaning="One file server is at the limit of its network, disks or CPU. Jobs that use it wait for it.",
        checks=(
            "Compare network, disks and CPU of the file servers.",
            "Check the striping of large files with `lfs getstripe`.",
        ),
        remedy="Stripe large files over more targets. Grow the file system, or increase its throughput.",
        for_s=15 * MINUTE,
    ),
    _alert(
        name="LustreMetadataHot",
        queries=f'max by ({_TARGET}) (<lustre_target_iops>{{dimension_StorageTargetId=~"MDT.*"}}) > $threshold',
        threshold=percent(90),
        summary=_NAME
        + ": metadata on {{ $labels.dimension_StorageTargetId }} is {{ printf `%.0f` $value }} % busy",
        meaning="The metadata server is at its limit. It is slow to open, list and delete files for all users.",
        checks=(
            "Run `lctl get_param llite.*.stats` on the nodes to find the job that opens many small files.",
        ),
        remedy="Pack small files into large files. Increase the metadata IOPS of the file system.",
        for_s=15 * MINUTE,
    ),
    _alert(
        name="LustreExportLate",
        queries="max by (cluster, dimension_FileSystemId, dimension_Publisher)"
        " (<lustre_queue_age>) > $threshold",
        threshold=Threshold(value=3600, unit="s"),
        summary=_NAME + ": changes wait {{ humanizeDuration $value }} for {{ $labels.dimension_Publisher }}",
        meaning="Changes wait in the queue of a data repository association. With AutoExport they are not yet in S3, and are "
        "lost if you delete the file system.",
        checks=(
            "Check the state of the data repository associations.",
            "Check the permissions of the S3 bucket and of its KMS key.",
        ),
        remedy="Repair the association. Do not delete files or the file system before the queue is empty.",
        for_s=10 * MINUTE,
    ),
    _alert(
        name="LustreUnhealthy",
        severity="critical",
        queries=f'min by ({NODE}, file_system) (<lustre_healthy>{{state="failed"}}) == 0',
        summary="{{ $labels.node }}: {{ $labels.file_system }} does not respond, or uses TCP",
        meaning="The storage check found that the file system hangs, or that its traffic uses TCP instead of EFA.",
        checks=(
            "Run `ultracluster-storage-check` on the node.",
            "Run `lnetctl net show` and `lnetctl stats show` on the node.",
        ),
        remedy="Reboot the node. If many nodes are affected, check the file system and its security groups.",
    ),
    _alert(
        name="LustreFewInterfaces",
        queries=f'max by ({NODE}) (<lustre_efa_interfaces>{{kind="wanted"}})'
        f' - max by ({NODE}) (<lustre_efa_interfaces>{{kind="attached"}}) > 0',
        summary="{{ $labels.node }}: EFA interfaces missing for Lustre: {{ $value }}",
        meaning="Lustre uses fewer EFA interfaces than planned and is slower on this node. Without any, it uses TCP.",
        checks=("Run `lnetctl net show` and `systemctl status ultracluster-lnet` on the node.",),
        remedy="Run `ultracluster-storage-check`. If interfaces are still missing, reboot the node.",
        for_s=15 * MINUTE,
    ),
)
