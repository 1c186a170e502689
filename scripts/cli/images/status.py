"""Status of each group's image, and of repositories and caches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from config.design.model import Design
from config.design.report.node_images import NEWER, NodeImage
from scripts.cli.images.ask import Answer

State = Literal["up to date", "newer", "unknown", "not deployed", "not checked"]
Answers = Mapping[str, Answer]

_NEWER = ("UpdateAvailable", "SecurityUpdateRequired", "EndOfLife")


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupStatus:
    """The image of one group. `runs` is the running image, `newest` the one that AWS publishes or offers.

    `age_days` and `deprecated_at` describe the running image, or the pinned image if the running image is not
    known. `faults` are the reasons why the pinned image does not fit. `write` and `run` describe the update
    to the newest image, and are empty if there is no update.
    """

    group: str
    nodes: int
    instance_type: str
    pinned: str | None
    pinned_by: str
    runs: str | None
    newest: str | None
    state: State
    why: str
    age_days: int | None = None
    deprecated_at: str | None = None
    faults: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    source: str = ""
    write: str | None = None
    run: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryStatus:
    """One repository: its newest image, and the number of findings of its scan, None without a scan."""

    name: str
    images: int | None
    newest: str | None
    pushed_at: str | None
    critical: int | None
    high: int | None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheStatus:
    """One pull-through cache, and whether its rule exists."""

    prefix: str
    upstream: str
    there: bool | None
    why: str = ""


def image_ids(images: Sequence[NodeImage], answers: Answers) -> list[str]:
    """Return the ids of all images that must be described."""
    found = {text for one in images for text in _ids(one, answers)}
    return sorted(found)


def _ids(image: NodeImage, answers: Answers) -> Iterator[str]:
    candidates = (image.pinned, _parameter(answers, image.id_parameter), _runs(image, answers)[1])
    yield from (text for text in candidates if text is not None and text.startswith("ami-"))


def group_statuses(
    images: Sequence[NodeImage], answers: Answers, *, account: str, now: datetime
) -> tuple[GroupStatus, ...]:
    """Return the status of each group."""
    known = {str(one["ImageId"]): one for one in answers["images"].value or ()} if "images" in answers else {}
    return tuple(_group(image, answers, known, account=account, now=now) for image in images)


def _group(
    image: NodeImage,
    answers: Answers,
    known: Mapping[str, Mapping[str, Any]],
    *,
    account: str,
    now: datetime,
) -> GroupStatus:
    runs, runs_id, reported_newer = _runs(image, answers)
    newest_id = _parameter(answers, image.id_parameter)
    newest = _parameter(answers, image.release_parameter) or newest_id or reported_newer
    state, why = _state(image, answers, known, runs, newest_id, newest, reported_newer)
    looked_at = known.get(runs_id or image.pinned or newest_id or "")
    rolls = state == "newer"
    filled = newest if newest is not None else NEWER
    return GroupStatus(
        group=image.group,
        nodes=image.nodes,
        instance_type=image.instance_type,
        pinned=image.pinned,
        pinned_by=image.pinned_by,
        runs=runs,
        newest=newest,
        state=state,
        why=why,
        age_days=_age(looked_at, now),
        deprecated_at=_deprecated(looked_at),
        faults=tuple(_faults(image, known, answers, account=account, now=now)),
        effects=image.rolling.effects if rolls else (),
        source=image.rolling.source if rolls else "",
        write=image.rolling.write.replace(NEWER, filled) if rolls and image.rolling.write else None,
        run=tuple(command.replace(NEWER, filled) for command in image.rolling.run) if rolls else (),
    )  # fmt: skip


def _runs(image: NodeImage, answers: Answers) -> tuple[str | None, str | None, str | None]:
    """Return the running image's release or id, its AMI id, and the newer image; None if not known."""
    group = answers.get(f"group-{image.group}")
    if group is not None and group.value is not None:
        release, ami = group.value.get("releaseVersion"), group.value.get("amiId")
        return release or ami, ami or (release if str(release).startswith("ami-") else None), None
    hyperpod = answers.get("hyperpod")
    for described in hyperpod.value or () if hyperpod else ():
        if described.get("InstanceGroupName") == image.service_name:
            now = described.get("CurrentImageReleaseVersion") or described.get("CurrentImageId")
            then = described.get("DesiredImageReleaseVersion") or described.get("DesiredImageId")
            offered = described.get("ImageVersionStatus") in _NEWER
            changed = then is not None and then != now
            newer = then if changed else "the service's newest" if offered else None
            return now, described.get("CurrentImageId"), newer
    return None, None, None


