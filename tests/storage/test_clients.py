"""What nodes do about storage, by control plane: mounts, networks, values, disks; and who owns the disks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # has no types of its own
import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.catalog import catalog
from config.catalog.storage.lustre_clients import lustre_clients
from config.cluster import load_cluster
from config.design.capacity.groups import GroupPlan
from config.design.nodes.clients import (
    KUBERNETES,
    SharedHome,
    SharedLustre,
    client_fault,
    client_faults,
    gds_types_of,
    plan_clients,
    tuned_values,
)
from config.design.nodes.reach import node_permissions, node_traffic
from config.design.nodes.scripts import ENTRIES, plan_node_scripts
from config.design.storage.local_disks import node_config, plan_local_disks, script_policy
from config.profile.orchestrator import ORCHESTRATORS
from scripts.cloud.kubernetes.schemas import custom_schema

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
    (plan,) = plan_clients(kind, [group("p6-b200.48xlarge")], [MAIN, MORE], HOME, local_nvme=True)
    assert [mount.mounted_by for mount in plan.mounts] == [first, second]
    assert plan.home_mounted_by == home
    assert [mount.options for mount in plan.mounts] == [("relatime", "flock"), ("noatime", "flock")]


# AWS's table of interfaces that its program configures (configure-efa-clients.html)
INTERFACES = {
    "p5.48xlarge": 8, "p5e.48xlarge": 8, "p5en.48xlarge": 8, "p6-b200.48xlarge": 8, "p6-b300.48xlarge": 16,
    "p6e-gb200.36xlarge": 8, "p5.4xlarge": 1, "g6.48xlarge": 1, "g6e.48xlarge": 2, "p4d.24xlarge": 0,
    "m5.4xlarge": 0,
}  # fmt: skip


@pytest.mark.parametrize(("machine", "interfaces"), INTERFACES.items())
def test_a_client_has_the_interfaces_of_aws_own_program(machine: str, interfaces: int) -> None:
    (plan,) = plan_clients("pcs", [group(machine)], [MAIN, MORE], None, local_nvme=False)
    assert plan.efa_interfaces == interfaces
    assert [mount.over_efa for mount in plan.mounts] == [interfaces > 0, False]
    (alone,) = plan_clients("pcs", [group(machine)], [MORE], None, local_nvme=False)
    assert alone.efa_interfaces == 0


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
    (plan,) = plan_clients("pcs", groups, [MAIN], None, local_nvme=False, gds_types=types)
    assert plan.gds is reads


@pytest.mark.parametrize("machine", MACHINES)
def test_values_are_those_of_the_table_for_many_cores_and_much_memory(machine: str) -> None:
    instance = catalog().instances[machine]
    found = {value.name: value.value for value in tuned_values(instance)}
    assert found["osc.*.max_dirty_mb"] == "64"
    assert ("ptlrpc" in found) is (instance.vcpus > 64)
    assert (found.get("ldlm.namespaces.*.lru_size") == str(100 * instance.vcpus)) is (
        instance.memory_gib > 64
    )
    expected = 1 + 2 * (instance.memory_gib > 64) + 5 * (instance.vcpus > 64)
    assert len(found) == expected


@pytest.mark.parametrize(
    ("system", "version", "efa", "fault"),
    [
        ("amzn 2023", "2.10", False, "the Lustre client of amzn 2023 mounts 2.12 and 2.15, not 2.10"),
        ("amzn 2023", "2.12", False, None),
        ("amzn 2023", "2.15", True, None),
        ("amzn 2", "2.15", True, "amzn 2 reaches no file system over EFA"),
        ("ubuntu 24.04", "2.10", False, "the Lustre client of ubuntu 24.04 mounts 2.12 and 2.15, not 2.10"),
        ("ubuntu 22.04", "2.10", False, None),
        ("rhel 9.4", "2.15", True, "rhel 9.4 reaches no file system over EFA"),
        ("rhel 9.5", "2.15", True, None),
        ("rocky 10", "2.12", False, "the Lustre client of rocky 10 mounts 2.15, not 2.12"),
        ("bottlerocket 1.60", "2.15", False, "bottlerocket 1.60 has no Lustre client in AWS's matrix"),
    ],
)
def test_a_system_mounts_what_the_matrix_says(
    system: str, version: str, efa: bool, fault: str | None
) -> None:
    assert client_fault(system, version, efa=efa) == fault


@pytest.mark.parametrize("kind", KINDS)
def test_the_images_of_a_control_plane_mount_the_current_version_over_efa(kind: str) -> None:
    assert client_faults(kind, [MAIN]) == ()


@pytest.mark.parametrize("kind", KINDS)
def test_roles_of_nodes_may_do_what_their_scripts_do(kind: str) -> None:
    system = replace(MAIN, dns_name_parameter="/a", mount_name_parameter="/b")
    scripts = plan_node_scripts(kind, "us-west-2", [group("p5.48xlarge")], [system], HOME, local_nvme=True)
    found = {action: p for p in node_permissions(kind, scripts, (system,)) for action in p.actions}
    assert ("fsx:DescribeFileSystems" in found) is kind.startswith("hyperpod")
    assert ("ssm:GetParameter" in found) is (kind == "pcs")
    assert ("s3:GetObject" in found) is not kind.startswith("hyperpod")
    if kind == "pcs":
        assert found["ssm:GetParameter"].names == ("/a", "/b", "/home-dns")
    assert node_permissions(kind, None, (replace(system, efa=False),)) == ()


def test_efa_wants_every_protocol_by_group_and_plain_lustre_its_ports() -> None:
    assert [t.ports for t in node_traffic("pcs", (MAIN, MORE), None) if t.peer == "lustre"] == [()]
    (plain,) = [t for t in node_traffic("pcs", (MORE,), HOME) if t.peer == "lustre"]
    assert plain.ports == ((988, 988), (1018, 1023))
    (home,) = [t for t in node_traffic("pcs", (), HOME) if t.peer == "home"]
    assert (2049, 2049) in home.ports


@given(
    kind=st.sampled_from(KINDS),
    machine=st.sampled_from(MACHINES),
    wanted=st.booleans(),
    containers=st.booleans(),
)
def test_no_two_programs_own_the_local_disks(kind: str, machine: str, wanted: bool, containers: bool) -> None:
    instance = catalog().instances[machine]
    disks = plan_local_disks(kind, instance, wanted=wanted)
    config = node_config(local_storage=disks is not None and disks.owner == "nodeadm")
    scripts = plan_node_scripts(
        kind, "us-west-2", [group(machine)], [MAIN], None, local_nvme=wanted, containers_on_nvme=containers
    )
    by_nodeadm = "localStorage" in config["spec"].get("instance", {})
    by_script = "LOCAL_NVME='dlami-nvme'" in scripts.files["settings.env"].splitlines()
    assert not (by_nodeadm and by_script)
    assert (by_nodeadm or by_script) is (wanted and (kind != "eks" or instance.local_nvme is not None))
    assert (disks is not None) is (wanted and instance.local_nvme is not None)
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
    disks = plan_local_disks(kind, catalog().instances["p5.48xlarge"], wanted=True)
    assert disks is not None
    assert (disks.disks, disks.gb) == (8, 30400)
    assert ("kubelet" in disks.container_data) is (kind in KUBERNETES)


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
