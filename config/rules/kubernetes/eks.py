"""What a Kubernetes control plane of Amazon EKS asks of a profile: who reaches it, who may use it, add-ons."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from difflib import get_close_matches

from config.catalog import InterfaceType, catalog
from config.catalog.files import version_parts
from config.design.model import Design
from config.profile.deployment import DEFAULT_QUALIFIER
from config.profile.kubernetes.cluster import ExistingSecretsKey, PublicEndpoint
from config.rules.kubernetes.shares import kubernetes_of
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_GUIDE = "https://docs.aws.amazon.com/eks/latest/userguide"
_KINDS = "eks hyperpod-eks"
_OLDEST = "1.33"
"""The oldest version that a layer's kubectl works with (constructs/ultracluster/kubernetes/kubectl_layer.py)."""

_DEPLOYER = r"cdk-{}-deploy-role-[0-9]{{12}}-{}"
"""The role with which CDK deploys (https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html)."""

_EVERYBODY = ipaddress.IPv4Network("0.0.0.0/0")
_PRIVATE = tuple(
    map(ipaddress.IPv4Network, ("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16"))
)
_OPENED = "`endpoint: {kind: public, cidrs: [YOUR BLOCK]}`"


@rule(
    "EKS020", NOTE, "people reach the Kubernetes API from where they are",
    why="The API of the cluster answers inside the VPC alone: kubectl works from there, from a network that is connected "
    "to it, or through a tunnel.",
    source=f"{_GUIDE}/cluster-endpoint.html", reads="orchestrator", where=_KINDS,
)  # fmt: skip
def api_is_reached(design: Design) -> Iterator[Finding]:
    """`endpoint` of a cluster whose profile does not state it."""
    kubernetes = kubernetes_of(design)
    if kubernetes is not None and "endpoint" not in kubernetes.model_fields_set:
        yield Finding(
            at=("orchestrator", "endpoint"),
            message="the Kubernetes API answers inside the VPC alone",
            hint=f"write {_OPENED} for kubectl from outside, or `endpoint: {{kind: private}}` if it is meant so",
        )


@rule(
    "EKS021", ERROR, "public blocks of the Kubernetes API are blocks of the internet",
    why="EKS refuses private blocks and blocks that are none: from inside the VPC the API is reached in any case.",
    source=f"{_GUIDE}/cluster-endpoint.html", reads="orchestrator", where=_KINDS,
)  # fmt: skip
def public_blocks_are_public(design: Design) -> Iterator[Finding]:
    """`endpoint.cidrs`."""
    for i, cidr, block in _public_blocks(design):
        at = ("orchestrator", "endpoint", "cidrs", i)
        if block is None:
            yield Finding(at=at, message=f"{cidr} is no IPv4 block", hint=_as_block(cidr))
        elif any(block.subnet_of(private) for private in _PRIVATE):
            yield Finding(
                at=at,
                message=f"{cidr} is private, and nobody on the internet has such an address",
                hint="write the public block that your network goes out with, or take it out",
            )


def _public_blocks(design: Design) -> Iterator[tuple[int, str, ipaddress.IPv4Network | None]]:
    kubernetes = kubernetes_of(design)
    if kubernetes is None or not isinstance(kubernetes.endpoint, PublicEndpoint):
        return
    for i, cidr in enumerate(kubernetes.endpoint.cidrs):
        try:
            yield i, cidr, ipaddress.IPv4Network(cidr)
        except ValueError:
            yield i, cidr, None


def _as_block(cidr: str) -> str:
    try:
        return f"write {ipaddress.IPv4Network(cidr, strict=False)}"
    except ValueError:
        return "write four numbers to 255 and a length to 32, such as 203.0.113.0/24"


@rule(
    "EKS022", WARNING, "the Kubernetes API does not answer to everybody",
    why="Only credentials are then between the internet and the cluster.",
    source=f"{_GUIDE}/cluster-endpoint.html", reads="orchestrator", where=_KINDS,
)  # fmt: skip
def api_is_not_for_everybody(design: Design) -> Iterator[Finding]:
    """0.0.0.0/0 in `endpoint.cidrs`."""
    for i, cidr, block in _public_blocks(design):
        if block == _EVERYBODY:
            yield Finding(
                at=("orchestrator", "endpoint", "cidrs", i),
                message=f"{cidr}: every address of the internet reaches the Kubernetes API",
                hint="write the blocks that your people come from",
            )


