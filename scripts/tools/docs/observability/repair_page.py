"""Generator of docs/repair.md, the repair policy on each control plane."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.nodes.repair.policy import Condition, plan_policy
from config.design.nodes.repair.targets import TARGETS, Compiled, compiled
from config.profile.observability.alerts import Repair
from scripts.tools.docs.markdown import page, table

_INTRO = """\
This page lists the faults of a node that ultracluster knows, and the repair of each fault on each control
plane. A profile can change the defaults:

```yaml
extends: p6-b200
name: pretrain-west
observability:
  repair:
    max_nodes_at_once: 2
    none_in_last_hours: 4
    actions: {xid-74: replace, row-remap-pending: report}
```

- A node is repaired only if the fault is certain: three consecutive checks, five minutes from one to the
  next, must find it. If many nodes have a fault at the same time, no node is repaired.
- At most `max_nodes_at_once` nodes are in repair at the same time. The other faulty nodes wait and are
  drained.
- In the last hours (`none_in_last_hours`) of a Capacity Block or training plan, no node is repaired. This
  requires the `end` of the reservation in the profile.
- With EKS, a reserved or on-demand GPU node is rebooted instead of replaced, because a replacement may not be
  available. To replace it anyway, set `replace` in `actions`. Spot instances use the defaults of EKS.
- `none` and `report` have the same effect: the node is not repaired. The checks of Slurm still keep jobs off
  the node.

EKS and HyperPod count the nodes in repair themselves, for each node group. They do not know the end of a
reservation, so `none_in_last_hours` applies only to the checks of Slurm.

The action `reset` resets the GPU. Control planes cannot reset a single GPU, so they reboot the node instead.
The column *after* is the time until the action starts. If it contains *when idle*, the action waits until the
node runs no job. The column *again* is the action if the fault occurs again within a day."""
_WORDS = {
    "hyperpod-slurm": "HyperPod with Slurm",
    "pcs": "PCS",
    "eks": "EKS, managed node groups",
    "karpenter": "EKS, Karpenter",
    "hyperpod-eks": "HyperPod with EKS",
}


def repair_page() -> str:
    """Return the page: the conditions, then a table for each control plane."""
    policy = plan_policy(Repair())
    rows = [_row(condition) for condition in policy.conditions.values()]
    by_target = {target: [one for one in compiled(policy) if one.target == target] for target in TARGETS}
    return page(
        "Repair",
        _INTRO,
        "## Conditions and actions",
        table(("condition", "meaning", "action", "after", "again", "alerts"), rows),
        "## Control planes",
        *(part for target, found in by_target.items() for part in _section(_WORDS[target], found)),
    )


def _row(condition: Condition) -> tuple[str, ...]:
    after = f"{condition.wait_s // 60} min" if condition.wait_s else "at once"
    return (
        f"`{condition.name}`",
        condition.meaning,
        condition.action,
        f"{after}, when idle" if condition.idle else after,
        condition.again or "-",
        ", ".join(f"[{name}](alerts.md#{name.lower()})" for name in condition.alerts),
    )


def _section(title: str, found: list[Compiled]) -> Iterator[str]:
    yield f"### {title}"
    kinds: dict[tuple[str, str], list[str]] = {}
    for one in found:
        kinds.setdefault((one.done or "not on this control plane", one.why), []).append(f"`{one.condition}`")
    yield table(
        ("conditions", "repair", "reason"),
        [(", ".join(names), done, why or "-") for (done, why), names in kinds.items()],
    )
