"""Checks of placement groups and images."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.report.node_images import NodeImage, node_images
from config.diagnostics import Path
from config.profile.capacity.groups import ExistingPlacementGroup
from config.rules.preflight import codes
from scripts.cli.preflight.asking import Ask, UnansweredError
from scripts.cli.preflight.checks import Check, Found, Verdict, check, ec2_by_id, needs, wrong
from scripts.cli.preflight.place import Place


def checks(place: Place) -> Iterator[Check]:
    """Yield the checks of placement groups and images."""
    for at, group in place.design.placed_groups:
        if isinstance(group.placement_group, ExistingPlacementGroup):
            name = group.placement_group.name
            asked, at = needs("ec2:DescribePlacementGroups"), (*at, "placement_group", "name")
            yield check("EC2", f"the placement group {name}", asked, _placement, name, at)
    yield from _images(place)


def _placement(name: str, at: Path, ask: Ask) -> Verdict:
    here = ec2_by_id(ask, "PlacementGroups", "GroupName", name).get(name)
    if here is None:
        message = f"the placement group {name} does not exist"
        hint = "write `placement_group: {kind: new}`, or create the placement group"
        return wrong("does not exist", codes.PLACEMENT, at, message, hint)
    strategy, state = str(here.get("Strategy")), str(here.get("State"))
    if strategy != "cluster" or state != "available":
        message = f"the placement group `{name}` has the strategy `{strategy}` and is {state}; it must have the strategy `cluster` and be available"
        hint = "use a cluster placement group, or write `placement_group: {kind: new}`"
        return wrong(f"{strategy}, {state}", codes.PLACEMENT, at, message, hint)
    return Verdict("cluster, available")


def _images(place: Place) -> Iterator[Check]:
    where = {group.name: at for at, group in place.design.placed_groups}
    parameters: dict[str, tuple[str, Path]] = {}
    pinned: dict[str, tuple[NodeImage, Path]] = {}
    for image in node_images(place.design):
        at = where[image.group]
        if image.pinned is not None and image.pinned.startswith("ami-"):
            pinned.setdefault(f"{image.pinned} {image.arch}", (image, (*at, "ami_id")))
        elif image.id_parameter is not None:
            parameters.setdefault(image.id_parameter, (image.group, at))
    for name, (group, at) in parameters.items():
        asked = needs("ssm:GetParameters", _public(place, name))
        yield check("SSM", f"the newest image of {group}", asked, _parameter, name, at)
    for image, at in pinned.values():
        yield check("EC2", f"the image {image.pinned}", needs("ec2:DescribeImages"), _image, place, image, at)


def _public(place: Place, name: str) -> str:
    """Return the ARN of a public AWS parameter, which has no account."""
    head, _, rest = place.arn("ssm", f"parameter{name}").partition(f":{place.region}:")
    return f"{head}:{place.region}::{rest.partition(':')[2]}"


def parameters_of(ask: Ask, names: tuple[str, ...]) -> dict[str, str | None]:
    """Return the values of parameters; None for a parameter that does not exist."""
    found: dict[str, str | None] = {}
    for start in range(0, len(names), 10):  # maximum number of names for GetParameters
        some = list(names[start : start + 10])
        answer = ask("ssm", "GetParameters", Names=some)
        found |= {
            one["Name"]: str(one["Value"]) for one in answer.get("Parameters", ()) if one["Name"] in some
        }
        missing = set(answer.get("InvalidParameters", ()))
        unknown = [name for name in some if name not in found and name not in missing]
        if unknown:
            raise UnansweredError(f"the answer does not contain {unknown[0]}")
        found |= {name: None for name in some if name in missing}
    return found


def _parameter(name: str, at: Path, ask: Ask) -> Verdict:
    value = parameters_of(ask, (name,))[name]
    if value is not None:
        return Verdict(value)
    message = f"AWS does not publish an image under {name}"
    hint = "use another Kubernetes version or image family, or pin an image with `ami_id`"
    return wrong("not published", codes.IMAGE_PARAMETER, at, message, hint)


def _image(place: Place, image: NodeImage, at: Path, ask: Ask) -> Verdict:
    pinned = str(image.pinned)
    answer = ec2_by_id(ask, "Images", "ImageId", pinned, IncludeDeprecated=True, IncludeDisabled=True)
    here = answer.get(pinned)
    if here is None:
        message = f"the image {pinned} does not exist in {place.region}, or is not shared with this account"
        hint = "copy the image with `aws ec2 copy-image`, share the image, or use another image"
        return wrong("does not exist", codes.IMAGE, at, message, hint)
    faults: list[Found] = []
    state, arch = str(here.get("State", "available")), str(here.get("Architecture", image.arch))
    if state != "available":
        message = f"the image {pinned} is {state}, not available, so instances cannot start"
        faults.append(Found(codes.IMAGE, at, message, "use an image that is available"))
    if arch != image.arch:
        message = f"the image {pinned} is for {arch}, but {image.instance_type} requires {image.arch}"
        faults.append(Found(codes.IMAGE, at, message, f"use an image for {image.arch}"))
    deprecated_at = str(here.get("DeprecationTime") or "")
    if deprecated_at and deprecated_at[:19] <= f"{place.now:%Y-%m-%dT%H:%M:%S}":
        message = f"the image {pinned} has been deprecated since {deprecated_at[:10]}"
        hint = "`ultracluster images` lists newer images, and the effects of an update"
        faults.append(Found(codes.IMAGE_DATE, at, message, hint))
    until = f", deprecated from {deprecated_at[:10]}" if deprecated_at else ""
    return Verdict(f"{state}, {arch}{until}", tuple(faults))
