"""The launch templates that profiles lead to under EKS and PCS: every type, layout and kind of capacity."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from aws_cdk import Stack

from config.catalog import InterfaceType, catalog
from config.cluster import Cluster, load_cluster
from config.design.compute import GroupPlan
from config.design.model import Design
from config.profile.loader import UNAVAILABLE
from scripts.cloud.local import local_cloud
from scripts.validation import problems
from stacks.compute import node_group_props
from tests.constructs_library.support import Synthesized, lint_findings, synthesize
from ultracluster.compute import EfaNodeGroup

pytestmark = pytest.mark.synth

TEMPLATE = "AWS::EC2::LaunchTemplate"
BLOCK = {"kind": "capacity-block", "reservation_id": "cr-0a1b2c3d4e5f60718"}
CAPACITIES: dict[str, dict[str, Any]] = {
    "on-demand": {"kind": "on-demand"},
    "spot": {"kind": "spot"},
    "odcr": {"kind": "odcr", "reservation_id": "cr-0a1b2c3d4e5f60718"},
    "odcr-group": {
        "kind": "odcr",
        "resource_group_arn": "arn:aws:resource-groups:us-west-2:123456789012:group/mine",
    },
    "odcr-open": {"kind": "odcr", "match": "open"},
    "capacity-block": BLOCK,
}
PLANES: dict[str, dict[str, str]] = {
    "eks": {"kind": "eks"},
    "pcs": {"kind": "pcs"},
    "pcs-efa-only": {"kind": "pcs", "efa_interface": "efa-only"},
}
TYPES = sorted(name for name, row in catalog().instances.items() if row.max_efa and row.is_gpu)
LAYOUTS = (None, "ip-saving", "max-ena", "none")


def loaded(folder: Path, instance_type: str, plane: str, group: dict[str, Any]) -> Cluster:
    """A profile with one group, as a user would write it."""
    whole = catalog().instances[instance_type].ultraserver_only
    count = 17 if whole else 4
    own = {"capacity": {**BLOCK, "ultraserver": "u-p6e-gb200x72"}} if whole else {}
    train = {"name": "train", "role": "compute", "instance_type": instance_type, "count": count}
    text = yaml.safe_dump(
        {
            "extends": "p6e-gb200" if whole else "p6-b200",
            "name": "mine",
            "network": {"secondary_zones": ["use1-az4", "use1-az6"] if whole else ["usw2-az1"]},
            "orchestrator": PLANES[plane],
            "storage": {"local_nvme": None},
            "compute": {"groups": [{**train, **own, **group}]},
        }
    )
    (folder / "mine.yaml").write_text(text, encoding="utf-8")
    return load_cluster("mine.yaml", base=folder)


def codes_of(cluster: Cluster) -> set[str]:
    return {d.code for d in cluster.diagnostics if d.severity == "error" and d.code != UNAVAILABLE.code}


Key = tuple[str, str, str]


@pytest.fixture(scope="module")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> dict[Key, Cluster]:
    """By instance type, control plane and layout; and p6-b200 by kind of capacity."""
    folder = tmp_path_factory.mktemp("profiles")
    found = {
        (name, plane, layout or "default"): loaded(
            folder, name, plane, {"efa": {"layout": layout}} if layout else {}
        )
        for name, plane, layout in product(TYPES, PLANES, LAYOUTS)
    }
    for plane, kind in product(PLANES, CAPACITIES):
        found["p6-b200.48xlarge", plane, kind] = loaded(
            folder, "p6-b200.48xlarge", plane, {"capacity": CAPACITIES[kind]}
        )
    return found


@pytest.fixture(scope="module")
def accepted(clusters: dict[Key, Cluster]) -> dict[Key, Design]:
    return {key: cluster.planned for key, cluster in clusters.items() if cluster.planned is not None}


def group_of(design: Design) -> GroupPlan:
    (group,) = design.groups
    return group


def name_of(key: Key) -> str:
    return "".join(part.title() for word in key for part in word.replace(".", "-").split("-"))


@pytest.fixture(scope="module")
def templates(accepted: dict[Key, Design]) -> Synthesized:
    def build(stack: Stack) -> None:
        for key, design in accepted.items():
            groups = ("sg-0123456789abcdef0",)
            props = node_group_props(design, group_of(design), security_group_ids=groups, root_volume_gib=200)
            EfaNodeGroup(stack, name_of(key), props)

    return synthesize(build)


def data_of(templates: Synthesized, key: Key) -> dict[str, Any]:
    (found,) = [r for name, r in templates.of_type(TEMPLATE).items() if name[:-8] == name_of(key)]
    data: dict[str, Any] = found["Properties"]["LaunchTemplateData"]
    return data


def test_what_is_refused_has_no_such_layout(clusters: dict[Key, Cluster]) -> None:
    for (name, plane, layout), cluster in clusters.items():
        codes, instance = codes_of(cluster), catalog().instances[name]
        table = "all-efa" if plane == "pcs" else "ip-saving" if layout == "default" else layout
        expected = set()
        if plane != "eks" and instance.ultraserver_only:
            expected.add("ORC027")  # its only zone is a Local Zone
        if layout not in CAPACITIES:
            if layout != "none" and table not in instance.layouts:
                expected.add("EFA006")
            elif plane == "pcs" and layout == "ip-saving" and instance.layouts[table].addresses > 1:
                expected.add("EFA007")
        assert codes == expected, (name, plane, layout)


def test_every_accepted_template_is_one_that_ec2_takes(
    accepted: dict[Key, Design], templates: Synthesized
) -> None:
    assert len(accepted) > len(TYPES) * len(PLANES)
    told = [
        f"{name}: {problem}"
        for name, resource in templates.of_type(TEMPLATE).items()
        for problem in problems("us-west-2", TEMPLATE, resource["Properties"], {})
    ]
    assert told == []


def test_interfaces_are_those_of_the_type_whatever_the_orchestrator(
    accepted: dict[Key, Design], templates: Synthesized
) -> None:
    for key, design in accepted.items():
        group, written = group_of(design), data_of(templates, key)["NetworkInterfaces"]
        instance = group.instance_type
        cards = [i["NetworkCardIndex"] for i in written if i["InterfaceType"] != "interface"]
        assert len(cards) == len(set(cards)), key  # one EFA a card (SLURM-13)
        assert {i["DeviceIndex"] for i in written} <= {0, 1}, key  # EC2-03
        primary = next(i for i in written if i["NetworkCardIndex"] == i["DeviceIndex"] == 0)
        assert primary["InterfaceType"] != InterfaceType.EFA_ONLY
        assert instance.efa_on_card_0 or 0 not in cards, key  # SLURM-01
        assert all(i["Groups"] == ["sg-0123456789abcdef0"] for i in written)
        assert not any({"AssociatePublicIpAddress", "SubnetId"} & set(i) for i in written)
        addresses = sum(i["InterfaceType"] != "efa-only" for i in written)
        assert group.layout is not None
        assert addresses == group.layout.addresses, key
        assert group.addresses_per_node >= addresses, key


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("kind", CAPACITIES)
def test_capacity_is_bought_as_the_profile_says(
    plane: str, kind: str, accepted: dict[Key, Design], templates: Synthesized
) -> None:
    data = data_of(templates, ("p6-b200.48xlarge", plane, kind))
    reservation = {
        "odcr": {"CapacityReservationTarget": {"CapacityReservationId": "cr-0a1b2c3d4e5f60718"}},
        "odcr-group": {
            "CapacityReservationTarget": {
                "CapacityReservationResourceGroupArn": CAPACITIES["odcr-group"]["resource_group_arn"]
            }
        },
        "odcr-open": {"CapacityReservationPreference": "open"},
        "capacity-block": {"CapacityReservationTarget": {"CapacityReservationId": "cr-0a1b2c3d4e5f60718"}},
    }.get(kind)
    market = {"MarketType": kind} if kind in ("spot", "capacity-block") else None
    assert data.get("CapacityReservationSpecification") == reservation
    assert data.get("InstanceMarketOptions") == market  # a reservation is no market of its own: SLURM-07
    assert "Placement" not in data  # EC2-04: none is added silently
    assert ("InstanceType" in data) == (plane == "eks" or kind == "capacity-block")


def test_templates_lint_clean_and_deploy(templates: Synthesized) -> None:
    shown = {
        name: resource
        for name, resource in templates.resources.items()
        if any(word in name for word in ("OnDemand", "Spot", "Odcr", "CapacityBlock", "MaxEna", "Gb200"))
    }
    template = {"Resources": shown}
    assert len(shown) > len(CAPACITIES) * len(PLANES)
    # the linter's list of types is a price list, which lacks these two in this Region
    unlisted = ("'p5e.48xlarge' is not one of", "'p6e-gb200.36xlarge' is not one of")
    assert [found for found in lint_findings(template) if not any(name in found for name in unlisted)] == []
    with local_cloud() as cloud:
        stack = cloud.deploy("us-west-2", "groups", json.dumps(template))
        assert stack.status == "CREATE_COMPLETE"
