"""GPUs that are gone, broken, slow or cut off from the others."""

from __future__ import annotations

from functools import partial

from config.design.observability.alerts.model import MINUTE, NODE, Alert, Expression, Threshold, percent

_GPU = f"{NODE}, gpu"
_PLACE = "{{ $labels.node }}: GPU {{ $labels.gpu }}"
_REMAP = "https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/"
_RESET = "Drain the node and reset the GPU (`nvidia-smi --gpu-reset -i GPU`), or reboot the node."
_SMI = "`nvidia-smi -q -i GPU`"
_GONE = "ultracluster:expected_gpus - (ultracluster:seen_gpus or ultracluster:expected_gpus * 0) > 0"
_UNSEEN = (
    f'max by ({NODE}) (<gpu_devices>{{kind="wanted"}})'
    f' - max by ({NODE}) (<gpu_devices>{{kind="present"}}) > 0'
)
_HELD = f"max by ({_GPU}) (rate(<power_violation>[10m])) / 1e7"
_alert = partial(Alert, family="gpu")


def _grown(key: str) -> str:
    """How much a counter of a GPU has grown in ten minutes, whatever job the GPU had.

    A job's number or pod is a label: the fault that ends a job would be the first sample of another series,
    and no increase of any.
    """
    return f"increase(max by ({_GPU}) (<{key}>)[10m:1m])"


