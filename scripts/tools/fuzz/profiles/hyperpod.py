"""Settings of HyperPod with Slurm that other control planes do not have."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from config.catalog import catalog
from scripts.tools.fuzz.values.schema_values import of_key

Data = dict[str, Any]
_CRONS = ("cron(0 3 ? * SUN *)", "cron(30 23 1 */3 ? *)")
_BATCHES = ({"kind": "per-cent", "value": 25}, {"kind": "nodes", "value": 1})


def draw_slurm(draw: DrawFn) -> Data:
    """Return provisioning, the settings that depend on it, and the lifecycle scripts."""
    data: Data = {}
    continuous, careless = draw(st.integers(0, 2)) == 0, draw(st.integers(0, 15)) == 0
    if continuous:
        data["provisioning"] = "continuous"
    if continuous is careless and draw(st.booleans()):
        data["slurm_config_strategy"] = draw(of_key("HyperPodSlurm", "slurm_config_strategy"))
    if continuous is not careless and draw(st.booleans()):
        data["accounting"] = _accounting(draw)
    if draw(st.integers(0, 5)) == 0:
        data["lifecycle"] = draw(
            st.sampled_from(
                [
                    {"kind": "bootstrap"},
                    {"kind": "extended"},
                    {
                        "kind": "customer-managed",
                        "source_s3_uri": "s3://our-scripts/v1",
                        "entry": "on_create.sh",
                    },
                ]
            )
        )
    return data


def _accounting(draw: DrawFn) -> Data:
    data: Data = {"kind": "new", "standby": draw(st.booleans())}
    if draw(st.booleans()):
        least = draw(st.sampled_from([0.5, 1, 4]))
        data |= {"min_acu": least, "max_acu": draw(st.sampled_from([4, 16.5, 256]))}
    if draw(st.booleans()):
        data["backup_retention_days"] = draw(of_key("NewAccounting", "backup_retention_days"))
    return data


def with_settings(draw: DrawFn, groups: list[Data], orchestrator: Data) -> list[Data]:
    """Return the groups with keys that only HyperPod has."""
    continuous = orchestrator.get("provisioning") == "continuous"
    return [_with_settings(draw, group, continuous=continuous) for group in groups]


def _with_settings(draw: DrawFn, group: Data, *, continuous: bool) -> Data:
    made: Data = {}
    if continuous and draw(st.integers(0, 2)) == 0:
        made["min_count"] = draw(st.integers(1, max(1, group["count"] + draw(st.integers(0, 1)))))
    if continuous and draw(st.integers(0, 3)) == 0:
        first = catalog().instance(group["instance_type"])
        others = sorted(
            name
            for name, other in catalog().instances.items()
            if first and other.hyperpod_name and other.arch == first.arch and name != first.name
        )
        # the list is empty if no other type has this architecture
        if others:
            made["fallback_instance_types"] = draw(st.lists(st.sampled_from(others), unique=True, max_size=2))
    if draw(st.integers(0, 5)) == 0:
        made["scheduled_update"] = {"schedule": draw(st.sampled_from(_CRONS))}
    if draw(st.integers(0, 5)) == 0:
        batches = draw(st.sampled_from([{}, {"batch": _BATCHES[0]}, {"batch": _BATCHES[1]}]))
        deployment = {**batches, "alarms": draw(st.sampled_from([[], ["nodes-lost"]]))}
        made["auto_patch"] = {
            "strategy": draw(of_key("AutoPatch", "strategy")),
            "deployment": deployment,
        }
    return group | made
