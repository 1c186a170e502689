"""Conditions that resemble a fault do not fire an alert."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from config.design.observability.alerts.plan import plan_alerts
from config.profile.observability.alerts import Alerts
from tests.observability.alerts.promtool import run_tests, write_quiet
from tests.observability.clusters import CLUSTERS
from tests.tables import each_row

SLURM, KUBERNETES = "pcs on p6-b200", "eks on p6-b200"
_RUN = 'N, job="application", run="r1"'
_EFA = {
    f'<{key}>{{N, device="rdmap0", port="1"}}': "5000x130"
    for key in ("efa_tx_bytes", "efa_rdma_read_bytes", "efa_rdma_write_bytes")
}

QUIET: Mapping[str, tuple[str, str, Mapping[str, str]]] = {
    "no program that trains runs on a node": (
        SLURM, "ExporterDown", {'<up>{N, job="application"}': "0x130"},
    ),
    "a node is well": (SLURM, "NodeLost", {'<up>{N, job="node"}': "1x130"}),
    "a node learns its group late": (
        SLURM,
        "NodeLost",
        {
            '<up>{cluster="c", node="n1", instance_type="$type", group="unknown", job="node"}': "1x10 stale",
            '<up>{N, job="node"}': "_x10 1x120",
        },
    ),
    "all GPUs are there": (
        SLURM,
        "GpuMissing",
        {
            '<up>{N, job="node"}': "1x130",
            '<gpu_temperature>{N, gpu="0"}': "60x130",
            '<gpu_temperature>{N, gpu="$gpu"}': "60x130",
        },
    ),
    "a GPU had an error once in its life": (
        SLURM, "GpuEccDoubleBit", {'<ecc_double_bit>{N, gpu="0"}': "7x130"},
    ),
    "a job ends, and its GPU had an error before it began": (
        SLURM,
        "GpuEccDoubleBit",
        {
            '<ecc_double_bit>{N, gpu="0", hpc_job="1"}': "7x30 stale",
            '<ecc_double_bit>{N, gpu="0"}': "_x30 7x100",
        },
    ),
    "all GPUs are at their power limit under full load": (
        SLURM,
        "GpuPowerViolation",
        {
            '<power_violation>{N, gpu="0"}': "0+48000000000x130",
            '<power_violation>{N, gpu="$gpu"}': "0+48000000000x130",
        },
    ),
    "no XID was counted": (SLURM, "GpuXidUnknown", {'<xid_count>{N, gpu="0", xid="0"}': "1x130"}),
    "collection comes back on a node that had an XID before": (
        SLURM,
        "GpuXidReset",
        {
            '<kernel_xid>{N, pci="0000:0f:00", xid="62"}': "_x60 1x70",
            '<node_boot_time>{N, job="node"}': "_x60 -90000x70",
            '<up>{N, job="node"}': "_x60 1x70",
        },
    ),
    "an XID of another class is counted": (
        SLURM, "GpuXidReset", {'<xid_count>{N, gpu="0", xid="94"}': "1x130"},
    ),
    "a GPU idles, or is at its power cap": (
        SLURM,
        "GpuThrottled",
        {
            '<clock_event_count>{N, gpu="0", clock_event="gpu_idle"}': "9x130",
            '<clock_event_count>{N, gpu="1", clock_event="power_cap"}': "9x130",
        },
    ),
    "a machine without a fabric": (SLURM, "GpuFabricUnhealthy", {'<fabric_health>{N, gpu="0"}': "0x130"}),
    "a device dropped packets in its life": (
        SLURM, "EfaReceiveDrops", {'<efa_rx_drops>{N, device="rdmap0", port="1"}': "99999999x130"},
    ),
    "a single node trains and writes a checkpoint over TCP": (
        SLURM,
        "TrainingOverTcp",
        {
            **_EFA,
            '<node_network_received>{N, device="ens5"}': "0+1000000x130",
            '<node_network_sent>{N, device="ens5"}': "0+90000000000x130",
            '<gpu_utilization>{N, gpu="0"}': "95x130",
        },
    ),
    "a disk is meant to be read-only": (
        KUBERNETES, "DiskReadOnly", {'<node_disk_read_only>{N, fstype="ext4", mountpoint="/"}': "1x130"},
    ),
    "an image that is mounted read-only is full": (
        KUBERNETES,
        "DiskFull",
        {
            '<node_disk_available>{N, fstype="ext4", mountpoint="/"}': "0x130",
            '<node_disk_size>{N, fstype="ext4", mountpoint="/"}': "100x130",
            '<node_disk_read_only>{N, fstype="ext4", mountpoint="/"}': "1x130",
        },
    ),
    "memory as a disk is full": (
        SLURM,
        "DiskFull",
        {
            '<node_disk_available>{N, fstype="tmpfs", mountpoint="/run"}': "0x130",
            '<node_disk_size>{N, fstype="tmpfs", mountpoint="/run"}': "100x130",
        },
    ),
    "GPUs are idle and nobody holds them": (
        SLURM,
        "IdleGpus",
        {'<gpu_utilization>{N, gpu="0"}': "0x130", '<gpu_memory_used>{N, gpu="0"}': "600x130"},
    ),
    "a run has not begun": (SLURM, "TrainingStalled", {f"<train_iteration>{{{_RUN}}}": "0x130"}),
    "a run was started again from its last checkpoint, and compiles": (
        SLURM, "TrainingStalled", {f"<train_iteration>{{{_RUN}}}": "0+1x40 stale _x12 35x9 36+1x60"},
    ),
    "a run goes on from a checkpoint, and compiles for a quarter of an hour": (
        SLURM, "TrainingStalled", {f"<train_iteration>{{{_RUN}}}": "_x5 5000x14 5001+1x100"},
    ),
    "a run has not saved yet": (SLURM, "CheckpointOld", {f"<train_checkpoint_time>{{{_RUN}}}": "_x30 0x100"}),
    "a run begins": (SLURM, "TrainingSlow", {f"<train_tokens>{{{_RUN}}}": "_x5 0+1000x120"}),
    "a file system is not known to be well": (
        SLURM, "LustreUnhealthy", {'<lustre_healthy>{N, file_system="scratch", state="unknown"}': "-1x130"},
    ),
    "the sum is nearly full and no target is": (
        SLURM,
        "LustreTargetFull",
        {
            f'<lustre_target_used>{{cluster="c", dimension_FileSystemId="fs-1",'
            f' dimension_StorageTargetId="OST000{target}"}}': "79x130"
            for target in range(4)
        },
    ),
    "pods come and go": (
        KUBERNETES,
        "PodsWait",
        {
            f'<pod_phase>{{cluster="c", namespace="n", pod="p{number}", uid="{number}", phase="Pending"}}': (
                f"_x{number * 40} 1x45 0x5 stale"
            )
            for number in range(1, 4)
        }
        | {'<pod_phase>{cluster="c", namespace="n", pod="p0", uid="0", phase="Pending"}': "1x45 stale"},
    ),
    "a pod starts": (
        KUBERNETES,
        "PodsFail",
        {
            '<pod_waiting>{cluster="c", namespace="n", pod="p", container="k",'
            ' reason="ContainerCreating"}': "1x130"
        },
    ),
}  # fmt: skip


def test_a_node_that_went_with_its_jobs_is_not_lost(tmp_path: Path) -> None:
    measured = replace(CLUSTERS[SLURM], elastic=("debug", "train"))
    series = {'<up>{N, job="node"}': "1x10 stale"}
    run = run_tests([write_quiet(tmp_path, plan_alerts(measured, Alerts()), "NodeLost", series, measured)])
    assert run.returncode == 0, run.stdout + run.stderr


@each_row("what", QUIET)
def test_an_alert_is_quiet_where(what: str, tmp_path: Path) -> None:
    name, alert, series = QUIET[what]
    measured = CLUSTERS[name]
    run = run_tests([write_quiet(tmp_path, plan_alerts(measured, Alerts()), alert, series, measured)])
    assert run.returncode == 0, run.stdout + run.stderr
