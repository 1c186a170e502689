"""Every taggable resource of every template has the tags of its profile, and so has what is launched."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER  # type: ignore[import-untyped]  # has no types

from config.cluster import load_cluster
from scripts.cli.review import Action, review_templates
from scripts.cloud.assets import put_assets
from scripts.cloud.local import local_cloud
from scripts.cloud.template.document import Template
from tests.conftest import Synthesized
from tests.profile.built_in import clusters

pytestmark = pytest.mark.synth

ORCHESTRATORS = ("hyperpod-slurm", "hyperpod-eks", "eks", "pcs")
TAGS = {"owner": "pretraining", "cost-centre": "4711", "mail": "ml@example.com"}
LAUNCHED = {"instance", "network-interface", "volume"}
SYSTEM = {"name": "system", "role": "system", "instance_type": "m6i.4xlarge", "count": 2}
LOGIN = {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1}
CONTROLLER = {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1}
TRAIN = {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 4}
PLACED = {**TRAIN, "placement_group": {"kind": "new"}}
RICH: Mapping[str, dict[str, Any]] = {
    "hyperpod-slurm": {
        "orchestrator": {"provisioning": "continuous", "accounting": {"kind": "new"}},
        "compute": {"groups": [CONTROLLER, LOGIN, TRAIN]},
    },
    "hyperpod-eks": {
        "orchestrator": {"task_governance": {"teams": [{"name": "research", "fair_share_weight": 1}]}},
        "compute": {"groups": [SYSTEM, TRAIN]},
    },
    "eks": {
        "orchestrator": {"karpenter": {"groups": [{"name": "more"}]}},
        "compute": {"groups": [SYSTEM, PLACED, {**TRAIN, "name": "more"}]},
    },
    "pcs": {"orchestrator": {}, "compute": {"groups": [LOGIN, PLACED]}},
}


def rich(kind: str, folder: Path) -> str:
    """A profile with most of what can be had under a control plane, and with tags of its user's."""
    data = {
        "extends": "p6-b200",
        "name": "mine",
        "tags": TAGS,
        "storage": {
            "home": {"kind": "new", "users": 20},
            "lustre": {"root_squash": {"uid": 65534, "gid": 65534, "except_clients": ["10.0.1.6@tcp"]}},
        },
        **RICH[kind],
    }
    data["orchestrator"] = {"kind": kind, **data["orchestrator"]}
    file = folder / "mine.yaml"
    file.write_text(yaml.safe_dump(data))
    return str(file)


@cache
def taggable(kind: str) -> bool:
    """Whether CloudFormation's own schema of a type has tags; of our and CDK's own types it knows none."""
    if kind.startswith("Custom::"):
        return False
    schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", kind).schema
    tagging = schema.get("tagging", {"taggable": "Tags" in schema["properties"]})
    return bool(tagging.get("taggable", True)) and bool(
        {name for name in schema["properties"] if name in ("Tags", "ResourceTags")}
    )


def tags_of(properties: Mapping[str, Any]) -> dict[str, str]:
    """Tags in either of the forms in which types take them."""
    declared = properties.get("Tags") or properties.get("ResourceTags") or {}
    return dict(declared) if isinstance(declared, dict) else {tag["Key"]: tag["Value"] for tag in declared}


def untagged(template: Mapping[str, Any], wanted: Mapping[str, str]) -> Iterator[str]:
    for key, resource in template["Resources"].items():
        if taggable(resource["Type"]) and not wanted.items() <= tags_of(resource["Properties"]).items():
            yield f"{key} ({resource['Type']})"


def launch_specifications(template: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, dict[str, str]]]]:
    for key, resource in template["Resources"].items():
        if resource["Type"] == "AWS::EC2::LaunchTemplate":
            declared = resource["Properties"]["LaunchTemplateData"]["TagSpecifications"]
            yield key, {one["ResourceType"]: tags_of(one) for one in declared}


def launches_tagged(template: Mapping[str, Any], wanted: Mapping[str, str]) -> None:
    for key, declared in launch_specifications(template):
        assert declared.keys() >= LAUNCHED, key
        assert all(wanted.items() <= declared[kind].items() for kind in LAUNCHED), key


