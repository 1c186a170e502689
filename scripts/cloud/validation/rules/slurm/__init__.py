"""Slurm: HyperPod with Slurm, AWS PCS, AWS ParallelCluster: what services refuse of them."""

from . import hyperpod, hyperpod_settings, pcs, pcs_groups

RULES = (*hyperpod.RULES, *hyperpod_settings.RULES, *pcs.RULES, *pcs_groups.RULES)
