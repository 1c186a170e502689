"""The plan of a cluster as data; the command line formats it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from config.design.capacity.groups import GroupPlan
from config.design.model import Design
from config.design.money.costs import plan_cost
from config.design.network.references import Reference, references_of
from config.design.report.calendar import CalendarReport, calendar_report
from config.design.report.costs import CostReport, costs_report
from config.design.report.deployment import DeploymentReport, deployment_report
from config.design.report.eks import EksReport, eks_report
from config.design.report.groups import GroupReport, gpu_memory_gib, group_report
from config.design.report.growth import growth_of
from config.design.report.hyperpod import HyperPodReport, hyperpod_report
from config.design.report.images import ImagesReport, images_report
from config.design.report.observability import ObservabilityReport, observability_report
from config.design.report.pcs import PcsReport, pcs_report
from config.design.report.quota_needs import quotas_report
from config.design.report.quotas import QuotaReport
from config.design.report.retained import RetainedReport, retained_of
from config.design.report.storage import StorageReport, storage_report
from config.design.storage.checkpoints import checkpoint_gb, seconds_to_move
from config.design.storage.lustre import LustrePlan
from config.records import copied

if TYPE_CHECKING:
    from config.design.report.fit import FitReport
    from config.design.report.jobs import JobsReport

VERSION: Final = 1
"""Version of the JSON plan; increases when a field changes its meaning or is removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeakReport:
    """Dense peak rates of all GPUs in PFLOPS; None if a GPU model does not support the format."""

    bf16_pflops: float | None
    fp8_pflops: float | None
    fp4_pflops: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubnetReport:
    """One subnet and its addresses."""

    name: str
    cidr: str
    zone: str
    public: bool
    addresses: int
    needed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthReport:
    """Maximum size of one group, if the rest of the profile does not change.

    `most_nodes` is the maximum size, and `because` is the reason for it. `subnet_holds` is the number of the
    group's nodes in a full subnet.
    """

    group: str
    subnet: str
    nodes: int
    subnet_holds: int
    most_nodes: int
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreReport:
    """The main Lustre file system. Capacity in GiB, None if elastic; disk baseline throughput in MB/s."""

    capacity_gib: int | None
    throughput_mbps: float
    throughput_mbps_per_tib: int | None
    efa: bool
    metadata_iops: int | None
    metadata_automatic: bool
    object_servers: int
    metadata_servers: int
    mount_path: str
    data_repositories: tuple[dict[str, Any], ...]
    checkpoint_gb: float | None
    checkpoint_seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverReport:
    """One code whose findings the profile accepts, and the reason."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReport:
    """The plan of a cluster."""

    version: Literal[1]
    profile: str
    description: str
    region: str
    zone: str
    orchestrator: str | None
    data_profile: str | None
    disposable: bool
    owns_network: bool
    owns_lustre: bool
    has_metrics: bool
    kept: tuple[RetainedReport, ...]
    nodes: int
    gpus: int
    gpu_memory_gib: float
    memory_gib: int
    peak: PeakReport
    groups: tuple[GroupReport, ...]
    pcs: PcsReport | None
    eks: EksReport | None
    jobs: JobsReport | None
    addresses: int
    subnets: tuple[SubnetReport, ...]
    growth: tuple[GrowthReport, ...]
    hyperpod: HyperPodReport | None
    closed: bool
    references: tuple[Reference, ...]
    lustre: LustreReport | None
    storage: StorageReport | None
    fit: FitReport | None
    observability: ObservabilityReport | None
    calendar: CalendarReport | None
    images: ImagesReport | None
    deployment: DeploymentReport | None
    costs: tuple[CostReport, ...]
    usd_per_hour_listed: float
    usd_per_month_listed: float
    without_listed_price: tuple[str, ...]
    billed_by_use: tuple[str, ...]
    quotas: tuple[QuotaReport, ...]
    waivers: tuple[WaiverReport, ...]

    def as_dict(self) -> dict[str, Any]:
        """The plan as JSON-ready data."""
        return asdict(self)


def report(design: Design) -> PlanReport:
    """Return the plan of a design without errors."""
    profile, groups = design.profile, design.groups
    hyperpod, cost = design.hyperpod or design.hyperpod_eks, plan_cost(design)
    return PlanReport(
        version=VERSION,
        profile=profile.name,
        description=design.summary,
        region=profile.region,
        zone=profile.zone,
        orchestrator=profile.orchestrator.kind if profile.orchestrator else None,
        data_profile=design.data_profile.name if design.data_profile else None,
        disposable=profile.disposable,
        owns_network=profile.network is not None and profile.network.kind == "new",
        owns_lustre=design.owns_lustre,
        has_metrics=bool(profile.observability and profile.observability.prometheus),
        kept=retained_of(design),
        nodes=sum(group.count for group in groups),
        gpus=sum(group.gpus for group in groups),
        gpu_memory_gib=sum(gpu_memory_gib(group) for group in groups),
        memory_gib=sum(group.count * group.instance_type.memory_gib for group in groups),
        peak=_peak(groups),
        groups=tuple(group_report(group) for group in groups),
        pcs=pcs_report(design.pcs) if design.pcs else None,
        eks=eks_report(design.eks) if design.eks else None,
        jobs=_jobs(design),
        addresses=sum(use.total for use in design.addresses.uses),
        subnets=_subnets(design),
        growth=_growth(design),
        hyperpod=hyperpod_report(hyperpod, design.profile) if hyperpod else None,
        closed=bool(design.network and design.network.closed),
        references=references_of(profile, design.data_profile),
        lustre=_lustre(design, design.lustre) if design.lustre else None,
        storage=storage_report(design),
        fit=_fit(design),
        observability=observability_report(groups, design.observability) if design.observability else None,
        calendar=calendar_report(design),
        images=images_report(design),
        deployment=deployment_report(design),
        costs=costs_report(cost),
        usd_per_hour_listed=round(cost.usd_per_hour, 4),
        usd_per_month_listed=round(cost.usd_per_month, 2),
        without_listed_price=cost.unpriced,
        billed_by_use=cost.by_use,
        quotas=quotas_report(design),
        waivers=tuple(
            WaiverReport(code=waiver.code, reason=waiver.reason.strip())
            for waiver in sorted(profile.waive, key=lambda waiver: waiver.code)
        ),
    )  # fmt: skip


def _jobs(design: Design) -> JobsReport | None:
    if design.eks is None:
        return None
    # imported only for Kubernetes, because the scheduler modules are slow to load
    from config.design.report.jobs import jobs_report

    return jobs_report(design)


def _fit(design: Design) -> FitReport | None:
    if design.profile.workload is None:
        return None
    # imported only for a profile with a workload, so that other plans start faster
    from config.design.report.fit import fit_report

    return fit_report(design)


def _peak(groups: Iterable[GroupPlan]) -> PeakReport:
    accelerated = [(group.gpus, group.instance_type.gpu.gpu) for group in groups if group.instance_type.gpu]

    def total(figures: list[tuple[int, float | None]]) -> float | None:
        known = [(count, figure) for count, figure in figures if figure is not None]
        if not known or len(known) < len(figures):
            return None
        return round(sum(count * figure for count, figure in known) / 1000, 3)

    return PeakReport(
        bf16_pflops=total([(count, gpu.bf16_tflops) for count, gpu in accelerated]),
        fp8_pflops=total([(count, gpu.fp8_tflops) for count, gpu in accelerated]),
        fp4_pflops=total([(count, gpu.fp4_tflops) for count, gpu in accelerated]),
    )


def _subnets(design: Design) -> tuple[SubnetReport, ...]:
    if design.network is None:
        return ()
    return tuple(
        copied(
            SubnetReport,
            subnet,
            addresses=subnet.usable_addresses,
            needed=design.addresses.needed(subnet.name),
        )
        for subnet in design.network.subnets
    )


def _growth(design: Design) -> tuple[GrowthReport, ...]:
    return tuple(
        copied(GrowthReport, growth, most_nodes=growth.first.nodes, because=growth.first.reason)
        for growth in growth_of(design)
    )


def _lustre(design: Design, lustre: LustrePlan) -> LustreReport:
    workload = design.profile.workload
    size = checkpoint_gb(workload.parameters, workload.bytes_per_parameter) if workload else None
    return copied(
        LustreReport,
        lustre,
        throughput_mbps=round(lustre.throughput_mbps, 1),
        data_repositories=tuple(
            {
                "path": repository.path,
                "bucket": repository.bucket or "new",
                "prefix": repository.prefix,
                "import": list(repository.import_events),
                "export": list(repository.export_events),
            }
            for repository in lustre.repositories
        ),
        checkpoint_gb=round(size, 1) if size else None,
        checkpoint_seconds=round(seconds_to_move(size, lustre.throughput_mbps), 1) if size else None,
    )
