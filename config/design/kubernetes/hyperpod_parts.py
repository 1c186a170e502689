"""HyperPod's chart, which is installed before the nodes, and its add-ons, which are installed after them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from config.catalog.kubernetes.hyperpod_eks import hyperpod_eks
from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.hyperpod_addons import (
    OBSERVABILITY,
    TRAINING,
    inference_settings,
    observability_identity,
    observability_settings,
    training_identity,
)
from config.design.kubernetes.model import AddonPlan, IdentityPlan, Part
from config.design.kubernetes.steps import HYPERPOD, Manifest, Release, Step
from config.design.kubernetes.training import MPI_OPERATOR
from config.profile.kubernetes.hyperpod_eks import Autoscaling
from config.profile.model import Profile
from config.profile.orchestrator import HyperPodEks

CHART = "hyperpod-helm-chart"
"""Name of HyperPod's chart in the lock file."""

CHART_STEP = "hyperpod-dependencies"
"""Release that must exist before the cluster (sagemaker-hyperpod-eks-prerequisites.html)."""

KEYS = ("task_governance", "training_operator", "inference_operator", "observability_addon")
"""Profile keys; each enables one add-on."""


_IDENTITIES = {"training_operator": TRAINING, "observability_addon": OBSERVABILITY}
"""Names of pod identities, by the profile key that enables the add-on."""


def hyperpod_part(profile: Profile, hyperpod: HyperPodEks, groups: tuple[GroupPlan, ...]) -> Part:
    """Return the chart, the add-ons with their dependencies, and Karpenter's groups."""
    return Part(
        steps=tuple(_steps(profile, hyperpod, groups)),
        addons=_addons(hyperpod),
        identities=tuple(_identities(hyperpod)),
    )


def _steps(profile: Profile, hyperpod: HyperPodEks, groups: tuple[GroupPlan, ...]) -> Iterator[Step]:
    # the chart's pods start only when nodes exist, so Helm does not wait for them
    yield Release(
        name=CHART_STEP,
        chart=CHART,
        namespace="kube-system",
        values=chart_values(profile.region, hyperpod),
        wait=False,
    )
    if hyperpod.autoscaling is not None:
        scaled = [group for group in groups if group.name in hyperpod.autoscaling.groups]
        objects = (_node_class(hyperpod.autoscaling), _node_pool(hyperpod.autoscaling, scaled))
        yield Manifest(name="karpenter-groups", objects=objects, after=(HYPERPOD,))


def chart_values(region: str, hyperpod: HyperPodEks) -> dict[str, Any]:
    """Return the chart's values: Region and image of the health agent, and disabled components.

    By default the chart reads the Region from nodes, which do not exist yet (HYPERPOD-27). Device plugins,
    cert-manager and job operators are disabled, because other steps install them.
    """
    off = {"enabled": False}
    own = hyperpod.health_agent_image
    image = {"imageTag": hyperpod_eks().health_agent.tag} if own is None else {"hmaimage": own}
    return {
        "health-monitoring-agent": {"enabled": True, "region": region, **image},
        "deep-health-check": {"enabled": True},
        "job-auto-restart": {"enabled": hyperpod.node_recovery == "automatic"},
        "hyperpod-patching": {"enabled": True},
        "nvidia-device-plugin": {"devicePlugin": off},
        "aws-efa-k8s-device-plugin": {"devicePlugin": off},
        "neuron-device-plugin": {"devicePlugin": off},
        "gpu-operator": off,
        "cert-manager": off,
        "trainingOperators": off,
        "mpi-operator": {"enabled": MPI_OPERATOR in hyperpod.components.training},
        "inferenceOperators": off,
    }


def _node_class(autoscaling: Autoscaling) -> Mapping[str, Any]:
    """Return Karpenter's node class.

    Source: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-autoscaling-nodeclass.html
    """
    return {
        "apiVersion": "karpenter.sagemaker.amazonaws.com/v1",
        "kind": "HyperpodNodeClass",
        "metadata": {"name": "hyperpod"},
        "spec": {"instanceGroups": sorted(set(autoscaling.groups))},
    }


def _node_pool(autoscaling: Autoscaling, groups: list[GroupPlan]) -> Mapping[str, Any]:
    """Return Karpenter's node pool.

    Source: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-autoscaling-nodepool.html
    """
    types = {instance.hyperpod_name or f"ml.{instance.name}" for group in groups for instance in group.types}
    reference = {
        "group": "karpenter.sagemaker.amazonaws.com",
        "kind": "HyperpodNodeClass",
        "name": "hyperpod",
    }
    wanted = {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": sorted(types)}
    spec: dict[str, Any] = {
        # a node that runs a job is not consolidated, even if most of it is idle
        "disruption": {
            "consolidationPolicy": "WhenEmpty",
            "consolidateAfter": f"{autoscaling.consolidate_after_s}s",
            "budgets": [{"nodes": "0", "reasons": ["Drifted"]}],
        },
        "template": {"spec": {"nodeClassRef": reference, "expireAfter": "Never", "requirements": [wanted]}},
    }
    if autoscaling.max_gpus is not None:
        spec["limits"] = {"nvidia.com/gpu": str(autoscaling.max_gpus)}
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "hyperpod"},
        "spec": spec,
    }


def enabled_addons(hyperpod: HyperPodEks) -> tuple[str, ...]:
    """Return the keys of the add-ons that a profile enables."""
    return tuple(key for key in KEYS if getattr(hyperpod, key) is not None)


def version_of_addon(hyperpod: HyperPodEks, key: str) -> str | None:
    """Return an add-on's version from the profile or the catalogue; None for EKS's default version."""
    facts = hyperpod_eks().of_key(key)
    return hyperpod.addon_versions.get(facts.name) or facts.version


def _addons(hyperpod: HyperPodEks) -> tuple[AddonPlan, ...]:
    """Return the add-ons, each after the add-ons that it requires; other parts may contain some of them."""
    facts, keys = hyperpod_eks(), enabled_addons(hyperpod)
    own = [facts.of_key(key) for key in keys]
    needed = sorted({name for addon in own for name in addon.needs if name in facts.addons})
    settings = {facts.of_key(key).name: _settings(hyperpod, key) for key in keys}
    names = (*needed, *(addon.name for addon in own))
    return tuple(
        AddonPlan(
            name=name,
            version=facts.addons[name].version,
            settings=settings.get(name, {}),
            after_nodes=True,
            identity=_IDENTITIES.get(facts.addons[name].key or ""),
            after=tuple(other for other in facts.addons[name].needs if other in facts.addons),
        )
        for name in names
    )


def _settings(hyperpod: HyperPodEks, key: str) -> Mapping[str, Any]:
    if key == "inference_operator" and hyperpod.inference_operator is not None:
        return inference_settings(hyperpod.inference_operator)
    if key == "observability_addon" and hyperpod.observability_addon is not None:
        return observability_settings(hyperpod.observability_addon)
    return {}


def _identities(hyperpod: HyperPodEks) -> Iterator[IdentityPlan]:
    if hyperpod.training_operator is not None:
        yield training_identity()
    if hyperpod.observability_addon is not None:
        yield observability_identity(hyperpod.observability_addon)