ALERTS = (
    _alert(
        name="GpuMissing",
        severity="critical",
        action="reboot",
        # a GPU that is lost has no series any more, and its threshold would be met by nothing
        # (https://github.com/NVIDIA/dcgm-exporter/issues/348): so GPUs are counted against the catalogue
        # one alert whoever sees it: DCGM's count, or the node's own where DCGM shows all
        asks=(
            Expression(text=f"({_GONE}) or ({_UNSEEN})"),
            Expression(text=_UNSEEN, otherwise=True),
        ),
        summary="{{ $labels.node }}: {{ $value }} GPUs are missing",
        meaning="The node shows fewer GPUs than its type has: one is off the bus, or the exporter sees none.",
        look=("`nvidia-smi -L` and `lspci -d 10de:`", "`dmesg -T | grep -i xid`: 79 is a GPU off the bus"),
        cure="Reboot the node; have it replaced when a GPU is still missing.",
    ),
    _alert(
        name="GpuProblems",
        asks=f"max by ({NODE}) (<gpu_problems>) > 0",
        summary="{{ $labels.node }}: the node's own check finds {{ $value }} problems",
        meaning="The check that runs around jobs finds GPUs, NVLinks or EFA devices that are not well.",
        look=("`ultracluster-node-check` on the node", "`/var/lib/ultracluster/health/gpu.json`"),
        cure="What the check says; the repair policy (docs/repair.md) acts on it by itself where it can.",
        for_s=15 * MINUTE,
    ),
    _alert(
        name="GpuRowRemapFailure",
        severity="critical",
        action="replace",
        asks=f"max by ({_GPU}) (<row_remap_failure>) == 1",
        summary=_PLACE + ": a row of its memory could not be remapped",
        meaning="The GPU has no spare rows left; the next error there is lost data.",
        look=(f"{_SMI}: remapped rows", _REMAP),
        cure="Drain the node and have it replaced.",
        for_s=0,
    ),
    _alert(
        name="GpuRowRemapPending",
        action="reset",
        asks=f"max by ({_GPU}) (<row_remap_pending>) == 1",
        summary=_PLACE + ": a remapped row waits for a reset",
        meaning="A bad row is set aside, and is out of use from the next reset on; jobs may go on until then.",
        look=(f"{_SMI}: remapped rows", _REMAP),
        cure="Reset the GPU when the node is idle.",
    ),
    _alert(
        name="GpuEccDoubleBit",
        severity="critical",
        action="reset",
        asks=f"{_grown('ecc_double_bit')} > 0",
        summary=_PLACE + ": double-bit errors",
        meaning="Memory of the GPU gave wrong data that could not be corrected.",
        look=(f"{_SMI}: ECC errors", "whether XID 48, 94 or 95 came with it"),
        cure=_RESET + " Have the node replaced when it comes again.",
        keep_s=30 * MINUTE,
        for_s=0,
    ),
    _alert(
        name="GpuNvlinkErrors",
        asks=(
            f"{_grown('nvlink_recovery')} > $threshold",
            f"{_grown('nvlink_replay')} > $threshold",
        ),
        threshold=Threshold(value=0, unit="errors in 10 minutes"),
        summary=_PLACE + ": NVLink repeats or recovers",
        meaning="A link of NVLink 4 or older has errors: it works, but slower, and may break.",
        look=("`nvidia-smi nvlink -e -i GPU`", "whether XID 74 came with it"),
        cure="Run an NCCL test on the node; reset the GPU when it is slow, have it replaced when it stays so.",
    ),
    _alert(
        name="GpuNvlinkRecoveryFailed",
        action="reset",
        asks=f"{_grown('nvlink_recovery_failed')} > $threshold",
        threshold=Threshold(value=0, unit="failed recoveries in 10 minutes"),
        summary=_PLACE + ": NVLink could not recover",
        meaning="A link of NVLink 5 went down and did not come back by itself.",
        look=("`nvidia-smi nvlink --status -i GPU`", "XIDs 144 to 150 and 154 in `dmesg -T`"),
        cure=_RESET,
        keep_s=15 * MINUTE,
        for_s=0,
    ),
    _alert(
        name="GpuThrottled",
        asks=f"max by ({_GPU}, clock_event) (<clock_event_count>"
        '{clock_event=~"hw_slowdown|hw_thermal|hw_power_brake|sw_thermal"}) > $threshold',
        threshold=Threshold(value=0, unit="events in 5 minutes"),
        summary=_PLACE + ": clocks are low for {{ $labels.clock_event }}",
        meaning="The GPU slows down to protect itself from heat or lack of power: the whole job waits for it.",
        look=(
            "temperature and power of the GPU beside those of its neighbours",
            f"{_SMI}: clocks event reasons",
        ),
        cure="Have the node replaced when it is the only one; otherwise ask AWS about the rack.",
        for_s=10 * MINUTE,
    ),
    _alert(
        name="GpuHeatViolation",
        asks=f"max by ({_GPU}) (rate(<thermal_violation>[10m])) / 1e7 > $threshold",
        threshold=percent(5, "percent of the time"),
        summary=_PLACE + ": slowed by heat {{ printf `%.0f` $value }} % of the time",
        meaning="Heat keeps the GPU below its clocks.",
        look=("temperature of the GPU beside those of its neighbours",),
        cure="Have the node replaced when it is the only one.",
        for_s=10 * MINUTE,
    ),
    _alert(
        name="GpuPowerViolation",
        severity="info",
        # under full load all GPUs are: told of each, they would fill what AMP keeps of alerts
        asks=f"{_HELD} > $threshold unless on (cluster, instance_type)"
        f" quantile by (cluster, instance_type) (0.5, {_HELD}) > $threshold",
        threshold=percent(50, "percent of the time"),
        summary=_PLACE
        + ": held by its power limit {{ printf `%.0f` $value }} % of the time, and most others are not",
        meaning="The GPU would clock higher but for its power limit, which most of its kind do not reach.",
        look=("power and clocks of the GPU beside those of its neighbours",),
        cure="Report the node when it stays so under the same load.",
        for_s=30 * MINUTE,
    ),
    _alert(
        name="GpuFabricUnhealthy",
        severity="critical",
        action="reset",
        # 0 not supported, 1 healthy, 2 unhealthy, 3 limited
        asks=f"max by ({_GPU}) (<fabric_health>) > 1",
        summary=_PLACE + ": the NVLink fabric is unhealthy",
        meaning="The GPU is not, or not wholly, part of the NVLink fabric: collectives fail or crawl.",
        look=("`nvidia-smi -q -i GPU`: fabric", "`systemctl status nvidia-fabricmanager` or nvidia-imex"),
        cure=_RESET,
    ),
    _alert(
        name="GpuNeedsReset",
        severity="critical",
        action="reset",
        # 1 reset, 3 drain P2P, 4 drain and reset
        asks=f"max by ({_GPU}) ((<gpu_recovery_action> == 1) or (<gpu_recovery_action> > 2)) > 0",
        summary=_PLACE + ": the driver asks for a reset",
        meaning="The driver itself says that the GPU has to be reset, as XID 154 does.",
        look=("`nvidia-smi --query-gpu=index,gpu_recovery_action --format=csv`",),
        cure=_RESET,
        for_s=2 * MINUTE,
    ),
    _alert(
        name="GpuNeedsReboot",
        severity="critical",
        action="reboot",
        asks=f"max by ({_GPU}) (<gpu_recovery_action>) == 2",
        summary=_PLACE + ": the driver asks for a reboot",
        meaning="The driver itself says that the node has to be rebooted, as XID 154 does.",
        look=("`nvidia-smi --query-gpu=index,gpu_recovery_action --format=csv`",),
        cure="Drain the node and reboot it.",
        for_s=2 * MINUTE,
    ),
)
