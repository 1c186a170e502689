"""Clusters that schedulers are tried on, and what the servers of a cluster would say of their objects."""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import kubernetes_validate
from jsonschema import Draft4Validator  # type: ignore[import-untyped]  # ships no types

from config.design.capacity.groups import GroupPlan, plan_groups
from config.design.kubernetes.model import Part
from config.design.kubernetes.scheduler.part import part
from config.design.kubernetes.steps import Manifest, Release
from config.profile.capacity.groups import Group
from config.profile.kubernetes.scheduler import Scheduling
from config.profile.model import Profile
from config.profile.orchestrator import Eks, HyperPodEks
from config.profile.source.loader import load
from scripts.cloud.kubernetes.schemas import custom_schema, group_of

SCHEDULERS = ("kueue", "volcano", "kai")
CONTROL_PLANES = ("eks", "hyperpod-eks")
PROFILES = ("p5-dev", "p5", "p5e", "p5en", "p6-b200", "p6-b300", "p6e-gb200")
BUILT_IN = tuple(itertools.product(PROFILES, CONTROL_PLANES, SCHEDULERS))
"""Every built-in cluster, control plane and scheduler."""

_QUANTITY = re.compile(r"([0-9]+)(m|Mi|)")
_UNITS = {"": 1000, "m": 1, "Mi": 1000 * 2**20}


@functools.cache
def profile_of(name: str, kind: str) -> Profile:
    """A built-in profile under another control plane."""
    found = load(name, orchestrator=kind).profile
    assert found is not None
    return found


def kubernetes(
    kind: str = "eks", scheduler: str = "kueue", version: str = "1.35", **scheduling: Any
) -> Eks | HyperPodEks:
    """A control plane with these keys of `scheduling`."""
    orchestrator = profile_of("p6-b200", kind).orchestrator
    assert isinstance(orchestrator, Eks | HyperPodEks)
    return orchestrator.model_copy(
        update={
            "scheduler": scheduler,
            "kubernetes_version": version,
            "scheduling": Scheduling.model_validate(scheduling),
        }
    )


def machines(
    *groups: tuple[str, str, int], kind: str = "eks", role: str = "compute"
) -> tuple[GroupPlan, ...]:
    """Groups by name, type and count."""
    declared = tuple(
        Group.model_validate({"name": name, "role": role, "instance_type": instance, "count": count})
        for name, instance, count in groups
    )
    profile = profile_of("p6-b200", kind)
    assert profile.compute is not None
    return plan_groups(
        profile.model_copy(update={"compute": profile.compute.model_copy(update={"groups": declared})})
    )


TRAIN = machines(("train", "p6-b200.48xlarge", 16))


def objects(found: Part) -> tuple[Mapping[str, Any], ...]:
    """Every object of a part, in order."""
    return tuple(one for step in found.steps if isinstance(step, Manifest) for one in step.objects)


def release(found: Part) -> Release:
    """The one release of a part."""
    (only,) = [step for step in found.steps if isinstance(step, Release)]
    return only


def of_kind(found: Sequence[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    """The objects of one kind."""
    return [one for one in found if one["kind"] == kind]


def of_built_in(name: str, kind: str, scheduler: str) -> tuple[Eks | HyperPodEks, tuple[GroupPlan, ...]]:
    """A built-in cluster under a scheduler."""
    profile = profile_of(name, kind)
    assert isinstance(profile.orchestrator, Eks | HyperPodEks)
    return profile.orchestrator.model_copy(update={"scheduler": scheduler}), plan_groups(profile)


def part_of(name: str, kind: str, scheduler: str) -> Part:
    """What the scheduler brings into a built-in cluster."""
    return part(*of_built_in(name, kind, scheduler))


def faults(one: Mapping[str, Any], version: str = "1.35") -> list[str]:
    """What a cluster's API server refuses of an object: by its schema, or by Kubernetes' own."""
    plain = json.loads(json.dumps(one))
    if group_of(one) in ("", "batch", "scheduling.k8s.io", "resource.k8s.io"):
        try:
            kubernetes_validate.validate(plain, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            return [str(error)]
        return []
    # the schemas are of OpenAPI 3.0, whose `exclusiveMinimum: true` is of draft 4
    schema = custom_schema(one["apiVersion"], one["kind"])
    assert schema is not None
    validator = Draft4Validator(_closed(schema))
    return [error.message for error in validator.iter_errors(plain)]


def _closed(schema: Any) -> Any:
    """The schema with unknown keys refused: a cluster would drop them without a word."""
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(value) for key, value in schema.items()}
    known = schema.get("properties")
    open_to_all = "additionalProperties" in schema or schema.get("x-kubernetes-preserve-unknown-fields")
    if isinstance(known, dict) and known and not open_to_all:
        closed["additionalProperties"] = False
    return closed


def number(quantity: str) -> int:
    """A quantity of Kubernetes in thousandths."""
    found = _QUANTITY.fullmatch(quantity)
    assert found is not None, quantity
    return int(found[1]) * _UNITS[found[2]]
