"""Where the charts of what runs in a Kubernetes cluster come from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from config.catalog.files import version_parts
from config.design.model import Design
from config.diagnostics import Path
from config.profile.kubernetes.base import Kubernetes
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

if TYPE_CHECKING:
    from config.catalog.kubernetes.charts import Chart

_CHARTS: Path = ("orchestrator", "charts")
_PROVIDER = "https://docs.aws.amazon.com/cdk/api/v2/docs/aws-cdk-lib.aws_eks_v2-readme.html"
_REGION_OF_EKS_CHARTS = "us-west-2"
"""Whose registry the values of aws/eks-charts name (stable/aws-efa-k8s-device-plugin/values.yaml)."""


@rule(
    "CHT001", ERROR, "a closed network takes its charts from a registry or a folder of the user's own",
    why="The function that calls Helm runs in the cluster's subnets, and public registries are not reached from there. A registry of ECR in the account is, through the endpoints of the network; a folder is uploaded to S3 with the stack.",
    source=_PROVIDER, reads="orchestrator network data",
    where="public-charts",
)  # fmt: skip
def closed_networks_have_charts_of_their_own(design: Design) -> Iterator[Finding]:
    """A network of ours alone says that it is closed, here or in the data profile."""
    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Kubernetes) or orchestrator.charts.kind != "public":
        return
    if _is_closed(design):
        yield Finding(
            at=_CHARTS,
            message="charts come from public registries, which a closed network does not reach",
            hint="write `charts: {kind: vendored, folder: charts}`, or kind: registry with a registry of ECR in this account",
        )


def _is_closed(design: Design) -> bool:
    return design.network is not None and design.network.closed


@rule(
    "CHT002", ERROR, "a folder of vendored charts is there",
    why="Charts are uploaded with the stack from the folder that the profile names.", source=_PROVIDER,
    reads="orchestrator", where="vendored-charts",
)  # fmt: skip
def vendored_charts_are_there(design: Design) -> Iterator[Finding]:
    """The folder, which was looked at when the profile was read."""
    folder = design.chart_folder
    if folder is not None and folder.fault:
        yield Finding(
            at=(*_CHARTS, "folder"),
            message=f"{folder.path} cannot be used: {folder.fault}",
            hint=f"fill it with `python -m scripts.tools.charts vendor PATH` on a machine with a network; PATH is {folder.path}, "
            "as seen from the folder of the profile",
        )


@rule(
    "CHT003", ERROR, "a folder of vendored charts has every chart that the cluster installs, as it is locked",
    why="Values, custom resources and the order of steps are those of the locked versions.",
    source="docs/reference/charts.md", reads="orchestrator compute storage network", where="vendored-charts",
)  # fmt: skip
def vendored_charts_are_as_locked(design: Design) -> Iterator[Finding]:
    """The versions in the folder against the lock file."""
    from config.design.kubernetes.charts import charts_of

    folder = design.chart_folder
    if folder is None or folder.fault or design.eks is None:
        return
    charts = charts_of(design.eks.contents.steps)
    missing = [chart.name for chart in charts if chart.name not in folder.versions]
    others = [
        f"{chart.name} {found} where {chart.version} is locked"
        for chart in charts
        if (found := folder.versions.get(chart.name, chart.version)) != chart.version
    ]
    told = [f"no {' and no '.join(missing)}"] if missing else []
    if told or others:
        yield Finding(
            at=(*_CHARTS, "folder"),
            message=f"{folder.path} has {', '.join((*told, *others))}",
            hint=f"fill it with `python -m scripts.tools.charts vendor PATH`; PATH is {folder.path}, as seen from the folder of the "
            "profile",
        )


@rule(
    "CHT004", NOTE, "public charts are pinned by version alone until their digests are locked",
    why="A version of a chart can be published a second time. With digests in the lock file, charts that are vendored or pushed to a registry of the user's own are checked against them.",
    source="docs/reference/charts.md", reads="orchestrator compute storage network", where="public-charts",
)  # fmt: skip
def digests_are_locked(design: Design) -> Iterator[Finding]:
    """Charts that Helm fetches by their versions; a commit pins one of a Git repository."""
    from config.design.kubernetes.charts import charts_of

    orchestrator = design.profile.orchestrator
    if design.eks is None or not isinstance(orchestrator, Kubernetes) or orchestrator.charts.kind != "public":
        return
    steps = design.eks.contents.steps
    loose = [chart.name for chart in charts_of(steps) if chart.published and chart.digest is None]
    if loose:
        yield Finding(
            at=_CHARTS,
            message=f"nobody has locked the digests of {', '.join(loose)}",
            hint="run `python -m scripts.tools.charts lock` on a machine with a network, then have charts of your own: kind: vendored or registry",
        )


@rule(
    "CHT005", WARNING, "a closed network has the images of its charts too",
    why="A chart of one's own registry or folder still names the images of its project: in a closed network their pods wait for images that no node can pull, and Helm gives the release up after its time.",
    source="docs/reference/charts.md", reads="orchestrator compute storage network data", where="vendored-charts registry-charts",
)  # fmt: skip
def closed_networks_have_images_too(design: Design) -> Iterator[Finding]:
    """Charts whose own values name registries that are not in the Region."""
    orchestrator = design.profile.orchestrator
    if design.eks is None or not isinstance(orchestrator, Kubernetes) or not _is_closed(design):
        return
    if orchestrator.charts.kind == "public":
        return  # CHT001 says so
    from config.design.kubernetes.charts import charts_of

    found = charts_of(design.eks.contents.steps)
    beyond = [chart.name for chart in found if _pulls_from_elsewhere(chart, design.profile.region)]
    if beyond:
        yield Finding(
            at=_CHARTS,
            message=f"images of {', '.join(beyond)} come from registries that a closed network does not reach, unless "
            "your charts name others",
            hint="copy them into ECR of this account, and name it in `values.yaml` of each of these charts in your "
            "folder or registry",
        )


def _pulls_from_elsewhere(chart: Chart, region: str) -> bool:
    """HyperPod's own chart and those with images of EKS name ECR; the latter that of one Region alone."""
    if chart.kind == "git":
        return False
    of_eks = bool(chart.images) and all(image.startswith("eks/") for image in chart.images or ())
    return not (of_eks and region == _REGION_OF_EKS_CHARTS)


@rule(
    "CHT006", WARNING, "charts are for the cluster's version of Kubernetes",
    why="Each project states the versions that a release is tried on; on a newer one it may start, and fail with the first job.",
    source="docs/reference/charts.md", reads="orchestrator compute storage network data observability", where="eks hyperpod-eks",
)  # fmt: skip
def charts_are_for_the_version(design: Design) -> Iterator[Finding]:
    """kubernetes_version against the newest that each chart names."""
    orchestrator = design.profile.orchestrator
    if design.eks is None or not isinstance(orchestrator, Kubernetes):
        return
    from config.design.kubernetes.charts import charts_of

    version = orchestrator.kubernetes_version
    for chart in charts_of(design.eks.contents.steps):
        newest = chart.kubernetes_max
        if newest is not None and version_parts(version) > version_parts(newest):
            yield Finding(
                at=("orchestrator", "kubernetes_version"),
                message=f"{chart.name} {chart.version} is for Kubernetes up to {newest}, the cluster has {version}",
                hint=f'write `kubernetes_version: "{newest}"`, or take {chart.name} out',
            )
