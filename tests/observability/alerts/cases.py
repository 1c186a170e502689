"""Cases in which each alert fires and clears, minute by minute, with the expected summary.

In a series `N` stands for the labels of a node, `$type` for its instance type, `$gpu` and `$efa` for each of
its GPUs and EFA devices but the first; values are in the notation of promtool.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Case:
    """Series, the minutes at which the alert is pending, firing and inactive, and its labels and summary.

    `waits`: minute at which the fault exists, but not for long enough. The default is before the fault.
    """

    alert: str
    series: Mapping[str, str]
    fires: int
    quiet: int
    summary: str
    waits: int = 2
    labels: Mapping[str, str] = field(default_factory=dict)
    metric: str | None = None
    of_node: bool = True


def _gpu(
    alert: str,
    key: str,
    values: str,
    fires: int,
    quiet: int,
    says: str,
    metric: str | None = None,
    **more: str,
) -> Case:
    own = {"gpu": "3", **more}
    labels = ", ".join(f'{name}="{value}"' for name, value in own.items())
    return Case(
        alert=alert,
        series={f"<{key}>{{N, {labels}}}": values},
        fires=fires,
        quiet=quiet,
        summary=f"n1: GPU 3: {says}",
        labels=own,
        metric=metric,
    )


def _xid(alert: str, code: str, quiet: int) -> tuple[Case, Case]:
    """Return cases from DCGM, whose count leaves its window after five minutes, and from the kernel log."""
    return (
        Case(
            alert=alert,
            metric="xid_count",
            series={f'<xid_count>{{N, gpu="3", xid="{code}"}}': "_x5 1x5 stale"},
            fires=7,
            quiet=quiet,
            labels={"gpu": "3", "xid": code},
            summary=f"n1: XID {code} of GPU 3",
        ),
        Case(
            alert=alert,
            metric="kernel_xid",
            series={
                f'<kernel_xid>{{N, pci="0000:0f:00", xid="{code}"}}': "_x5 1x300",
                '<node_boot_time>{N, job="node"}': "60x305",
                '<up>{N, job="node"}': "1x305",
            },
            fires=7,
            quiet=quiet + 10,
            labels={"pci": "0000:0f:00", "xid": code},
            summary=f"n1: XID {code} of GPU 0000:0f:00",
        ),
    )


def _efa(alert: str, key: str, rise: int, says: str) -> Case:
    return Case(
        alert=alert,
        series={f'<{key}>{{N, device="rdmap0", port="1"}}': f"0x5 0+{rise * 60}x20 {rise * 1200}x60"},
        fires=18,
        quiet=45,
        labels={"device": "rdmap0"},
        summary=f"n1: EFA rdmap0: {says}",
    )


def _target(alert: str, percent: int) -> Case:
    labels = {"cluster": "c", "dimension_FileSystemId": "fs-1", "dimension_StorageTargetId": "OST0003"}
    return Case(
        alert=alert,
        series={
            '<lustre_target_used>{cluster="c", job="fsx", dimension_FileSystemId="fs-1",'
            ' dimension_StorageTargetId="OST0003"}': f"50x10 {percent}x20 50x60"
        },
        fires=20,
        quiet=45,
        labels=labels,
        summary=f"fs-1: OST0003 is {percent} % full",
        of_node=False,
    )


def _server(key: str) -> Case:
    return Case(
        alert="LustreServerHot",
        metric=key,
        series={
            f'<{key}>{{cluster="c", job="fsx", dimension_FileSystemId="fs-1",'
            ' dimension_FileServer="server-1"}': "10x10 97x30 10x60"
        },
        fires=30,
        quiet=60,
        labels={"cluster": "c", "dimension_FileSystemId": "fs-1", "dimension_FileServer": "server-1"},
        summary="fs-1: server-1 is 97 % busy",
        of_node=False,
    )


def _of_cluster(
    alert: str,
    series: Mapping[str, str],
    fires: int,
    quiet: int,
    says: str,
    metric: str | None = None,
    **labels: str,
) -> Case:
    return Case(
        alert=alert,
        series=series,
        fires=fires,
        quiet=quiet,
        summary=says,
        metric=metric,
        labels={"cluster": "c", **labels},
        of_node=False,
    )


def _absent(job: str) -> Case:
    return _of_cluster(
        "MetricsAbsent",
        {f'<up>{{cluster="c", job="{job}"}}': "1x5 stale _x40 1x60"},
        35,
        60,
        f"c: no metrics from {job}",
        job,
        job=job,
    )


_RUN = 'N, job="application", run="r1"'
_UP = '<up>{N, job="node"}'

NODES = (
    Case(
        alert="NodeLost",
        metric="up",
        series={_UP: "1x10 stale _x20 1x60"},
        fires=20,
        quiet=40,
        summary="n1: the node is lost",
    ),
    _of_cluster(
        "NodeLost",
        {'<node_condition>{cluster="c", node="n1", condition="Ready", status="true"}': "1x10 0x20 1x60"},
        20,
        40,
        "n1: the node is lost",
        "node_condition",
        node="n1",
    ),
    Case(
        alert="ExporterDown",
        series={'<up>{N, job="dcgm"}': "1x5 0x20 1x40"},
        fires=15,
        quiet=35,
        labels={"job": "dcgm"},
        summary="n1: the exporter dcgm does not respond",
    ),
    _of_cluster(
        "SourceDown",
        {'<up>{cluster="c", job="fsx"}': "1x5 0x30 1x40"},
        20,
        45,
        "c: the source fsx does not respond",
        job="fsx",
    ),
    *map(_absent, ("node", "slurm", "fsx", "kube-state", "kueue")),
    Case(
        alert="DiskFull",
        series={
            '<node_disk_available>{N, device="d", fstype="xfs", mountpoint="/"}': "50x5 5x40 50x60",
            '<node_disk_size>{N, device="d", fstype="xfs", mountpoint="/"}': "100x120",
        },
        fires=30,
        quiet=60,
        labels={"mountpoint": "/"},
        summary="n1: / has 5 % free",
    ),
    Case(
        alert="DiskReadOnly",
        series={'<node_disk_read_only>{N, device="d", fstype="ext4", mountpoint="/"}': "0x10 1x20 0x60"},
        fires=20,
        quiet=40,
        labels={"mountpoint": "/"},
        summary="n1: / became read-only",
    ),
    Case(
        alert="GpuChecksStale",
        # promtool's clock starts at 0
        series={"<gpu_check_time>{N}": "0x90 5400x60"},
        fires=80,
        quiet=100,
        summary="n1: the last GPU check was 1h 20m 0s ago",
    ),
    Case(
        alert="StorageChecksStale",
        series={"<storage_check_time>{N}": "0x200 12000x60"},
        fires=190,
        quiet=210,
        summary="n1: the last storage check was 3h 10m 0s ago",
    ),
    Case(
        alert="EfaCountersStale",
        series={'<node_textfile_time>{N, file="/var/ultracluster_efa.prom"}': "0x30 1800x60"},
        fires=20,
        quiet=35,
        summary="n1: EFA counters are 20m 0s old",
    ),
)

XIDS = (
    *_xid("GpuXidReplace", "64", 80),
    *_xid("GpuXidReboot", "79", 80),
    *_xid("GpuXidReset", "119", 80),
    *_xid("GpuXidResetLater", "94", 50),
    *_xid("GpuXidReport", "149", 35),
    *_xid("GpuXidNoted", "43", 25),
    *_xid("GpuXidUnknown", "999", 35),
    # long after boot
    Case(
        alert="GpuXidReset",
        metric="kernel_xid",
        series={
            '<kernel_xid>{N, pci="0000:0f:00", xid="62"}': "_x90 1x300",
            '<node_boot_time>{N, job="node"}': "60x390",
            '<up>{N, job="node"}': "1x390",
        },
        fires=92,
        quiet=190,
        labels={"pci": "0000:0f:00", "xid": "62"},
        summary="n1: XID 62 of GPU 0000:0f:00",
    ),
    Case(
        alert="NvswitchError",
        series={'<kernel_sxid>{N, pci="0000:86:00", sxid="20034"}': "_x5 1x20 2x120"},
        fires=27,
        quiet=60,
        labels={"pci": "0000:86:00", "sxid": "20034"},
        summary="n1: SXID 20034 of NVSwitch 0000:86:00",
    ),
)

GPUS = (
    Case(
        alert="GpuMissing",
        series={
            _UP: "1x80",
            '<gpu_temperature>{N, gpu="0"}': "60x10 stale _x15 60x60",
            '<gpu_temperature>{N, gpu="$gpu"}': "60x80",
        },
        fires=20,
        quiet=40,
        summary="n1: missing GPUs: 1",
    ),
    Case(
        alert="GpuMissing",
        series={
            '<gpu_devices>{N, kind="wanted"}': "8x80",
            '<gpu_devices>{N, kind="present"}': "8x10 6x20 8x60",
        },
        waits=14,
        fires=20,
        quiet=40,
        summary="n1: missing GPUs: 2",
    ),
    Case(
        alert="GpuProblems",
        series={"<gpu_problems>{N}": "0x5 2x30 0x60"},
        waits=18,
        fires=25,
        quiet=50,
        summary="n1: problems found by the node check: 2",
    ),
    _gpu(
        "GpuRowRemapFailure",
        "row_remap_failure",
        "0x5 1x10 0x30",
        8,
        20,
        "a memory row could not be remapped",
    ),
    _gpu(
        "GpuRowRemapPending",
        "row_remap_pending",
        "0x5 1x20 0x30",
        15,
        30,
        "a remapped memory row needs a reset",
    ),
    _gpu("GpuEccDoubleBit", "ecc_double_bit", "3x10 4x120", 13, 60, "double-bit errors"),
    # the error ends the job, and the job's number is a label
    Case(
        alert="GpuEccDoubleBit",
        series={
            '<ecc_double_bit>{N, gpu="3", hpc_job="7"}': "0x10 stale",
            '<ecc_double_bit>{N, gpu="3"}': "_x10 1x120",
        },
        fires=13,
        quiet=60,
        labels={"gpu": "3"},
        summary="n1: GPU 3: double-bit errors",
    ),
    _gpu(
        "GpuNvlinkErrors",
        "nvlink_recovery",
        "7x5 7+1x20 27x60",
        20,
        50,
        "NVLink replay or recovery errors",
        "nvlink_recovery",
    ),
    _gpu(
        "GpuNvlinkErrors",
        "nvlink_replay",
        "7x5 7+1x20 27x60",
        20,
        50,
        "NVLink replay or recovery errors",
        "nvlink_replay",
    ),
    _gpu(
        "GpuNvlinkRecoveryFailed", "nvlink_recovery_failed", "1x10 2x90", 13, 50, "NVLink could not recover"
    ),
    _gpu(
        "GpuThrottled",
        "clock_event_count",
        "0x5 3x25 0x40",
        20,
        40,
        "clocks are reduced by hw_thermal",
        clock_event="hw_thermal",
    ),
    _gpu(
        "GpuHeatViolation",
        "thermal_violation",
        "0x5 0+6000000000x40 240000000000x60",
        35,
        70,
        "throttled by heat 10 % of the time",
    ),
    Case(
        alert="GpuPowerViolation",
        series={
            '<power_violation>{N, gpu="0"}': "0x5 0+48000000000x80 3840000000000x60",
            '<power_violation>{N, gpu="$gpu"}': "0x145",
        },
        fires=60,
        quiet=110,
        labels={"gpu": "0"},
        summary="n1: GPU 0: at its power limit 80 % of the time, unlike most GPUs",
    ),
    _gpu("GpuFabricUnhealthy", "fabric_health", "1x5 2x20 1x30", 15, 30, "the NVLink fabric is unhealthy"),
    _gpu("GpuNeedsReset", "gpu_recovery_action", "0x5 4x10 0x30", 10, 20, "the driver requests a reset"),
    _gpu("GpuNeedsReboot", "gpu_recovery_action", "0x5 2x10 0x30", 10, 20, "the driver requests a reboot"),
)

EFA = (
    Case(
        alert="EfaMissing",
        series={
            _UP: "1x80",
            '<efa_info>{N, device="rdmap0"}': "1x10 stale _x15 1x60",
            '<efa_info>{N, device="rdmap$efa"}': "1x80",
        },
        fires=20,
        quiet=40,
        summary="n1: missing EFA devices: 1",
    ),
    _efa("EfaRetransmits", "efa_retrans_pkts", 2000, "many packets are retransmitted"),
    _efa("EfaRetransmittedBytes", "efa_retrans_bytes", 2_000_000, "many bytes are retransmitted"),
    _efa("EfaRetransmitTimeouts", "efa_retrans_timeout_events", 200, "retransmission timeouts"),
    _efa("EfaImpaired", "efa_impaired_remote_conn_events", 200, "connections are impaired"),
    _efa("EfaUnresponsive", "efa_unresponsive_remote_events", 200, "another node does not respond"),
    _efa("EfaRdmaReadErrors", "efa_rdma_read_wr_err", 200, "RDMA reads fail"),
    _efa("EfaRdmaWriteErrors", "efa_rdma_write_wr_err", 200, "RDMA writes fail"),
    _efa("EfaReceiveDrops", "efa_rx_drops", 200, "received packets are dropped"),
    Case(
        alert="TrainingOverTcp",
        series={
            '<efa_tx_bytes>{N, device="rdmap0", port="1"}': "5000x100",
            '<efa_rdma_read_bytes>{N, device="rdmap0", port="1"}': "5000x100",
            '<efa_rdma_write_bytes>{N, device="rdmap0", port="1"}': "5000x100",
            '<node_network_received>{N, device="ens5"}': "0+60000000000x40 2400000000000x60",
            '<node_network_sent>{N, device="ens5"}': "0+60000000000x40 2400000000000x60",
            '<gpu_utilization>{N, gpu="0"}': "95x100",
        },
        fires=30,
        quiet=60,
        summary="n1: a job communicates over TCP instead of EFA",
    ),
    # a device without RDMA writes has no such counter
    Case(
        alert="TrainingOverTcp",
        series={
            '<efa_tx_bytes>{N, device="rdmap0", port="1"}': "5000x100",
            '<node_network_received>{N, device="ens5"}': "0+60000000000x40 2400000000000x60",
            '<node_network_sent>{N, device="ens5"}': "0+60000000000x40 2400000000000x60",
            '<gpu_utilization>{N, gpu="0"}': "95x100",
        },
        fires=30,
        quiet=60,
        summary="n1: a job communicates over TCP instead of EFA",
    ),
)

STORAGE = (
    _target("LustreTargetFull", 85),
    _target("LustreTargetAlmostOut", 99),
    *map(_server, ("lustre_network_used", "lustre_disk_used", "lustre_server_cpu")),
    _of_cluster(
        "LustreMetadataHot",
        {
            '<lustre_target_iops>{cluster="c", job="fsx", dimension_FileSystemId="fs-1",'
            ' dimension_StorageTargetId="MDT0000"}': "10x10 97x30 10x60"
        },
        30,
        60,
        "fs-1: metadata on MDT0000 is 97 % busy",
        dimension_FileSystemId="fs-1",
        dimension_StorageTargetId="MDT0000",
    ),
    _of_cluster(
        "LustreExportLate",
        {
            '<lustre_queue_age>{cluster="c", job="fsx", dimension_FileSystemId="fs-1",'
            ' dimension_Publisher="AutoExport"}': "10x10 7200x20 10x60"
        },
        25,
        45,
        "fs-1: changes wait 2h 0m 0s for AutoExport",
        dimension_FileSystemId="fs-1",
        dimension_Publisher="AutoExport",
    ),
    Case(
        alert="LustreUnhealthy",
        series={
            '<lustre_healthy>{N, file_system="scratch", state="ok"}': "1x5 stale _x20 1x30",
            '<lustre_healthy>{N, file_system="scratch", state="failed"}': "_x5 0x20 stale",
        },
        fires=15,
        quiet=35,
        labels={"file_system": "scratch"},
        summary="n1: scratch does not respond, or uses TCP",
    ),
    Case(
        alert="LustreFewInterfaces",
        series={
            '<lustre_efa_interfaces>{N, kind="wanted"}': "8x80",
            '<lustre_efa_interfaces>{N, kind="attached"}': "8x5 6x30 8x40",
        },
        fires=25,
        quiet=45,
        summary="n1: EFA interfaces missing for Lustre: 2",
    ),
)

TRAINING = (
    _of_cluster(
        "CheckpointOld",
        {f"<train_checkpoint_time>{{{_RUN}}}": "60x150 9000x60"},
        140,
        160,
        "run r1: no checkpoint for 2h 19m 0s",
        run="r1",
    ),
    _of_cluster(
        "CheckpointOld",
        {f"<train_checkpoint_time>{{{_RUN}}}": "0x150 9000x60"},
        140,
        160,
        "run r1: no checkpoint for 2h 0m 0s",
        run="r1",
    ),
    _of_cluster(
        "TrainingStalled",
        {f"<train_iteration>{{{_RUN}}}": "0+1x20 20x30 21+1x40"},
        40,
        60,
        "run r1: no step for 10 minutes",
        run="r1",
    ),
    _of_cluster(
        "TrainingLossNan",
        {f"<train_loss>{{{_RUN}}}": "2x5 " + "NaN " * 20 + "2x30"},
        15,
        35,
        "run r1: the loss is NaN or infinite",
        run="r1",
    ),
    _of_cluster(
        "TrainingSlow",
        {f"<train_tokens>{{{_RUN}}}": "0+1000x90 90500+500x30 106000+1000x120"},
        110,
        200,
        "run r1: 40 % fewer tokens per second",
        run="r1",
    ),
    Case(
        alert="IdleGpus",
        series={
            '<gpu_utilization>{N, gpu="0"}': "80x5 0x60 80x60",
            '<gpu_memory_used>{N, gpu="0"}': "40000x130",
            '<gpu_utilization>{N, gpu="$gpu"}': "80x130",
            '<gpu_memory_used>{N, gpu="$gpu"}': "40000x130",
        },
        fires=60,
        quiet=75,
        summary="n1: occupied but idle GPUs cost 10.00 USD per hour",
    ),
    Case(
        alert="IdleGpusUnpriced",
        metric="$type",
        series={
            '<gpu_utilization>{N, gpu="0"}': "80x5 0x60 80x60",
            '<gpu_memory_used>{N, gpu="0"}': "40000x130",
        },
        fires=60,
        quiet=75,
        summary="n1: occupied but idle GPUs: 1",
    ),
)

SLURM = (
    _of_cluster(
        "SlurmSilent",
        {'<up>{cluster="c", job="slurm"}': "1x5 0x20 1x40"},
        15,
        35,
        "c: the Slurm controller reports no metrics",
    ),
    _of_cluster(
        "SlurmNodesDown",
        {'<slurm_nodes_down>{cluster="c", job="slurm"}': "0x5 2x30 0x40"},
        25,
        45,
        "c: nodes down in Slurm: 2",
    ),
    _of_cluster(
        "SlurmNodesDrained",
        {'<slurm_nodes_drained>{cluster="c", job="slurm"}': "0x5 1x60 0x40"},
        50,
        75,
        "c: nodes drained in Slurm: 1",
    ),
    _of_cluster(
        "SlurmSchedulerSlow",
        {'<slurm_scheduler_cycle>{cluster="c", job="slurm"}': "1000x5 9000000x30 1000x40"},
        30,
        45,
        "c: a scheduling cycle takes 9.0 s",
    ),
)

_CONDITION = '<node_condition>{cluster="c", node="n1", condition='

KUBERNETES = (
    _of_cluster(
        "NodeHardwareUnready",
        {f'{_CONDITION}"AcceleratedHardwareReady", status="false"}}': "0x5 1x20 0x40"},
        15,
        35,
        "n1: GPUs are not ready",
        node="n1",
    ),
    _of_cluster(
        "NodeConditionBad",
        {f'{_CONDITION}"DiskPressure", status="true"}}': "0x5 1x20 0x40"},
        15,
        35,
        "n1: DiskPressure",
        node="n1",
        condition="DiskPressure",
    ),
    _of_cluster(
        "PodsFail",
        {
            '<pod_waiting>{cluster="c", namespace="team", pod="p", container="k",'
            ' reason="ImagePullBackOff"}': "_x5 1x30 stale"
        },
        25,
        45,
        "team: containers in ImagePullBackOff: 1",
        namespace="team",
        reason="ImagePullBackOff",
    ),
    _of_cluster(
        "PodsWait",
        {'<pod_phase>{cluster="c", namespace="team", pod="p", phase="Pending"}': "0x5 1x80 0x40"},
        80,
        100,
        "team: pods pending for an hour: 1",
        namespace="team",
    ),
    _of_cluster(
        "KueueJobsWait",
        {'<kueue_pending>{cluster="c", cluster_queue="gpu", status="active"}': "0x5 3x280 0x40"},
        260,
        300,
        "gpu: pending jobs for four hours: 3",
        cluster_queue="gpu",
    ),
    _of_cluster(
        "KueueJobsStuck",
        {
            '<kueue_pending>{cluster="c", cluster_queue="gpu", status="inadmissible"}': "0x5 2x60 0x40",
            '<kueue_admitted>{cluster="c", cluster_queue="gpu"}': "0x120",
        },
        50,
        80,
        "gpu: inadmissible jobs: 2, running jobs: 0",
        cluster_queue="gpu",
    ),
    _of_cluster(
        "KueueEvictions",
        {'<kueue_evicted>{cluster="c", cluster_queue="gpu", reason="Preempted"}': "0x10 0+2x60 120x60"},
        60,
        110,
        "gpu: jobs evicted for Preempted: 60",
        cluster_queue="gpu",
        reason="Preempted",
    ),
)

CASES = (*NODES, *XIDS, *GPUS, *EFA, *STORAGE, *TRAINING, *SLURM, *KUBERNETES)
