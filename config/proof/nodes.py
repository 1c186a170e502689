"""Nodes of a group in a template, in one form for all control planes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from config.proof.artefacts import Artefacts, Found, Resource, mapping, text_of
from config.proof.model import Place
from config.proof.wanted import WantedGroup

GROUP_LABEL = "ultracluster/group"


@dataclass(frozen=True, slots=True, kw_only=True)
class Nodes:
    """The settings of a group's nodes in a template, with locations; None or empty if not set.

    `resource` launches the nodes, and `place` is the location of the group in this resource. `interfaces` are
    the listed interfaces; None if the service creates them. `security` has the security groups of each EFA
    interface; if the service creates the interfaces, those of every interface. `template` is the launch
    template, and `version` is the version that the group uses. `interface_kind` is the interface type of a
    HyperPod group. `public` is the setting that assigns public addresses to all interfaces. `entry` is the
    script that HyperPod starts.
    """

    resource: Resource
    place: Place
    types: tuple[Found, ...]
    interfaces: tuple[Found, ...] | None
    security: tuple[tuple[Found, ...], ...]
    loose_security: Found | None
    subnets: tuple[Found, ...]
    image: Found | None
    placement: Found | None
    capacity: Mapping[str, Found] = field(hash=False)
    labels: Found | None
    taints: tuple[Found, ...]
    user_data: Found | None
    bundle: Found | None
    checks: Found | None = None
    template: Resource | None = None
    version: Found | None = None
    interface_kind: Found | None = None
    public: Found | None = None
    entry: Found | None = None


def nodes_of(wanted: WantedGroup, artefacts: Artefacts) -> Nodes | None:
    """Return the nodes of a group; None if no template contains it."""
    readers = {"hyperpod": _hyperpod, "pcs": _pcs, "eks": _eks, "karpenter": _karpenter}
    return readers[wanted.launched_by](wanted, artefacts)


def _hyperpod(wanted: WantedGroup, artefacts: Artefacts) -> Nodes | None:
    for cluster in artefacts.own("AWS::SageMaker::Cluster"):
        for group in cluster.items("InstanceGroups"):
            if group.get("InstanceGroupName") == wanted.name:
                return _of_hyperpod(cluster, group)
    return None


def _of_hyperpod(cluster: Resource, group: Found) -> Nodes:
    network = group.at("OverrideVpcConfig") or cluster.at("VpcConfig")
    one = group.at("InstanceType")
    security = _items(network, "SecurityGroupIds")
    return Nodes(
        resource=cluster,
        place=group.place,
        types=group.items("InstanceRequirements", "InstanceTypes") or ((one,) if one else ()),
        interfaces=None,
        security=(security,) if security else (),
        loose_security=None,
        subnets=_items(network, "Subnets"),
        image=group.at("ImageId"),
        placement=None,
        capacity=_present(plan=group.at("TrainingPlanArn"), spot=group.at("CapacityRequirements", "Spot")),
        labels=group.at("KubernetesConfig", "Labels"),
        taints=_items(group.at("KubernetesConfig"), "Taints"),
        user_data=None,
        bundle=group.at("LifeCycleConfig", "SourceS3Uri"),
        checks=group.at("OnStartDeepHealthChecks"),
        entry=group.at("LifeCycleConfig", "OnInitComplete") or group.at("LifeCycleConfig", "OnCreate"),
        interface_kind=group.at("NetworkInterface", "InterfaceType"),
    )


def _pcs(wanted: WantedGroup, artefacts: Artefacts) -> Nodes | None:
    for group in artefacts.own("AWS::PCS::ComputeNodeGroup"):
        # the PCS name is the profile's name, shortened and with a suffix; the logical id has the full name
        if _is_named(group, wanted.name, _pcs_name):
            template = _template(artefacts, group, ("CustomLaunchTemplate", "TemplateId"))
            stage = group.at("NodeLifecycleActions", "Stages", "NodeBootstrapped", 0, "ScriptSource")
            types = tuple(f for one in group.items("InstanceConfigs") if (f := one.at("InstanceType")))
            return _launched(
                group,
                template,
                types=types,
                subnets=group.items("SubnetIds"),
                image=group.at("AmiId"),
                capacity=_present(purchase=group.at("PurchaseOption")),
                bundle=stage.at("ScriptLocation") if stage else None,
            )
    return None


def _pcs_name(group: Resource) -> str:
    return re.sub(r"-[0-9a-f]{6}$", "", text_of(group.get("Name", "")))


def _eks(wanted: WantedGroup, artefacts: Artefacts) -> Nodes | None:
    for group in artefacts.own("AWS::EKS::Nodegroup"):
        if _is_named(group, wanted.name, _eks_name):
            template = _template(artefacts, group, ("LaunchTemplate", "Id"))
            of_template = template.at("LaunchTemplateData", "InstanceType") if template else None
            declared = (*group.items("InstanceTypes"), *((of_template,) if of_template else ()))
            return _launched(
                group,
                template,
                types=declared,
                subnets=group.items("Subnets"),
                image=group.at("AmiType"),
                capacity=_present(purchase=group.at("CapacityType")),
            )
    return None


def _eks_name(group: Resource) -> str:
    return re.sub(r"-[0-9a-f]{6,8}$", "", text_of(group.get("NodegroupName", "")))


def _is_named(group: Resource, name: str, own: Any) -> bool:
    labels = group.get("Labels")
    if isinstance(labels, Mapping):
        return labels.get(GROUP_LABEL) == name or (GROUP_LABEL not in labels and own(group) == name)
    shown = own(group)
    return shown == name or (len(shown) > 0 and name.startswith(shown) and _logical(name) in group.name)


def _logical(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "", name)


def _launched(
    group: Resource,
    template: Resource | None,
    *,
    types: tuple[Found, ...],
    subnets: tuple[Found, ...],
    image: Found | None,
    capacity: Mapping[str, Found],
    bundle: Found | None = None,
) -> Nodes:
    """Return the nodes of a launch template; if it is missing, they have no interfaces."""
    data = template.at("LaunchTemplateData") if template else None
    interfaces = _items(data, "NetworkInterfaces")
    user_data = data.at("UserData") if data else None
    reserved = data.at("CapacityReservationSpecification") if data else None
    return Nodes(
        resource=group,
        place=group.properties.place,
        types=types,
        interfaces=interfaces,
        security=tuple(one.items("Groups") for one in _with_efa(interfaces)),
        loose_security=(data.at("SecurityGroupIds") or data.at("SecurityGroups")) if data else None,
        subnets=subnets,
        image=(data.at("ImageId") if data else None) or image,
        placement=data.at("Placement") if data else None,
        capacity={
            **capacity,
            **_present(
                market=data.at("InstanceMarketOptions", "MarketType") if data else None,
                reservation=reserved.at("CapacityReservationTarget") if reserved else None,
                preference=reserved.at("CapacityReservationPreference") if reserved else None,
            ),
        },
        labels=group.at("Labels"),
        taints=group.items("Taints"),
        user_data=user_data,
        bundle=bundle or user_data,
        template=template,
        version=group.at("LaunchTemplate", "Version") or group.at("CustomLaunchTemplate", "Version"),
    )


def _karpenter(wanted: WantedGroup, artefacts: Artefacts) -> Nodes | None:
    pool = _object(artefacts, "NodePool", wanted.name)
    template = pool[1].at("spec", "template") if pool else None
    named = template.at("spec", "nodeClassRef", "name") if template else None
    found = _object(artefacts, "EC2NodeClass", named.value) if named else None
    spec = found[1].at("spec") if found else None
    if template is None or found is None or spec is None:
        return None
    resource, node_class = found
    interfaces = tuple(_as_ec2(one) for one in _items(spec, "networkInterfaces"))
    security = tuple(f for one in _items(spec, "securityGroupSelectorTerms") if (f := one.at("id")))
    images = _items(spec, "amiSelectorTerms")
    alone = images[0] if len(images) == 1 else None
    requirements = template.at("spec", "requirements")
    return Nodes(
        resource=resource,
        place=node_class.place,
        types=tuple(_required(requirements, "node.kubernetes.io/instance-type")),
        interfaces=interfaces,
        security=tuple(security for _ in _with_efa(interfaces)),
        loose_security=None,
        # a term with tags selects all subnets with these tags
        subnets=tuple(one.at("id") or one for one in _items(spec, "subnetSelectorTerms")),
        image=(alone.at("alias") or alone.at("id")) if alone else spec.at("amiSelectorTerms"),
        placement=spec.at("placementGroupSelector"),
        capacity=_present(
            reservation=_only(spec.at("capacityReservationSelectorTerms")),
            types=_required_list(requirements, "karpenter.sh/capacity-type"),
        ),
        labels=template.at("metadata", "labels"),
        taints=_items(template.at("spec"), "taints"),
        user_data=spec.at("userData"),
        bundle=spec.at("userData"),
        public=spec.at("associatePublicIPAddress"),
    )


def _object(artefacts: Artefacts, kind: str, name: Any) -> tuple[Resource, Found] | None:
    """Return a Kubernetes object by name, with the resource that contains it; None if it does not exist."""
    listed = artefacts.objects(kind)
    return next((one for one in listed if mapping(one[1].get("metadata")).get("name") == name), None)


def _only(terms: Found | None) -> Found | None:
    """Return the term of a list with one term. If a list has several terms, return the list: all are used."""
    listed = terms.items() if terms else ()
    return listed[0] if len(listed) == 1 else terms if listed else None


def _with_efa(interfaces: Sequence[Found]) -> Sequence[Found]:
    """Return the EFA interfaces; all interfaces if none has EFA, which another link reports."""
    return [one for one in interfaces if one.get("InterfaceType") != "interface"] or interfaces


def _as_ec2(interface: Found) -> Found:
    """Return an interface with EC2's key names, at the same location."""
    properties = {
        "NetworkCardIndex": interface.get("networkCardIndex"),
        "DeviceIndex": interface.get("deviceIndex"),
        "InterfaceType": interface.get("interfaceType"),
    }
    return Found(properties, interface.place)


def _required(requirements: Found | None, key: str) -> Iterator[Found]:
    values = _required_list(requirements, key)
    yield from values.items() if values else ()


def _required_list(requirements: Found | None, key: str) -> Found | None:
    """Return the values of the requirement of a key with the operator `In`; None if it does not exist."""
    for one in requirements.items() if requirements else ():
        if one.get("key") == key and one.get("operator") == "In":
            return one.at("values")
    return None


def _template(artefacts: Artefacts, group: Resource, keys: Sequence[str]) -> Resource | None:
    """Return the launch template that a group names; None if it is not in the template."""
    named = group.at(*keys)
    found = artefacts.named(artefacts.target(named.value, group.stack)) if named else None
    return found if found and found.kind == "AWS::EC2::LaunchTemplate" else None


def _items(found: Found | None, key: str) -> tuple[Found, ...]:
    return found.items(key) if found else ()


def _present(**found: Found | None) -> dict[str, Found]:
    return {name: value for name, value in found.items() if value is not None}
