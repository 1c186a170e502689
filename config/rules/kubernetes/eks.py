"""Rules for the EKS control plane: network access to its API, access entries, add-ons and encryption."""

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
"""Oldest Kubernetes version that a kubectl layer supports
(constructs/ultracluster/kubernetes/kubectl_layer.py)."""

_DEPLOYER = r"cdk-{}-deploy-role-[0-9]{{12}}-{}"
"""Role with which CDK deploys stacks (https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html)."""

_ANYWHERE = ipaddress.IPv4Network("0.0.0.0/0")
_PRIVATE = tuple(
    map(ipaddress.IPv4Network, ("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16"))
)
_OPENED = "`endpoint: {kind: public, cidrs: [YOUR_CIDR_BLOCK]}`"


@rule(
    "EKS020", NOTE, "users can reach the Kubernetes API from their network",
    why="A private endpoint is reachable only from inside the VPC. kubectl then works only from the VPC, from a network that is "
    "connected to the VPC, or through a tunnel.",
    source=f"{_GUIDE}/cluster-endpoint.html", reads="orchestrator", where=_KINDS,
)  # fmt: skip
def api_is_reached(design: Design) -> Iterator[Finding]:
    """Report a private `endpoint` that the profile does not set explicitly."""
    kubernetes = kubernetes_of(design)
    if kubernetes is not None and "endpoint" not in kubernetes.model_fields_set:
        yield Finding(
            at=("orchestrator", "endpoint"),
            message="the Kubernetes API is reachable only from inside the VPC",
            hint=f"set {_OPENED} to use kubectl from outside the VPC, or set `endpoint: {{kind: private}}` "
            "to confirm the private endpoint",
        )


