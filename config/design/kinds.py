"""Kinds of a profile's parts, which select the rules that apply to it."""

from __future__ import annotations

from collections.abc import Iterator

from config.profile.kubernetes.base import Kubernetes
from config.profile.model import Profile
from config.profile.observability.metrics import ExistingGrafana, ExistingPrometheus, ManagedGrafana
from config.profile.orchestrator import Eks, HyperPodEks, HyperPodSlurm
from config.profile.slurm.hyperpod import Extended
from config.profile.slurm.pcs import Pcs
from config.profile.storage.lustre import AnyLustre, NewLustre

_OF_HYPERPOD_EKS = frozenset(
    (
        "autoscaling", "tiered_checkpointing", "task_governance", "training_operator", "inference_operator",
        "observability_addon",
    )
)  # fmt: skip
"""Keys of the control plane that are also kinds."""

_KIND = {"kind"}


def hyperpod_kinds(profile: Profile) -> Iterator[str]:
    """Yield the kinds of optional parts of a HyperPod cluster."""
    orchestrator = profile.orchestrator
    if isinstance(orchestrator, HyperPodEks) and orchestrator.model_fields_set != _KIND:
        yield orchestrator.provisioning
        yield from orchestrator.model_fields_set & _OF_HYPERPOD_EKS
        if orchestrator.lifecycle is not None:
            yield orchestrator.lifecycle.kind
    if isinstance(orchestrator, HyperPodSlurm) and orchestrator.model_fields_set != _KIND:
        yield orchestrator.provisioning
        yield orchestrator.lifecycle.kind
        if isinstance(orchestrator.lifecycle, Extended) and orchestrator.lifecycle.script is not None:
            yield "user-script"
        if orchestrator.accounting is not None:
            yield "accounting"
        if orchestrator.slurm_config_strategy is not None:
            yield f"{orchestrator.slurm_config_strategy}-strategy"


def pcs_kinds(profile: Profile) -> Iterator[str]:
    """Yield the kind for Slurm settings in a PCS profile."""
    pcs = profile.orchestrator
    if not isinstance(pcs, Pcs):
        return
    groups = profile.compute.groups if profile.compute else ()
    declared = (pcs.settings, pcs.accounting_settings, pcs.cgroup_settings)
    if any((*declared, *(q.settings for q in pcs.queues or ()), *(group.slurm_settings for group in groups))):
        yield "slurm-settings"


def kubernetes_kinds(profile: Profile) -> Iterator[str]:
    """Yield the kinds of optional parts of a Kubernetes cluster."""
    orchestrator = profile.orchestrator
    if isinstance(orchestrator, Kubernetes):
        yield f"{orchestrator.charts.kind}-charts"
    if isinstance(orchestrator, Eks) and orchestrator.karpenter is not None:
        yield "karpenter"


def observability_kinds(profile: Profile) -> Iterator[str]:
    """Yield the kinds of optional parts of metrics, alerts and dashboards."""
    wanted = profile.observability
    if wanted is None:
        return
    if isinstance(wanted.prometheus, ExistingPrometheus):
        yield "existing-prometheus"
    elif wanted.prometheus is not None and wanted.prometheus.kms_key_arn is not None:
        yield "metrics-key"
    if isinstance(wanted.grafana, ManagedGrafana) and wanted.grafana.model_fields_set != _KIND:
        yield "grafana-settings"
        yield wanted.grafana.authentication
    if isinstance(wanted.grafana, ExistingGrafana):
        yield "own-grafana"
    if "collection" in wanted.model_fields_set:
        yield "collection"
    if collects_nothing(profile):
        yield "uncollected"
    if "repair" in wanted.model_fields_set:
        yield "repair"
    if "alerts" in wanted.model_fields_set:
        yield "alerts"


def collects_nothing(profile: Profile) -> bool:
    """Return True if the profile declares a Prometheus, but ultracluster does not collect metrics."""
    wanted, plane = profile.observability, profile.orchestrator
    if wanted is None or wanted.prometheus is None:
        return False
    if isinstance(plane, HyperPodSlurm) and not isinstance(plane.lifecycle, Extended):
        return True
    # OBS038 checks the HyperPod add-on that collects metrics instead
    return plane is not None and wanted.collection.collector == "none"


def access_kinds(profile: Profile) -> Iterator[str]:
    """Yield the kinds of users and sessions."""
    access = profile.access
    if access is None:
        return
    yield "access"
    if access.users or access.groups or access.users_file:
        yield "people"
    if access.directory is not None:
        yield "directory"
    if access.directories:
        yield "shared-directories"
    if access.sessions is not None:
        yield "sessions"


def eks_of(profile: Profile) -> HyperPodEks | None:
    """Return the control plane if it is HyperPod with EKS; None otherwise."""
    return profile.orchestrator if isinstance(profile.orchestrator, HyperPodEks) else None


def storage_kinds(profile: Profile, systems: tuple[AnyLustre, ...]) -> Iterator[str]:
    """Yield the types of storage that the profile uses, and the optional features of its file systems."""
    for lustre in systems:
        yield from _of_lustre(lustre)
    storage = profile.storage
    if storage is None:
        return
    if len(systems) + (storage.home is not None) > 1 or any(lustre.name for lustre in systems):
        yield "several-mounts"
    if storage.local_nvme is not None:
        yield "local-nvme"
    if storage.home is not None:
        yield "home"
        if storage.home.kind == "existing":
            yield "existing-storage"
        elif storage.home.key_arn is not None:
            yield "home-key"
    if storage.s3_express is not None:
        yield "s3-express"
    if storage.mountpoints:
        yield "mountpoints"


def images_kinds(profile: Profile) -> Iterator[str]:
    """Yield the kinds of container images."""
    if profile.images is not None:
        yield "images"
        if profile.images.caches:
            yield "image-caches"


def _of_lustre(lustre: AnyLustre) -> Iterator[str]:
    yield "lustre"
    yield lustre.deployment
    if lustre.storage != "ssd":
        yield lustre.storage
    if lustre.throughput_mbps is not None:
        yield "intelligent-tiering"
    if lustre.efa:
        yield "lustre-efa"
    if lustre.checkpoint_paths:
        yield "checkpoint-paths"
    if lustre.gpudirect:
        yield "gpudirect"
    if lustre.version == "2.12":
        yield "lustre-2.12"
    if isinstance(lustre, NewLustre):
        yield from _of_new(lustre)
    else:
        yield "existing-storage"


def _of_new(lustre: NewLustre) -> Iterator[str]:
    if lustre.data_repositories:
        yield "data-repositories"
        for link in lustre.data_repositories:
            if link.bucket != "new":
                yield "existing-bucket"
            if link.import_by_task:
                yield "import-task"
    if lustre.backups is not None:
        yield "backups"
    if lustre.root_squash is not None:
        yield "root-squash"
    if lustre.key_arn is not None:
        yield "lustre-key"
    if lustre.drive_cache is not None:
        yield "hdd"
    if lustre.read_cache is not None:
        yield "intelligent-tiering"
