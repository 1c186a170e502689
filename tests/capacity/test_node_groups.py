"""EC2 accepts the launch templates of EKS and PCS profiles, for every type, layout and purchase option."""

from __future__ import annotations

import json

import pytest

from config.catalog import InterfaceType, catalog
from scripts.cloud.local import local_cloud
from scripts.cloud.validation import problems
from tests.capacity.node_groups import (
    CAPACITIES,
    PLANES,
    TEMPLATE,
    TYPES,
    accepted,
    clusters,
    codes_of,
    group_of,
    launch_data,
    templates,
)
from tests.stack.library.support import lint_findings
from tests.tables import each_row

pytestmark = pytest.mark.synth


@pytest.mark.long
def test_what_is_refused_has_no_such_layout() -> None:
    for (name, plane, layout), cluster in clusters().items():
        codes, instance = codes_of(cluster), catalog().instances[name]
        table = "all-efa" if plane == "pcs" else "ip-saving" if layout == "default" else layout
        expected = set()
        if plane != "eks" and instance.ultraserver_only:
            expected.add("ORC027")  # its only zone is a Local Zone
        if plane == "pcs-efa-only" and (layout == "none" or not (instance.max_efa and instance.is_gpu)):
            expected.add("PCS038")
        if layout not in CAPACITIES:
            wanted = "ip-saving" if layout == "default" else layout
            if layout != "none" and not {table, wanted} <= set(instance.layouts):
                expected.add("EFA006")
            elif plane == "pcs" and layout == "ip-saving" and instance.layouts[table].addresses > 1:
                expected.add("EFA007")
        assert codes == expected, (name, plane, layout)


def test_every_accepted_template_is_one_that_ec2_takes() -> None:
    assert len(accepted()) > len(TYPES) * len(PLANES)
    reported = [
        f"{name}: {problem}"
        for name, resource in templates().of_type(TEMPLATE).items()
        for problem in problems("us-west-2", TEMPLATE, resource["Properties"], {})
    ]
    assert reported == []


def test_interfaces_are_those_of_the_type_whatever_the_orchestrator() -> None:
    for key, design in accepted().items():
        group, written = group_of(design), launch_data()[key]["NetworkInterfaces"]
        instance = group.instance_type
        cards = [i["NetworkCardIndex"] for i in written if i["InterfaceType"] != "interface"]
        assert len(cards) == len(set(cards)), key  # one EFA a card (SLURM-13)
        assert {i["DeviceIndex"] for i in written} <= {0, 1}, key  # EC2-03
        primary = next(i for i in written if i["NetworkCardIndex"] == i["DeviceIndex"] == 0)
        assert primary["InterfaceType"] != InterfaceType.EFA_ONLY
        assert any(kind.has_efa for kind in instance.cards[0].supports) or 0 not in cards, key  # SLURM-01
        assert all(i["Groups"] == ["sg-0123456789abcdef0"] for i in written)
        assert not any({"AssociatePublicIpAddress", "SubnetId"} & set(i) for i in written)
        addresses = sum(i["InterfaceType"] != "efa-only" for i in written)
        assert group.layout is not None
        assert addresses == group.layout.addresses, key
        assert group.addresses_per_node >= addresses, key


@each_row("plane", PLANES)
@each_row("kind", CAPACITIES)
def test_capacity_is_bought_as_the_profile_says(plane: str, kind: str) -> None:
    data = launch_data()["p6-b200.48xlarge", plane, kind]
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
    # a reservation is no market of its own (SLURM-07), and spot is said to the node group
    market = {"MarketType": kind} if kind == "capacity-block" else None
    assert data.get("CapacityReservationSpecification") == reservation
    assert data.get("InstanceMarketOptions") == market
    assert "Placement" not in data  # EC2-04: none is added silently
    assert ("InstanceType" in data) == (plane == "eks" or kind == "capacity-block")


@pytest.mark.long
def test_templates_lint_clean_and_deploy() -> None:
    shown = {
        name: resource
        for name, resource in templates().resources.items()
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


def test_the_cloud_takes_what_is_only_unwise() -> None:
    script = {"Fn::Base64": "#!/bin/bash\napt-get install -y htop\n"}
    nodes = {"Type": TEMPLATE, "Properties": {"LaunchTemplateData": {"UserData": script}}}
    with local_cloud() as cloud:
        stack = cloud.deploy("us-west-2", "groups", json.dumps({"Resources": {"Nodes": nodes}}))
        assert stack.status == "CREATE_COMPLETE"
