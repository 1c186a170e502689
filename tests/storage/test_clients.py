"""What nodes do about storage, by control plane: mounts, networks, values, disks; and who owns the disks."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # has no types of its own
import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.catalog import catalog
from config.catalog.storage.lustre_clients import lustre_clients
from config.cluster import load_cluster
from config.design.capacity.groups import GroupPlan, lustre_connections
from config.design.nodes.clients import SharedHome, SharedLustre, gds_types_of, lustre_options, mounted_by
from config.design.nodes.scripts import ENTRIES, plan_node_scripts
from config.design.storage.local_disks import node_config, script_policy
from config.design.storage.lustre import MAIN as MAIN_NAME
from config.profile.orchestrator import ORCHESTRATORS
from scripts.cloud.kubernetes.schemas import custom_schema
from tests.conftest import SNAPSHOTS
from tests.storage.kernels import reaches_over_efa, versions_of

KINDS = ORCHESTRATORS
MACHINES = sorted(catalog().instances)
MAIN = SharedLustre(name="lustre", version="2.15", efa=True, mount_path="/fsx")
MORE = replace(MAIN, name="data", efa=False, mount_path="/data", noatime=True)
HOME = SharedHome(mount_path="/home", options=("nfsvers=4.2",), dns_name_parameter="/home-dns")


def group(machine: str) -> GroupPlan:
    design = load_cluster("p6-b200").design
    assert design
    (train,) = [one for one in design.groups if one.role == "compute"]
    instance = catalog().instances[machine]
    node = replace(train.node, efa=instance.max_efa)
    return replace(train, name="train", instance_type=instance, node=node)


def settings_of(
    kind: str, machine: str, file_systems: Sequence[SharedLustre], gds_types: Sequence[str] = ()
) -> dict[str, str]:
    """The settings that scripts read on the nodes of a group."""
    scripts = plan_node_scripts(
        kind, "us-west-2", [group(machine)], file_systems, None, local_nvme=False, gds_types=gds_types
    )
    found = re.findall(r"^(\w+)='([^']*)'$", scripts.files["settings.env"], re.MULTILINE)
    return dict(found)


def actions_of_nodes(kind: str) -> dict[str, Any]:
    """What the role of p6-b200's nodes may do: each action with its resources."""
    name = "p6-b200" if kind == "hyperpod-slurm" else f"p6-b200.{kind}"
    template = json.loads((SNAPSHOTS / f"{name}.template.json").read_text(encoding="utf-8"))
    (role,) = [
        row
        for key, row in template["Resources"].items()
        if key.startswith("OrchestrationNodeRole") and row["Type"] == "AWS::IAM::Role"
    ]
    return {
        action: statement["Resource"]
        for policy in role["Properties"]["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]
        for action in [statement["Action"]] * isinstance(statement["Action"], str) or statement["Action"]
    }


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The same schema, refusing what it does not name."""
    made = {key: value for key, value in schema.items() if key != "properties"}
    if "properties" in schema:
        made["properties"] = {name: strict(inner) for name, inner in schema["properties"].items()}
        made["additionalProperties"] = False
    return made


@pytest.mark.parametrize(
    ("kind", "first", "second", "home"),
    [
        ("hyperpod-slurm", "service", "script", "service"),
        ("hyperpod-eks", "csi", "csi", "csi"),
        ("eks", "csi", "csi", "csi"),
        ("pcs", "script", "script", "script"),
    ],
)
def test_each_control_plane_mounts_in_its_own_way(kind: str, first: str, second: str, home: str) -> None:
    assert (mounted_by(kind, MAIN_NAME), mounted_by(kind, "data"), mounted_by(kind)) == (first, second, home)
    assert lustre_options(MAIN) == ("relatime", "flock")
    assert lustre_options(MORE) == ("noatime", "flock")
    settings = settings_of(kind, "p6-b200.48xlarge", [MAIN, MORE])
    assert [line.split()[4] for line in settings["LUSTRE_FILE_SYSTEMS"].splitlines()] == [first, second]


# AWS's table of interfaces that its program configures (configure-efa-clients.html)
INTERFACES = {
    "p5.48xlarge": 8, "p5e.48xlarge": 8, "p5en.48xlarge": 8, "p6-b200.48xlarge": 8, "p6-b300.48xlarge": 16,
    "p6e-gb200.36xlarge": 8, "p5.4xlarge": 1, "g6.48xlarge": 1, "g6e.48xlarge": 2, "p4d.24xlarge": 0,
    "m5.4xlarge": 0,
}  # fmt: skip


@pytest.mark.parametrize(("machine", "interfaces"), INTERFACES.items())
def test_a_client_has_the_interfaces_of_aws_own_program(machine: str, interfaces: int) -> None:
    assert lustre_connections(group(machine)) == interfaces
    settings = settings_of("pcs", machine, [MAIN, MORE])
    counts = dict(pair.split("=") for pair in settings["LUSTRE_EFA_INTERFACES"].split())
    assert int(counts.get(machine, "0")) == interfaces
    assert [line.split()[2] for line in settings["LUSTRE_FILE_SYSTEMS"].splitlines()] == ["efa", "tcp"]


@pytest.mark.parametrize(
    ("machine", "opted_in", "reads"),
    [
        ("p5.48xlarge", (), True),
        ("p5en.48xlarge", (), True),
        ("p6-b200.48xlarge", (), True),
        ("p6-b300.48xlarge", (), False),
        ("p6-b300.48xlarge", ("p6-b300.48xlarge",), True),
        ("p5.4xlarge", (), False),
        ("m5.4xlarge", ("m5.4xlarge",), False),
    ],
)
def test_gpus_read_directly_on_the_types_of_aws_list(
    machine: str, opted_in: tuple[str, ...], reads: bool
) -> None:
    groups = [group(machine)]
    types = gds_types_of(groups, opted_in)
    assert types == ((machine,) if reads else ())
    assert settings_of("pcs", machine, [MAIN], types)["LUSTRE_GDS_TYPES"] == (machine if reads else "")


@pytest.mark.parametrize(
    ("system", "versions", "efa"),
    [
        ("amzn 2023", ("2.12", "2.15"), True),
        ("amzn 2", ("2.10", "2.12", "2.15"), False),
        ("ubuntu 24.04", ("2.12", "2.15"), True),
        ("ubuntu 22.04", ("2.10", "2.12", "2.15"), True),
        ("rhel 9.4", ("2.12", "2.15"), False),
        ("rhel 9.5", ("2.12", "2.15"), True),
        ("rocky 10", ("2.15",), False),
        ("bottlerocket 1.60", (), False),
    ],
)
def test_the_matrix_has_the_versions_and_systems_of_aws(
    system: str, versions: tuple[str, ...], efa: bool
) -> None:
    assert versions_of(system) == versions
    assert reaches_over_efa(system) is efa


@pytest.mark.parametrize("kind", KINDS)
def test_the_images_of_a_control_plane_mount_the_current_version_over_efa(kind: str) -> None:
    for system in lustre_clients().images[kind]:
        assert "2.15" in versions_of(system)
        assert reaches_over_efa(system)


@pytest.mark.parametrize("kind", KINDS)
def test_roles_of_nodes_may_do_what_their_scripts_do(kind: str) -> None:
    allowed = actions_of_nodes(kind)
    assert allowed.get("fsx:DescribeFileSystems") == ("*" if kind.startswith("hyperpod") else None)
    # HyperPod with Slurm mounts the main file system itself; no script of its nodes reads an address
    assert "s3:GetObject" in allowed
    if kind == "pcs":
        read = json.dumps(allowed["ssm:GetParameter"])
        assert all(f"lustre-{name}" in read for name in ("dns-name", "mount-name"))


@given(
    kind=st.sampled_from(KINDS),
    machine=st.sampled_from(MACHINES),
    wanted=st.booleans(),
    containers=st.booleans(),
)
def test_no_two_programs_own_the_local_disks(kind: str, machine: str, wanted: bool, containers: bool) -> None:
    instance = catalog().instances[machine]
    config = node_config(local_storage=kind == "eks" and wanted and instance.local_nvme is not None)
    scripts = plan_node_scripts(
        kind, "us-west-2", [group(machine)], [MAIN], None, local_nvme=wanted, containers_on_nvme=containers
    )
    by_nodeadm = "localStorage" in config["spec"].get("instance", {})
    by_script = "LOCAL_NVME='dlami-nvme'" in scripts.files["settings.env"].splitlines()
    assert not (by_nodeadm and by_script)
    assert (by_nodeadm or by_script) is (wanted and (kind != "eks" or instance.local_nvme is not None))
    # no script of ours ever makes a volume itself
    text = "".join(scripts.files.values())
    assert not any(
        word in text.split() for word in ("mdadm", "mkfs.xfs", "mkfs.ext4", "pvcreate", "vgcreate")
    )
    if kind == "eks":
        assert "LOCAL_NVME='other'" in scripts.files["settings.env"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_control_plane_has_an_owner_of_disks_and_an_entry(kind: str) -> None:
    assert kind in ENTRIES
    assert script_policy(kind, wanted=True) == ("other" if kind == "eks" else "dlami-nvme")


@pytest.mark.parametrize("storage", [True, False])
@pytest.mark.parametrize("pods", [None, "((default_enis - 1) * (ips_per_eni - 1)) + 2"])
def test_a_node_config_is_one_that_nodeadm_reads(storage: bool, pods: str | None) -> None:
    found = custom_schema("node.eks.aws/v1alpha1", "NodeConfig")
    assert found is not None
    schema = strict(found)
    config = node_config(local_storage=storage, max_pods_expression=pods)
    jsonschema.validate(config, schema)
    assert config["kind"] == "NodeConfig"
    local = config["spec"].get("instance", {}).get("localStorage")
    assert local == ({"strategy": "RAID0"} if storage else None)
    wrong = {**config, "spec": {"instance": {"localStorage": {"strategy": "RAID5"}}}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, schema)


def test_facts_of_clients_have_their_sources() -> None:
    facts = lustre_clients()
    assert set(facts.sources) == {"kernels", "efa", "tunings", "images"}
    assert {key for keys in facts.sources.values() for key in keys} <= set(catalog().sources)
    assert set(facts.images) == set(KINDS)
