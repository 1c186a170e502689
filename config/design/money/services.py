"""Cost of the services of a stack: control plane, storage, network, metrics and keys."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.catalog.money.service_prices import ServicePrice, service_price
from config.design.capacity.groups import GroupPlan
from config.design.model import Design
from config.design.money.keys import new_keys
from config.design.money.machines import HOURS_A_MONTH, LISTED, UNLISTED, CostLine
from config.design.storage.lustre import MAIN, LustrePlan
from config.profile.kubernetes.eks import Eks
from config.profile.network import NewNetwork
from config.profile.observability.metrics import ManagedGrafana, ManagedPrometheus

_MILLION = 1_000_000
_HOURS_A_DAY = 24


def service_costs(design: Design) -> tuple[CostLine, ...]:
    """Return the cost items of resources that this profile's stack creates."""
    return (
        *_control_plane(design),
        *_volumes(design),
        *_lustre(design),
        *_home(design),
        *_objects(design),
        *_network(design),
        *_metrics(design),
        *_keys_and_logs(design),
    )


def _line(
    design: Design, item: str, key: str, quantity: float | None = None, *, service: str, count: int = 1,
    estimated: bool = False, also: str = "",
) -> CostLine:  # fmt: skip
    """Return an item at its list price; without a quantity it is usage-based."""
    price = service_price(key, design.profile.region)
    if price is None:
        return unlisted(item, service, count=count)
    by_use = quantity is None or price.billed == "use"
    elsewhere = (
        "" if price.region == design.profile.region
        else f"price in {price.region}, because the catalogue has no price for {design.profile.region}"
    )  # fmt: skip
    parts = (elsewhere, also, price.note)
    return CostLine(
        item=item,
        count=count,
        usd_per_hour=None if by_use else round(_hourly(price, quantity or 0), 6),
        as_of=price.as_of,
        source=catalog().sources.get(price.source, price.source),
        note="; ".join(part for part in parts if part) or LISTED,
        service=service,
        unit=price.unit,
        quantity=quantity,
        usd_per_unit=price.usd,
        region=price.region,
        estimated=estimated,
    )


def _hourly(price: ServicePrice, quantity: float) -> float:
    return price.cost(quantity) / (1 if price.billed == "hour" else HOURS_A_MONTH)


def unlisted(item: str, service: str, *, count: int = 1, note: str = UNLISTED) -> CostLine:
    """Return an item without a list price."""
    return CostLine(
        item=item, count=count, usd_per_hour=None, as_of=None, source="", note=note, service=service
    )


def _control_plane(design: Design) -> Iterator[CostLine]:
    if design.eks is not None:
        yield _line(design, "EKS control plane", "eks.cluster", 1, service="Amazon EKS")
    if design.pcs is not None:
        service = "AWS PCS"
        yield unlisted(f"PCS controller of size {design.pcs.size}", service)
        nodes = sum(group.count for group in design.groups)
        yield unlisted("PCS node management", service, count=nodes)
        if design.pcs.accounting:
            yield unlisted("PCS accounting", service)
    accounting = design.hyperpod.accounting if design.hyperpod else None
    if accounting is not None and accounting.new is not None:
        service, new = "Amazon Aurora", accounting.new
        yield _line(
            design, "Slurm accounting: Aurora MySQL Serverless", "aurora.acu",
            accounting.instances * new.min_acu, service=service, count=accounting.instances,
            also=f"at the minimum of {new.min_acu:g} ACU, scales up to {new.max_acu:g} ACU under load",
        )  # fmt: skip
        yield _line(design, "Slurm accounting: storage", "aurora.storage", service=service)
        yield _line(design, "Slurm accounting: secret", "secret", 1, service="AWS Secrets Manager")


def _volumes(design: Design) -> Iterator[CostLine]:
    """Yield the root volumes of nodes; HyperPod node volumes are in the service account."""
    groups = [plan.group for plan in (design.eks.groups if design.eks else ())]
    groups += [plan.group for plan in (design.pcs.groups if design.pcs else ())]
    for group in (*groups, *_of_karpenter(design)):
        if count := group.count:
            item, service = f"root volumes: {group.name}", "Amazon EBS"
            yield _line(design, item, "ebs.gp3", count * group.root_volume_gib, service=service, count=count)
    hyperpod = design.hyperpod or design.hyperpod_eks
    if hyperpod is not None and (nodes := sum(group.count for group in design.groups)):
        yield unlisted("HyperPod node volumes", "Amazon SageMaker", count=nodes)


def _of_karpenter(design: Design) -> list[GroupPlan]:
    """Return the groups that Karpenter launches without an EKS node group."""
    plane = design.profile.orchestrator
    if not isinstance(plane, Eks) or plane.karpenter is None:
        return []
    launched = {group.name for group in plane.karpenter.groups}
    return [group for group in design.groups if group.name in launched]


def _lustre(design: Design) -> Iterator[CostLine]:
    for system in design.own_file_systems:
        if system.existing is None:
            yield from _file_system(design, system)


