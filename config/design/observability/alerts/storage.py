"""FSx for Lustre as CloudWatch sees it, and as the nodes do."""

from __future__ import annotations

from functools import partial

from config.design.observability.alerts.model import MINUTE, NODE, Alert, Threshold, percent

_TARGET = "cluster, dimension_FileSystemId, dimension_StorageTargetId"
_SERVER = "cluster, dimension_FileSystemId, dimension_FileServer"
_NAME = "{{ $labels.dimension_FileSystemId }}"
_FULL = "One full target gives `No space left on device` while the file system as a whole has room."
_LOOK_FULL = ("`lfs df -h /fsx`: the fullest target", "`lfs getstripe` of the largest files there")
_CURE_FULL = "Delete or migrate (`lfs migrate`) files of that target; grow the file system."
_alert = partial(Alert, family="storage")

ALERTS = (
    _alert(
        name="LustreTargetFull",
        # the fullest target, never the sum: https://docs.aws.amazon.com/fsx/latest/LustreGuide/how_to_use_metrics.html
        asks=f"max by ({_TARGET}) (<lustre_target_used>) > $threshold",
        threshold=percent(80),
        summary=_NAME + ": {{ $labels.dimension_StorageTargetId }} is {{ printf `%.0f` $value }} % full",
        meaning=_FULL,
        look=_LOOK_FULL,
        cure=_CURE_FULL,
    ),
    _alert(
        name="LustreTargetAlmostOut",
        severity="critical",
        asks=f"max by ({_TARGET}) (<lustre_target_used>) > $threshold",
        threshold=percent(92),
        summary=_NAME + ": {{ $labels.dimension_StorageTargetId }} is {{ printf `%.0f` $value }} % full",
        meaning=_FULL + " The next checkpoints may fail.",
        look=_LOOK_FULL,
        cure=_CURE_FULL,
    ),
    _alert(
        name="LustreServerHot",
        asks=(
            f"max by ({_SERVER}) (<lustre_network_used>) > $threshold",
            f"max by ({_SERVER}) (<lustre_disk_used>) > $threshold",
            f"max by ({_SERVER}) (<lustre_server_cpu>) > $threshold",
        ),
        threshold=percent(90),
        summary=_NAME + ": {{ $labels.dimension_FileServer }} is {{ printf `%.0f` $value }} % busy",
        meaning="One file server does what it can, and the whole job waits for it.",
        look=(
            "network, disks and processor of the file servers beside each other",
            "how large files are striped",
        ),
        cure="Stripe large files over more targets; grow the file system or its throughput.",
        for_s=15 * MINUTE,
    ),
    _alert(
        name="LustreMetadataHot",
        asks=f'max by ({_TARGET}) (<lustre_target_iops>{{dimension_StorageTargetId=~"MDT.*"}}) > $threshold',
        threshold=percent(90),
        summary=_NAME
        + ": metadata on {{ $labels.dimension_StorageTargetId }} is {{ printf `%.0f` $value }} % busy",
        meaning="Opening, listing and deleting files is slow for everybody.",
        look=("which job opens many small files: `lctl get_param llite.*.stats` on its nodes",),
        cure="Pack small files into large ones; give the file system more metadata IOPS.",
        for_s=15 * MINUTE,
    ),
    _alert(
        name="LustreExportLate",
        asks="max by (cluster, dimension_FileSystemId, dimension_Publisher)"
        " (<lustre_queue_age>) > $threshold",
        threshold=Threshold(value=3600, unit="s"),
        summary=_NAME + ": changes wait {{ humanizeDuration $value }} for {{ $labels.dimension_Publisher }}",
        meaning="What was written is not in S3 yet; a file system that is deleted now takes it along.",
        look=("the state of the data repository associations", "permissions and key of the bucket"),
        cure="Repair the association; delete nothing before the queue is empty.",
        for_s=10 * MINUTE,
    ),
    _alert(
        name="LustreUnhealthy",
        severity="critical",
        asks=f'min by ({NODE}, file_system) (<lustre_healthy>{{state="failed"}}) == 0',
        summary="{{ $labels.node }}: {{ $labels.file_system }} does not answer, or goes over TCP",
        meaning="The node's check found that the file system hangs, or that its traffic fell back from EFA to TCP.",
        look=("`ultracluster-storage-check` on the node", "`lnetctl net show` and `lnetctl stats show`"),
        cure="Reboot the node; where many have it, look at the file system and its security groups.",
    ),
    _alert(
        name="LustreFewInterfaces",
        asks=f'max by ({NODE}) (<lustre_efa_interfaces>{{kind="wanted"}})'
        f' - max by ({NODE}) (<lustre_efa_interfaces>{{kind="attached"}}) > 0',
        summary="{{ $labels.node }}: Lustre has {{ $value }} EFA interfaces less than it should",
        meaning="Lustre is slower on this node; with none attached it goes over TCP.",
        look=("`lnetctl net show` and `systemctl status ultracluster-lnet`",),
        cure="Run `ultracluster-storage-check`; reboot the node when it stays so.",
        for_s=15 * MINUTE,
    ),
)
