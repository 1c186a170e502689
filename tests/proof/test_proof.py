"""The fabric of every profile is whole, and a change of what was generated is named, and nothing else is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.proof.model import State
from tests.profile.built_in import accepted
from tests.proof.artefacts import KINDS, VARIANTS, EditableArtefacts, Load
from tests.proof.breaks import ALL, OF_FILE_SYSTEMS, OF_GROUPS, subject_of

pytestmark = pytest.mark.synth

WHOLE = [*accepted(), *((name, None) for name in VARIANTS), ("p6-b200-data", None)]


@pytest.mark.sample(6)
@pytest.mark.parametrize(("name", "kind"), WHOLE)
def test_the_fabric_is_whole(load_artefacts: Load, name: str, kind: str | None) -> None:
    proof = load_artefacts(name, kind).prove()
    assert [(link.subject, link.name, link.evidence) for link in proof.broken] == []
    assert proof.chains or name == "without"
    for link in proof.links:
        assert link.source.startswith("https://"), link
        assert link.evidence, link
        assert link.where or link.state in (State.YOURS, State.NOT_NEEDED), link


@pytest.mark.sample(6)
@pytest.mark.parametrize(("name", "kind"), WHOLE)
def test_the_place_of_each_link_exists(load_artefacts: Load, name: str, kind: str | None) -> None:
    artefacts = load_artefacts(name, kind)
    for link in artefacts.prove().links:
        for place in link.where:
            if place.artefact in artefacts.templates:
                at = artefacts.templates[place.artefact]
                assert place.at == "Resources" or place.at in at["Resources"], (link.name, place)
                value = at["Resources"].get(place.at, at)
                for key in _keys(place.path.partition(" > ")[0]):
                    assert key in (value if isinstance(value, dict) else range(len(value))), place
                    value = value[key]
            elif place.artefact in artefacts.bundles:
                lines = artefacts.bundles[place.artefact][place.at].splitlines()
                assert place.line is not None
                assert 0 < place.line <= len(lines)
            else:
                assert place.artefact.removeprefix("job of ") in artefacts.jobs, place


def _keys(path: str) -> list[str | int]:
    found: list[str | int] = []
    for part in path.replace("[", ".[").split("."):
        if part:
            found.append(int(part[1:-1]) if part.startswith("[") else part)
    return found


@pytest.mark.sample(4)
@pytest.mark.parametrize(("name", "kind"), accepted())
def test_each_break_names_its_link_alone(load_artefacts: Load, name: str, kind: str) -> None:
    whole = load_artefacts(name, kind)
    breakable = {link.name for link in whole.prove().links if link.state is State.HOLDS}
    done = set()
    for reported, (link, way) in ALL.items():
        artefacts = whole.copy()
        subject = subject_of(artefacts, link)
        if subject is None or not way(artefacts, subject):
            continue
        assert artefacts.broken() == {(link, subject)}, reported
        done.add(link)
    # every link that holds somewhere in what was generated has been broken
    assert breakable <= done | _unbreakable(whole, kind), breakable - done


def _unbreakable(artefacts: EditableArtefacts, kind: str) -> set[str]:
    """What cannot be wrong by itself: HyperPod puts all groups on all interfaces, and taints no nodes.

    The rules of a data profile's stack are there before those of the cluster's.
    """
    found = {"security-group", "device-owner-tolerations"} if kind.startswith("hyperpod") else set()
    return found | ({"rules-before-nodes"} if len(artefacts.templates) > 1 else set())


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ways=st.sets(st.sampled_from(sorted(OF_GROUPS | OF_FILE_SYSTEMS))))
def test_what_is_broken_is_what_was_broken(load_artefacts: Load, kind: str, ways: set[str]) -> None:
    artefacts = load_artefacts("p6-b200", kind)
    expected = set()
    for name in sorted(ways):
        link, way = ALL[name]
        subject = subject_of(artefacts, link)
        if subject is not None and way(artefacts, subject):
            expected.add((link, subject))
    assert artefacts.broken() == expected


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_each_break_of_a_variant_names_its_link_alone(load_artefacts: Load, name: str) -> None:
    whole = load_artefacts(name)
    for reported, (link, way) in ALL.items():
        artefacts = whole.copy()
        subject = subject_of(artefacts, link)
        if subject is None or not way(artefacts, subject):
            continue
        found = artefacts.broken()
        # groups of one cluster share its subnet, security group, queue and scripts
        assert {name for name, _ in found} == {link}, reported
        assert (link, subject) in found, reported


def test_under_hyperpod_every_security_group_has_its_rules(load_artefacts: Load) -> None:
    """HYPERPOD-07: one of several groups without a way to itself fails the service's EFA check."""
    artefacts = load_artefacts("p6-b200", "hyperpod-slurm")
    resources = artefacts.templates[artefacts.stack]["Resources"]
    resources["Second"] = {
        "Type": "AWS::EC2::SecurityGroup",
        "Properties": {"SecurityGroupEgress": [{"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}]},
    }
    inward = {"GroupId": {"Ref": "Second"}, "IpProtocol": "-1", "SourceSecurityGroupId": {"Ref": "Second"}}
    resources["SecondIn"] = {"Type": "AWS::EC2::SecurityGroupIngress", "Properties": inward}
    (cluster,) = (r for r in resources.values() if r["Type"] == "AWS::SageMaker::Cluster")
    cluster["Properties"]["VpcConfig"]["SecurityGroupIds"].append({"Ref": "Second"})
    cluster["DependsOn"].append("SecondIn")
    (link,) = artefacts.prove().broken
    assert (link.name, link.subject) == ("self-egress", "train")
    assert link.evidence.startswith("Second has no rule to itself by the group's id: rules for addresses")


def test_a_group_that_is_gone_is_one_broken_link(load_artefacts: Load) -> None:
    for kind in KINDS:
        artefacts = load_artefacts("p6-b200", kind)
        artefacts.templates[artefacts.stack]["Resources"] = {}
        assert artefacts.broken() == {("group", "train")}


def test_a_file_system_that_is_gone_is_one_broken_link(load_artefacts: Load) -> None:
    artefacts = load_artefacts("p6-b200", "eks")
    resources = artefacts.templates[artefacts.stack]["Resources"]
    for name in [name for name, body in resources.items() if body["Type"] == "AWS::FSx::FileSystem"]:
        del resources[name]
    assert artefacts.broken() == {("lustre-efa", "lustre")}


def test_the_place_of_a_fault_is_exact(load_artefacts: Load) -> None:
    artefacts = load_artefacts("p6-b200", "eks")
    assert OF_GROUPS["device-indexes"](artefacts, "train")
    (link,) = artefacts.prove().broken
    assert link.evidence == "card 5 has device 7, but the table has 0"
    (place,) = link.where
    assert place.path == "Properties.LaunchTemplateData.NetworkInterfaces[6].DeviceIndex"
    value: Any = artefacts.templates[place.artefact]["Resources"][place.at]
    for key in _keys(place.path):
        value = value[key]
    assert value == 7


def test_each_file_system_is_proven_on_its_own_resource(load_artefacts: Load) -> None:
    artefacts = load_artefacts("two-systems")
    found = {link.subject: link.where[0].at for link in artefacts.prove().links if link.name == "lustre-efa"}
    assert set(found) == {"lustre", "scratch-data"}
    resources = artefacts.templates[artefacts.stack]["Resources"]
    capacities = {name: resources[at]["Properties"]["StorageCapacity"] for name, at in found.items()}
    assert capacities == {"lustre": 38400, "scratch-data": 19200}
