"""The service quotas that the stack of a profile needs, with their names in Service Quotas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from config.catalog import catalog
from config.catalog.capacity.quotas import ServiceQuota, service_quotas
from config.design.model import Design
from config.design.money.services import new_buckets
from config.design.report.quotas import QuotaReport
from config.design.storage.lustre import LustrePlan
from config.profile.kubernetes.hyperpod_eks import HyperPodEks
from config.profile.network import NewNetwork
from config.profile.observability.metrics import ManagedGrafana, ManagedPrometheus

_OF_CONTROL_PLANES = ("EKS control plane", "PCS controller")
_CLASSES = {"p": "p", "g": "g"}
"""First letter of an instance type -> name of its vCPU quota; all other letters have the standard quota."""


def quotas_of(design: Design) -> tuple[QuotaReport, ...]:
    """Return every quota that the profile's stack uses, in the order of the catalogue."""
    order = list(service_quotas().rows)
    found = [need for part in _PARTS for need in part(design)]
    return tuple(need for _, need in sorted(found, key=lambda one: (order.index(one[0]), one[1].name)))


def quotas_report(design: Design) -> tuple[QuotaReport, ...]:
    """Return every quota that the profile's stack uses, those above their default first."""
    ranks = {True: 0, None: 1, False: 2}
    return tuple(sorted(quotas_of(design), key=lambda need: ranks[need.above_default]))


Found = tuple[str, QuotaReport]
"""A quota's key in the catalogue, and the report of this quota."""


def _need(
    key: str, needed: float, because: str, *, ml_type: str | None = None, default: float | None = None
) -> Found:
    row = service_quotas().rows[key]
    default = row.default if default is None else default
    return key, QuotaReport(
        service=row.service,
        name=row.name.format(type=ml_type),
        code=_code(row, ml_type),
        needed=needed,
        unit=row.unit,
        default=default,
        above_default=None if default is None else needed > default,
        per=row.per,
        because=because,
        source=catalog().sources[row.sources[0]],
    )


def _code(row: ServiceQuota, ml_type: str | None) -> str | None:
    if row.key == "sagemaker.instances" and ml_type is not None:
        return service_quotas().codes_of_cluster_usage.get(ml_type)
    return row.code


def _machines(design: Design) -> Iterator[Found]:
    """Yield the vCPU quotas of EC2 instances; HyperPod instances do not use the quotas of the account."""
    if design.hyperpod is not None or design.hyperpod_eks is not None:
        return
    vcpus: Counter[str] = Counter()
    names: dict[str, list[str]] = {}
    for group in design.groups:
        sold = group.purchase.ec2_quota
        if sold is not None and group.count:
            key = f"ec2.{sold}.{_CLASSES.get(group.instance_type.name[0], 'standard')}"
            vcpus[key] += group.count * group.instance_type.vcpus
            names.setdefault(key, []).append(f"{group.count:,} x {group.instance_type.name}")
    for key, needed in vcpus.items():
        yield _need(key, needed, ", ".join(names[key]))


def _hyperpod(design: Design) -> Iterator[Found]:
    plan = design.hyperpod or design.hyperpod_eks
    if plan is None:
        return
    counts: Counter[tuple[str, str]] = Counter()
    because: dict[tuple[str, str], list[str]] = {}
    grown = _grown(design)
    for group in design.groups:
        count = group.count or grown.get(group.name, 0)
        for kind in group.types if count else ():
            at = (group.purchase.hyperpod_quota, f"ml.{kind.name}")
            counts[at] += count
            may = "" if kind is group.instance_type else ", as an alternative type"
            may += "" if group.count else ", which scales up from 0 nodes"
            because.setdefault(at, []).append(f"group {group.name}{may}")
    for (key, ml_type), needed in counts.items():
        yield _need(key, needed, ", ".join(because[key, ml_type]), ml_type=ml_type)
    nodes = sum(group.count for group in design.groups) + max(grown.values(), default=0)
    if nodes:
        yield _need("sagemaker.cluster", nodes, "all nodes of the cluster")
        yield _need(
            "sagemaker.all", nodes, "all nodes of the cluster; the nodes of other clusters also count"
        )
        largest = max(design.groups, key=lambda group: group.volume_gib if group.count else 0)
        yield _need("sagemaker.volume", largest.volume_gib, f"the volume of a node in group {largest.name}")