def _state(
    image: NodeImage,
    answers: Answers,
    known: Mapping[str, Mapping[str, Any]],
    runs: str | None,
    newest_id: str | None,
    newest: str | None,
    reported_newer: str | None,
) -> tuple[State, str]:
    asked = answers.get(f"group-{image.group}") or answers.get("hyperpod")
    if reported_newer is not None:
        return "newer", "HyperPod offers an update"
    here = runs or image.pinned
    if asked is not None and asked.reason and not asked.missing:
        return "not checked", asked.reason
    if newest is None:
        if asked is not None and asked.missing:
            return "not deployed", "the group does not exist yet"
        if image.id_parameter is None and runs is not None:
            return "up to date", "the service does not offer a newer image"
        return "unknown", _silence(answers) or "AWS does not publish an image of this type"
    if here is None:
        return "not deployed", "the group gets the newest image when it is created"
    if here in (newest, newest_id):
        return "up to date", ""
    if image.form == "ami" and image.pinned is not None:
        return _by_date(known, runs if runs in known else image.pinned, newest_id)
    return "newer", "AWS publishes a newer image"


def _by_date(
    known: Mapping[str, Mapping[str, Any]], here: str | None, newest: str | None
) -> tuple[State, str]:
    """Compare a custom image with AWS's image by date, because their ids always differ."""
    dates = [_created(known.get(one or "")) for one in (here, newest)]
    if dates[0] is None or dates[1] is None:
        return "unknown", f"the creation date of {here if dates[0] is None else newest} is not known"
    if dates[1] > dates[0]:
        return "newer", f"AWS's image is from {dates[1]:%Y-%m-%d}, your image is from {dates[0]:%Y-%m-%d}"
    return "up to date", "your image is newer than AWS's newest image"


def _silence(answers: Answers) -> str:
    reasons = [one.reason for key, one in answers.items() if key.startswith("published") and one.reason]
    return reasons[0] if reasons else ""


def _parameter(answers: Answers, name: str | None) -> str | None:
    for key, answer in answers.items():
        if key.startswith("published") and answer.value and name in answer.value:
            return str(answer.value[name])
    return None


def _created(image: Mapping[str, Any] | None) -> datetime | None:
    text = str(image.get("CreationDate") or "") if image else ""
    try:
        created = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return created if created.tzinfo else created.replace(tzinfo=UTC)


def _deprecated(image: Mapping[str, Any] | None) -> str | None:
    text = image.get("DeprecationTime") if image else None
    return str(text) if text else None


def _age(image: Mapping[str, Any] | None, now: datetime) -> int | None:
    created = _created(image)
    return (now - created).days if created else None


def _faults(
    image: NodeImage,
    known: Mapping[str, Mapping[str, Any]],
    answers: Answers,
    *,
    account: str,
    now: datetime,
) -> Iterator[str]:
    """Yield reasons why a pinned image does not fit its instances or its service."""
    pinned = image.pinned if image.form == "ami" else None
    if pinned is None or "images" not in answers or answers["images"].value is None:
        return
    described = known.get(pinned)
    if described is None:
        yield f"{pinned} does not exist, or is not shared with this account"
        return
    if described.get("State", "available") != "available":
        yield f"{pinned} is {described['State']}: instances cannot start with it"
    arch = described.get("Architecture")
    if arch is not None and arch != image.arch:
        yield f"{pinned} is for {arch}, but {image.instance_type} requires {image.arch}"
    deprecated = str(described.get("DeprecationTime") or "")
    if deprecated and deprecated < f"{now:%Y-%m-%dT%H:%M:%S}":
        yield f"{pinned} has been deprecated since {deprecated[:10]}"
    yield from _disk_faults(image, pinned, described)
    if image.id_parameter is None and str(described.get("OwnerId", account)) != account:
        yield (
            f"{pinned} belongs to account {described['OwnerId']}, but HyperPod only accepts custom images of "
            "this account"
        )


