"""Alerts for lost nodes, full disks and missing metrics."""

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
        queries=(
            # each node sends its own metrics, so a dead node has no metrics; after two hours the alert ends.
            # A node may learn its group late. Nodes of groups that scale with their jobs stop without a fault
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
        meaning="The node does not report any more. It is down, disconnected, or was terminated intentionally."
        " With Slurm the alert fires for two hours, and not for groups with `scaling: dynamic`.",
        checks=(
            "Run `scontrol show node` or `kubectl describe node`.",
            "Check the state of the instance and its status checks in EC2.",
        ),
        remedy="No action is needed if the group was scaled in. Otherwise replace the node.",
    ),
    _alert(
        name="ExporterDown",
        # programs of users serve metrics only while they run
        queries=f'max by ({NODE}, job) (<up>{{node!="", job!="application"}}) == 0',
        summary="{{ $labels.node }}: the exporter {{ $labels.job }} does not respond",
        meaning="The exporter does not respond, so its metrics of this node are missing. Alerts that need them cannot fire.",
        checks=("Check the service or pod of the exporter, and its log.",),
        remedy="Restart the exporter. If a GPU exporter does not start, check the GPUs of the node.",
    ),
    _alert(
        name="SourceDown",
        queries='max by (cluster, job) (<up>{node="", job!="slurm"}) == 0',
        summary="{{ $labels.cluster }}: the source {{ $labels.job }} does not respond",
        meaning="The source does not respond, so its metrics of the cluster are missing. Alerts that need them cannot fire.",
        checks=("Check the service or pod of the source, and its log.",),
        remedy="Restart the service or pod of the source.",
        for_s=10 * MINUTE,
    ),
    _alert(
        name="MetricsAbsent",
        queries=(Expression(text='absent_over_time(<up>{cluster="$cluster", job="$job"}[15m])', each="job"),),
        summary="{{ $labels.cluster }}: no metrics from {{ $labels.job }}",
        meaning="No collector scrapes this source: the collection itself is broken. Alerts that need its metrics cannot fire.",
        checks=(
            "Check the collector: its log, its IAM role and its targets.",
            "Check the metric `DiscardedSamples` of the AMP workspace in CloudWatch.",
        ),
        remedy="Repair the collection of metrics; docs/observability.md describes it.",
    ),
    _alert(
        name="DiskFull",
        family="node",
        # an image that is mounted read-only is always full, like the root of Bottlerocket
        queries=f"min by ({_DISK}) (<node_disk_available>{{{_LOCAL}}} / <node_disk_size>{{{_LOCAL}}}) * 100"
        f" < $threshold unless max by ({_DISK}) (<node_disk_read_only>{{{_LOCAL}}}) == 1",
        threshold=percent(10, "percent free"),
        summary="{{ $labels.node }}: {{ $labels.mountpoint }} has {{ printf `%.0f` $value }} % free",
        meaning="A local disk of the node is almost full. A full disk stops image pulls, logs and local checkpoints of jobs.",
        checks=("Run `du -xh --max-depth=2 MOUNTPOINT | sort -h` on the node.",),
        remedy="Delete files that jobs left on the disk. Enlarge the root volume, or store container data on the local disks.",
        for_s=15 * MINUTE,
    ),
    _alert(
        name="DiskReadOnly",
        severity="critical",
        family="node",
        action="reboot",
        # a disk that was never writable is intended to be read-only
        queries=f"max by ({_DISK}) (<node_disk_read_only>{{{_LOCAL}}}) == 1"
        f" and max by ({_DISK}) (min_over_time(<node_disk_read_only>{{{_LOCAL}}}[6h])) == 0",
        summary="{{ $labels.node }}: {{ $labels.mountpoint }} became read-only",
        meaning="The kernel found a disk error and remounted the file system read-only.",
        checks=("Run `dmesg -T | grep -i -e nvme -e ext4 -e xfs` on the node.",),
        remedy="Drain the node and reboot it. Replace the node if the alert fires again.",
        for_s=2 * MINUTE,
    ),
    _alert(
        name="GpuChecksStale",
        queries=f"time() - max by ({NODE}) (<gpu_check_time>) > $threshold",
        threshold=Threshold(value=3600, unit="s", least=10 * MINUTE),
        summary="{{ $labels.node }}: the last GPU check was {{ humanizeDuration $value }} ago",
        meaning="The regular GPU check does not run, or it hangs. Its last result is out of date.",
        checks=("Run `systemctl status ultracluster-health.timer ultracluster-health.service`.",),
        remedy="Start the timer. If the check hangs in the driver, reboot the node.",
    ),
    _alert(
        name="StorageChecksStale",
        queries=f"time() - max by ({NODE}) (<storage_check_time>) > $threshold",
        threshold=Threshold(value=3 * HOUR, unit="s", least=2 * HOUR),
        summary="{{ $labels.node }}: the last storage check was {{ humanizeDuration $value }} ago",
        meaning="The hourly check of the file systems does not run, or it hangs at a mount.",
        checks=(
            "Run `systemctl status ultracluster-storage-check.timer ultracluster-storage-check.service`.",
        ),
        remedy="Start the timer. If a mount hangs, reboot the node.",
    ),
    _alert(
        name="EfaCountersStale",
        queries=f'time() - max by ({NODE}) (<node_textfile_time>{{file=~".*efa.*"}}) > $threshold',
        threshold=Threshold(value=600, unit="s", least=10 * MINUTE),
        summary="{{ $labels.node }}: EFA counters are {{ humanizeDuration $value }} old",
        meaning="The script that writes the EFA counters does not run. The counters do not change, so their alerts cannot fire.",
        checks=(
            "Run `systemctl status ultracluster-metrics-files.timer ultracluster-metrics-files.service`.",
        ),
        remedy="Start the timer again.",
    ),
)
