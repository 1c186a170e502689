"""Groups of machines that one queue of Kueue has room for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from config.cluster import load_cluster

SYSTEM = {"name": "system", "role": "system", "instance_type": "m6i.xlarge", "count": 2}


def messages(folder: Path, number: int, empty: int = 0, **orchestrator: Any) -> list[str]:
    """What is said of so many compute groups, besides so many without nodes."""
    counts = [1] * number + [0] * empty
    groups = [
        {"name": f"g{i}", "role": "compute", "instance_type": "g6.xlarge", "count": count}
        for i, count in enumerate(counts)
    ]
    declared = {
        "extends": "p6-b200",
        "name": "mine",
        "storage": {"lustre": None},
        "compute": {"groups": [SYSTEM, *groups]},
        "orchestrator": {"kind": "hyperpod-eks", **orchestrator},
    }
    file = folder / "mine.yaml"
    file.write_text(yaml.safe_dump(declared), encoding="utf-8")
    found = load_cluster(str(file)).diagnostics
    return [one.message for one in found if one.code == "KUB014" and "Kueue queue" in one.message]


def test_a_queue_has_64_flavors_at_most(tmp_path: Path) -> None:
    (message,) = messages(tmp_path, 65)
    assert "65 compute groups have nodes" in message
    assert "at most 64 flavors" in message


@pytest.mark.parametrize(
    ("number", "empty", "orchestrator"),
    [(64, 3, {}), (65, 0, {"scheduler": "volcano"}), (65, 0, {"task_governance": {}})],
    ids=["as_many_as_it_holds", "another_scheduler", "queues_of_hyperpod"],
)
def test_fewer_groups_and_other_queues_have_no_such_bound(
    number: int, empty: int, orchestrator: dict[str, Any], tmp_path: Path
) -> None:
    assert messages(tmp_path, number, empty, **orchestrator) == []