@rule(
    "EKS023", WARNING, "somebody may administer the cluster",
    why="Having made a cluster gives no rights in it: only access entries do, and without one for an administrator nobody "
    "can do anything there (HYPERPOD-34).",
    source=f"{_GUIDE}/access-entries.html", reads="orchestrator", where=_KINDS,
)  # fmt: skip
def somebody_administers(design: Design) -> Iterator[Finding]:
    """`deployer_access: false` without a cluster-admin of the whole cluster in `access`."""
    kubernetes = kubernetes_of(design)
    if kubernetes is None or kubernetes.deployer_access:
        return
    if not any(entry.policy == "cluster-admin" and not entry.namespaces for entry in kubernetes.access):
        yield Finding(
            at=("orchestrator", "deployer_access"),
            message="nobody may administer the cluster",
            hint="take `deployer_access` out, or add `{principal: ARN, policy: cluster-admin}` to `access`",
        )


@rule(
    "EKS024", ERROR, "an access entry gives something",
    why="A role or user without policy and groups gets in and may do nothing; namespaces limit a policy, and nothing else.",
    source=f"{_GUIDE}/access-policies.html", reads="orchestrator", where=_KINDS,
)  # fmt: skip
def access_gives_something(design: Design) -> Iterator[Finding]:
    """Entries of `access`."""
    kubernetes = kubernetes_of(design)
    for i, entry in enumerate(kubernetes.access if kubernetes else ()):
        at = ("orchestrator", "access", i)
        name = entry.principal.rpartition("/")[2]
        if entry.policy is None and not entry.groups:
            yield Finding(
                at=at,
                message=f"{name} gets neither a policy nor a group",
                hint="add `policy: edit`, or `groups` of your own role bindings",
            )
        elif entry.policy is None and entry.namespaces:
            yield Finding(
                at=(*at, "namespaces"),
                message=f"namespaces limit a policy, and {name} has none",
                hint="add a `policy`, or take `namespaces` out",
            )


@rule(
    "EKS039", ERROR, "an access entry is of a role or user that is there, and that has none yet",
    why="EKS takes one entry for each principal, of the partition that the cluster is in: a second one for the role with which CDK "
    "deploys, or one of another partition, fails the deployment.",
    source=f"{_GUIDE}/access-entries.html", reads="orchestrator region", where=_KINDS,
)  # fmt: skip
def principals_can_have_an_entry(design: Design) -> Iterator[Finding]:
    """`access[].principal` against the Region's partition and the deployer's own entry."""
    kubernetes, region = kubernetes_of(design), catalog().region(design.profile.region)
    for i, entry in enumerate(kubernetes.access if kubernetes else ()):
        at = ("orchestrator", "access", i, "principal")
        partition, name = entry.principal.split(":")[1], entry.principal.rpartition("/")[2]
        if region is not None and partition != region.partition:
            yield Finding(
                at=at,
                message=f"{entry.principal} is of the partition {partition}, {region.name} is of {region.partition}",
                hint=f"name a role or user of {region.partition}",
            )
        elif kubernetes and kubernetes.deployer_access and _is_deployer(name, design):
            yield Finding(
                at=at,
                message=f"{name} has an entry already: who deploys the stack administers the cluster",
                hint="take it out, or write `deployer_access: false`",
            )


def _is_deployer(role: str, design: Design) -> bool:
    deployment = design.profile.deployment
    qualifier = (deployment.qualifier if deployment else None) or DEFAULT_QUALIFIER
    return re.fullmatch(_DEPLOYER.format(qualifier, re.escape(design.profile.region)), role) is not None


@rule(
    "EKS025", ERROR, "a version is stated of an add-on that the cluster has",
    why="A version of an add-on that is not installed would be ignored.",
    source=f"{_GUIDE}/eks-add-ons.html", reads="orchestrator compute network data storage observability", where=_KINDS,
)  # fmt: skip
def versions_are_of_add_ons(design: Design) -> Iterator[Finding]:
    """Names in `addon_versions`."""
    kubernetes = kubernetes_of(design)
    if kubernetes is None or design.eks is None:
        return
    names = sorted(addon.name for addon in design.eks.contents.addons)
    for name in kubernetes.addon_versions:
        if name not in names:
            close = get_close_matches(name, names, n=1)
            start = f"did you mean {close[0]}? " if close else ""
            yield Finding(
                at=("orchestrator", "addon_versions", name),
                message=f"the cluster has no add-on {name}",
                hint=f"{start}its add-ons are {', '.join(names)}",
            )


@rule(
    "EKS026", NOTE, "the versions of add-ons are pinned",
    why="No source states a build of the add-on for this Kubernetes version, so EKS takes its default: another one in the "
    "next cluster.",
    source=f"{_GUIDE}/eks-add-ons.html", reads="orchestrator compute network data storage observability", where=_KINDS,
)  # fmt: skip
def add_ons_are_pinned(design: Design) -> Iterator[Finding]:
    """Add-ons without a version."""
    kubernetes = kubernetes_of(design)
    if kubernetes is None or design.eks is None:
        return
    loose = [addon.name for addon in design.eks.contents.addons if addon.version is None]
    if loose:
        ask = f"aws eks describe-addon-versions --kubernetes-version {kubernetes.kubernetes_version} --addon-name"
        yield Finding(
            at=("orchestrator", "addon_versions"),
            message=f"EKS chooses the version of {', '.join(loose)} under Kubernetes {kubernetes.kubernetes_version}",
            hint=f"write `addon_versions: {{{loose[0]}: VERSION}}`; `{ask} {loose[0]}` lists them",
        )


