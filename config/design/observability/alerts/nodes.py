"""Nodes that are gone, whose disks fill, and of which nobody knows anything."""

from __future__ import annotations

from functools import partial

from config.design.observability.alerts.model import HOUR, MINUTE, NODE, Alert, Expression, Threshold, percent

_SLURM = ("hyperpod-slurm", "pcs")
_KUBERNETES = ("eks", "hyperpod-eks")
_LOCAL = 'fstype=~"ext4|xfs|btrfs"'
_DISK = f"{NODE}, mountpoint"
_alert = partial(Alert, family="collection")

ALERTS = (
    _alert(
        name="NodeLost",
        severity="critical",
        family="node",
        asks=(
            # each node sends its own metrics, so that a dead one has none; after two hours it is history.
            # A node may learn its group late, and those of groups that follow their jobs go without a fault
            Expression(
                text=f'max by ({NODE}) (max_over_time(<up>{{job="node", group!~"$elastic"}}[2h]))'
                ' unless on (cluster, node) max by (cluster, node) (<up>{job="node"})',
                planes=_SLURM,
            ),
            Expression(
                text='max by (cluster, node) (<node_condition>{condition="Ready", status="true"}) == 0',
                planes=_KUBERNETES,
            ),
        ),
        summary="{{ $labels.node }}: the node is lost",
        meaning="Nothing comes from the node any more: it is down, cut off, or was taken away on purpose."
        " Under Slurm this is told for two hours, and not of groups with `scaling: dynamic`.",
        look=(
            "`scontrol show node` or `kubectl describe node`",
            "the instance's state and its status checks in EC2",
        ),
        cure="Nothing where a group shrank; otherwise have the node replaced.",
    ),
    _alert(
        name="ExporterDown",
        # programs of users show metrics only while they run
        asks=f'max by ({NODE}, job) (<up>{{node!="", job!="application"}}) == 0',
        summary="{{ $labels.node }}: the exporter {{ $labels.job }} does not answer",
        meaning="What that exporter measures is not known of this node; alerts that need it are silent.",
        look=("the exporter's service or pod, and its log",),
        cure="Start it again; an exporter of GPUs that does not start often means GPUs that do not.",
    ),
    _alert(
        name="SourceDown",
        asks='max by (cluster, job) (<up>{node="", job!="slurm"}) == 0',
        summary="{{ $labels.cluster }}: the source {{ $labels.job }} does not answer",
        meaning="What that source measures of the cluster is not known.",
        look=("the source's service or pod, and its log",),
        cure="Start it again.",
        for_s=10 * MINUTE,
    ),
    _alert(
        name="MetricsAbsent",
        asks=(Expression(text='absent_over_time(<up>{cluster="$cluster", job="$job"}[15m])', each="job"),),
        summary="{{ $labels.cluster }}: no metrics come from {{ $labels.job }}",
        meaning="Nobody even asks that source: collection itself is broken, and a silent cluster is no healthy one.",
        look=(
            "the collector: its log, its role, its targets",
            "discarded samples of the workspace in CloudWatch",
        ),
        cure="Repair collection (docs/observability.md).",
    ),
    _alert(
        name="DiskFull",
        family="node",
        # an image that is mounted read-only is full by nature, as Bottlerocket's root is
        asks=f"min by ({_DISK}) (<node_disk_available>{{{_LOCAL}}} / <node_disk_size>{{{_LOCAL}}}) * 100"
        f" < $threshold unless max by ({_DISK}) (<node_disk_read_only>{{{_LOCAL}}}) == 1",
        threshold=percent(10, "percent left"),
        summary="{{ $labels.node }}: {{ $labels.mountpoint }} has {{ printf `%.0f` $value }} % left",
        meaning="A local disk fills: images, logs and checkpoints of jobs stop there first.",
        look=("`du -xh --max-depth=2 MOUNTPOINT | sort -h`",),
        cure="Delete what jobs left there; give the root volume more, or containers the local disks.",
        for_s=15 * MINUTE,
    ),
    _alert(
        name="DiskReadOnly",
        severity="critical",
        family="node",
        action="reboot",
        # a disk that never was writable is meant so
        asks=f"max by ({_DISK}) (<node_disk_read_only>{{{_LOCAL}}}) == 1"
        f" and max by ({_DISK}) (min_over_time(<node_disk_read_only>{{{_LOCAL}}}[6h])) == 0",
        summary="{{ $labels.node }}: {{ $labels.mountpoint }} became read-only",
        meaning="The kernel met an error of the disk and writes to it no more.",
        look=("`dmesg -T | grep -i -e nvme -e ext4 -e xfs`",),
        cure="Drain the node and reboot it; have it replaced when it comes again.",
        for_s=2 * MINUTE,
    ),
    _alert(
        name="GpuChecksStale",
        asks=f"time() - max by ({NODE}) (<gpu_check_time>) > $threshold",
        threshold=Threshold(value=3600, unit="s", least=10 * MINUTE),
        summary="{{ $labels.node }}: GPUs were not checked for {{ humanizeDuration $value }}",
        meaning="The check of GPUs does not run, or hangs; what it last said is old.",
        look=("`systemctl status ultracluster-health.timer ultracluster-health.service`",),
        cure="Start the timer; reboot a node whose check hangs in the driver.",
    ),
    _alert(
        name="StorageChecksStale",
        asks=f"time() - max by ({NODE}) (<storage_check_time>) > $threshold",
        threshold=Threshold(value=3 * HOUR, unit="s", least=2 * HOUR),
        summary="{{ $labels.node }}: storage was not checked for {{ humanizeDuration $value }}",
        meaning="The hourly check of file systems does not run, or hangs on a mount.",
        look=("`systemctl status ultracluster-storage-check.timer ultracluster-storage-check.service`",),
        cure="Start the timer; reboot a node whose mount hangs.",
    ),
    _alert(
        name="EfaCountersStale",
        asks=f'time() - max by ({NODE}) (<node_textfile_time>{{file=~".*efa.*"}}) > $threshold',
        threshold=Threshold(value=600, unit="s", least=10 * MINUTE),
        summary="{{ $labels.node }}: EFA's counters are {{ humanizeDuration $value }} old",
        meaning="The script that writes EFA's counters does not run: they stand still, and so do their alerts.",
        look=("`systemctl status ultracluster-metrics-files.timer ultracluster-metrics-files.service`",),
        cure="Start the unit again.",
    ),
)
