"""Deploy each stack of a release, update it to the current code, and report lost data."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from config.cluster import Cluster, load_cluster
from config.diagnostics import Severity
from config.review.stateful import STATEFUL
from scripts.cli.rehearsal.existing import create_declared
from scripts.cli.review import Action, UnusableError, review_templates
from scripts.cloud.assets import put_assets
from scripts.cloud.engine.backend import Request
from scripts.cloud.local import LocalCloud, local_cloud
from scripts.cloud.template.document import Template

from .baseline import Baseline, FrozenStack, read_baseline

LOSES = frozenset((Action.REFUSED, Action.REPLACE, Action.DELETE, Action.MAY_REPLACE))
"""Actions on a stateful resource that an upgrade must not cause."""

_PARAMETER, _BUCKET, _KEY = "AWS::SSM::Parameter", "AWS::S3::Bucket", "AWS::KMS::Key"
_OBJECT = {"Key": "kept/by-the-upgrade.txt", "Body": b"a checkpoint"}


@dataclass(frozen=True, kw_only=True)
class Present:
    """A profile that the current code synthesized: its template, and the folder with its assets."""

    cluster: Cluster
    template: str
    folder: Path


def present(profile: str, orchestrator: str | None, folder: Path) -> Present:
    """Synthesize a built-in profile; raises ValueError if a rule rejects it today."""
    from app import synthesize

    cluster = load_cluster(profile, orchestrator=orchestrator)
    if cluster.design is None:
        raise ValueError("; ".join(d.message for d in cluster.diagnostics if d.stops))
    synthesize(cluster, outdir=str(folder))
    text = (folder / f"{cluster.design.profile.name}.template.json").read_text(encoding="utf-8")
    return Present(cluster=cluster, template=text, folder=folder)


def reviewed(frozen: FrozenStack, template: str) -> list[str]:
    """Return the errors in the review of an update, and the stateful resources that the update would lose."""
    try:
        old, new = (Template.parse(text) for text in (json.dumps(frozen.template), template))
        review = review_templates(old, new, region=frozen.region, stack=frozen.name)
    except UnusableError as error:
        return [str(error)]
    lost = [
        f"{change.logical_id} ({change.type}): {change.action.value}"
        for change in review.changes
        if change.type in STATEFUL and change.action in LOSES
    ]
    errors = [
        f"{found.code} {found.path}: {found.message}"
        for found in review.diagnostics
        if found.severity is Severity.ERROR and found.waived is None
    ]
    return [*lost, *errors]


class Upgrade:
    """Deploys the stacks of a release to an embedded cloud, and updates them to the current code."""

    def __init__(self, cloud: LocalCloud, folder: Path) -> None:
        self._cloud, self._folder, self._number = cloud, folder, 0

    def problems(self, frozen: FrozenStack, now: Present) -> list[str]:
        """Deploy one baseline stack, store data in it, update it, and return all problems."""
        design = now.cluster.design
        assert design is not None
        self._cloud.bootstrap(frozen.region)
        create_declared(self._cloud, design.profile)
        self._number += 1
        before = self._folder / f"frozen-{self._number}"
        frozen.write(before)
        stack = self._deploy(frozen, json.dumps(frozen.template), before)
        if stack.status != "CREATE_COMPLETE":
            return [f"the baseline stack does not deploy: {_why(stack)}"]
        held = self._fill(frozen, stack)
        ids = {name: found.physical_id for name, found in stack.resources.items()}
        stack = self._deploy(frozen, now.template, now.folder)
        if stack.status not in ("UPDATE_COMPLETE", "CREATE_COMPLETE"):
            return [f"the update ends in {stack.status}: {_why(stack)}"]
        return [*_moved(frozen, stack, ids), *self._lost(frozen, held)]

    def _deploy(self, frozen: FrozenStack, template: str, assets: Path) -> Any:
        put_assets(self._cloud, frozen.region, assets)
        backend = self._cloud.backend(frozen.region)
        request = Request(
            stack_name=frozen.name, template=template, parameters={}, tags={},
            capabilities=("CAPABILITY_NAMED_IAM",),
        )  # fmt: skip
        known = any(s.name == frozen.name for s in backend.stacks.values())
        change_set = backend.create_change_set("upgrade", "UPDATE" if known else "CREATE", request)
        if change_set.execution_status == "AVAILABLE":  # otherwise there are no changes
            backend.execute(change_set)
        return change_set.stack

    def _fill(self, frozen: FrozenStack, stack: Any) -> dict[str, tuple[str, str]]:
        """Put an object into each bucket; return the buckets, parameters and keys to check, by logical id."""
        s3, ssm = self._cloud.client("s3", frozen.region), self._cloud.client("ssm", frozen.region)
        held: dict[str, tuple[str, str]] = {}
        for name, found in stack.resources.items():
            if found.type == _BUCKET:
                s3.put_object(Bucket=found.physical_id, **_OBJECT)
                held[name] = (_BUCKET, found.physical_id)
            elif found.type == _PARAMETER:
                value = ssm.get_parameter(Name=found.physical_id)["Parameter"]["Value"]
                held[name] = (f"{found.physical_id}={value}", found.physical_id)
            elif found.type == _KEY:
                held[name] = (_KEY, found.physical_id)
        return held

    def _lost(self, frozen: FrozenStack, held: Mapping[str, tuple[str, str]]) -> Iterator[str]:
        """Yield each bucket, parameter or key that has lost its content."""
        for name, (what, physical_id) in held.items():
            try:
                kept = self._is_kept(frozen.region, what, physical_id)
            except ClientError as error:
                kept, what = False, f"{what}: {error}"
            if not kept:
                yield f"{name} ({physical_id}) has lost its content: {what}"

    def _is_kept(self, region: str, what: str, physical_id: str) -> bool:
        client = self._cloud.client
        if what == _BUCKET:
            found = client("s3", region).get_object(Bucket=physical_id, Key=_OBJECT["Key"])
            return bool(found["Body"].read() == _OBJECT["Body"])
        if what == _KEY:
            state = client("kms", region).describe_key(KeyId=physical_id)["KeyMetadata"]["KeyState"]
            return bool(state == "Enabled")
        value = client("ssm", region).get_parameter(Name=physical_id)["Parameter"]["Value"]
        return what == f"{physical_id}={value}"


def _moved(frozen: FrozenStack, stack: Any, ids: Mapping[str, str]) -> Iterator[str]:
    """Yield each stateful resource that the update has replaced or deleted."""
    for name, resource in frozen.template["Resources"].items():
        if resource["Type"] not in STATEFUL and resource["Type"] != _PARAMETER:
            continue
        found = stack.resources.get(name)
        if found is None:
            yield f"{name} ({resource['Type']}) is no longer in the stack"
        elif found.physical_id != ids[name]:
            yield f"{name} ({resource['Type']}) was replaced: {ids[name]} by {found.physical_id}"


def _why(stack: Any) -> str:
    return "; ".join(f"{e.logical_id}: {e.reason}" for e in stack.events if e.status.endswith("_FAILED"))


def stands_on(baseline: Baseline, cluster: Cluster) -> FrozenStack | None:
    """Return the stack of the cluster's data profile; None if the cluster has no data profile."""
    return baseline.stack(cluster.data_profile) if cluster.data_profile else None


def check(releases: Sequence[str], profile: str | None) -> int:
    """Check every stack of these releases and print one line for each; return 1 if an update loses data."""
    failed = 0
    for release in releases:
        baseline = read_baseline(release)
        for frozen in baseline.stacks:
            if profile in (None, frozen.profile):
                with redirect_stdout(sys.stderr):  # output of Lambda functions
                    found = _checked(baseline, frozen)
                failed += bool(found)
                print(f"{release} {frozen.title}: {'; '.join(found) or 'updates without losing data'}")
                sys.stdout.flush()
    return 1 if failed else 0


def _checked(baseline: Baseline, frozen: FrozenStack) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="ultracluster-upgrade-") as name, local_cloud() as cloud:
        folder = Path(name)
        try:
            now = present(frozen.profile, frozen.orchestrator, folder / "now")
        except ValueError as error:
            return [f"rejected by the current rules: {error}"]
        upgrade = Upgrade(cloud, folder)
        ground = stands_on(baseline, now.cluster)
        below = upgrade.problems(ground, present(ground.profile, None, folder / "ground")) if ground else []
        return [*reviewed(frozen, now.template), *below, *upgrade.problems(frozen, now)]