@rule(
    "EKS027", ERROR, "the VPC CNI knows the interfaces of the nodes",
    why="Before its version 1.18.4 the VPC CNI fails on nodes with efa-only interfaces, and no pod gets an address.",
    source="https://github.com/terraform-aws-modules/terraform-aws-eks/blob/master/modules/eks-managed-node-group/variables.tf",
    reads="orchestrator compute", where=_KINDS,
)  # fmt: skip
def network_add_on_knows_efa_only(design: Design) -> Iterator[Finding]:
    """`addon_versions.vpc-cni` against the layouts."""
    kubernetes, least = kubernetes_of(design), catalog().eks.addons["vpc-cni"].least
    stated = kubernetes.addon_versions.get("vpc-cni") if kubernetes else None
    if stated is None or least is None or version_parts(stated) >= version_parts(least):
        return
    layouts = [group.layout for group in design.groups if group.layout is not None]
    if any(i.interface_type is InterfaceType.EFA_ONLY for layout in layouts for i in layout.interfaces):
        yield Finding(
            at=("orchestrator", "addon_versions", "vpc-cni"),
            message=f"vpc-cni {stated} does not know efa-only interfaces; {least} is the first that does",
            hint="take it out: a version that fits is pinned",
        )


@rule(
    "EKS040", ERROR, "a stated version of an add-on takes the settings that it is given",
    why="EKS checks settings against the schema of the version: those of GPU nodes' health are not in older ones, and the "
    "add-on is refused.",
    source="https://github.com/aws/containers-roadmap/issues/2567",
    reads="orchestrator compute network data storage observability", where=_KINDS,
)  # fmt: skip
def versions_take_their_settings(design: Design) -> Iterator[Finding]:
    """`addon_versions` of add-ons with settings against the least version that takes them."""
    kubernetes = kubernetes_of(design)
    if kubernetes is None or not kubernetes.addon_versions or design.eks is None:
        return
    with_settings = {addon.name for addon in design.eks.contents.addons if addon.settings}
    for name, version in kubernetes.addon_versions.items():
        facts = catalog().eks.addons.get(name) if name in with_settings else None
        if (
            facts is not None
            and facts.least is not None
            and version_parts(version) < version_parts(facts.least)
        ):
            yield Finding(
                at=("orchestrator", "addon_versions", name),
                message=f"{name} {version} does not take the settings that it needs here; {facts.least} is the first that does",
                hint="take it out: a version that fits is pinned, or is EKS's default",
            )


@rule(
    "EKS028", ERROR, "the key of the cluster's secrets is in its Region",
    why="EKS uses keys of the cluster's own Region alone.",
    source=f"{_GUIDE}/enable-kms.html", reads="orchestrator region", where=_KINDS,
)  # fmt: skip
def secrets_key_is_in_the_region(design: Design) -> Iterator[Finding]:
    """`secrets_key.key_arn`."""
    kubernetes, home = kubernetes_of(design), design.profile.region
    if kubernetes is None or not isinstance(kubernetes.secrets_key, ExistingSecretsKey):
        return
    region = kubernetes.secrets_key.key_arn.split(":")[3]
    if region != home:
        yield Finding(
            at=("orchestrator", "secrets_key", "key_arn"),
            message=f"the key is in {region}, the cluster in {home}",
            hint=f"name a key of {home}, or write `secrets_key: {{kind: new}}`",
        )


@rule(
    "EKS029", ERROR, "something can be put into the cluster",
    why="Charts and objects are put there with kubectl, which works with versions of Kubernetes that are one older or newer than "
    "itself: the oldest one at hand is 1.34.",
    source="https://kubernetes.io/releases/version-skew-policy/#kubectl", reads="orchestrator", where=_KINDS,
)  # fmt: skip
def kubectl_knows_the_version(design: Design) -> Iterator[Finding]:
    """kubernetes_version against the layers with kubectl."""
    kubernetes = kubernetes_of(design)
    if kubernetes is not None and version_parts(kubernetes.kubernetes_version) < version_parts(_OLDEST):
        yield Finding(
            at=("orchestrator", "kubernetes_version"),
            message=f"no kubectl at hand works with Kubernetes {kubernetes.kubernetes_version}",
            hint=f'write `kubernetes_version: "{_OLDEST}"` or a newer one',
        )