def _grown(design: Design) -> dict[str, int]:
    """Return the maximum nodes of groups that HyperPod scales up from 0; 1 if there is no GPU limit."""
    plane = design.profile.orchestrator
    if not isinstance(plane, HyperPodEks) or plane.autoscaling is None:
        return {}
    found = {}
    for group in design.groups:
        if group.name in plane.autoscaling.groups and not group.count:
            gpus = group.instance_type.gpu.count if group.instance_type.gpu else 0
            most = plane.autoscaling.max_gpus
            found[group.name] = max(1, most // gpus) if most and gpus else 1
    return found


def _network(design: Design) -> Iterator[Found]:
    network = design.network
    if network is None:
        return
    if isinstance(design.profile.network, NewNetwork):
        yield _need("vpc.vpcs", 1, "the cluster's VPC")
        yield _need("vpc.subnets", len(network.subnets), "the cluster's subnets")
        yield _need("vpc.gateway-endpoints", 1 + int(network.s3_express_endpoint), "the route to S3")
        if network.nat_subnet:
            yield _need("vpc.internet-gateways", 1, "internet access of the VPC")
            yield _need("vpc.nat-gateways", 1, "internet access of the private subnets")
            yield _need("ec2.addresses", 1, "the NAT gateway's address")
        if network.interface_endpoints:
            yield _need(
                "vpc.interface-endpoints",
                len(network.interface_endpoints),
                "a network without internet access",
            )
    if interfaces := _interfaces(design):
        yield _need("vpc.network-interfaces", interfaces, _because_interfaces(design))


def _interfaces(design: Design) -> int:
    """Return the number of interfaces: nodes, servers, endpoints, gateway, database and control plane."""
    network = design.network
    found = sum(group.count * group.interfaces_per_node for group in design.groups)
    found += sum(system.addresses for system in _made(design))
    found += design.home.addresses if design.home and design.owns_home else 0
    found += sum(use.count for use in design.addresses.uses if use.consumer in _OF_CONTROL_PLANES)
    accounting = design.hyperpod.accounting if design.hyperpod else None
    found += accounting.instances if accounting else 0
    if network is not None and isinstance(design.profile.network, NewNetwork):
        found += int(network.nat_subnet is not None)
        found += len(network.interface_endpoints) * len(network.endpoint_subnets)
    return found


def _because_interfaces(design: Design) -> str:
    each = [
        f"{group.count:,} x {group.interfaces_per_node} interfaces in group {group.name}"
        for group in design.groups
        if group.count
    ]
    more = "; the VPC CNI attaches more interfaces when pods start" if design.eks is not None else ""
    return ", ".join([*each, "and the interfaces of services"] if each else ["interfaces of services"]) + more


def _made(design: Design) -> list[LustrePlan]:
    return [system for system in design.own_file_systems if system.existing is None]


def _file_systems(design: Design) -> Iterator[Found]:
    kinds: dict[str, list[LustrePlan]] = {}
    for system in _made(design):
        kinds.setdefault(
            system.kind.deployment.replace("scratch-1", "scratch").replace("scratch-2", "scratch"), []
        ).append(system)
    for kind, systems in kinds.items():
        names = ", ".join(system.name for system in systems)
        yield _need(f"fsx.{kind}.file-systems", len(systems), names)
        sized = [one for one in systems if one.capacity_gib and one.kind.storage != "hdd"]
        if sized:
            needed = sum(one.capacity_gib or 0 for one in sized)
            yield _need(f"fsx.{kind}.storage", needed, ", ".join(one.name for one in sized))
    for system in _made(design):
        if system.kind.storage == "hdd":
            yield _need("fsx.hdd.storage", system.capacity_gib or 0, system.name)
    yield from _elastic([system for system in _made(design) if system.elastic])


def _elastic(systems: list[LustrePlan]) -> Iterator[Found]:
    if not systems:
        return
    names = ", ".join(system.name for system in systems)
    yield _need(
        "fsx.intelligent-tiering.throughput", sum(system.throughput_mbps for system in systems), names
    )
    caches = [one.settings.read_cache for one in systems if one.settings and one.settings.read_cache]
    if needed := sum(cache.size_gib or 0 for cache in caches):
        yield _need("fsx.intelligent-tiering.cache", needed, names)


def _home(design: Design) -> Iterator[Found]:
    home, facts = design.home, catalog().openzfs
    if home is None or home.deployment is None or not design.owns_home:
        return
    gib = home.capacity_gib or 0
    yield _need("fsx.openzfs.file-systems", 1, "home directories")
    here = facts.account_quota_gib(design.profile.region)
    yield _need("fsx.openzfs.storage", gib, "home directories", default=here)
    yield _need("fsx.openzfs.throughput", home.throughput_mbps or 0, "home directories")
    iops = facts.automatic_iops(gib, home.deployment.deployment_type)
    yield _need("fsx.openzfs.iops", iops, "home directories")


def _buckets(design: Design) -> Iterator[Found]:
    if count := new_buckets(design):
        yield _need("s3.buckets", count, "data buckets and one access log bucket")
    if design.owns_express:
        yield _need("s3.directory-buckets", 1, "S3 Express One Zone")


def _control_plane(design: Design) -> Iterator[Found]:
    if design.eks is not None:
        yield _need("eks.clusters", 1, "the cluster")
        if groups := design.eks.groups:
            yield _need("eks.node-groups", len(groups), "groups of the profile")
            largest = max(groups, key=lambda one: one.max_size)
            yield _need("eks.nodes", largest.max_size, f"group {largest.group.name}")
    if design.pcs is not None:
        yield _need("pcs.clusters", 1, "the cluster")
        yield _need("pcs.groups", len(design.pcs.groups), "groups of the profile")
        yield _need("pcs.queues", len(design.pcs.queues), "queues of the profile")


def _metrics(design: Design) -> Iterator[Found]:
    wanted, plan = design.profile.observability, design.observability
    if wanted is None:
        return
    if plan is not None and isinstance(wanted.prometheus, ManagedPrometheus):
        from config.design.observability.series import series_of

        yield _need("aps.workspaces", 1, "the cluster's metrics")
        if series := series_of(design.groups, plan):
            yield _need("aps.series", series, "an estimate of the nodes' series, without the series of pods")
        if rules := sum(len(group.rules) for group in plan.alerts.groups):
            yield _need("aps.rules", rules, "alerting rules and recording rules")
    if isinstance(wanted.grafana, ManagedGrafana):
        yield _need("grafana.workspaces", 1, "the dashboards")


def _stack(design: Design) -> Iterator[Found]:
    yield _need("cloudformation.stacks", 1, f"the stack {design.profile.name}")


_PARTS = (
    _machines, _hyperpod, _network, _file_systems, _home, _buckets, _control_plane, _metrics, _stack,
)  # fmt: skip
