"""Read-only queries about images, each with its permission."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from config.design.model import Design
from config.design.report.node_images import NodeImage

Client: TypeAlias = Callable[[str], Any]
"""Function that returns a boto3 client of a service, in the profile's Region."""

_AT_ONCE = 10
"""Maximum number of names for GetParameters
(https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameters.html)."""

_NEWEST_IMAGES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """An action and its resources; `*` if the action does not support resources."""

    action: str
    resources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One query. `about` is its name in messages, `key` its name in the code."""

    key: str
    about: str
    permissions: tuple[Permission, ...]
    ask: Callable[[Client], Any]


def questions(design: Design, images: Sequence[NodeImage]) -> tuple[Question, ...]:
    """Return the first queries about a cluster's images: those that do not need another query's answer."""
    return (
        *_published(design, images),
        *_of_groups(design, images),
        *_of_repositories(design),
        *_of_caches(design),
    )


def image_question(ids: Sequence[str]) -> Question:
    """Return the query about the EC2 images with these ids, including deprecated images."""
    return Question(
        key="images",
        about=f"{len(ids)} images of EC2",
        permissions=(Permission(action="ec2:DescribeImages", resources=("*",)),),
        # with a filter, an unknown id is not an error and does not hide the other images
        ask=lambda client: client("ec2").describe_images(
            Filters=[{"Name": "image-id", "Values": list(ids)}], IncludeDeprecated=True
        )["Images"],
    )


def _published(design: Design, images: Sequence[NodeImage]) -> Iterator[Question]:
    """Yield queries about the newest images that AWS publishes in public parameters."""
    names = sorted(
        {name for one in images for name in (one.id_parameter, one.release_parameter) if name is not None}
    )
    region = design.profile.region
    for start in range(0, len(names), _AT_ONCE):
        some = names[start : start + _AT_ONCE]
        yield Question(
            key=f"published-{start}",
            about=f"{len(some)} parameters with the newest images",
            permissions=(
                Permission(
                    action="ssm:GetParameters",
                    resources=tuple(
                        f"arn:{_partition(region)}:ssm:{region}::parameter{name}" for name in some
                    ),
                ),
            ),
            ask=_parameters(some),
        )


def _parameters(names: list[str]) -> Callable[[Client], dict[str, str]]:
    def ask(client: Client) -> dict[str, str]:
        parameters = client("ssm").get_parameters(Names=names)["Parameters"]
        return {one["Name"]: one["Value"] for one in parameters}

    return ask


def _of_groups(design: Design, images: Sequence[NodeImage]) -> Iterator[Question]:
    if design.pcs is not None:
        yield from _pcs(design, images, design.pcs.cluster_name)
    elif design.hyperpod is not None or design.hyperpod_eks is not None:
        plan = design.hyperpod or design.hyperpod_eks
        assert plan is not None
        yield from _hyperpod(design, plan.cluster_name)
    elif design.eks is not None:
        cluster = design.eks.control_plane.cluster_name
        yield from (_nodegroup(design, cluster, one) for one in images if one.service_name)


def _nodegroup(design: Design, cluster: str, image: NodeImage) -> Question:
    group = str(image.service_name)
    resource = f"{_place(design, 'eks')}:nodegroup/{cluster}/{group}/*"
    return Question(
        key=f"group-{image.group}",
        about=f"the node group {group}",
        permissions=(Permission(action="eks:DescribeNodegroup", resources=(resource,)),),
        ask=lambda client: client("eks").describe_nodegroup(clusterName=cluster, nodegroupName=group)[
            "nodegroup"
        ],
    )


def _hyperpod(design: Design, cluster: str) -> Iterator[Question]:
    """Yield the query about all instance groups.

    The permission is for `cluster/*`, because the id in the cluster's ARN is not known before the query.
    """
    resource = f"{_place(design, 'sagemaker')}:cluster/*"
    yield Question(
        key="hyperpod",
        about=f"the cluster {cluster}",
        permissions=(Permission(action="sagemaker:DescribeCluster", resources=(resource,)),),
        ask=lambda client: client("sagemaker").describe_cluster(ClusterName=cluster)["InstanceGroups"],
    )


def _pcs(design: Design, images: Sequence[NodeImage], cluster: str) -> Iterator[Question]:
    place = f"{_place(design, 'pcs')}:cluster/*"
    for image in images:
        group = str(image.service_name)
        yield Question(
            key=f"group-{image.group}",
            about=f"the compute node group {group}",
            permissions=(
                Permission(action="pcs:GetComputeNodeGroup", resources=(f"{place}/computenodegroup/*",)),
            ),
            ask=_pcs_group(cluster, group),
        )


def _pcs_group(cluster: str, group: str) -> Callable[[Client], Mapping[str, Any]]:
    def ask(client: Client) -> Mapping[str, Any]:
        found: Mapping[str, Any] = client("pcs").get_compute_node_group(
            clusterIdentifier=cluster, computeNodeGroupIdentifier=group
        )["computeNodeGroup"]
        return found

    return ask


def _of_repositories(design: Design) -> Iterator[Question]:
    for repository in design.pulled.repositories if design.pulled else ():
        resource = f"{_place(design, 'ecr')}:repository/{repository.name}"
        yield Question(
            key=f"repository-{repository.name}",
            about=f"the repository {repository.name}",
            permissions=(Permission(action="ecr:DescribeImages", resources=(resource,)),),
            ask=_newest(repository.name),
        )


def _newest(name: str) -> Callable[[Client], list[Mapping[str, Any]]]:
    def ask(client: Client) -> list[Mapping[str, Any]]:
        pages = client("ecr").get_paginator("describe_images").paginate(repositoryName=name)
        found = [image for page in pages for image in page["imageDetails"]]
        return sorted(found, key=lambda image: str(image.get("imagePushedAt", "")))[-_NEWEST_IMAGES:]

    return ask


def _of_caches(design: Design) -> Iterator[Question]:
    prefixes = list(design.pulled.cache_prefixes) if design.pulled else []
    if prefixes:
        yield Question(
            key="caches",
            about=f"{len(prefixes)} pull-through caches",
            permissions=(Permission(action="ecr:DescribePullThroughCacheRules", resources=("*",)),),
            ask=lambda client: client("ecr").describe_pull_through_cache_rules(
                ecrRepositoryPrefixes=prefixes
            )["pullThroughCacheRules"],
        )


def _place(design: Design, service: str) -> str:
    region = design.profile.region
    return f"arn:{_partition(region)}:{service}:{region}:{design.profile.account or '*'}"


def _partition(region: str) -> str:
    begins = {"us-gov": "aws-us-gov", "cn": "aws-cn"}
    return next((name for start, name in begins.items() if region.startswith(f"{start}-")), "aws")


def policy_of(design: Design, images: Sequence[NodeImage]) -> dict[str, Any]:
    """Return the minimum IAM policy for the command; sts:GetCallerIdentity needs no permission."""
    wanted: dict[str, set[str]] = {}
    for question in (*questions(design, images), image_question(())):
        for permission in question.permissions:
            wanted.setdefault(permission.action, set()).update(permission.resources)
    return {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Action": [action], "Resource": sorted(wanted[action])}
            for action in sorted(wanted)
        ],
    }
