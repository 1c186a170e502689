"""Helm operations on a release, as CDK's kubectl function calls them."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from config.catalog import catalog
from config.catalog.kubernetes.charts import Chart

from .contents import Contents, RefusedByClusterError, ReleaseState

# https://helm.sh/docs/chart_template_guide/builtin_objects/: at most 53 characters, because Helm adds to
# object names
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_FIELD = re.compile(r"^(name|version):\s*[\"']?([^\s\"'#]+)", re.MULTILINE)
_ECR = re.compile(r"oci://\d+\.dkr\.ecr\.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartFound:
    """A chart that Helm has downloaded; `known` is its row in the lock file."""

    name: str
    version: str
    known: Chart | None


def install(
    contents: Contents,
    properties: Mapping[str, Any],
    *,
    read: Callable[[str], bytes],
    nodes: bool,
) -> None:
    """Run `helm upgrade --install`. `read` reads `s3://` URLs; `nodes` is True if the cluster has nodes."""
    name, namespace = properties["Release"], properties.get("Namespace") or "default"
    if not _NAME.fullmatch(name) or len(name) > 53:
        raise RefusedByClusterError(
            f"Error: release name is invalid: {name}: {_NAME.pattern} with at most 53 letters"
        )
    chart = fetch(properties, read)
    values = json.loads(properties.get("Values") or "{}")
    waited = bool(properties.get("Wait"))  # the function treats each text as true
    kinds, needs_nodes, webhooks = _brought(chart, values)
    if waited and needs_nodes and not nodes:
        raise RefusedByClusterError(
            f"Error: release {name} failed, and has been uninstalled due to atomic being set: "
            "context deadline exceeded: no node can run its pods"
        )
    contents.install(
        ReleaseState(
            name=name,
            namespace=namespace,
            chart=chart.name,
            version=chart.version,
            values=values,
            waited=waited,
            atomic=bool(properties.get("Atomic")),
            timeout_s=_seconds(properties.get("Timeout")),
            kinds=kinds,
            webhooks=webhooks,
        ),
        create_namespace=bool(properties.get("CreateNamespace")),
    )


def uninstall(contents: Contents, properties: Mapping[str, Any]) -> None:
    """Run `helm uninstall`."""
    name, namespace = properties["Release"], properties.get("Namespace") or "default"
    release = contents.releases.get((namespace, name))
    known = catalog().charts.get(release.chart) if release else None
    contents.uninstall(name, namespace, crds_stay=known is None or known.crds_stay)


def fetch(properties: Mapping[str, Any], read: Callable[[str], bytes]) -> ChartFound:
    """Return the chart of a release from the chart's source; raise an error if the chart does not exist."""
    chart, repository, version = (properties.get(key) for key in ("Chart", "Repository", "Version"))
    if address := properties.get("ChartAssetURL"):
        if chart or repository or version:
            raise RefusedByClusterError("AssertionError: a chart asset has no chart, repository or version")
        if not address.startswith("s3://"):
            raise RefusedByClusterError(f"ChartAssetURL must point to as s3 location but is {address}")
        return _from_archive(read(address))
    if chart is None or repository is None:  # a chart without a repository is in a folder of the function
        raise RefusedByClusterError("chart or chartAsset must be specified")
    if not repository.startswith("oci://"):
        return _published(chart, repository, version)
    if version is None:
        raise RefusedByClusterError("expected str, bytes or os.PathLike object, not NoneType")
    name = repository.rpartition("/")[2]
    if _ECR.match(repository):  # a private registry, with the charts that were pushed to it
        known = catalog().charts.get(name)
        return ChartFound(name=name, version=version, known=known)
    return _published(name, repository, version)


def _published(name: str, repository: str, version: str | None) -> ChartFound:
    """Return a chart from its project's registry; the embedded cloud only has the lock file's charts."""
    known = catalog().charts.get(name)
    if known is None or known.repository != repository or version not in (None, known.version):
        raise RefusedByClusterError(
            f'Error: chart "{name}" version "{version}" not found in {repository} repository '
            "(the embedded cloud knows the charts of config/catalog/data/kubernetes/charts.json)"
        )
    return ChartFound(name=name, version=known.version, known=known)


def _from_archive(content: bytes) -> ChartFound:
    """Return the chart in an archive, whose top folder must contain Chart.yaml, as the function requires."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if "Chart.yaml" not in archive.namelist():
            raise RefusedByClusterError("Error: Chart.yaml file is missing")
        found = dict(_FIELD.findall(archive.read("Chart.yaml").decode()))
    name = found.get("name", "")
    return ChartFound(name=name, version=found.get("version", ""), known=catalog().charts.get(name))


def _brought(chart: ChartFound, values: Mapping[str, Any]) -> tuple[frozenset[str], bool, bool]:
    """Return the kinds of a chart and its subcharts, whether it needs nodes, and whether it has webhooks."""
    if chart.known is None:
        return frozenset(), False, False
    inside = [
        catalog().charts[name] for name, bundled in chart.known.bundles.items() if bundled.installed(values)
    ]
    all_of_it = [chart.known, *inside]
    return (
        frozenset(kind for one in all_of_it for kind in one.brings),
        any(one.needs_nodes for one in all_of_it),
        any(one.webhooks for one in all_of_it),
    )


def _seconds(text: str | None) -> int | None:
    return int(text.removesuffix("s")) if text else None
