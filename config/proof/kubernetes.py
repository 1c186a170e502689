"""EFA in Kubernetes: the device plugin or the DRA driver, its version, instance types and nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from config.catalog import catalog
from config.design.kubernetes.device_charts import MOFED_OFF
from config.proof import sources
from config.proof.artefacts import Artefacts, Found, Release, mapping, sequence, text_of
from config.proof.model import Link, Maker, Named
from config.proof.nodes import Nodes
from config.proof.wanted import WantedGroup

PLUGIN, DRA = "aws-efa-k8s-device-plugin", "aws-dranet"
CHARTS: Mapping[str, str] = {"plugin": PLUGIN, "dra": DRA}
COUNTS_EFA_ALONE = (0, 5, 10)
"""First image version of the plugin that counts only EFA devices (EC2-09)."""

OWNER = Named(
    name="device-owner",
    title="an EFA device plugin or DRA driver is installed, in a version that supports the type",
    why="EKS images contain neither plugin nor driver, and an old plugin counts other RDMA devices as EFA",
    source=sources.WRONG_COUNT,
)
TYPES = Named(
    name="device-owner-types",
    title="the list of instance types of the plugin contains the type",
    why=(
        "the plugin runs only on the types in its list; on other types pods get no EFA, and NCCL uses TCP "
        "without an error"
    ),
    source=sources.SHORT_LIST,
)
NODES = Named(
    name="device-owner-nodes",
    title="the plugin runs on the group's nodes",
    why="the plugin selects nodes by their labels, and exits on a node without EFA",
    source=sources.NO_EFA_THERE,
)
TOLERATIONS = Named(
    name="device-owner-tolerations",
    title="the plugin tolerates the group's taints",
    why=(
        "a DaemonSet that does not tolerate a node's taint does not run on the node, and pods there get "
        "no EFA"
    ),
    source=sources.TAINTS,
)
ONE_OWNER = Named(
    name="one-owner",
    title="no other component provides the same devices",
    why="two components assign the same EFA device to two pods",
    source=sources.EKS_EFA,
)
GPU_PLUGIN = Named(
    name="gpu-plugin",
    title="the GPU plugin does not use EFA devices",
    why="with `mofedEnabled`, the default in 0.19.0 to 0.19.2, NVIDIA's plugin mounts EFA's device files",
    source=sources.MOFED,
)

_HYPERPOD_CHART = "hyperpod-dependencies"


def kubernetes_links(group: WantedGroup, nodes: Nodes, artefacts: Artefacts, made: Maker) -> Iterator[Link]:
    """Yield the proof's links between a node's devices and its pods; not used for Slurm."""
    releases = list(artefacts.releases())
    chart = CHARTS[group.efa_owner or "plugin"]
    owner = next((one for one in releases if one.chart == chart), None)
    if owner is None:
        yield made.broken(OWNER, [f"{chart} is not installed"], nodes.place)
        for named in (TYPES, NODES, TOLERATIONS):
            yield made.not_needed(named, f"{chart} is not installed", nodes.place)
    else:
        yield _owner(group, owner, made)
        yield _types(group, owner, made)
        yield _nodes(nodes, owner, made)
        yield _tolerations(nodes, owner, made)
    yield _one_owner(group, nodes, releases, owner, artefacts, made)
    yield _gpu_plugin(releases, made)


def _owner(group: WantedGroup, owner: Release, made: Maker) -> Link:
    place = owner.version.place if owner.version else owner.resource.properties.place
    version = text_of(owner.version)
    locked = catalog().charts[owner.chart]
    tag = owner.values.at("image", "tag")
    image = text_of(tag) or _image_of(locked, version)
    faults = []
    others = group.instance.non_efa_rdma_devices
    if owner.chart == PLUGIN and others and _numbers(image) < COUNTS_EFA_ALONE:
        said = f"version {version or 'unknown'} (image {image or 'unknown'})"
        faults.append(f"{said} may count the {others} other RDMA devices of the type as EFA")
    repository = owner.values.at("image", "repository")
    declared = text_of(repository)
    if declared and not declared.endswith(owner.chart):
        faults.append(f"the image of the plugin is {declared}")
    evidence = f"{owner.chart} {version}" + (f", image {image}" if image else "")
    return made.judged(OWNER, faults, evidence, [place])


def _image_of(locked: Any, version: str) -> str:
    """Return the locked image if the chart version is not older than the locked version; otherwise ""."""
    newest = str(locked.images[0]).rpartition(":")[2]
    return newest if _numbers(version) >= _numbers(locked.version) and version else ""


def _numbers(version: str) -> tuple[int, ...]:
    found = re.match(r"v?(\d+)\.(\d+)\.(\d+)", version)
    return tuple(map(int, found.groups())) if found else ()


def _types(group: WantedGroup, owner: Release, made: Maker) -> Link:
    wanted = [f"ml.{name}" if group.launched_by == "hyperpod" else name for name in group.types]
    listed = owner.values.at("supportedInstanceLabels", "values")
    place = listed.place if listed else owner.values.place
    found = [text_of(one.value) for one in listed.items()] if listed else _own_types()
    missing = [name for name in wanted if name not in found]
    faults = (
        [f"the list of types does not contain {' and '.join(missing)}: {', '.join(found)}"] if missing else []
    )
    keys = owner.values.at("supportedInstanceLabels", "keys")
    if keys is not None and "node.kubernetes.io/instance-type" not in sequence(keys.value):
        faults.append(
            f"the plugin selects types by the labels {', '.join(map(text_of, sequence(keys.value)))}"
        )
    return made.judged(TYPES, faults, f"{', '.join(wanted)} in a list of {len(found)} types", [place])


def _own_types() -> list[str]:
    from config.catalog.kubernetes.components import kubernetes_components

    return list(kubernetes_components().efa_plugin_types)


def _nodes(nodes: Nodes, owner: Release, made: Maker) -> Link:
    selector = owner.values.at("nodeSelector")
    places = [found.place for found in (selector, nodes.labels) if found]
    wanted = mapping(selector)
    faults = unlike_labels(wanted, nodes)
    said = ", ".join(f"{key}: {value}" for key, value in wanted.items())
    evidence = (
        f"the plugin selects {said}, which the nodes have"
        if said
        else "the plugin has no node selector, and checks only the type"
    )
    return made.judged(NODES, faults, evidence, places or [owner.values.place])


def _tolerations(nodes: Nodes, owner: Release, made: Maker) -> Link:
    listed = owner.values.at("tolerations")
    tolerated = [mapping(one) for one in owner.values.items("tolerations")]
    taints = [one for one in nodes.taints if not _passes_by_itself(one.value)]
    missing = [one for one in taints if not any(tolerates(have, one.value) for have in tolerated)]
    faults = [f"the taint {_taint(one.value)[0]} of the nodes is not tolerated" for one in missing]
    said = ", ".join(_taint(one.value)[0] for one in taints)
    evidence = f"the plugin tolerates {said}" if said else "the nodes have no permanent taints"
    return made.judged(TOLERATIONS, faults, evidence, [listed.place if listed else owner.values.place])


def unlike_labels(wanted: Mapping[str, Any], nodes: Nodes) -> list[str]:
    """Return a sentence for each label of a selector that the nodes do not have."""
    labels = mapping(nodes.labels)
    return [
        f"the plugin selects {key}: {value}, but the nodes have {labels.get(key, 'no such label')}"
        for key, value in wanted.items()
        if labels.get(key) != value
    ]


def _passes_by_itself(taint: Any) -> bool:
    """Return whether the taint is one that a driver removes when it starts."""
    return _taint(taint)[0].endswith("/agent-not-ready")


def _taint(declared: Any) -> tuple[str, str, str]:
    """Return key, value and effect of a taint in the format of Kubernetes, EKS or HyperPod."""
    taint = mapping(declared)
    effect = str(taint.get("Effect", taint.get("effect", "")))
    return (
        str(taint.get("Key", taint.get("key", ""))),
        str(taint.get("Value", taint.get("value", "")) or ""),
        effect.replace("_", "").lower(),
    )


def tolerates(toleration: Mapping[str, Any], taint: Any) -> bool:
    """Return whether a toleration matches a taint (https://kubernetes.io/docs/concepts/scheduling-eviction)."""
    key, value, effect = _taint(taint)
    operator = toleration.get("operator", "Equal")
    same_key = toleration.get("key", "") in ("", key) and (toleration.get("key") or operator == "Exists")
    same_value = operator == "Exists" or str(toleration.get("value", "")) == value
    same_effect = str(toleration.get("effect", "")).lower() in ("", effect)
    return bool(same_key) and same_value and same_effect


def _selects(group: WantedGroup, nodes: Nodes, release: Release) -> bool:
    if unlike_labels(mapping(release.values.get("nodeSelector")), nodes):
        return False
    listed = release.values.at("supportedInstanceLabels", "values")
    types = [text_of(one.value) for one in listed.items()] if listed else _own_types()
    return any(name.removeprefix("ml.") in group.types for name in types)


def _one_owner(
    group: WantedGroup,
    nodes: Nodes,
    releases: list[Release],
    owner: Release | None,
    artefacts: Artefacts,
    made: Maker,
) -> Link:
    faults, places = [], []
    for _, found in artefacts.objects("DaemonSet"):
        containers = found.items("spec", "template", "spec", "containers")
        if any(PLUGIN in text_of(one.get("image")) for one in containers):
            faults.append("a manifest installs another EFA plugin")
            places.append(found.place)
    for release in releases:
        other = release.chart in (PLUGIN, DRA) and release is not owner
        if other and _selects(group, nodes, release):
            again = "a second " if owner and release.chart == owner.chart else ""
            faults.append(f"{again}{release.chart} also runs on the nodes")
            places.append(release.values.place)
        if text_of(release.resource.get("Release")) == _HYPERPOD_CHART:
            own = release.values.at(PLUGIN, "devicePlugin", "enabled")
            places.append(own.place if own else release.values.place)
            if own is None or own.value is not False:
                faults.append("HyperPod's chart installs another EFA plugin")
        evidence = (
            "HyperPod's chart does not install an EFA plugin" if places else "no other release provides EFA"
        )
    return made.judged(ONE_OWNER, faults, evidence, places or [nodes.place])


def _gpu_plugin(releases: list[Release], made: Maker) -> Link:
    plugins = [one for one in releases if one.chart == "nvidia-device-plugin" and _has_plugin(one)]
    operators = [one for one in releases if one.chart == "gpu-operator" and _has_plugin(one)]
    if not plugins and not operators:
        return made.not_needed(GPU_PLUGIN, "another component, without this setting, provides GPUs")
    faults, places = [], list[Any]()
    for operator in operators:
        env = operator.values.at("devicePlugin", "env")
        places.append(env.place if env else operator.values.place)
        if env is None or MOFED_OFF not in list(env.value):
            faults.append("the operator does not set MOFED_ENABLED to false")
    for plugin in plugins:
        declared: Found | None = plugin.values.at("mofedEnabled")
        version = _numbers(text_of(plugin.version))
        places.append(declared.place if declared else plugin.values.place)
        takes = (0, 19, 0) <= version <= (0, 19, 2) if declared is None else declared.value is not False
        if takes:
            faults.append("mofedEnabled is on")
    return made.judged(
        GPU_PLUGIN, faults, "MOFED_ENABLED: false" if operators else "mofedEnabled: false", places
    )


def _has_plugin(release: Release) -> bool:
    enabled = release.values.at("devicePlugin", "enabled")
    return enabled is None or enabled.value is not False
