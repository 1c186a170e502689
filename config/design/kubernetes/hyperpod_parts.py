"""What HyperPod brings into a Kubernetes cluster: its chart before the nodes, its add-ons after them."""

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
"""HyperPod's chart in the lock file."""

CHART_STEP = "hyperpod-dependencies"
"""The release that must be there before the cluster (sagemaker-hyperpod-eks-prerequisites.html)."""

KEYS = ("task_governance", "training_operator", "inference_operator", "observability_addon")
"""Keys of a profile that each ask for an add-on."""


_IDENTITIES = {"training_operator": TRAINING, "observability_addon": OBSERVABILITY}
"""The identity of an add-on's pods, by the key that asks for it."""


def hyperpod_part(profile: Profile, stated: HyperPodEks, groups: tuple[GroupPlan, ...]) -> Part:
    """The chart, the add-ons with what they need, and Karpenter's groups."""
    return Part(
        steps=tuple(_steps(profile, stated, groups)),
        addons=_addons(stated),
        identities=tuple(_identities(stated)),
    )


def _steps(profile: Profile, stated: HyperPodEks, groups: tuple[GroupPlan, ...]) -> Iterator[Step]:
    # nothing in it can become ready before there are nodes, so Helm must not wait
    yield Release(
        name=CHART_STEP,
        chart=CHART,
        namespace="kube-system",
        values=chart_values(profile.region, stated),
        wait=False,
    )
    if stated.autoscaling is not None:
        scaled = [group for group in groups if group.name in stated.autoscaling.groups]
        objects = (_node_class(stated.autoscaling), _node_pool(stated.autoscaling, scaled))
        yield Manifest(name="karpenter-groups", objects=objects, after=(HYPERPOD,))


def chart_values(region: str, stated: HyperPodEks) -> dict[str, Any]:
    """The chart's values: where and which the health agent's image is, and off what has another owner.

    Left alone, the chart finds the Region by looking at nodes, of which there are none yet (HYPERPOD-27).
    Device plugins, cert-manager and the operators of jobs each have one owner, and it is not this chart.
    """
    off = {"enabled": False}
    own = stated.health_agent_image
    image = {"imageTag": hyperpod_eks().health_agent.tag} if own is None else {"hmaimage": own}
    return {
        "health-monitoring-agent": {"enabled": True, "region": region, **image},
        "deep-health-check": {"enabled": True},
        "job-auto-restart": {"enabled": stated.node_recovery == "automatic"},
        "hyperpod-patching": {"enabled": True},
        "nvidia-device-plugin": {"devicePlugin": off},
        "aws-efa-k8s-device-plugin": {"devicePlugin": off},
        "neuron-device-plugin": {"devicePlugin": off},
        "gpu-operator": off,
        "cert-manager": off,
        "trainingOperators": off,
        "mpi-operator": {"enabled": MPI_OPERATOR in stated.components.training},
        "inferenceOperators": off,
    }


def _node_class(autoscaling: Autoscaling) -> Mapping[str, Any]:
    """https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-autoscaling-nodeclass.html."""
    return {
        "apiVersion": "karpenter.sagemaker.amazonaws.com/v1",
        "kind": "HyperpodNodeClass",
        "metadata": {"name": "hyperpod"},
        "spec": {"instanceGroups": sorted(set(autoscaling.groups))},
    }


def _node_pool(autoscaling: Autoscaling, groups: list[GroupPlan]) -> Mapping[str, Any]:
    """https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-autoscaling-nodepool.html."""
    types = {instance.hyperpod_name or f"ml.{instance.name}" for group in groups for instance in group.types}
    reference = {
        "group": "karpenter.sagemaker.amazonaws.com",
        "kind": "HyperpodNodeClass",
        "name": "hyperpod",
    }
    wanted = {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": sorted(types)}
    spec: dict[str, Any] = {
        # a node that runs a job is left alone, however much of it is idle
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


def wanted_addons(stated: HyperPodEks) -> tuple[str, ...]:
    """Keys of the add-ons that a profile asks for."""
    return tuple(key for key in KEYS if getattr(stated, key) is not None)


def version_of_addon(stated: HyperPodEks, key: str) -> str | None:
    """The version that a profile states, or the catalogue's; None: EKS's default of the day."""
    facts = hyperpod_eks().of_key(key)
    return stated.addon_versions.get(facts.name) or facts.version


def _addons(stated: HyperPodEks) -> tuple[AddonPlan, ...]:
    """The add-ons, each after what it needs; another part may bring that as well."""
    facts, keys = hyperpod_eks(), wanted_addons(stated)
    own = [facts.of_key(key) for key in keys]
    needed = sorted({name for addon in own for name in addon.needs if name in facts.addons})
    settings = {facts.of_key(key).name: _settings(stated, key) for key in keys}
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


def _settings(stated: HyperPodEks, key: str) -> Mapping[str, Any]:
    if key == "inference_operator" and stated.inference_operator is not None:
        return inference_settings(stated.inference_operator)
    if key == "observability_addon" and stated.observability_addon is not None:
        return observability_settings(stated.observability_addon)
    return {}


def _identities(stated: HyperPodEks) -> Iterator[IdentityPlan]:
    if stated.training_operator is not None:
        yield training_identity()
    if stated.observability_addon is not None:
        yield observability_identity(stated.observability_addon)
