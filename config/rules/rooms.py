"""Modules with rules, and the kinds of designs to which their rules apply.

A module is imported only for a profile with one of the module's kinds (`Design.kinds`); a module without
kinds is always imported.
"""

from __future__ import annotations

from importlib import import_module

from config.rules.registry import Rule, rules_of

ROOMS = {
    "profile": {"consistency": "", "environments": "", "orchestration": "", "control_planes": ""},
    "network": {"subnets": "", "existing": "", "efa": ""},
    "capacity": {
        "purchase": "",
        "reservations": "capacity-block odcr training-plan",
        "terms": "capacity-block odcr training-plan",
        "spare_and_next": "next spare",
        "ultraservers": "capacity-block eks hyperpod-eks pcs training-plan",
        "calendar": "calendar",
    },
    "storage": {
        "lustre_sizes": "hdd intelligent-tiering lustre",
        "lustre_features": "backups gpudirect home-key lustre-2.12 lustre-efa lustre-key scratch-2",
        "root_squash": "root-squash",
        "lustre_zones": "",
        "mounts": "",
        "existing_file_systems": "existing-storage",
        "home": "home",
        "local_nvme": "local-nvme",
        "object_storage": "mountpoints s3-express",
        "data_repositories": "data data-repositories existing-bucket import-task intelligent-tiering several-mounts",
        "linked_buckets": "data-repositories existing-bucket",
    },
    "nodes": {"images": "hyperpod-slurm images", "image_caches": "image-caches"},
    "slurm": {
        "pcs": "pcs",
        "pcs_queues": "pcs slurm-settings",
        "pcs_settings": "pcs slurm-settings",
        "pcs_values": "slurm-settings",
        "hyperpod": "accounting ami_id continuous deep_health_checks fallback_instance_types min_count root_volume_key_arn volume_key_arn",
        "hyperpod_updates": "auto_patch scheduled_update",
        "hyperpod_lifecycle": "bootstrap customer-managed managed-strategy user-script",
        "hyperpod_accounting": "accounting",
    },
    "kubernetes": {
        "eks": "eks hyperpod-eks",
        "eks_nodes": "eks hyperpod-eks",
        "nodes": "eks labels taints",
        "charts": "eks hyperpod-eks public-charts registry-charts vendored-charts",
        "components": "eks hyperpod-eks public-charts",
        "karpenter": "karpenter",
        "hyperpod_eks": "autoscaling continuous hyperpod-eks image_release taints",
        "hyperpod_eks_addons": "hyperpod-eks inference_operator observability_addon task_governance tiered_checkpointing training_operator",
        "hyperpod_eks_teams": "task_governance",
        "shares": "eks hyperpod-eks",
        "scheduler_settings": "autoscaling eks hyperpod-eks karpenter",
        "size": "eks hyperpod-eks",
    },
    "observability": {
        "services": "",
        "collection": "closed collection existing-prometheus metrics-key observability_addon",
        "alerts": "alerts",
        "grafana": "grafana-settings own-grafana",
        "software": "collection",
        "names": "alerts repair",
        "addresses": "alerts collection existing-prometheus",
        "silence": "collection uncollected",
    },
    "access": {
        "people": "people",
        "nodes": "access directory eks hyperpod-eks people root-squash shared-directories",
        "directory": "directory",
        "sessions": "access sessions",
    },
    "workload": {
        "checkpoints": "hyperpod-eks workload",
        "shape": "workload",
        "split": "workload",
        "fit": "workload",
    },
    "money": {"tags": "tags", "budget": "budget"},
}


def rules(kinds: frozenset[str] | None = None) -> tuple[Rule, ...]:
    """Return the rules of the modules that have at least one of the kinds; all rules if `kinds` is None."""
    return rules_of(
        *(
            import_module(f"config.rules.{room}.{module}")
            for room, modules in ROOMS.items()
            for module, about in modules.items()
            if kinds is None or not about or kinds.intersection(about.split())
        )
    )
