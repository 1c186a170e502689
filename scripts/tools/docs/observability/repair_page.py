"""docs/repair.md: the policy of repair, and what each control plane makes of it."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.nodes.repair.policy import Condition, plan_policy
from config.design.nodes.repair.targets import TARGETS, Compiled, compiled
from config.profile.observability.alerts import Repair
from scripts.tools.docs.markdown import page, table

_INTRO = """\
One policy says what is done about which fault of a node, and every control plane gets it in its own words. A
profile changes what it wants to be different:

```yaml
extends: p6-b200
name: pretrain-west
observability:
  repair:
    max_nodes_at_once: 2
    none_in_last_hours: 4
    actions: {xid-74: replace, row-remap-pending: report}
```

- **Nothing is done to a machine that is not to blame for sure**: a fault has to be found three times on end,
  five minutes apart, and where many nodes have one, none is repaired.
- **At most `max_nodes_at_once`** nodes are out for repair at a time; the others wait, drained.
- **Nothing in the last hours** of a Capacity Block or training plan whose `end` the profile states: what a
  repair costs does not come back.
- **A scarce machine is rebooted before it is given up**: under EKS a reserved or on-demand GPU node is
  rebooted where EKS would replace it, unless `actions` says `replace`; spot machines are left to EKS.
- `none` and `report` both mean that nobody touches the node; Slurm's checks still keep jobs off it.

EKS and HyperPod count by themselves how many nodes they repair, within a node group; neither knows when a
reservation ends, so that the last hours hold for Slurm's checks alone.

`reset` is a reset of the GPU. No control plane resets one by itself, so a node is rebooted for it, which
resets all. What is *idle* waits until the node runs no job. `again` is what is done when a fault comes back
within a day."""
_WORDS = {
    "hyperpod-slurm": "HyperPod with Slurm",
    "pcs": "PCS",
    "eks": "EKS, managed node groups",
    "karpenter": "EKS, Karpenter",
    "hyperpod-eks": "HyperPod with EKS",
}


def repair_page() -> str:
    """The conditions, then a table for each control plane."""
    policy = plan_policy(Repair())
    rows = [_row(condition) for condition in policy.conditions.values()]
    by_target = {target: [one for one in compiled(policy) if one.target == target] for target in TARGETS}
    return page(
        "Repair",
        _INTRO,
        "## What is done about what",
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
        kinds.setdefault((one.done or "not here", one.why), []).append(f"`{one.condition}`")
    yield table(
        ("conditions", "done", "why"),
        [(", ".join(names), done, why or "-") for (done, why), names in kinds.items()],
    )
