"""Rules for the source of a Kubernetes cluster's Helm charts."""

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
"""Region of the ECR registry in the default values of aws/eks-charts
(stable/aws-efa-k8s-device-plugin/values.yaml)."""


@rule(
    "CHT001", ERROR, "a cluster in a closed network uses charts from a private registry or a local folder",
    why="The Lambda function that calls Helm runs in the cluster's subnets, which cannot reach public registries in a closed "
    "network. Through VPC endpoints, the function reaches an ECR registry of the account. Charts in a folder are uploaded to S3 "
    "with the stack.",
    source=_PROVIDER, reads="orchestrator network data",
    where="public-charts",
)  # fmt: skip
def closed_networks_have_charts_of_their_own(design: Design) -> Iterator[Finding]:
    """Check `charts` if the network is closed; the network is in `network` or in the data profile."""
    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Kubernetes) or orchestrator.charts.kind != "public":
        return
    if _is_closed(design):
        yield Finding(
            at=_CHARTS,
            message="the charts are in public registries, which a closed network cannot reach",
            hint="set orchestrator.charts to `{kind: vendored, folder: charts}`, or to `kind: registry` "
            "with an ECR registry of this account",
        )


def _is_closed(design: Design) -> bool:
    return design.network is not None and design.network.closed


@rule(
    "CHT002", ERROR, "the folder of vendored charts exists and is readable",
    why="The charts in this folder are uploaded to S3 with the stack, so a deployment fails without them.", source=_PROVIDER,
    reads="orchestrator", where="vendored-charts",
)  # fmt: skip
def vendored_charts_exist(design: Design) -> Iterator[Finding]:
    """Report a folder of vendored charts that could not be read."""
    folder = design.chart_folder
    if folder is not None and folder.fault:
        yield Finding(
            at=(*_CHARTS, "folder"),
            message=f"the chart folder `{folder.path}` cannot be used: {folder.fault}",
            hint="fill the folder with `python -m scripts.tools.charts vendor PATH` on a computer with "
            f"internet access; PATH is `{folder.path}`, relative to the profile's folder",
        )


@rule(
    "CHT003", ERROR, "the folder of vendored charts contains every chart that the cluster installs, in the locked "
    "version",
    why="The values, custom resources and the order of installation are written for the versions in the lock file. Another version can reject them.",
    source="docs/reference/charts.md", reads="orchestrator compute storage network", where="vendored-charts",
)  # fmt: skip
def vendored_charts_are_as_locked(design: Design) -> Iterator[Finding]:
    """Compare the versions in the folder with the lock file."""
    from config.design.kubernetes.charts import charts_of

    folder = design.chart_folder
    if folder is None or folder.fault or design.eks is None:
        return
    charts = charts_of(design.eks.contents.steps)
    missing = [chart.name for chart in charts if chart.name not in folder.versions]
    others = [
        f"{chart.name} {found} instead of {chart.version}"
        for chart in charts
        if (found := folder.versions.get(chart.name, chart.version)) != chart.version
    ]
    faults = [f"lacks {', '.join(missing)}"] if missing else []
    faults += [f"has {', '.join(others)}"] if others else []
    if faults:
        yield Finding(
            at=(*_CHARTS, "folder"),
            message=f"the chart folder `{folder.path}` {' and '.join(faults)}",
            hint=f"fill the folder with `python -m scripts.tools.charts vendor PATH`; PATH is `{folder.path}`, "
            "relative to the profile's folder",
        )


@rule(
    "CHT004", NOTE, "the lock file of the charts has a digest for each public chart",
    why="A project can publish different content under the same chart version. With digests in the lock file, ultracluster's "
    "tools check the charts that they vendor or push to a private registry.",
    source="docs/reference/charts.md", reads="orchestrator compute storage network", where="public-charts",
)  # fmt: skip
def digests_are_locked(design: Design) -> Iterator[Finding]:
    """Check the charts that Helm downloads by version; a chart from Git is pinned by its commit."""
    from config.design.kubernetes.charts import charts_of

    orchestrator = design.profile.orchestrator
    if design.eks is None or not isinstance(orchestrator, Kubernetes) or orchestrator.charts.kind != "public":
        return
    steps = design.eks.contents.steps
    loose = [chart.name for chart in charts_of(steps) if chart.published and chart.digest is None]
    if loose:
        yield Finding(
            at=_CHARTS,
            message=f"the lock file of the charts has no digest for {', '.join(loose)}",
            hint="run `python -m scripts.tools.charts lock` on a computer with internet access, then set "
            "`orchestrator.charts.kind` to `vendored` or `registry`",
        )


@rule(
    "CHT005", WARNING, "the images of the charts are available in a closed network",
    why="A chart still names the public images of its project, even if the chart is in a private registry or a folder. Nodes in a "
    "closed network cannot pull them, so the pods do not start and the Helm release fails after its timeout.",
    source="docs/reference/charts.md", reads="orchestrator compute storage network data", where="vendored-charts registry-charts",
)  # fmt: skip
def closed_networks_have_images_too(design: Design) -> Iterator[Finding]:
    """Check the charts whose default values name registries outside the Region."""
    orchestrator = design.profile.orchestrator
    if design.eks is None or not isinstance(orchestrator, Kubernetes) or not _is_closed(design):
        return
    if orchestrator.charts.kind == "public":
        return  # CHT001 reports public charts
    from config.design.kubernetes.charts import charts_of

    found = charts_of(design.eks.contents.steps)
    beyond = [chart.name for chart in found if _pulls_from_elsewhere(chart, design.profile.region)]
    if beyond:
        yield Finding(
            at=_CHARTS,
            message=f"nodes in a closed network cannot pull the images of {', '.join(beyond)} from public registries; your copies "
            "of these charts may name other registries",
            hint="copy the images to ECR in this account, and set their registry in `values.yaml` of each "
            "of these charts in your folder or registry",
        )


def _pulls_from_elsewhere(chart: Chart, region: str) -> bool:
    """Return whether nodes pull the chart's images from outside the Region's ECR.

    HyperPod's chart uses the ECR of the cluster's Region. Charts with EKS images always use the ECR of one
    Region.
    """
    if chart.kind == "git":
        return False
    of_eks = bool(chart.images) and all(image.startswith("eks/") for image in chart.images or ())
    return not (of_eks and region == _REGION_OF_EKS_CHARTS)


@rule(
    "CHT006", WARNING, "the charts support the cluster's Kubernetes version",
    why="Each project lists the Kubernetes versions that a release was tested with. On a newer Kubernetes version, the chart can "
    "install without an error and then fail when the first job runs.",
    source="docs/reference/charts.md", reads="orchestrator compute storage network data observability", where="eks hyperpod-eks",
)  # fmt: skip
def charts_are_for_the_version(design: Design) -> Iterator[Finding]:
    """Compare `kubernetes_version` with the newest version that each chart supports."""
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
                message=f"{chart.name} {chart.version} supports Kubernetes up to {newest}, but the cluster has {version}",
                hint=f'set orchestrator.kubernetes_version to "{newest}", or remove {chart.name} from the '
                "cluster",
            )
