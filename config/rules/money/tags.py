"""Rules for tags: AWS must accept them, and they must not conflict with tags of other components."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.model import Design
from config.rules.kubernetes.size import bytes_of
from config.rules.registry import ERROR, Finding, rule

_TAGGING = "https://docs.aws.amazon.com/tag-editor/latest/userguide/tagging.html"
_IAM = "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_tags.html"
_LIMITS = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html"

MOST_TEMPLATE_BYTES = 1_000_000
"""Maximum size of a template in S3, above which CDK prints a warning."""

_OTHERS_BYTES = 270_000
_AROUND_A_TAG = 55
_PLACES = {"hyperpod-slurm": (40, 3), "hyperpod-eks": (70, 3), "eks": (66, 8), "pcs": (42, 9)}
"""Measured number of tag lists in a template, and number of further lists for each group. `_OTHERS_BYTES` is
the measured size of the largest stack without tags, groups and manifests. `_AROUND_A_TAG` is the number of
bytes that each tag needs in addition to its key and value."""

_RESERVED = {
    "aws:": "reserved for AWS",
    "ultracluster:": "reserved for ultracluster",
    "kubernetes.io/": "set by EKS, Karpenter and the cluster's controllers",
    "karpenter.": "set by Karpenter",
    "eks:": "set by EKS and Karpenter",
    "elbv2.k8s.aws/": "set by the load balancer controller",
    "parallelcluster:": "set by AWS ParallelCluster",
}


@rule(
    "TAG001", ERROR, "tags do not use reserved keys or values",
    why="AWS rejects keys and values that begin with aws:. Karpenter does not launch instances if the profile declares a tag that "
    "Karpenter sets itself. Controllers manage each resource that has their tags.",
    source=_TAGGING, reads="tags", where="tags",
)  # fmt: skip
def tags_are_not_reserved(design: Design) -> Iterator[Finding]:
    """Report reserved tag keys and values."""
    for key, value in design.profile.tags.items():
        if key == "Name":
            yield Finding(
                at=("tags", key),
                message="ultracluster sets the tag Name, which the AWS console shows for each resource",
                hint="remove the tag, or use another key, such as `project`",
            )
        for prefix, whose in _RESERVED.items():
            if key.lower().startswith(prefix):
                yield Finding(
                    at=("tags", key),
                    message=f"tags that begin with {prefix} are {whose}",
                    hint="use another key, such as `owner` or `cost-centre`",
                )
        if value.lower().startswith("aws:"):
            yield Finding(
                at=("tags", key),
                message=f"the value {value} begins with aws:, which is reserved for AWS",
                hint="set another value",
            )


@rule(
    "TAG002", ERROR, "tag keys do not differ only in case",
    why="IAM ignores the case of tag keys, so it rejects roles with both keys. Other services treat the two keys as two tags.",
    source=_IAM, reads="tags", where="tags",
)  # fmt: skip
def tags_differ_by_more_than_case(design: Design) -> Iterator[Finding]:
    """Report tag keys that differ only in case, which IAM ignores."""
    seen: dict[str, str] = {}
    for key in sorted(design.profile.tags, key=str.swapcase):  # the order of a mapping has no meaning
        other = seen.setdefault(key.lower(), key)
        if other != key:
            yield Finding(
                at=("tags", key),
                message=f"the tag keys {other} and {key} differ only in case, so they are the same key in IAM",
                hint="remove one of the two tags",
            )


@rule(
    "TAG003", ERROR, "the template with all tags is within the size limit",
    why="Each resource in the template repeats all tags, and each launch template repeats them several times. The maximum size of "
    "a template is 1 MB.",
    source=_LIMITS, reads="tags compute orchestrator", where="tags",
)  # fmt: skip
def tags_fit_into_the_template(design: Design) -> Iterator[Finding]:
    """Check the total size of the tags in the template, which contains each tag many times."""
    tags = design.profile.tags
    each = sum(len(key) + len(value) + _AROUND_A_TAG for key, value in tags.items())
    kind = design.profile.orchestrator.kind if design.profile.orchestrator else "hyperpod-slurm"
    of_all, of_a_group = _PLACES[kind]
    places = of_all + of_a_group * len(design.groups)
    most = MOST_TEMPLATE_BYTES - _OTHERS_BYTES - (bytes_of(design.eks) if design.eks else 0)
    if tags and each * places > most:
        yield Finding(
            at=("tags",),
            message=f"the template repeats the {len(tags)} tags {places} times, which needs about {each * places // 1000:,} KB, but only "
            f"{max(most, 0) // 1000:,} KB are available",
            hint="use fewer or shorter tags",
        )
