"""What Helm makes of a release's values: by the chart itself where it is on disk, by the lock file elsewhere.

The variable ULTRACLUSTER_CHARTS names a folder with a folder for each chart, as
`python -m scripts.tools.charts vendor FOLDER` fills it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from jsonschema import Draft7Validator  # type: ignore[import-untyped]  # has no types

from config.catalog.kubernetes.charts import Chart, charts
from config.design.kubernetes.steps import Release, filled
from scripts.cloud.kubernetes.schemas import Object, fault_of, is_own
from scripts.tools.charts.helm import template


def charts_folder() -> Path | None:
    """Where charts are on disk."""
    named = os.environ.get("ULTRACLUSTER_CHARTS")
    return Path(named) if named else None


def values_of(release: Release) -> Any:
    """The values as Helm gets them, with something in place of every mark."""
    return json.loads(json.dumps(filled(release.values, lambda kind, name: f"{kind}-{name}")))


def unread(chart: Chart, values: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys of values that a chart does not read by the lock file, to the second level, dotted."""
    if not chart.values:
        return tuple(sorted(values))
    found = []
    for key, value in values.items():
        known = chart.values.get(key, "*" if key == "global" else None)
        if known is None:
            found.append(key)
        elif known != "*" and isinstance(value, Mapping):
            found += [f"{key}.{inner}" for inner in value if inner not in known.split(" ")]
    return tuple(sorted(found))


def unknown_values(release: Release, folder: Path | None) -> list[str]:
    """Keys that the chart does not read, dotted; without the chart, of two levels by the lock file."""
    row, values = charts()[release.chart], values_of(release)
    if folder is None or not (folder / release.chart).is_dir():
        return list(unread(row, values))
    chart = folder / release.chart
    schema = chart / "values.schema.json"
    if schema.is_file():
        faults = Draft7Validator(json.loads(schema.read_bytes())).iter_errors(values)
        return [f"{'.'.join(map(str, fault.absolute_path))}: {fault.message}" for fault in faults]
    read = "".join(
        file.read_text("utf-8", "replace") for file in chart.rglob("templates/*") if file.is_file()
    )
    declared = yaml.safe_load((chart / "values.yaml").read_text("utf-8")) or {}
    by_lock = list(unread(row, values))
    return sorted({*by_lock, *_unknown(values, declared, read, ())})


def _unknown(values: Any, declared: Any, read: str, path: tuple[str, ...]) -> Iterator[str]:
    """Keys beside those that values.yaml states; where it states none, anything goes."""
    if not isinstance(values, Mapping) or not isinstance(declared, Mapping) or not declared:
        return
    for key, value in values.items():
        if key in declared:
            yield from _unknown(value, declared[key], read, (*path, key))
        elif path and f".{key}" not in read and path[-1] not in _FREE:
            yield ".".join((*path, key))


_FREE = {"affinity", "nodeSelector", "resources", "limits", "requests", "labels", "annotations", "podLabels",
         "matchLabels", "featureGates", "nodeAffinity", "securityContext"}  # fmt: skip
"""Mappings that are Kubernetes' own, or whose keys are names."""


def rendered(release: Release, folder: Path, kubernetes: str) -> list[dict[str, Any]]:
    """The objects that a release makes, its custom resource definitions included."""
    return _rendered(
        folder / release.chart, json.dumps(values_of(release)), release.name, release.namespace, kubernetes
    )


@cache
def _rendered(chart: Path, values: str, name: str, namespace: str, kubernetes: str) -> list[dict[str, Any]]:
    with TemporaryDirectory() as work:
        file = Path(work) / "values.json"
        file.write_text(values)
        text = template(chart, [file], namespace=namespace, kubernetes=kubernetes, name=name)
    # definitions of custom resources are megabytes
    return [one for one in yaml.load_all(text, Loader=yaml.CSafeLoader) if one]


def refused(objects: list[dict[str, Any]], kubernetes: str) -> list[str]:
    """What a cluster would refuse of objects, but of definitions: each by its name and the first fault."""
    own = (one for one in objects if one["kind"] != "CustomResourceDefinition")  # megabytes, and not ours
    found = ((one, _fault(one, kubernetes)) for one in own)
    return [f"{one['kind']} {one['metadata']['name']}: {fault}" for one, fault in found if fault]


def _fault(one: Object, kubernetes: str) -> str | None:
    try:
        return fault_of(one, kubernetes)
    except LookupError:
        return "no such kind" if is_own(one) else None
