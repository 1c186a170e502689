"""Tags that services take, and that nobody else writes."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.model import Design
from config.rules.kubernetes.size import bytes_of
from config.rules.registry import ERROR, Finding, rule

_TAGGING = "https://docs.aws.amazon.com/tag-editor/latest/userguide/tagging.html"
_IAM = "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_tags.html"
_LIMITS = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html"

MOST_TEMPLATE_BYTES = 1_000_000
"""What CloudFormation takes of a template in S3, and what CDK warns above of."""

_OTHERS_BYTES = 270_000
_AROUND_A_TAG = 55
_PLACES = {"hyperpod-slurm": (40, 3), "hyperpod-eks": (70, 3), "eks": (66, 8), "pcs": (42, 9)}
"""Measured: what the largest stack has beside tags, groups and contents of Kubernetes; the text around a tag; and how
often tags stand in a template, in all and for each group (a launch template has several lists)."""

_RESERVED = {
    "aws:": "AWS's own",
    "ultracluster:": "ultracluster's own",
    "kubernetes.io/": "written by EKS, Karpenter and the controllers of the cluster",
    "karpenter.": "written by Karpenter",
    "eks:": "written by EKS and Karpenter",
    "elbv2.k8s.aws/": "written by the load balancer controller",
    "parallelcluster:": "written by AWS ParallelCluster",
}


@rule(
    "TAG001", ERROR, "a tag is nobody else's",
    why="AWS refuses keys and values that begin with aws:, Karpenter launches nothing with a tag that it writes itself, and "
    "controllers would take what bears their tags for their own.",
    source=_TAGGING, reads="tags", where="tags",
)  # fmt: skip
def tags_are_the_users_own(design: Design) -> Iterator[Finding]:
    """Reserved keys and values."""
    for key, value in design.profile.tags.items():
        if key == "Name":
            yield Finding(
                at=("tags", key),
                message="the tag Name is written by ultracluster: it is what consoles show of each resource",
                hint="take it out, or call it otherwise: `project`",
            )
        for prefix, whose in _RESERVED.items():
            if key.lower().startswith(prefix):
                yield Finding(
                    at=("tags", key),
                    message=f"tags that begin with {prefix} are {whose}",
                    hint="call the tag otherwise, such as `owner` or `cost-centre`",
                )
        if value.lower().startswith("aws:"):
            yield Finding(
                at=("tags", key),
                message=f"the value {value} begins with aws:, which is AWS's own",
                hint="write another value",
            )


@rule(
    "TAG002", ERROR, "no two tags differ in upper and lower case alone",
    why="To IAM they are the same tag, so that the roles of the cluster cannot be made; to other services they are two.",
    source=_IAM, reads="tags", where="tags",
)  # fmt: skip
def tags_differ_by_more_than_case(design: Design) -> Iterator[Finding]:
    """Keys as IAM compares them."""
    seen: dict[str, str] = {}
    for key in sorted(design.profile.tags, key=str.swapcase):  # a mapping has no order that means anything
        other = seen.setdefault(key.lower(), key)
        if other != key:
            yield Finding(
                at=("tags", key),
                message=f"{other} and {key} are one tag to IAM",
                hint="keep one of the two",
            )


@rule(
    "TAG003", ERROR, "tags fit into the template with all else",
    why="Every resource of the stack repeats them, and launch templates several times: CloudFormation takes 1 MB.",
    source=_LIMITS, reads="tags compute orchestrator", where="tags",
)  # fmt: skip
def tags_fit_into_the_template(design: Design) -> Iterator[Finding]:
    """The length of all tags, in as many places as resources have them."""
    tags = design.profile.tags
    each = sum(len(key) + len(value) + _AROUND_A_TAG for key, value in tags.items())
    kind = design.profile.orchestrator.kind if design.profile.orchestrator else "hyperpod-slurm"
    of_all, of_a_group = _PLACES[kind]
    places = of_all + of_a_group * len(design.groups)
    most = MOST_TEMPLATE_BYTES - _OTHERS_BYTES - (bytes_of(design.eks) if design.eks else 0)
    if tags and each * places > most:
        yield Finding(
            at=("tags",),
            message=f"{len(tags)} tags make about {each * places // 1000:,} KB of template in {places} places, where "
            f"{max(most, 0) // 1000:,} KB are left",
            hint="use fewer or shorter tags",
        )
