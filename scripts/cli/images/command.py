"""`ultracluster images`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from config.cluster import load_cluster
from config.design.model import Design
from config.design.report.node_images import NodeImage, node_images
from scripts.cli.output import (
    fact,
    heading,
    line,
    refuse,
    verbatim,
    write_diagnostics,
    write_json,
    write_table,
)

if TYPE_CHECKING:
    from scripts.cli.images.ask import Account
    from scripts.cli.images.status import CacheStatus, GroupStatus, RepositoryStatus


def show_images(
    profile: str, *, orchestrator: str | None, embedded: bool, policy: bool, as_json: bool
) -> int:
    """Print the images of a cluster, and newer images."""
    cluster = load_cluster(profile, orchestrator=orchestrator)
    if cluster.exit_status or cluster.design is None:
        write_diagnostics(cluster.diagnostics, stderr=True)
        return cluster.exit_status
    design = cluster.design
    images = node_images(design)
    if policy:
        from scripts.cli.images.questions import policy_of

        write_json(policy_of(design, images))
        return 0
    # importing boto3 is slow, and the policy does not need it
    from scripts.cli.images.ask import UnreachableError, account

    try:
        who = account(design.profile.region, embedded=embedded)
    except UnreachableError as error:
        return _pinned_alone(design, images, str(error), error.hint, as_json=as_json)
    if design.profile.account not in (None, who.number):
        message = (
            f"the profile is for account {design.profile.account}, but the credentials are for {who.number}"
        )
        return _pinned_alone(
            design, images, message, f"use credentials of account {design.profile.account}", as_json=as_json
        )
    _report(design, images, who, as_json=as_json)
    return 0


def _pinned_alone(
    design: Design, images: Sequence[NodeImage], message: str, hint: str, *, as_json: bool
) -> int:
    """Print the images that the profile pins, if AWS cannot be queried."""
    if as_json:
        groups = [
            {"group": one.group, "instance_type": one.instance_type, "pinned": one.pinned,
             "pinned_by": one.pinned_by} for one in images
        ]  # fmt: skip
        write_json({"profile": design.profile.name, "error": message, "groups": groups})
    else:
        rows = [(one.group, one.pinned or "the newest", one.pinned_by or "-") for one in images]
        if rows:
            write_table(("group", "image", "pinned by"), rows)
    return refuse(message, hint)


def _report(design: Design, images: Sequence[NodeImage], who: Account, *, as_json: bool) -> None:
    from scripts.cli.images.ask import ask_all
    from scripts.cli.images.questions import image_question, questions
    from scripts.cli.images.status import cache_statuses, group_statuses, image_ids, repository_statuses

    answers = ask_all(questions(design, images), who.client, _progress)
    if ids := image_ids(images, answers):
        answers |= ask_all([image_question(ids)], who.client, _progress)
    groups = group_statuses(images, answers, account=who.number, now=datetime.now(UTC))
    repositories, caches = repository_statuses(design, answers), cache_statuses(design, answers)
    silent = sorted({one.reason for one in answers.values() if one.reason and not one.missing})
    if as_json:
        write_json(
            {
                "profile": design.profile.name, "account": who.number, "region": design.profile.region,
                "groups": [asdict(one) for one in groups],
                "repositories": [asdict(one) for one in repositories],
                "caches": [asdict(one) for one in caches],
                "not_checked": silent,
            }
        )  # fmt: skip
        return
    line(f"{design.profile.name}: account {who.number}, {design.profile.region}")
    _write_groups(groups)
    _write_repositories(repositories, caches)
    if silent:
        heading("not checked")
        for reason in silent:
            line(reason, indent=2)
        line("`ultracluster images PROFILE --policy` prints the required permissions", indent=2)


def _progress(done: int, of: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {of} queries", end="\n" if done == of else "", file=sys.stderr, flush=True)


def _write_groups(groups: Sequence[GroupStatus]) -> None:
    if not groups:
        return
    heading("nodes")
    rows = [
        (one.group, one.runs or one.pinned or "the newest", one.newest or "-", one.state) for one in groups
    ]
    write_table(("group", "image", "newest", "state"), rows)
    for one in groups:
        for detail in _details(one):
            fact(one.group, detail)
    for newer in [one for one in groups if one.state == "newer"]:
        _write_rolling(newer)


def _details(one: GroupStatus) -> list[str]:
    details = [one.why] if one.why else []
    if one.runs is not None and one.pinned is not None and one.runs != one.pinned:
        details.append(f"{one.pinned} is pinned, so the next deployment updates the group to this image")
    if one.age_days is not None:
        details.append(f"the image is {one.age_days} {'day' if one.age_days == 1 else 'days'} old")
    if one.deprecated_at is not None:
        details.append(f"the image is deprecated from {one.deprecated_at[:10]}")
    return [*details, *(f"does not fit: {fault}" for fault in one.faults)]


def _write_rolling(one: GroupStatus) -> None:
    heading(f"to update {one.group}")
    for effect in one.effects:
        line(f"- {effect}", indent=2)
    if one.write is not None:
        line("set this in the profile, and deploy:", indent=2)
        verbatim(one.write)
    for command in one.run:
        line("run:" if one.write is None else "or run:", indent=2)
        verbatim(command)
    fact("source", one.source)


def _write_repositories(repositories: Sequence[RepositoryStatus], caches: Sequence[CacheStatus]) -> None:
    if repositories:
        heading("repositories")
        write_table(
            ("repository", "newest", "pushed", "critical", "high"),
            [
                (one.name, one.newest or "-", one.pushed_at or "-", _count(one.critical), _count(one.high))
                for one in repositories
            ],
            right=(3, 4),
        )
        for one in repositories:
            if one.why:
                fact(one.name, one.why)
    if caches:
        heading("caches")
        rows: list[tuple[Any, ...]] = [
            (one.prefix, one.upstream, "exists" if one.there else one.why) for one in caches
        ]
        write_table(("prefix", "upstream", "state"), rows)


def _count(number: int | None) -> str:
    return "-" if number is None else str(number)
