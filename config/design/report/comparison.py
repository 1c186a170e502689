"""Comparison of several clusters by the values that matter for the choice of an instance type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from config.design.capacity.groups import GroupPlan
from config.design.model import Design
from config.design.money.costs import plan_cost
from config.design.money.machines import Cost, CostLine
from config.design.report.plan import PlanReport, report
from config.records import copied

Better = Literal["more", "less"]
Value = float | str | None
"""A number, a text, or None if the value is not known."""

NOT_LISTED = "not listed"
DOES_NOT_FIT = "does not fit"
_USD = "USD/h"
_OF_A_RUN = "fit_"
_OF_THE_SPLIT_OR_STORAGE = {
    "parallelism", "sharding", "activation_recomputation", "micro_batch", "bytes_per_parameter",
    "kept_checkpoints", "datasets_gib", "checkpoint_target_s", "checkpoint_interval_s", "mtbf_hours",
}  # fmt: skip
"""Workload keys that do not change the model or the batches of a training run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One row: the values in the order of the clusters, and whether each value is the best of the row.

    `better` is None if neither more nor less is better. A row has no best value if all values are equal, or
    only one is known. Prices of different purchase options, and values of different models, also have no best
    value.
    """

    key: str
    label: str
    unit: str
    better: Better | None
    values: tuple[Value, ...]
    best: tuple[bool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Clusters by name, and the rows in which at least one cluster has a value."""

    profiles: tuple[str, ...]
    figures: tuple[Figure, ...]

    def as_dict(self) -> dict[str, Any]:
        """The comparison as JSON-ready data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Compared:
    design: Design
    plan: PlanReport
    cost: Cost

    @property
    def with_gpus(self) -> list[GroupPlan]:
        """The groups that have GPUs."""
        return [group for group in self.design.groups if group.gpus]

    @property
    def main(self) -> GroupPlan | None:
        """The group with the most GPUs; None without GPUs."""
        return max(self.with_gpus, key=lambda group: group.gpus, default=None)

    @property
    def usd_per_hour(self) -> float | None:
        """USD per hour of all instances; None if the price of one of them is not listed."""
        machines = [line for line in self.cost.lines if line.capacity is not None and line.count]
        usd = [line.usd_per_hour for line in machines]
        listed = [one for one in usd if one is not None]
        return sum(listed) if listed and len(listed) == len(usd) else None


@dataclass(frozen=True, slots=True)
class _Row:
    key: str
    label: str
    unit: str
    better: Better | None
    value: Callable[[_Compared], Value]
    missing: Value = None


def compare(designs: Sequence[Design], names: Sequence[str] | None = None) -> Comparison:
    """Compare several designs without errors; `names` replaces the profile names if they are not unique."""
    compared = [_Compared(design, report(design), plan_cost(design)) for design in designs]
    alike = len({basis for one in compared if (basis := _basis(one))}) <= 1
    models = [_trained(one) for one in compared if one.design.profile.workload is not None]
    one_model = all(model == models[0] for model in models)
    figures = (
        _figure(
            row,
            [row.value(one) for one in compared],
            judged=one_model if row.key.startswith(_OF_A_RUN) else alike or row.unit != _USD,
        )
        for row in _ROWS
    )
    return Comparison(
        profiles=tuple(names or (design.profile.name for design in designs)),
        figures=tuple(figure for figure in figures if figure is not None),
    )


def _trained(one: _Compared) -> dict[str, Any]:
    """Return the keys that identify the model; bounds of different models are not comparable."""
    workload = one.design.profile.workload
    return workload.model_dump(exclude=_OF_THE_SPLIT_OR_STORAGE) if workload else {}


def _figure(row: _Row, values: list[Value], *, judged: bool) -> Figure | None:
    if all(value is None for value in values) and row.missing is None:
        return None
    return copied(
        Figure,
        row,
        values=tuple(row.missing if value is None else value for value in values),
        best=best_of(values, row.better if judged else None),
    )


def best_of(values: Sequence[Value], better: Better | None) -> tuple[bool, ...]:
    """Return for each value whether it is the best of its row; all are False if the row has no best value."""
    known = [value for value in values if isinstance(value, int | float)]
    if better is None or len(set(known)) <= 1:
        return (False,) * len(values)
    best = max(known) if better == "more" else min(known)
    return tuple(value == best for value in values)


def _machines(one: _Compared) -> Value:
    """Return the number of instances of each GPU type."""
    counts = Counter[str]()
    for group in one.with_gpus:
        counts[group.instance_type.name] += group.count
    return ", ".join(f"{count} x {name}" for name, count in counts.most_common()) or None


def _gpu(one: _Compared) -> Value:
    return one.main.instance_type.gpu.gpu.model if one.main and one.main.instance_type.gpu else None


def _hbm(one: _Compared) -> Value:
    """Return the memory bandwidth of all GPUs in TB/s; None if the bandwidth of any GPU is not known."""
    gpus = [(group.gpus, group.instance_type.gpu.gpu.hbm_tb_per_s) for group in one.design.groups
            if group.instance_type.gpu]  # fmt: skip
    known = [count * each for count, each in gpus if each is not None]
    return round(sum(known), 1) if known and len(known) == len(gpus) else None


def _efa_of_a_gpu(one: _Compared) -> Value:
    group = one.main
    return round(group.efa_gbps / (group.gpus / group.count), 1) if group and group.efa_gbps else None


def _memory_of_a_gpu(one: _Compared) -> Value:
    gpu = one.main.instance_type.gpu if one.main else None
    return gpu.memory_gib / gpu.count if gpu else None


def _storage(one: _Compared) -> Value:
    return round(one.plan.lustre.throughput_mbps / 1000, 2) if one.plan.lustre else None


def _capacity(one: _Compared) -> Value:
    lustre = one.plan.lustre
    return round(lustre.capacity_gib / 1024, 1) if lustre and lustre.capacity_gib else None


def _price_of(one: _Compared) -> Value:
    basis, regions = _basis(one), dict.fromkeys(line.region or "" for line in _lines(one))
    return f"{', '.join(basis)}, {', '.join(regions)}" if basis and one.usd_per_hour is not None else None


def _basis(one: _Compared) -> tuple[str, ...]:
    """Return purchase options and sellers of GPU instances; only prices with the same ones are comparable."""
    lines = _lines(one)
    if not lines or any(line.usd_per_hour is None for line in lines):
        return ()
    return tuple(dict.fromkeys((*(line.capacity or "" for line in lines), *map(_seller, lines))))


def _seller(line: CostLine) -> str:
    stands_in = line.service == "Amazon SageMaker" and "SageMaker" in line.note and "EC2" in line.note
    return "EC2 price for SageMaker" if stands_in else line.service.removeprefix("Amazon ")


def _lines(one: _Compared) -> list[CostLine]:
    """Return the prices of the GPU groups, largest group first."""
    prices = {line.item.partition(":")[0]: line for line in one.cost.lines}
    groups = sorted(one.with_gpus, key=lambda group: -group.gpus)
    return [prices[group.name] for group in groups if group.name in prices]


def _model(one: _Compared) -> Value:
    workload = one.design.profile.workload
    if workload is None:
        return None
    active = workload.active_parameters
    return f"{workload.parameters / 1e9:,.4g}B" + (f" ({active / 1e9:,.4g}B active)" if active else "")


def _per(one: _Compared, by: float | None) -> Value:
    usd = one.usd_per_hour
    return round(usd / by, 4) if usd is not None and by else None


def _fit(read: Callable[[Any], Value]) -> Callable[[_Compared], Value]:
    """Return a function that reads one value of the fit, or None if there is no workload or no split."""

    def value(one: _Compared) -> Value:
        fit = getattr(one.plan, "fit", None)
        return read(fit) if fit is not None and fit.splits else None

    return value


def _split(fit: Any) -> Value:
    best = fit.splits[0]
    sizes = (("TP", best.tensor), ("PP", best.pipeline), ("CP", best.context), ("EP", best.expert))
    parts = [f"{name} {size}" for name, size in (*sizes, ("DP", best.data)) if size > 1]
    return ", ".join(parts) or "one GPU"


def _of_step(name: str, otherwise: Value = None) -> Callable[[Any], Value]:
    """Return a function that reads one value of the best split, or `otherwise` if the model does not fit."""

    def value(fit: Any) -> Value:
        if not fit.fitting:
            return otherwise
        return getattr(fit.splits[0].step, name) if fit.splits[0].step is not None else None

    return value


_ROWS = (
    _Row("control_plane", "control plane", "", None, lambda one: one.plan.orchestrator),
    _Row("region", "Region", "", None, lambda one: one.plan.region),
    _Row("machines", "instances", "", None, _machines),
    _Row("gpu", "GPU", "", None, _gpu),
    _Row("nodes", "nodes", "", None, lambda one: one.plan.nodes),
    _Row("gpus", "GPUs", "", "more", lambda one: one.plan.gpus),
    _Row("nvlink_domain_gpus", "NVLink domain", "GPUs", "more",
         lambda one: one.main.nvlink_domain_gpus if one.main else None),
    _Row("gpu_memory_gib_each", "memory per GPU", "GiB", "more", _memory_of_a_gpu),
    _Row("gpu_memory_gib", "GPU memory", "GiB", "more", lambda one: one.plan.gpu_memory_gib or None),
    _Row("hbm_tb_per_s", "HBM", "TB/s", "more", _hbm),
    _Row("bf16_pflops", "peak BF16", "PFLOPS", "more", lambda one: one.plan.peak.bf16_pflops),
    _Row("fp8_pflops", "peak FP8", "PFLOPS", "more", lambda one: one.plan.peak.fp8_pflops),
    _Row("fp4_pflops", "peak FP4", "PFLOPS", "more", lambda one: one.plan.peak.fp4_pflops),
    _Row("efa_gbps", "EFA per node", "Gbps", "more",
         lambda one: (one.main.efa_gbps or None) if one.main else None),
    _Row("efa_gbps_per_gpu", "EFA per GPU", "Gbps", "more", _efa_of_a_gpu),
    _Row("lustre_gb_per_s", "Lustre writes", "GB/s", "more", _storage),
    _Row("lustre_tib", "Lustre capacity", "TiB", "more", _capacity),
    _Row("price_of", "price basis", "", None, _price_of),
    _Row("usd_per_hour", "price", _USD, "less", lambda one: one.usd_per_hour, NOT_LISTED),
    _Row("usd_per_gpu_hour", "price per GPU", _USD, "less",
         lambda one: _per(one, one.plan.gpus), NOT_LISTED),
    _Row("usd_per_bf16_pflops_hour", "price per BF16 PFLOPS", _USD, "less",
         lambda one: _per(one, one.plan.peak.bf16_pflops), NOT_LISTED),
    _Row("usd_per_fp8_pflops_hour", "price per FP8 PFLOPS", _USD, "less",
         lambda one: _per(one, one.plan.peak.fp8_pflops), NOT_LISTED),
    _Row("model", "model", "", None, _model),
    _Row("fit_fitting", "splits that fit", "", None, _fit(lambda fit: fit.fitting)),
    _Row("fit_split", "best split", "", None, _fit(_split)),
    _Row("fit_memory_gib", "model memory per GPU", "GiB", None,
         _fit(lambda fit: fit.splits[0].memory.total_gib)),
    _Row("fit_tokens_per_s", "max. tokens", "1/s", "more", _fit(_of_step("tokens_per_s", DOES_NOT_FIT))),
    _Row("fit_bottleneck", "limited by", "", None, _fit(_of_step("bottleneck"))),
)  # fmt: skip
