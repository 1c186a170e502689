"""Old import paths and names of the library, which return the new object with a DeprecationWarning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MOVED = {
    "compute": "capacity",
    "compute.efa_node_group": "capacity.efa_node_group",
    "images": "nodes",
    "images.image_cache": "nodes.image_cache",
    "images.image_repository": "nodes.image_repository",
    "network.rules": "security_rules",
    "observability.monthly_budget": "money.monthly_budget",
    "observability.reminders": "capacity.reminders",
    "orchestration": "slurm kubernetes nodes access",
    "orchestration.accounting_database": "slurm.accounting_database",
    "orchestration.eks_addons": "kubernetes.eks_addons",
    "orchestration.eks_cluster": "kubernetes.eks_cluster",
    "orchestration.eks_node_group": "kubernetes.eks_node_group",
    "orchestration.git_chart": "kubernetes.git_chart",
    "orchestration.git_chart_handler": "kubernetes.git_chart_handler",
    "orchestration.hyperpod_autoscaling_role": "kubernetes.hyperpod_autoscaling_role",
    "orchestration.hyperpod_eks_cluster": "kubernetes.hyperpod_eks_cluster",
    "orchestration.hyperpod_execution_role": "slurm.hyperpod_execution_role",
    "orchestration.hyperpod_group": "slurm.hyperpod_group",
    "orchestration.hyperpod_kubernetes": "slurm.hyperpod_labels",
    "orchestration.hyperpod_lifecycle": "slurm.hyperpod_lifecycle",
    "orchestration.hyperpod_slurm_cluster": "slurm.hyperpod_slurm_cluster",
    "orchestration.hyperpod_task_governance": "kubernetes.hyperpod_task_governance",
    "orchestration.hyperpod_updates": "slurm.hyperpod_updates",
    "orchestration.karpenter": "kubernetes.karpenter",
    "orchestration.kubectl_layer": "kubernetes.kubectl_layer",
    "orchestration.kubernetes_steps": "kubernetes.steps",
    "orchestration.load_balancer_policy": "kubernetes.load_balancer_policy",
    "orchestration.node_permissions": "nodes.permissions",
    "orchestration.node_scripts": "nodes.scripts",
    "orchestration.pcs_cluster": "slurm.pcs_cluster",
    "orchestration.pcs_node_role": "slurm.pcs_node_role",
    "orchestration.session_document": "access.session_document",
    "orchestration.web_identity": "kubernetes.web_identity",
}
"""Maps each module of version 0.1.0 to the modules that now contain its classes and functions."""

RENAMED = {
    "cfn": {"given": "without_none"},
    "kubernetes.karpenter": {
        "KarpenterGround": "KarpenterPrerequisites",
        "KarpenterGroundProps": "KarpenterPrerequisitesProps",
    },
}
"""Maps a present module to its renamed classes and functions: names in version 0.1.0, and present names."""

_LIBRARY = "ultracluster."


class _Finder(MetaPathFinder, Loader):
    """Creates a module for each old path, so that old paths do not need files."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        old = fullname.removeprefix(_LIBRARY)
        if not fullname.startswith(_LIBRARY) or old not in MOVED:
            return None
        return ModuleSpec(fullname, self, is_package="." not in old)

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__getattr__"] = partial(_moved, module.__name__)


def _moved(old: str, name: str) -> Any:
    places = MOVED[old.removeprefix(_LIBRARY)].split()
    if name == "__all__":  # `from ultracluster.orchestration import *` reads `__all__`
        return [one for new in places for one in getattr(import_module(_LIBRARY + new), name, ())]
    for new in places:
        current = RENAMED.get(new, {}).get(name, name)
        found = None if name.startswith("__") else getattr(import_module(_LIBRARY + new), current, None)
        if found is not None:
            imported = "it" if current == name else current
            message = f"{old}.{name} is deprecated: import {imported} from {_LIBRARY}{new}"
            warnings.warn(message, DeprecationWarning, stacklevel=2)
            return found
    raise AttributeError(f"module {old!r} has no attribute {name!r}", name=name)


def _renamed(module: str, name: str) -> Any:
    current = RENAMED[module.removeprefix(_LIBRARY)].get(name)
    if current is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
    warnings.warn(f"{module}.{name} is deprecated: use {current}", DeprecationWarning, stacklevel=2)
    return getattr(sys.modules[module], current)


def add_old_names(module: str) -> None:
    """Add the old names of a module that is in `RENAMED`."""
    vars(sys.modules[module])["__getattr__"] = partial(_renamed, module)


def install() -> None:
    """Add the old paths to the import system, after all other finders."""
    sys.meta_path.append(_Finder())