@pytest.mark.sample(9)
@pytest.mark.parametrize(("name", "kind"), clusters())
def test_every_taggable_resource_of_a_built_in_profile_names_it(
    name: str, kind: str | None, tried: Callable[[str, str | None], Synthesized]
) -> None:
    template = tried(name, kind).template
    wanted = {"ultracluster:profile": name}
    assert list(untagged(template, wanted)) == []
    launches_tagged(template, wanted)


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ORCHESTRATORS)
def test_the_users_tags_are_on_every_taggable_resource_and_on_what_is_launched(
    kind: str, tried: Callable[[str, str | None], Synthesized], tmp_path: Path
) -> None:
    made = tried(rich(kind, tmp_path), None)
    wanted = {**TAGS, "ultracluster:profile": "mine"}
    assert list(untagged(made.template, wanted)) == []
    launches_tagged(made.template, wanted)
    manifest = json.loads((made.folder / "manifest.json").read_text())
    assert manifest["artifacts"]["mine"]["properties"]["tags"] == wanted
    if kind in ("eks", "pcs"):
        assert list(launch_specifications(made.template))
    if kind == "eks":
        # whom Karpenter launches is in no launch template of the stack
        assert node_class_tags(made.text) == wanted


@pytest.mark.long
@pytest.mark.parametrize(("name", "kind"), clusters())
def test_other_tags_replace_nothing(
    name: str, kind: str | None, tried: Callable[[str, str | None], Synthesized], tmp_path: Path
) -> None:
    file = tmp_path / "tagged.yaml"
    file.write_text(yaml.safe_dump({"extends": name, "name": name, "tags": TAGS}))
    before, after = tried(name, kind), tried(str(file), kind)
    old, new = (Template.parse(made.text) for made in (before, after))
    design = load_cluster(name, orchestrator=kind).design
    assert design is not None
    changes = review_templates(old, new, region=design.profile.region, stack=name).changes
    assert changes
    # node groups take other machines one by one, since launch templates have the tags of what is launched
    nodes = {c.type for c in changes if c.action is Action.INTERRUPTION}
    assert nodes <= {"AWS::EKS::Nodegroup", "AWS::PCS::ComputeNodeGroup"}
    others = {
        c.logical_id: c.action for c in changes if c.action not in (Action.INTERRUPTION, Action.IN_PLACE)
    }
    assert others == {}


def node_class_tags(text: str) -> dict[str, str]:
    """The tags of the node class in a template: its manifest is a text with references in between."""
    plain = text.replace("\\\\n", "").replace("\\n", "").replace("\\", "")
    at = plain.index('"tags":', plain.index("EC2NodeClass")) + len('"tags":')
    found: dict[str, str] = json.loads(plain[at : plain.index("}", at) + 1])
    return found


@pytest.mark.long
@pytest.mark.cloud
@pytest.mark.parametrize("kind", ORCHESTRATORS)
def test_what_is_deployed_has_the_users_tags(
    kind: str, tried: Callable[[str, str | None], Synthesized], tmp_path: Path
) -> None:
    made = tried(rich(kind, tmp_path), None)
    with local_cloud() as cloud:
        cloud.bootstrap("us-west-2")
        put_assets(cloud, "us-west-2", made.folder)
        stack = cloud.deploy("us-west-2", "mine", made.text)
        assert stack.status == "CREATE_COMPLETE", [e.reason for e in stack.events if "FAILED" in e.status]
        ec2 = cloud.client("ec2", "us-west-2")
        system = cloud.client("fsx", "us-west-2").describe_file_systems()["FileSystems"][0]
        assert TAGS.items() <= {tag["Key"]: tag["Value"] for tag in system["Tags"]}.items()
        vpcs = ec2.describe_vpcs(Filters=[{"Name": "tag:cost-centre", "Values": ["4711"]}])["Vpcs"]
        assert len(vpcs) == 1
        instances = [one for r in ec2.describe_instances()["Reservations"] for one in r["Instances"]]
        for instance in instances:
            assert TAGS.items() <= {tag["Key"]: tag["Value"] for tag in instance["Tags"]}.items()
