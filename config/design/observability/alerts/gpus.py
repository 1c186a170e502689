"""Alerts for GPUs that are missing, faulty, slow or disconnected."""

from __future__ import annotations

from functools import partial

from config.design.observability.alerts.model import MINUTE, NODE, Alert, Expression, Threshold, percent

_GPU = f"{NODE}, gpu"
_PLACE = "{{ $labels.node }}: GPU {{ $labels.gpu }}"
_REMAP = "https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/"
_RESET = "Drain the node, then reset the GPU (`nvidia-smi --gpu-reset -i GPU`) or reboot the node."
_SMI = "Run `nvidia-smi -q -i GPU` and check"
_GONE = "ultracluster:expected_gpus - (ultracluster:seen_gpus or ultracluster:expected_gpus * 0) > 0"
_UNSEEN = (
    f'max by ({NODE}) (<gpu_devices>{{kind="wanted"}})'
    f' - max by ({NODE}) (<gpu_devices>{{kind="present"}}) > 0'
)
_HELD = f"max by ({_GPU}) (rate(<power_violation>[10m])) / 1e7"
_alert = partial(Alert, family="gpu")


def _grown(key: str) -> str:
    """Return an expression for the increase of a GPU counter in ten minutes, for all jobs together.

    The job is a label of the counter. A fault that ends the job would start a new series. Without the maximum
    over all jobs, no series would show an increase.
    """
    return f"increase(max by ({_GPU}) (<{key}>)[10m:1m])"