@rule(
    "EKS021", ERROR, "the CIDR blocks of a public Kubernetes API are public IPv4 ranges",
    why="EKS rejects private ranges and malformed CIDR blocks. Clients inside the VPC reach the API without an entry.",
    source=f"{_GUIDE}/cluster-endpoint.html", reads="orchestrator", where=_KINDS,
)  # fmt: skip
def public_blocks_are_public(design: Design) -> Iterator[Finding]:
    """Check the values of `endpoint.cidrs`."""
    for i, cidr, block in _public_blocks(design):
        at = ("orchestrator", "endpoint", "cidrs", i)
        if block is None:
            yield Finding(at=at, message=f"{cidr} is not an IPv4 CIDR block", hint=_as_block(cidr))
        elif any(block.subnet_of(private) for private in _PRIVATE):
            yield Finding(
                at=at,
                message=f"{cidr} is a private range, but clients on the internet have public addresses",
                hint="set this CIDR block to the public IPv4 range that your network uses for internet access, or remove the entry",
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
        return f"set this CIDR block to {ipaddress.IPv4Network(cidr, strict=False)}"
    except ValueError:
        return "write four numbers up to 255 and a prefix length up to 32, for example 203.0.113.0/24"


@rule(
    "EKS022", WARNING, "the Kubernetes API is not open to the whole internet",
    why="If every address can reach the API, only credentials protect the cluster.",
    source=f"{_GUIDE}/cluster-endpoint.html", reads="orchestrator", where=_KINDS,
)  # fmt: skip
def api_is_not_open_to_the_internet(design: Design) -> Iterator[Finding]:
    """Check `endpoint.cidrs` for 0.0.0.0/0."""
    for i, cidr, block in _public_blocks(design):
        if block == _ANYWHERE:
            yield Finding(
                at=("orchestrator", "endpoint", "cidrs", i),
                message=f"{cidr} lets every internet address reach the Kubernetes API",
                hint="set `cidrs` to the CIDR blocks of your users' networks",
            )


@rule(
    "EKS023", WARNING, "at least one principal can administer the cluster",
    why="Only access entries grant rights in the cluster, and the creator of the cluster gets none. Without an entry for an "
    "administrator, no one can manage the cluster (HYPERPOD-34).",
    source=f"{_GUIDE}/access-entries.html", reads="orchestrator", where=_KINDS,
)  # fmt: skip
def cluster_has_an_administrator(design: Design) -> Iterator[Finding]:
    """Check that `access` has a cluster-wide cluster-admin if `deployer_access` is false."""
    kubernetes = kubernetes_of(design)
    if kubernetes is None or kubernetes.deployer_access:
        return
    if not any(entry.policy == "cluster-admin" and not entry.namespaces for entry in kubernetes.access):
        yield Finding(
            at=("orchestrator", "deployer_access"),
            message="no principal can administer the cluster",
            hint="remove `deployer_access`, or add `{principal: ARN, policy: cluster-admin}` to `access`",
        )


@rule(
    "EKS024", ERROR, "an access entry grants a policy or a group",
    why="A principal without a policy and without groups can sign in to the cluster, but has no rights in it. `namespaces` limits only a policy.",
    source=f"{_GUIDE}/access-policies.html", reads="orchestrator", where=_KINDS,
)  # fmt: skip
def access_entries_grant_rights(design: Design) -> Iterator[Finding]:
    """Check each entry of `access`."""
    kubernetes = kubernetes_of(design)
    for i, entry in enumerate(kubernetes.access if kubernetes else ()):
        at = ("orchestrator", "access", i)
        name = entry.principal.rpartition("/")[2]
        if entry.policy is None and not entry.groups:
            yield Finding(
                at=at,
                message=f"the access entry of {name} has neither a policy nor a group",
                hint="add `policy: edit`, or add `groups` with the groups of your role bindings",
            )
        elif entry.policy is None and entry.namespaces:
            yield Finding(
                at=(*at, "namespaces"),
                message=f"`namespaces` has no effect: it limits a policy, but the access entry of {name} has no policy",
                hint="add a `policy`, or remove `namespaces`",
            )


@rule(
    "EKS039", ERROR, "each access entry names a different principal, in the partition of the Region",
    why="EKS accepts one entry for each principal, in the cluster's partition. The deployment fails with a second entry for the "
    "role that CDK deploys with, or with a principal of another partition.",
    source=f"{_GUIDE}/access-entries.html", reads="orchestrator region", where=_KINDS,
)  # fmt: skip
def principals_can_have_an_entry(design: Design) -> Iterator[Finding]:
    """Compare `access[].principal` with the Region's partition and with the deployer's entry."""
    kubernetes, region = kubernetes_of(design), catalog().region(design.profile.region)
    for i, entry in enumerate(kubernetes.access if kubernetes else ()):
        at = ("orchestrator", "access", i, "principal")
        partition, name = entry.principal.split(":")[1], entry.principal.rpartition("/")[2]
        if region is not None and partition != region.partition:
            yield Finding(
                at=at,
                message=f"{entry.principal} is in the partition {partition}, but the Region {region.name} is in the partition "
                f"{region.partition}",
                hint=f"set `principal` to a role or user ARN that begins with arn:{region.partition}:",
            )
        elif kubernetes and kubernetes.deployer_access and _is_deployer(name, design):
            yield Finding(
                at=at,
                message=f"{name} already has an access entry, because it deploys the stack and administers the cluster",
                hint="remove the entry, or set `deployer_access` to false",
            )


def _is_deployer(role: str, design: Design) -> bool:
    deployment = design.profile.deployment
    qualifier = (deployment.qualifier if deployment else None) or DEFAULT_QUALIFIER
    return re.fullmatch(_DEPLOYER.format(qualifier, re.escape(design.profile.region)), role) is not None


@rule(
    "EKS025", ERROR, "`addon_versions` names add-ons that the cluster has",
    why="A version for an add-on that is not installed has no effect.",
    source=f"{_GUIDE}/eks-add-ons.html", reads="orchestrator compute network data storage observability", where=_KINDS,
)  # fmt: skip
def versions_are_of_add_ons(design: Design) -> Iterator[Finding]:
    """Compare the names in `addon_versions` with the cluster's add-ons."""
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
                hint=f"{start}the add-ons of the cluster are {', '.join(names)}",
            )


@rule(
    "EKS026", NOTE, "each add-on has a pinned version",
    why="If the catalogue has no version of an add-on for the cluster's Kubernetes version, EKS installs its default version. The "
    "next cluster can then get another version.",
    source=f"{_GUIDE}/eks-add-ons.html", reads="orchestrator compute network data storage observability", where=_KINDS,
)  # fmt: skip
def add_ons_are_pinned(design: Design) -> Iterator[Finding]:
    """Report the add-ons without a version."""
    kubernetes = kubernetes_of(design)
    if kubernetes is None or design.eks is None:
        return
    loose = [addon.name for addon in design.eks.contents.addons if addon.version is None]
    if loose:
        ask = f"aws eks describe-addon-versions --kubernetes-version {kubernetes.kubernetes_version} --addon-name"
        yield Finding(
            at=("orchestrator", "addon_versions"),
            message=f"no version is pinned for {', '.join(loose)}, so EKS chooses the version for Kubernetes "
            f"{kubernetes.kubernetes_version}",
            hint=f"set `addon_versions: {{{loose[0]}: VERSION}}`; `{ask} {loose[0]}` lists the versions",
        )


