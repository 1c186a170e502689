"""Compare the number of nodes that a change needs at the same time with the reserved capacity."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from config.diagnostics import Diagnostic
from config.review import codes
from scripts.cli.review.compare import Comparison
from scripts.cli.review.model import Action, Change
from scripts.cli.review.texts import put_back, roots
from scripts.cloud.template.names import DELETED_FIRST, replaced_in_order
from scripts.cloud.template.updates import Topic

from .findings import diagnostic
from .holders import Nodes, Side, Source, pools

_EMPTY_FIRST = "set `count` to 0 in an earlier deployment, and restore the count afterwards"

_ONE_BY_ONE = "shrink one group in one deployment, and grow the other group in the next"


@dataclass
class _Holder:
    """The number of nodes that one resource runs from one source, in total for the resource's groups."""

    before: int = 0
    after: int = 0
    each: int = 0
    surge: int = 0


@dataclass
class _Need:
    """The number of nodes from one source before, after and during the change.

    `peak` is the largest number during the change. `worst` is the number if all groups that grow do so before
    any group shrinks.
    """

    before: int = 0
    after: int = 0
    peak: int = 0
    worst: int = 0
    causes: list[Change] = field(default_factory=list)

    @property
    def steady(self) -> int:
        """Return the number of nodes that the source needs if old and new nodes never run together."""
        return max(self.before, self.after)


def peak_findings(found: Comparison) -> Iterator[Diagnostic]:
    """Yield a finding for each source that has fewer instances than the change needs at the same time."""
    old, new = sides(found)
    declared = old.reserved() | new.reserved()
    for source, need in sorted(_needs(found, old, new).items(), key=lambda item: item[0].name):
        known = declared.get(source.name) if source.reserved else None
        limit = need.steady if known is None else known
        said = (
            f"{need.before} are reserved (assumed from the number of nodes before the change)"
            if known is None
            else f"{known} are reserved"
        )
        if need.peak > limit:
            yield _too_many(found, source, need, said)
        elif need.worst > limit:
            yield _exchange(source, need, said)


def sides(found: Comparison) -> tuple[Side, Side]:
    """Return both templates as sides with their node groups."""
    pairs = ((found.old, found.before), (found.new, found.after))
    old, new = (
        Side({n: side.kind(n) for n in properties}, properties, side.template.resources)
        for side, properties in pairs
    )
    return old, new


def _needs(found: Comparison, old: Side, new: Side) -> dict[Source, _Need]:
    needs: dict[Source, _Need] = defaultdict(_Need)
    for (logical_id, source), holder in _holders(old, new).items():
        need, change = needs[source], found.changes.get(logical_id)
        need.before += holder.before
        need.after += holder.after
        peak, worst = _at_once(found, change, holder)
        need.peak += peak
        need.worst += worst
        if change is not None and (holder.before, holder.after) != (peak, peak):
            need.causes.append(change)
    return needs


def _holders(old: Side, new: Side) -> dict[tuple[str, Source], _Holder]:
    before, after = _by_group(old), _by_group(new)
    pool = pools(nodes.source for nodes in (*before.values(), *after.values()))
    holders: dict[tuple[str, Source], _Holder] = defaultdict(_Holder)
    for group in sorted(before.keys() | after.keys()):
        was, will = before.get(group), after.get(group)
        for source in {pool[nodes.source] for nodes in (was, will) if nodes}:
            ran = was.count if was and pool[was.source] == source else 0
            runs = will.count if will and pool[will.source] == source else 0
            holder = holders[group[0], source]
            holder.before += ran
            holder.after += runs
            holder.each += max(ran, runs)
            holder.surge += will.surge if will and was and runs else 0
    return holders


def _by_group(side: Side) -> dict[tuple[str, str], Nodes]:
    return {(nodes.logical_id, nodes.group): nodes for nodes in side.nodes()}


def _at_once(found: Comparison, change: Change | None, holder: _Holder) -> tuple[int, int]:
    """Return a resource's number of nodes during the change, and the number if its groups grow first."""
    if change is None or change.action is Action.REFUSED:
        return holder.before, holder.before
    if change.action is Action.REPLACE:
        first = replaced_in_order(found.new.region, change.type) == DELETED_FIRST
        both = max(holder.before, holder.after) if first else holder.before + holder.after
        return both, both
    rolling = any(edit.topic is Topic.NODES_REPLACED for edit in change.edits)
    surge = holder.surge if rolling else 0
    return max(holder.before, holder.after) + surge, holder.each + surge


def node_findings(found: Comparison) -> Iterator[Diagnostic]:
    """Yield a finding for each replaced or deleted resource whose nodes are terminated."""
    old, _ = sides(found)
    counts: Counter[str] = Counter()
    for nodes in old.nodes():
        counts[nodes.logical_id] += nodes.count
    for logical_id, count in counts.items():
        change = found.changes.get(logical_id)
        if change is None or not count:
            continue
        if change.action is Action.REPLACE:
            hint = f"{put_back(roots(change, found.changes))}, or wait until no job runs"
            message = f"{change.type} is replaced, which terminates its {_nodes(count)}"
            yield diagnostic(codes.NODES_REPLACED, logical_id, message, hint)
        elif change.action is Action.DELETE:
            message = f"{change.type} is deleted, which terminates its {_nodes(count)}"
            hint = "restore the resource, or wait until no job runs"
            yield diagnostic(codes.NODES_REMOVED, logical_id, message, hint)


def _nodes(count: int) -> str:
    return "1 node" if count == 1 else f"{count} nodes"


def _where(need: _Need) -> str:
    return ", ".join(change.logical_id for change in need.causes)


def _too_many(found: Comparison, source: Source, need: _Need, reserved: str) -> Diagnostic:
    where = _where(need) or "the template"
    causes = [cause for change in need.causes for cause in roots(change, found.changes)]
    back = f"{put_back(causes)}, or " if causes else ""
    if not source.reserved:
        return diagnostic(
            codes.PEAK_ON_DEMAND,
            where,
            f"{need.peak} x {source.name} on demand are needed at the same time, but only {need.before} run "
            "now, and capacity for more is not reserved",
            f"{back}{_EMPTY_FIRST}; or deploy when capacity is available",
        )
    return diagnostic(
        codes.PEAK,
        where,
        f"{need.peak} nodes of {source.name} are needed at the same time, but {reserved}",
        f"{back}{_EMPTY_FIRST}; if the reservation is larger, set `instances` in the group's `capacity`",
    )


def _exchange(source: Source, need: _Need, reserved: str) -> Diagnostic:
    if not source.reserved:
        return diagnostic(
            codes.PEAK_ON_DEMAND,
            _where(need) or "the template",
            f"up to {need.worst} x {source.name} on demand are needed at the same time, because one group "
            f"may grow before another shrinks; only {need.before} run now, and capacity for more is not "
            "reserved",
            f"{_ONE_BY_ONE}; or deploy when capacity is available",
        )
    return diagnostic(
        codes.PEAK_OF_EXCHANGE,
        _where(need) or "the template",
        f"up to {need.worst} nodes of {source.name} are needed at the same time, because one group may "
        f"grow before another shrinks; only {reserved}",
        _ONE_BY_ONE,
    )
