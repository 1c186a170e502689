"""The rules, and how all of them look at one profile."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from config.design.model import Design
from config.diagnostics import Code, Diagnostic
from config.profile.model import Profile
from config.profile.source import codes
from config.profile.source.merge import Layered
from config.review import codes as review_codes
from config.rules import deployed, preflight, waivers
from config.rules.access import directory as access_directory
from config.rules.access import nodes as access_nodes
from config.rules.access import people as access_people
from config.rules.access import sessions as access_sessions
from config.rules.capacity import calendar, life, reservations, terms, ultraservers
from config.rules.capacity import purchase as capacity
from config.rules.kubernetes import (
    charts,
    eks,
    eks_nodes,
    hyperpod_eks,
    hyperpod_eks_addons,
    hyperpod_eks_teams,
)
from config.rules.kubernetes import components as kubernetes_components
from config.rules.kubernetes import karpenter as kubernetes_karpenter
from config.rules.kubernetes import nodes as kubernetes_nodes
from config.rules.kubernetes import scheduler_settings as kubernetes_scheduler_settings
from config.rules.kubernetes import shares as kubernetes_scheduler
from config.rules.kubernetes import size as kubernetes_size
from config.rules.money import budget, tags
from config.rules.network import efa
from config.rules.network import existing as existing_network
from config.rules.network import subnets as network
from config.rules.nodes import image_caches, images
from config.rules.observability import addresses as observability_addresses
from config.rules.observability import alerts as observability_alerts
from config.rules.observability import collection as observability_collection
from config.rules.observability import grafana as observability_grafana
from config.rules.observability import names as observability_names
from config.rules.observability import places as observability
from config.rules.observability import silence as observability_silence
from config.rules.observability import software as observability_software
from config.rules.profile import consistency, control_planes, environments, orchestration
from config.rules.registry import Check, Rule
from config.rules.slurm import (
    hyperpod,
    hyperpod_accounting,
    hyperpod_lifecycle,
    hyperpod_updates,
    parallelcluster,
    pcs,
    pcs_queues,
    pcs_settings,
    pcs_values,
)
from config.rules.slurm.shell_syntax import SYNTAX
from config.rules.storage import (
    data_repositories,
    existing_file_systems,
    home,
    linked_buckets,
    local_nvme,
    lustre_features,
    lustre_places,
    lustre_sizes,
    mounts,
    object_storage,
    root_squash,
)
from config.rules.workload import checkpoints as workload
from config.rules.workload import fit as workload_fit
from config.rules.workload import shape as workload_shape
from config.rules.workload import split as workload_split

RULES: tuple[Rule, ...] = (
    *consistency.RULES,
    *environments.RULES,
    *network.RULES,
    *existing_network.RULES,
    *capacity.RULES,
    *reservations.RULES,
    *terms.RULES,
    *life.RULES,
    *efa.RULES,
    *ultraservers.RULES,
    *orchestration.RULES,
    *control_planes.RULES,
    *eks.RULES,
    *eks_nodes.RULES,
    *kubernetes_nodes.RULES,
    *pcs.RULES,
    *pcs_queues.RULES,
    *charts.RULES,
    *pcs_settings.RULES,
    *kubernetes_components.RULES,
    *kubernetes_karpenter.RULES,
    *pcs_values.RULES,
    *hyperpod.RULES,
    *hyperpod_updates.RULES,
    *hyperpod_lifecycle.RULES,
    *hyperpod_eks.RULES,
    *hyperpod_eks_addons.RULES,
    *hyperpod_eks_teams.RULES,
    *hyperpod_accounting.RULES,
    *kubernetes_scheduler.RULES,
    *kubernetes_scheduler_settings.RULES,
    *kubernetes_size.RULES,
    *lustre_sizes.RULES,
    *lustre_features.RULES,
    *root_squash.RULES,
    *lustre_places.RULES,
    *mounts.RULES,
    *existing_file_systems.RULES,
    *home.RULES,
    *local_nvme.RULES,
    *object_storage.RULES,
    *data_repositories.RULES,
    *linked_buckets.RULES,
    *observability.RULES,
    *observability_collection.RULES,
    *observability_alerts.RULES,
    *observability_grafana.RULES,
    *observability_software.RULES,
    *observability_names.RULES,
    *observability_addresses.RULES,
    *observability_silence.RULES,
    *access_people.RULES,
    *access_nodes.RULES,
    *access_directory.RULES,
    *access_sessions.RULES,
    *workload.RULES,
    *workload_shape.RULES,
    *workload_split.RULES,
    *workload_fit.RULES,
    *tags.RULES,
    *budget.RULES,
    *calendar.RULES,
    *images.RULES,
    *image_caches.RULES,
)

OF_PARALLELCLUSTER = parallelcluster.RULES
"""Rules that are looked at when a ParallelCluster file is written, beside the others."""

CODES: dict[str, Code] = {
    code.code: code
    for code in (
        *codes.CODES,
        SYNTAX,
        *(rule.code for rule in RULES),
        *deployed.CODES,
        *review_codes.CODES,
        *preflight.CODES,
        *(rule.code for rule in parallelcluster.RULES),
    )
}
"""Every diagnostic code there is."""

_OF_PROFILES = frozenset(rule.code.code for rule in RULES) | {codes.INHERITED_NAME.code}


def judge(
    design: Design, layered: Layered, unjudged: Collection[str] = (), further: Sequence[Rule] = ()
) -> list[Diagnostic]:
    """Everything that the rules find in a design; `layered` tells where each key stands.

    `unjudged` names top-level parts whose shape is wrong: rules that read one of them are passed over.
    `further` rules are those of what shall be written from the profile.
    """
    kinds, parts = design.kinds, frozenset(unjudged)
    checks = _applicable(kinds, parts)
    if further:
        checks += _of(further, kinds, parts)
    return [
        layered.diagnose(code, finding.at, finding.message, finding.hint)
        for code, check in checks
        for finding in check(design)
    ]


@lru_cache(maxsize=1024)
def _applicable(kinds: frozenset[str], unjudged: frozenset[str]) -> tuple[tuple[Code, Check], ...]:
    """The rules that have something to say of a design with these kinds."""
    return _of(RULES, kinds, unjudged)


def _of(
    rules: Sequence[Rule], kinds: frozenset[str], unjudged: frozenset[str]
) -> tuple[tuple[Code, Check], ...]:
    return tuple(
        (rule.code, rule.check)
        for rule in rules
        if not rule.reads & unjudged and (not rule.where or rule.where & kinds)
    )


def waived(
    profile: Profile, found: Sequence[Diagnostic], layered: Layered, unjudged: Collection[str] = ()
) -> list[Diagnostic]:
    """The diagnostics of a profile with its waivers applied; none is lost.

    A waiver of a code that only templates show is never called unused, nor is any while parts are not judged.
    """
    judged = frozenset() if unjudged else _OF_PROFILES
    return waivers.waive(profile.waive, found, layered, CODES, judged)