@rule(
    "EKS027", ERROR, "the VPC CNI supports the network interfaces of the nodes",
    why="Before version 1.18.4 the VPC CNI fails on nodes with efa-only interfaces, and pods do not get an IP address.",
    source="https://github.com/terraform-aws-modules/terraform-aws-eks/blob/master/modules/eks-managed-node-group/variables.tf",
    reads="orchestrator compute", where=_KINDS,
)  # fmt: skip
def network_add_on_knows_efa_only(design: Design) -> Iterator[Finding]:
    """Compare `addon_versions.vpc-cni` with the interface layouts."""
    kubernetes, least = kubernetes_of(design), catalog().eks.addons["vpc-cni"].least
    version = kubernetes.addon_versions.get("vpc-cni") if kubernetes else None
    if version is None or least is None or version_parts(version) >= version_parts(least):
        return
    layouts = [group.layout for group in design.groups if group.layout is not None]
    if any(i.interface_type is InterfaceType.EFA_ONLY for layout in layouts for i in layout.interfaces):
        yield Finding(
            at=("orchestrator", "addon_versions", "vpc-cni"),
            message=f"vpc-cni {version} does not support efa-only interfaces, which require {least} or newer",
            hint="remove vpc-cni from `addon_versions` to use the pinned version",
        )


@rule(
    "EKS040", ERROR, "the version of an add-on in `addon_versions` supports the add-on's settings",
    why="EKS checks the settings of an add-on against the schema of the add-on's version. Versions without settings for GPU "
    "health are rejected.",
    source="https://github.com/aws/containers-roadmap/issues/2567",
    reads="orchestrator compute network data storage observability", where=_KINDS,
)  # fmt: skip
def versions_take_their_settings(design: Design) -> Iterator[Finding]:
    """Compare `addon_versions` of add-ons that have settings with the first version that supports them."""
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
                message=f"{name} {version} does not support the settings of this cluster, which require {facts.least} or newer",
                hint=f"remove {name} from `addon_versions`: the cluster then uses the pinned version, or EKS's default version",
            )


@rule(
    "EKS028", ERROR, "the KMS key for Kubernetes secrets is in the cluster's Region",
    why="EKS accepts only a KMS key of the cluster's Region.",
    source=f"{_GUIDE}/enable-kms.html", reads="orchestrator region", where=_KINDS,
)  # fmt: skip
def secrets_key_is_in_the_region(design: Design) -> Iterator[Finding]:
    """Compare the Region in `secrets_key.key_arn` with the profile's Region."""
    kubernetes, home = kubernetes_of(design), design.profile.region
    if kubernetes is None or not isinstance(kubernetes.secrets_key, ExistingSecretsKey):
        return
    region = kubernetes.secrets_key.key_arn.split(":")[3]
    if region != home:
        yield Finding(
            at=("orchestrator", "secrets_key", "key_arn"),
            message=f"the KMS key is in {region}, but the cluster is in {home}",
            hint=f"set `key_arn` to a KMS key in {home}, or set `secrets_key: {{kind: new}}`",
        )


@rule(
    "EKS029", ERROR, "a kubectl layer supports the cluster's Kubernetes version",
    why="kubectl installs the charts and objects of the cluster. One kubectl supports Kubernetes versions that differ from its "
    "own by at most one minor version. The oldest available kubectl is 1.34.",
    source="https://kubernetes.io/releases/version-skew-policy/#kubectl", reads="orchestrator", where=_KINDS,
)  # fmt: skip
def kubectl_knows_the_version(design: Design) -> Iterator[Finding]:
    """Compare `kubernetes_version` with the kubectl layers."""
    kubernetes = kubernetes_of(design)
    if kubernetes is not None and version_parts(kubernetes.kubernetes_version) < version_parts(_OLDEST):
        yield Finding(
            at=("orchestrator", "kubernetes_version"),
            message=f"no available kubectl supports Kubernetes {kubernetes.kubernetes_version}",
            hint=f'set orchestrator.kubernetes_version to "{_OLDEST}" or newer',
        )
