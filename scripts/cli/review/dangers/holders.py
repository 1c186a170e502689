"""Find the resources that run nodes in a template, their numbers of nodes, and the sources of instances."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from config.review.capacity import METADATA_KEY
from scripts.cli.review.symbols import shown, symbols_in

Properties: TypeAlias = Mapping[str, Any]
CLUSTER = "AWS::SageMaker::Cluster"
NODE_GROUP = "AWS::EKS::Nodegroup"
COMPUTE_GROUP = "AWS::PCS::ComputeNodeGroup"
_TEMPLATE = "AWS::EC2::LaunchTemplate"


@dataclass(frozen=True)
class Source:
    """The source of instances: a reservation (its ID or ARN), or on-demand instance types."""

    names: tuple[str, ...]
    reserved: bool

    @property
    def name(self) -> str:
        """Return the reservation, or the possible instance types."""
        return " or ".join(self.names)


@dataclass(frozen=True)
class Nodes:
    """The nodes of one group. `surge` is the maximum number of additional nodes during a rolling update."""

    logical_id: str
    group: str
    source: Source
    count: int
    surge: int = 0


@dataclass(frozen=True)
class Side:
    """The types, evaluated properties and declarations of one template's resources, by logical id."""

    kinds: Mapping[str, str]
    properties: Mapping[str, Properties]
    declared: Mapping[str, Mapping[str, Any]]

    def nodes(self) -> Iterator[Nodes]:
        """Yield every node group of the template."""
        for logical_id, properties in self.properties.items():
            read = _READERS.get(self.kinds[logical_id])
            if read is not None:
                yield from read(self, logical_id, properties)

    def launch_data(self, reference: Any) -> Mapping[str, Any]:
        """Return the data of a group's launch template; empty if the stack's template does not contain it."""
        for name in symbols_in(reference):
            found = name.split(".", 1)[0]
            if self.kinds.get(found) == _TEMPLATE and found in self.properties:
                data = self.properties[found].get("LaunchTemplateData")
                return data if isinstance(data, dict) else {}
        return {}

    def reserved(self) -> dict[str, int]:
        """Return the number of instances of each reservation that the template declares, by ID or ARN."""
        known: dict[str, int] = {}
        for declared in self.declared.values():
            metadata = (declared.get("Metadata") or {}).get(METADATA_KEY)
            if isinstance(metadata, dict):
                known |= {str(k): n for k, n in metadata.items() if isinstance(n, int)}
        return known


def _cluster(side: Side, logical_id: str, properties: Properties) -> Iterator[Nodes]:
    for listed in ("InstanceGroups", "RestrictedInstanceGroups"):
        for group in _mappings(properties.get(listed)):
            plan = group.get("TrainingPlanArn")
            source = (
                Source((shown(plan),), True) if isinstance(plan, str) else _on_demand(_cluster_type(group))
            )
            yield Nodes(
                logical_id, str(group.get("InstanceGroupName")), source, _number(group.get("InstanceCount"))
            )


def _cluster_type(group: Mapping[str, Any]) -> Any:
    several = (group.get("InstanceRequirements") or {}).get("InstanceTypes")
    return group.get("InstanceType") or several


def _node_group(side: Side, logical_id: str, properties: Properties) -> Iterator[Nodes]:
    scaling = properties.get("ScalingConfig") or {}
    wanted = _number(scaling.get("DesiredSize", scaling.get("MinSize")))
    template = side.launch_data(properties.get("LaunchTemplate"))
    source = _of_template(template) or _on_demand(
        properties.get("InstanceTypes") or template.get("InstanceType")
    )
    yield Nodes(logical_id, logical_id, source, wanted, _surge(properties, wanted))


def _surge(properties: Properties, wanted: int) -> int:
    """Return the number of nodes that a rolling update adds before it removes nodes; 0 for MINIMAL.

    https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html: up to twice the number
    of zones, or the maximum number of unavailable nodes if that is larger.
    """
    update = properties.get("UpdateConfig") or {}
    if update.get("UpdateStrategy") == "MINIMAL" or wanted == 0:
        return 0
    percentage = _number(update.get("MaxUnavailablePercentage"))
    unavailable = _number(update.get("MaxUnavailable")) or -(-wanted * percentage // 100) or 1
    subnets = properties.get("Subnets")
    return max(2 * len(subnets) if isinstance(subnets, list) else 2, unavailable)


def _compute_group(side: Side, logical_id: str, properties: Properties) -> Iterator[Nodes]:
    scaling = properties.get("ScalingConfiguration") or {}
    types = [config.get("InstanceType") for config in _mappings(properties.get("InstanceConfigs"))]
    template = side.launch_data(properties.get("CustomLaunchTemplate"))
    source = _of_template(template) or _on_demand(types)
    yield Nodes(logical_id, logical_id, source, _number(scaling.get("MaxInstanceCount")))


def pools(sources: Iterable[Source]) -> dict[Source, Source]:
    """Return the pool of each source; all on-demand types that one group accepts belong to one pool.

    A group that accepts p5e and p5en can use the same instances as a group that accepts only p5e.
    """
    pooled: dict[Source, Source] = {}
    for source in sources:
        beside = [] if source.reserved else [p for p in set(pooled.values()) if _share(p, source)]
        joined = Source(
            tuple(sorted({*source.names, *(n for p in beside for n in p.names)})), source.reserved
        )
        pooled |= {known: joined for known, pool in pooled.items() if pool in beside}
        pooled[source] = joined
    return pooled


def _share(one: Source, other: Source) -> bool:
    return not one.reserved and not set(one.names).isdisjoint(other.names)


def _of_template(data: Mapping[str, Any]) -> Source | None:
    target = (data.get("CapacityReservationSpecification") or {}).get("CapacityReservationTarget") or {}
    named = target.get("CapacityReservationId") or target.get("CapacityReservationResourceGroupArn")
    return Source((shown(named),), True) if isinstance(named, str) else None


def _on_demand(types: Any) -> Source:
    named = types if isinstance(types, list) else [types]
    return Source(tuple(sorted({str(shown(t)) for t in named if t})) or ("instances",), False)


def _mappings(items: Any) -> list[Mapping[str, Any]]:
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


_READERS: Mapping[str, Callable[[Side, str, Properties], Iterator[Nodes]]] = {
    CLUSTER: _cluster,
    NODE_GROUP: _node_group,
    COMPUTE_GROUP: _compute_group,
}