def _disk_faults(image: NodeImage, pinned: str, described: Mapping[str, Any]) -> Iterator[str]:
    mappings = [one for one in described.get("BlockDeviceMappings", ()) if one.get("Ebs") is not None]
    if image.root_volume_gib is not None:
        for one in mappings:
            size = int(one["Ebs"].get("VolumeSize", 0))
            if one.get("DeviceName") == described.get("RootDeviceName") and size > image.root_volume_gib:
                yield (
                    f"the root snapshot of {pinned} has {size} GiB, "
                    f"but the group's root volume has {image.root_volume_gib} GiB"
                )
        return
    if len(mappings) > 1:
        yield f"{pinned} has {len(mappings)} volumes, but HyperPod only supports a root volume"
    if any(one["Ebs"].get("Encrypted") for one in mappings):
        yield f"{pinned} is encrypted, which HyperPod does not support"


def repository_statuses(design: Design, answers: Answers) -> tuple[RepositoryStatus, ...]:
    """Return the status of the repositories."""
    pulled = design.pulled.repositories if design.pulled else ()
    return tuple(_repository(one.name, answers[f"repository-{one.name}"]) for one in pulled)


def _repository(name: str, answer: Answer) -> RepositoryStatus:
    if answer.value is None:
        why = "does not exist yet" if answer.missing else f"not checked: {answer.reason}"
        return RepositoryStatus(
            name=name, images=None, newest=None, pushed_at=None, critical=None, high=None, why=why
        )
    if not answer.value:
        return RepositoryStatus(
            name=name,
            images=0,
            newest=None,
            pushed_at=None,
            critical=None,
            high=None,
            why="no image has been pushed yet",
        )
    newest = answer.value[-1]
    counts = (newest.get("imageScanFindingsSummary") or {}).get("findingSeverityCounts")
    status = (newest.get("imageScanStatus") or {}).get("status", "")
    return RepositoryStatus(
        name=name,
        images=len(answer.value),
        newest=", ".join(newest.get("imageTags", ())) or str(newest.get("imageDigest", ""))[:19],
        pushed_at=_moment(newest.get("imagePushedAt")),
        critical=None if counts is None else int(counts.get("CRITICAL", 0)),
        high=None if counts is None else int(counts.get("HIGH", 0)),
        why="" if counts is not None else _unscanned(status),
    )  # fmt: skip


def _unscanned(status: str) -> str:
    return f"no findings available{f' (scan {status.lower()})' if status else ''}"


def _moment(value: Any) -> str | None:
    return f"{value:%Y-%m-%d}" if isinstance(value, datetime) else None


def cache_statuses(design: Design, answers: Answers) -> tuple[CacheStatus, ...]:
    """Return the status of the caches."""
    caches = design.pulled.caches if design.pulled else ()
    answer = answers.get("caches")
    there = (
        {str(one.get("ecrRepositoryPrefix")) for one in (answer.value or ()) if answer} if answer else set()
    )
    return tuple(_cache(one.prefix, one.upstream, answer, there) for one in caches)


def _cache(prefix: str, upstream: str, answer: Answer | None, there: set[str]) -> CacheStatus:
    if answer is None or (answer.value is None and not answer.missing):
        why = f"not checked: {answer.reason}" if answer else "not checked"
        return CacheStatus(prefix=prefix, upstream=upstream, there=None, why=why)
    found = prefix in there
    return CacheStatus(
        prefix=prefix, upstream=upstream, there=found, why="" if found else "does not exist yet"
    )