def _file_system(design: Design, system: LustrePlan) -> Iterator[CostLine]:
    name = "FSx for Lustre" if system.name == MAIN else f"FSx for Lustre {system.name}"
    service, kind, settings = "Amazon FSx", system.kind, system.settings
    if system.elastic:
        key = "lustre.intelligent-tiering.throughput"
        yield _line(design, f"{name}: throughput", key, system.throughput_mbps, service=service)
        yield unlisted(f"{name}: used storage", service)
        if settings and settings.read_cache and settings.read_cache.sizing != "none":
            yield unlisted(f"{name}: read cache", service)
    elif settings and settings.drive_cache:
        yield unlisted(f"{name}: storage with an SSD cache", service)
    else:
        key = f"lustre.{kind.deployment}.{kind.storage}.{system.throughput_mbps_per_tib}"
        yield _line(design, f"{name}: storage", key, system.capacity_gib, service=service)
    above = _metadata_above(system)
    if above:
        yield _line(design, f"{name}: metadata IOPS", "lustre.metadata-iops", above, service=service)
    if settings and settings.backups:
        yield unlisted(f"{name}: backups", service)


def _metadata_above(system: LustrePlan) -> int:
    """Return the IOPS that are billed: those above the automatic value, which the capacity price includes."""
    if system.metadata_iops is None or system.metadata_automatic or system.capacity_gib is None:
        return 0
    return max(0, system.metadata_iops - catalog().lustre.automatic_metadata_iops(system.capacity_gib))


def _home(design: Design) -> Iterator[CostLine]:
    home, service = design.home, "Amazon FSx"
    if home is None or not design.owns_home or home.deployment is None:
        return
    kind = home.deployment.deployment_type.lower().replace("_", "-")
    yield _line(
        design, "FSx for OpenZFS: storage", f"openzfs.{kind}.storage", home.capacity_gib, service=service
    )
    yield _line(
        design, "FSx for OpenZFS: throughput", f"openzfs.{kind}.throughput", home.throughput_mbps,
        service=service,
    )  # fmt: skip
    if home.backups:
        yield _line(design, "FSx for OpenZFS: backups", "openzfs.backup", service=service)


def _objects(design: Design) -> Iterator[CostLine]:
    if count := new_buckets(design):
        yield _line(design, "S3 buckets", "s3.standard", service="Amazon S3", count=count)
    if design.owns_express:
        yield _line(design, "S3 Express One Zone", "s3.express", service="Amazon S3")
    if design.images is not None and (made := [one for one in design.images.repositories if one.made]):
        yield _line(design, "ECR image storage", "ecr.storage", service="Amazon ECR", count=len(made))


def new_buckets(design: Design) -> int:
    """Return the number of buckets that the stack creates: data repositories, and one for access logs."""
    made = [system for system in design.own_file_systems if system.existing is None]
    links = sum(link.bucket is None for system in made for link in system.repositories)
    return links + int(links > 0)


def _network(design: Design) -> Iterator[CostLine]:
    network, service = design.network, "Amazon VPC"
    if network is None or not isinstance(design.profile.network, NewNetwork):
        return
    if network.nat_subnet:
        yield _line(design, "NAT gateway", "nat.hour", 1, service=service)
        yield _line(design, "NAT gateway: public IPv4 address", "ipv4.hour", 1, service=service)
        yield _line(design, "NAT gateway: data processing", "nat.data", service=service)
    if network.interface_endpoints:
        count = len(network.interface_endpoints)
        placed = count * len(network.endpoint_subnets)
        yield _line(design, "interface endpoints", "endpoint.hour", placed, service=service, count=count)
        yield _line(design, "interface endpoints: data processing", "endpoint.data", service=service)


def _metrics(design: Design) -> Iterator[CostLine]:
    wanted = design.profile.observability
    if wanted is not None and isinstance(wanted.prometheus, ManagedPrometheus):
        yield from _prometheus(design)
    if wanted is not None and isinstance(wanted.grafana, ManagedGrafana):
        service = "Amazon Managed Grafana"
        yield _line(design, "Grafana: editors", "amg.editor", service=service)
        yield _line(design, "Grafana: viewers", "amg.viewer", service=service)


def _prometheus(design: Design) -> Iterator[CostLine]:
    # loads the metric tables, which only this item needs
    from config.design.observability.series import samples_a_day

    service, plan = "Amazon Managed Service for Prometheus", design.observability
    if plan is not None and plan.measured.exporters:
        millions = samples_a_day(design.groups, plan) * HOURS_A_MONTH / _HOURS_A_DAY / _MILLION
        guess = "estimated from the series of the nodes, without pods and jobs"
        yield _line(
            design,
            "Prometheus: samples",
            "amp.samples",
            millions,
            service=service,
            estimated=True,
            also=guess,
        )
        if plan.collector == "managed":
            yield _line(design, "Prometheus: collector", "amp.collector", 1, service=service)
            yield _line(
                design, "Prometheus: collected samples", "amp.collected", millions, service=service,
                estimated=True, also=guess,
            )  # fmt: skip
    yield _line(design, "Prometheus: storage", "amp.storage", service=service)
    yield _line(design, "Prometheus: queries", "amp.queries", service=service)


def _keys_and_logs(design: Design) -> Iterator[CostLine]:
    if keys := new_keys(design):
        yield _line(design, "KMS keys", "kms.key", len(keys), service="AWS KMS", count=len(keys))
    if alarms := _alarms(design):
        service = "Amazon CloudWatch"
        yield _line(design, "CloudWatch alarms", "cloudwatch.alarm", alarms, service=service, count=alarms)
    if design.profile.orchestrator is not None or isinstance(design.profile.network, NewNetwork):
        yield _line(design, "CloudWatch logs", "cloudwatch.logs", service="Amazon CloudWatch")


def _alarms(design: Design) -> int:
    plan = design.observability
    if plan is None:
        return 0
    from config.design.observability.plan import unknown_ids

    return len(plan.alarms(unknown_ids(plan.watched)).alarms)
