"""Labels that identify nodes, and the toleration for GPU nodes."""

from __future__ import annotations

from config.design.kubernetes.nodes.groups import GPU_TAINT, GROUP_LABEL, ROLE_LABEL

__all__ = ["GPU_TOLERATION", "GROUP_LABEL", "HOST", "ROLE_LABEL"]

HOST = "kubernetes.io/hostname"

GPU_TOLERATION = {"key": GPU_TAINT, "operator": "Exists", "effect": "NoSchedule"}
