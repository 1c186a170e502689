"""Clusters whose components are looked at, and what the servers of a cluster would say of their objects."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kubernetes_validate
import yaml
from jsonschema import Draft4Validator  # type: ignore[import-untyped]  # no stubs

from config.design.build import design
from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.components import plan_components
from config.design.kubernetes.csi import ClusterStorage
from config.design.kubernetes.model import AddonPlan, IdentityPlan
from config.design.kubernetes.nodes.karpenter import Cluster, KarpenterPlan, plan_karpenter
from config.design.kubernetes.nodes.needs import NodeNeeds, node_needs
from config.design.kubernetes.steps import Manifest, Release, Step, filled
from config.design.model import Design
from config.design.nodes.storage import NodeStorage, node_storage
from config.profile.model import Profile
from config.profile.orchestrator import Eks, HyperPodEks
from config.profile.source.loader import load
from config.profile.storage.home import NewHome
from scripts.cloud.kubernetes.schemas import custom_schema

SYSTEM = {"name": "tools", "role": "system", "instance_type": "m5.4xlarge", "count": 2}
CLUSTER = Cluster(
    name="mine-0a1b2c",
    image_alias="al2023@v20260714",
    root_device="/dev/xvda",
    system_nodes=2,
    closed=False,
)
BLOCK = {
    "kind": "capacity-block",
    "reservation_id": "cr-0123456789abcdef0",
    "ultraserver": "u-p6e-gb200x72",
}
GB200 = {
    "name": "train",
    "role": "compute",
    "instance_type": "p6e-gb200.36xlarge",
    "count": 17,
    "capacity": BLOCK,
}


def machines(instance_type: str = "p6-b200.48xlarge", name: str = "train", **more: Any) -> dict[str, Any]:
    """A compute group as a profile states it."""
    return {"name": name, "role": "compute", "instance_type": instance_type, "count": 16, **more}


@dataclass(frozen=True, kw_only=True)
class Contents:
    """A profile with what its components bring into the cluster."""

    design: Design
    orchestrator: Eks | HyperPodEks
    storage: NodeStorage
    steps: tuple[Step, ...]
    addons: Mapping[str, AddonPlan]
    identities: Mapping[str, IdentityPlan]
    needs: Mapping[str, NodeNeeds]
    karpenter: KarpenterPlan | None

    @property
    def releases(self) -> dict[str, Release]:
        """The releases by name."""
        return {step.name: step for step in self.steps if isinstance(step, Release)}

    @property
    def objects(self) -> list[dict[str, Any]]:
        """Every plain or custom object, with ids as a deployment fills them in."""
        karpenter = self.karpenter.part.steps if self.karpenter else ()
        found = (step for step in (*self.steps, *karpenter) if isinstance(step, Manifest))
        return [filled(one, known) for step in found for one in step.objects]

    def group(self, name: str) -> GroupPlan:
        """A group's plan."""
        return next(group for group in self.design.groups if group.name == name)


def known(kind: str, name: str) -> str:
    """Ids of the form that AWS gives them."""
    forms = {
        "file-system-id": "fs-0123456789abcdef0",
        "home-id": "fs-0fedcba9876543210",
        "subnet-id": "subnet-0123456789abcdef0",
        "security-group-id": "sg-0123456789abcdef0",
    }
    return forms.get(kind, f"{name or 'the'}-{kind}")


def contents(
    *groups: Mapping[str, Any],
    extends: str = "p6-b200",
    orchestrator: Mapping[str, Any] | None = None,
    namespaces: tuple[str, ...] = ("default",),
    **profile: Any,
) -> Contents:
    """The components of a profile in a few keys; without groups it has `train` and two system nodes."""
    declared = {
        "extends": extends,
        "name": "mine",
        "orchestrator": {"kind": "eks", **(orchestrator or {})},
        "compute": {"groups": [*(groups or (machines(),)), SYSTEM]},
        **profile,
    }
    return of_profile(_read(declared), namespaces)


def built_in(name: str, kind: str) -> Contents:
    """The components of a built-in profile under another control plane."""
    profile = load(name, orchestrator=kind).profile
    assert profile is not None
    return of_profile(profile, ("default",))


def _read(declared: Mapping[str, Any]) -> Profile:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "my.yaml"
        file.write_text(yaml.safe_dump(dict(declared)), encoding="utf-8")
        loaded = load("my.yaml", base=Path(folder))
    assert loaded.profile is not None, [d.message for d in loaded.diagnostics]
    return loaded.profile


def of_profile(profile: Profile, namespaces: tuple[str, ...]) -> Contents:
    """What follows from a profile, as the plan of a cluster puts it together."""
    orchestrator = profile.orchestrator
    assert isinstance(orchestrator, Eks | HyperPodEks)
    designed = design(profile)
    home = profile.storage.home if profile.storage else None
    nodes = node_storage(
        profile,
        designed.file_systems,
        designed.own_file_systems,
        designed.home,
        owns_home=isinstance(home, NewHome),
        attachment=designed.attachment,
    )
    storage = ClusterStorage(
        region=profile.region,
        nodes=nodes,
        mountpoints=designed.mountpoints,
        express=designed.express,
        namespaces=namespaces,
    )
    parts = plan_components(orchestrator, designed.groups, storage)
    needs = node_needs(orchestrator, designed.groups, nodes)
    return Contents(
        design=designed,
        orchestrator=orchestrator,
        storage=nodes,
        steps=tuple(step for part in parts for step in part.steps),
        addons={addon.name: addon for part in parts for addon in part.addons},
        identities={identity.name: identity for part in parts for identity in part.identities},
        needs=needs,
        karpenter=plan_karpenter(profile, designed.groups, needs, CLUSTER),
    )


def check_object(manifest: Mapping[str, Any], version: str = "1.35") -> None:
    """Fail where the API server would refuse the object: by Kubernetes' schemas, or by its definition's."""
    if schema := custom_schema(manifest["apiVersion"], manifest["kind"]):
        Draft4Validator(strict(schema)).validate(manifest)
    else:
        kubernetes_validate.validate(manifest, version, strict=True)


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The same schema, refusing what it does not name; labels and annotations of any name stay."""
    made = {key: value for key, value in schema.items() if key != "properties"}
    if "properties" in schema:
        made["properties"] = {name: strict(inner) for name, inner in schema["properties"].items()}
        made.setdefault("additionalProperties", False)
    if "items" in schema:
        made["items"] = strict(schema["items"])
    return made