ALERTS = (
    _alert(
        name="GpuMissing",
        severity="critical",
        action="reboot",
        # a lost GPU has no series any more, so no threshold can detect it
        # (https://github.com/NVIDIA/dcgm-exporter/issues/348): GPUs are counted and compared with the catalogue.
        # One alert for both sources: DCGM's count, or the node's own count if DCGM shows all GPUs
        queries=(
            Expression(text=f"({_GONE}) or ({_UNSEEN})"),
            Expression(text=_UNSEEN, otherwise=True),
        ),
        summary="{{ $labels.node }}: missing GPUs: {{ $value }}",
        meaning="The node has fewer GPUs than its instance type. A GPU has fallen off the bus, or the exporter cannot see it.",
        checks=(
            "Run `nvidia-smi -L` and `lspci -d 10de:` on the node.",
            "Run `dmesg -T | grep -i xid`: XID 79 means that a GPU has fallen off the bus.",
        ),
        remedy="Reboot the node. If a GPU is still missing, replace the node.",
    ),
    _alert(
        name="GpuProblems",
        queries=f"max by ({NODE}) (<gpu_problems>) > 0",
        summary="{{ $labels.node }}: problems found by the node check: {{ $value }}",
        meaning="The node check, which runs before and after jobs, found faulty GPUs, NVLinks or EFA devices.",
        checks=(
            "Run `ultracluster-node-check` on the node.",
            "Read `/var/lib/ultracluster/health/gpu.json`.",
        ),
        remedy="Repair what the check reports. The repair policy (docs/repair.md) repairs some faults automatically.",
        for_s=15 * MINUTE,
    ),
    _alert(
        name="GpuRowRemapFailure",
        severity="critical",
        action="replace",
        queries=f"max by ({_GPU}) (<row_remap_failure>) == 1",
        summary=_PLACE + ": a memory row could not be remapped",
        meaning="The GPU cannot remap more memory rows. The next memory error can lose data.",
        checks=(f"{_SMI} the remapped rows.", f"Read <{_REMAP}>."),
        remedy="Drain the node and replace it.",
        for_s=0,
    ),
    _alert(
        name="GpuRowRemapPending",
        action="reset",
        queries=f"max by ({_GPU}) (<row_remap_pending>) == 1",
        summary=_PLACE + ": a remapped memory row needs a reset",
        meaning="The GPU replaces a faulty memory row at its next reset. Jobs can continue until then.",
        checks=(f"{_SMI} the remapped rows.", f"Read <{_REMAP}>."),
        remedy="Reset the GPU when the node is idle.",
    ),
    _alert(
        name="GpuEccDoubleBit",
        severity="critical",
        action="reset",
        queries=f"{_grown('ecc_double_bit')} > 0",
        summary=_PLACE + ": double-bit errors",
        meaning="The memory of the GPU had an error that could not be corrected.",
        checks=(f"{_SMI} the ECC errors.", "Check whether the node also reports XID 48, 94 or 95."),
        remedy=_RESET + " Replace the node if the alert fires again.",
        keep_s=30 * MINUTE,
        for_s=0,
    ),
    _alert(
        name="GpuNvlinkErrors",
        queries=(
            f"{_grown('nvlink_recovery')} > $threshold",
            f"{_grown('nvlink_replay')} > $threshold",
        ),
        threshold=Threshold(value=0, unit="errors in 10 minutes"),
        summary=_PLACE + ": NVLink replay or recovery errors",
        meaning="An NVLink (version 4 or older) has errors. It still works, but more slowly, and may fail.",
        checks=("Run `nvidia-smi nvlink -e -i GPU`.", "Check whether the node also reports XID 74."),
        remedy="Run an NCCL test on the node. If it is slow, reset the GPU. If it is still slow, replace the node.",
    ),
    _alert(
        name="GpuNvlinkRecoveryFailed",
        action="reset",
        queries=f"{_grown('nvlink_recovery_failed')} > $threshold",
        threshold=Threshold(value=0, unit="failed recoveries in 10 minutes"),
        summary=_PLACE + ": NVLink could not recover",
        meaning="An NVLink (version 5) is down and did not recover automatically.",
        checks=(
            "Run `nvidia-smi nvlink --status -i GPU`.",
            "Search for XIDs 144 to 150 and 154 in `dmesg -T`.",
        ),
        remedy=_RESET,
        keep_s=15 * MINUTE,
        for_s=0,
    ),
    _alert(
        name="GpuThrottled",
        queries=f"max by ({_GPU}, clock_event) (<clock_event_count>"
        '{clock_event=~"hw_slowdown|hw_thermal|hw_power_brake|sw_thermal"}) > $threshold',
        threshold=Threshold(value=0, unit="events in 5 minutes"),
        summary=_PLACE + ": clocks are reduced by {{ $labels.clock_event }}",
        meaning="The GPU reduces its clocks because of heat or lack of power. The other GPUs of the job wait for it.",
        checks=(
            "Compare temperature and power of the GPU with the other GPUs of the node.",
            f"{_SMI} the clocks event reasons.",
        ),
        remedy="If it is the only such node, replace it. If several nodes are affected, contact AWS Support.",
        for_s=10 * MINUTE,
    ),
    _alert(
        name="GpuHeatViolation",
        queries=f"max by ({_GPU}) (rate(<thermal_violation>[10m])) / 1e7 > $threshold",
        threshold=percent(5, "percent of the time"),
        summary=_PLACE + ": throttled by heat {{ printf `%.0f` $value }} % of the time",
        meaning="The GPU reduces its clocks because it is too hot.",
        checks=("Compare the temperature of the GPU with the other GPUs of the node.",),
        remedy="If it is the only such node, replace it. If several nodes are affected, contact AWS Support.",
        for_s=10 * MINUTE,
    ),
    _alert(
        name="GpuPowerViolation",
        severity="info",
        # under full load all GPUs reach the limit: one alert for each would reach the alert quota of AMP
        queries=f"{_HELD} > $threshold unless on (cluster, instance_type)"
        f" quantile by (cluster, instance_type) (0.5, {_HELD}) > $threshold",
        threshold=percent(50, "percent of the time"),
        summary=_PLACE + ": at its power limit {{ printf `%.0f` $value }} % of the time, unlike most GPUs",
        meaning="The power limit reduces the clocks of this GPU, but not of most other GPUs of the same instance type.",
        checks=("Compare power and clocks of the GPU with the other GPUs of the node.",),
        remedy="If the alert continues under the same load, report the node to AWS Support.",
        for_s=30 * MINUTE,
    ),
    _alert(
        name="GpuFabricUnhealthy",
        severity="critical",
        action="reset",
        # 0 not supported, 1 healthy, 2 unhealthy, 3 limited
        queries=f"max by ({_GPU}) (<fabric_health>) > 1",
        summary=_PLACE + ": the NVLink fabric is unhealthy",
        meaning="The GPU is not connected, or only partly connected, to the NVLink fabric. Collectives fail or are very slow.",
        checks=(
            f"{_SMI} the fabric state.",
            "Run `systemctl status nvidia-fabricmanager`, or `systemctl status nvidia-imex`.",
        ),
        remedy=_RESET,
    ),
    _alert(
        name="GpuNeedsReset",
        severity="critical",
        action="reset",
        # 1 reset, 3 drain P2P, 4 drain and reset
        queries=f"max by ({_GPU}) ((<gpu_recovery_action> == 1) or (<gpu_recovery_action> > 2)) > 0",
        summary=_PLACE + ": the driver requests a reset",
        meaning="The NVIDIA driver reports that the GPU must be reset. XID 154 reports the same.",
        checks=("Run `nvidia-smi --query-gpu=index,gpu_recovery_action --format=csv`.",),
        remedy=_RESET,
        for_s=2 * MINUTE,
    ),
    _alert(
        name="GpuNeedsReboot",
        severity="critical",
        action="reboot",
        queries=f"max by ({_GPU}) (<gpu_recovery_action>) == 2",
        summary=_PLACE + ": the driver requests a reboot",
        meaning="The NVIDIA driver reports that the node must be rebooted. XID 154 reports the same.",
        checks=("Run `nvidia-smi --query-gpu=index,gpu_recovery_action --format=csv`.",),
        remedy="Drain the node and reboot it.",
        for_s=2 * MINUTE,
    ),
)
