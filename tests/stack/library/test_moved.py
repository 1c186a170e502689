"""What has moved or been renamed since 0.1.0 is still found by its old path or name, with a warning."""

from __future__ import annotations

from importlib import import_module
from operator import attrgetter

import pytest

from ultracluster.moved import MOVED, RENAMED

NAMES = {
    ("compute", "capacity"): """
        EfaNodeGroup EfaNodeGroupProps InterfaceType Market NodeInterface
    """,
    ("images", "nodes"): """
        ImageCache ImageCacheProps ImageCacheRole ImageCacheRoleProps ImageRepository
        ImageRepositoryProps
    """,
    ("orchestration", "access"): """
        SessionDocument SessionDocumentProps
    """,
    ("orchestration", "kubernetes"): """
        HyperPodAutoscalingRole HyperPodAutoscalingRoleProps HyperPodEksCluster
        HyperPodEksClusterProps HyperPodTaskGovernance HyperPodTaskGovernanceProps Preemption
        Sharing TeamQuotaProps
    """,
    ("orchestration", "nodes"): """
        NodeAccess NodeMetricsAccess NodeScripts NodeScriptsProps
    """,
    ("orchestration", "slurm"): """
        AccountingDatabase AccountingDatabaseCluster AccountingDatabaseClusterProps AutoPatch
        BatchSize DeepHealthCheck Deployment HyperPodExecutionRole HyperPodExecutionRoleProps
        HyperPodGroup HyperPodSlurmCluster HyperPodSlurmClusterProps KubernetesTaint Lifecycle
        LustreMount NodeRecovery NodeType OpenZfsMount PcsCluster PcsClusterProps PcsGroup
        PcsNodeRole PcsNodeRoleProps PcsQueue PcsScript PurchaseOption ScheduledUpdate Size
        SlurmConfigStrategy TaintEffect
    """,
}
"""The public names of 0.1.0 that have moved, by their old and new package."""


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        (f"ultracluster.{old}", f"ultracluster.{new}", name)
        for (old, new), names in NAMES.items()
        for name in names.split()
    ],
)
def test_a_public_name_is_found_at_its_old_path(old: str, new: str, name: str) -> None:
    module = import_module(old)
    with pytest.warns(DeprecationWarning, match=f"{old}.{name} is deprecated: import it from {new}$"):
        found = getattr(module, name)
    assert found is getattr(import_module(new), name)


@pytest.mark.parametrize(("old", "new"), [row for row in MOVED.items() if "." in row[0]])
def test_a_module_is_found_at_its_old_path(old: str, new: str) -> None:
    module, other = import_module(f"ultracluster.{old}"), import_module(f"ultracluster.{new}")
    own = [
        name
        for name, value in vars(other).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == other.__name__
    ]
    assert own
    for name in own:
        with pytest.warns(DeprecationWarning, match=f"import it from ultracluster.{new}$"):
            assert getattr(module, name) is getattr(other, name)


@pytest.mark.parametrize("package", ["compute", "images", "orchestration"])
def test_all_names_of_an_old_package_are_imported_by_a_star(package: str) -> None:
    names: dict[str, object] = {}
    with pytest.warns(DeprecationWarning, match=f"ultracluster.{package}"):
        exec(f"from ultracluster.{package} import *", names)
    assert {
        name for (old, _), text in NAMES.items() if old == package for name in text.split()
    } <= names.keys()


@pytest.mark.parametrize(
    ("path", "old", "new"), [(path, *row) for path, names in RENAMED.items() for row in names.items()]
)
def test_a_renamed_object_is_found_by_its_old_name(path: str, old: str, new: str) -> None:
    module = import_module(f"ultracluster.{path}")
    with pytest.warns(DeprecationWarning, match=f"ultracluster.{path}.{old} is deprecated: use {new}$"):
        found = getattr(module, old)
    assert found is vars(module)[new]


def test_a_renamed_object_is_found_at_its_old_path() -> None:
    old, new = import_module("ultracluster.orchestration.karpenter"), "ultracluster.kubernetes.karpenter"
    with pytest.warns(DeprecationWarning, match=f"import KarpenterPrerequisites from {new}$") as warned:
        found = attrgetter("KarpenterGround")(old)
    assert found is vars(import_module(new))["KarpenterPrerequisites"]
    assert len(warned) == 1


def test_no_file_is_left_at_an_old_path_and_other_paths_are_unknown() -> None:
    with pytest.warns(DeprecationWarning, match="ultracluster.slurm"):
        from ultracluster.orchestration import PcsCluster  # type: ignore[import-not-found]  # has moved
    assert PcsCluster.__module__ == "ultracluster.slurm.pcs_cluster"
    with pytest.raises(AttributeError, match=r"'ultracluster\.compute' has no attribute 'Nothing'"):
        attrgetter("Nothing")(import_module("ultracluster.compute"))
    with pytest.raises(AttributeError, match=r"'ultracluster\.cfn' has no attribute 'nothing'"):
        attrgetter("nothing")(import_module("ultracluster.cfn"))
    with pytest.raises(ModuleNotFoundError):
        import_module("ultracluster.orchestration.nothing")
