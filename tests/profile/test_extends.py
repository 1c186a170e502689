"""`extends`: what merges, what replaces, what is taken away, and where each fault stands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from config.cluster import Cluster, load_cluster
from config.diagnostics import Diagnostic

Check = Callable[..., Cluster]


def errors_of(cluster: Cluster) -> list[Diagnostic]:
    return [diagnostic for diagnostic in cluster.diagnostics if diagnostic.severity == "error"]


def test_mappings_merge_and_lists_replace(check: Check) -> None:
    cluster = check("extends: p6-b200\nname: mine\nnetwork: {secondary_zones: [usw2-az3, usw2-az4]}\n")
    assert cluster.design
    assert cluster.design.network
    assert cluster.design.network.vpc_cidr == "10.0.0.0/16"
    assert [s.name for s in cluster.design.network.subnets] == [
        "primary",
        "secondary-usw2-az3",
        "secondary-usw2-az4",
        "public",
    ]


def test_null_takes_away(check: Check) -> None:
    cluster = check("extends: p6-b200\nname: mine\nobservability: {grafana: null}\nstorage: null\n")
    assert cluster.exit_status == 0
    assert cluster.design
    assert cluster.design.lustre is None
    assert cluster.design.profile.observability
    assert cluster.design.profile.observability.grafana is None


def test_a_mapping_of_another_kind_replaces(check: Check) -> None:
    cluster = check(
        "extends: p6-b200\nname: mine\nnetwork:\n  kind: existing\n  vpc_id: vpc-12345678\n"
        "  vpc_cidr: 10.1.0.0/16\n"
        "  subnets: [{id: subnet-12345678, cidr: 10.1.0.0/17, availability_zone_id: usw2-az2}]\n"
    )
    assert cluster.exit_status == 0
    assert cluster.design
    assert cluster.design.network
    assert cluster.design.network.existing_vpc_id == "vpc-12345678"


def test_a_zone_by_name_replaces_the_zone_by_id_below_it(check: Check) -> None:
    cluster = check("extends: p6-b200\nname: mine\navailability_zone: us-west-2b\n")
    assert cluster.exit_status == 0
    assert cluster.design
    assert cluster.design.profile.zone == "us-west-2b"
    again = check(
        "extends: base.yaml\navailability_zone_id: usw2-az3\n",
        files={"base.yaml": "extends: p6-b200\nname: mine\navailability_zone: us-west-2b\n"},
    )
    assert again.design
    assert again.design.profile.zone == "usw2-az3"


def test_a_chain_of_files_ends_at_a_built_in_profile(check: Check) -> None:
    cluster = check(
        "extends: ../team/base.yaml\nname: mine\n",
        files={
            "../team/base.yaml": "extends: sub/deeper.yaml\ndescription: the team's\n",
            "../team/sub/deeper.yaml": "extends: p5en\nname: deep\nstorage: {lustre: {mount_path: /deep}}\n",
        },
    )
    assert cluster.exit_status == 0
    assert cluster.design
    # a description says what its own file describes
    assert (cluster.design.profile.name, cluster.design.summary) == ("mine", "16 x p5en.48xlarge")
    assert cluster.design.lustre
    assert cluster.design.lustre.mount_path == "/deep"


def test_a_fault_of_a_base_points_into_the_bases_file(check: Check) -> None:
    cluster = check(
        "extends: sub/base.yaml\nname: mine\n",
        files={
            "sub/base.yaml": "extends: p6-b200\nname: base\nstorage:\n  lustre:\n    capacity_gib: 10000\n"
        },
    )
    (found,) = errors_of(cluster)
    assert (found.code, found.file, found.line) == ("LUS002", "sub/base.yaml", 5)


def test_a_fault_between_two_files_points_to_the_line_that_holds_it(check: Check) -> None:
    cluster = check("extends: p6-b200\nname: mine\nregion: us-east-1\n")
    found = {d.path: (d.code, d.file, d.line) for d in errors_of(cluster)}
    assert found["availability_zone_id"] == ("PRO021", "config/profiles/p6-b200.yaml", 8)


def test_a_key_that_no_file_states_points_to_the_nearest_key_above_it(check: Check) -> None:
    (found,) = errors_of(
        check(
            "extends: p6-b200\nname: mine\nstorage:\n  lustre:\n    data_repositories:\n"
            "      - {path: /a, bucket: new, import: [new]}\n      - {path: /b, import: [new]}\n"
        )
    )
    assert (found.path, found.line) == ("storage.lustre.data_repositories[1].bucket", 7)


@pytest.mark.parametrize(
    "files",
    [
        {"my.yaml": "extends: my.yaml\nname: mine\n"},
        {"my.yaml": "extends: a.yaml\nname: mine\n", "a.yaml": "extends: sub/b.yaml\n",
         "sub/b.yaml": "extends: ../my.yaml\n"},
    ],
    ids=["itself", "three"],
)  # fmt: skip
def test_a_cycle_learns_where_it_closes(files: dict[str, str], check: Check) -> None:
    (found,) = errors_of(check(files["my.yaml"], files=files))
    assert found.code == "PRO006"
    assert "is a cycle" in found.message
    assert found.file == list(files)[-1]


def test_a_very_long_chain_is_refused(check: Check) -> None:
    files = {f"b{i}.yaml": f"extends: b{i + 1}.yaml\n" for i in range(40)} | {
        "b40.yaml": "extends: p6-b200\n"
    }
    (found,) = errors_of(check("extends: b0.yaml\nname: mine\n", files=files))
    assert (found.code, found.message) == ("PRO006", "more than 16 profiles extend one another")


@pytest.mark.parametrize("wanted", ["p6-b20", "./nowhere.yaml", "7", "[p6-b200]", "{a: b}", '""'])
def test_a_base_that_is_not_there_is_the_only_fault(wanted: str, check: Check) -> None:
    (found,) = errors_of(check(f"name: mine\nextends: {wanted}\n"))
    assert (found.code, found.path, found.file, found.line) == ("PRO006", "extends", "my.yaml", 2)
    assert "p6-b200" in found.hint


def test_beside_a_missing_base_what_is_stated_is_still_judged(check: Check) -> None:
    found = errors_of(
        check(
            "extends: p6-b20\nname: mine\nnetwork: {kind: new, vpc_cidr: 8.8.0.0/16}\n"
            "storage: {local_nvme: {raid: many}}\nregoin: x\n"
        )
    )
    assert {(d.code, d.path) for d in found} == {
        ("PRO006", "extends"),
        ("NET001", "network.vpc_cidr"),
        ("PRO012", "storage.local_nvme.raid"),
        ("PRO010", "regoin"),
    }


def test_a_base_that_cannot_be_read_is_reported_by_its_own_name(check: Check) -> None:
    cluster = check("extends: base.yaml\nname: mine\n", files={"base.yaml": "a: [\n"})
    (found,) = cluster.diagnostics
    assert (found.code, found.file) == ("PRO004", "base.yaml")


def test_an_absolute_base_is_found(check: Check, tmp_path: Path) -> None:
    base = tmp_path / "elsewhere" / "base.yaml"
    assert check(f"extends: {base}\nname: mine\n", files={str(base): "extends: p6-b200\n"}).exit_status == 0


def test_extends_null_extends_nothing(check: Check) -> None:
    assert "PRO006" not in {d.code for d in check("extends: null\nname: mine\n").diagnostics}


def test_the_four_orchestrators_of_the_contract_are_known() -> None:
    for kind in ("hyperpod-slurm", "hyperpod-eks", "eks", "pcs"):
        assert load_cluster("p6-b200", orchestrator=kind).exit_status == 0


def test_groups_that_the_tried_control_plane_lacks_are_left_out_and_the_others_keep_their_lines() -> None:
    cluster = load_cluster("p6-b200", orchestrator="eks")
    assert cluster.design is not None
    assert [group.name for group in cluster.design.groups] == ["train", "system"]
    (left,) = [d for d in cluster.diagnostics if d.code == "ORC026"]
    assert "controller, login" in left.message
    (note,) = [d for d in cluster.diagnostics if d.code == "CAP011"]
    assert (note.path, note.line) == ("compute.groups[0].capacity", 21)


def test_a_tried_kubernetes_cluster_gets_system_nodes_of_the_controllers_type_and_zone(check: Check) -> None:
    groups = (
        "{groups: [{name: head, role: controller, instance_type: m7i.2xlarge, count: 1, zone: usw2-az1},"
        " {name: system, role: compute, instance_type: p6-b200.48xlarge, count: 2}]}"
    )
    cluster = check(f"extends: p6-b200\nname: mine\ncompute: {groups}\n", orchestrator="eks")
    assert cluster.design is not None, [d.message for d in cluster.diagnostics]
    added = cluster.design.groups[-1]
    assert (added.name, added.role, added.count) == ("system-0", "system", 2)  # the other name is taken
    assert (added.instance_type.name, added.subnet) == ("m7i.2xlarge", "secondary-usw2-az1")


def test_a_tried_kubernetes_cluster_keeps_the_system_group_that_it_has(check: Check) -> None:
    groups = (
        "{groups: [{name: head, role: controller, instance_type: m5.4xlarge, count: 1},"
        " {name: tools, role: system, instance_type: m7i.2xlarge, count: 3},"
        " {name: train, role: compute, instance_type: p6-b200.48xlarge, count: 2}]}"
    )
    cluster = check(f"extends: p6-b200\nname: mine\ncompute: {groups}\n", orchestrator="eks")
    assert cluster.design is not None
    assert [group.name for group in cluster.design.groups] == ["tools", "train"]
    assert "ORC031" not in {d.code for d in cluster.diagnostics}


def test_a_group_without_a_name_is_left_out_by_its_role(check: Check) -> None:
    groups = "{groups: [{role: login, name: {a: 1}}, {role: controller}, {name: c, role: compute}]}"
    cluster = check(f"extends: p6-b200\nname: mine\ncompute: {groups}\n", orchestrator="eks")
    (left,) = [d for d in cluster.diagnostics if d.code == "ORC026"]
    assert left.message.endswith("leaves out these groups: a login group, a controller group")


def test_an_unknown_orchestrator_offers_the_nearest() -> None:
    (found,) = errors_of(load_cluster("p6-b200", orchestrator="hyperpod-slrum"))
    assert found.code == "PRO012"
    assert found.hint.startswith("did you mean hyperpod-slurm?")
    assert found.file is None


def test_beside_a_refused_orchestrator_the_rest_is_judged(check: Check) -> None:
    text = (
        "extends: p6-b200\nname: mine\norchestrator: {kind: hyperpod-eks}\n"
        "storage: {lustre: {capacity_gib: 10000}}\n"
    )
    assert [(d.code, d.line) for d in errors_of(check(text))] == [
        ("EKS030", 14),
        ("ORC002", 15),
        ("ORC002", 16),
        ("LUS002", 4),
    ]


def test_the_command_names_what_was_typed() -> None:
    assert load_cluster("p5").destroy_command == "ultracluster teardown p5 --aws"
    cluster = load_cluster("p5", orchestrator="hyperpod-slurm")
    assert cluster.destroy_command == "ultracluster teardown p5 --aws --orchestrator hyperpod-slurm"


def test_the_command_names_a_file_as_it_is_seen_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    (here / "team a").mkdir(parents=True)
    for file in (here / "team a" / "mine.yaml", tmp_path / "elsewhere.yaml"):
        file.write_text("extends: p5\nname: mine\n", encoding="utf-8")
    monkeypatch.chdir(here)
    below = "ultracluster teardown 'team a/mine.yaml' --aws"
    assert load_cluster("team a/mine.yaml").destroy_command == below
    assert load_cluster(str(here / "team a" / "mine.yaml")).destroy_command == below
    # the folder is part of it, and says nothing of the machine
    beside = "ultracluster teardown ../elsewhere.yaml --aws"
    assert load_cluster("../elsewhere.yaml").destroy_command == beside
    assert load_cluster(str(tmp_path / "elsewhere.yaml")).destroy_command == beside


def test_the_command_names_a_file_that_shares_no_folder_with_here_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("extends: p5\nname: mine\n", encoding="utf-8")
    monkeypatch.chdir("/usr")
    assert load_cluster(str(file)).destroy_command == f"ultracluster teardown {file} --aws"


def test_a_cluster_stands_in_the_zone_of_its_data_unless_it_says_another(check: Check) -> None:
    text = "extends: p6-b200-cluster\nname: mine\navailability_zone_id: null\n"
    cluster = check(text)
    assert cluster.exit_status == 0, cluster.diagnostics
    assert cluster.design
    assert cluster.design.profile.zone == "usw2-az2"


def test_a_data_profile_is_found_beside_the_file_that_names_it(check: Check) -> None:
    cluster = check(
        "extends: team/cluster.yaml\nname: mine\n",
        files={
            "team/cluster.yaml": "extends: p6-b200-cluster\nname: theirs\ndata: {profile: data.yaml}\n",
            "team/data.yaml": "extends: p6-b200-data\nname: team-data\n",
        },
    )
    assert cluster.exit_status == 0
    assert cluster.data_profile == "team/data.yaml"
    assert cluster.design
    assert cluster.design.attachment
    assert cluster.design.attachment.prefix.startswith("/ultracluster/team-data/v1-")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("name: theirs\n", "`region` is missing"),
        ("extends: p6-b200-data\nname: theirs\nstorage: {lustre: {capacity_gib: 10000}}\n", "10000 GiB"),
        ("a: [\n", "cannot be used"),
    ],
    ids=["shape", "rule", "yaml"],
)
def test_a_data_profile_with_errors_is_one_error_of_the_cluster(data: str, said: str, check: Check) -> None:
    text = "extends: p6-b200-cluster\nname: mine\ndata: {profile: data.yaml}\n"
    (found,) = errors_of(check(text, files={"data.yaml": data}))
    assert (found.code, found.path, found.line) == ("PRO026", "data.profile", 3)
    assert said in found.message


def test_a_data_profile_that_is_not_there_offers_the_nearest(check: Check) -> None:
    (found,) = errors_of(check("extends: p6-b200-cluster\nname: mine\ndata: {profile: p6-b200-dat}\n"))
    assert found.code == "PRO026"
    assert "p6-b200-data" in found.hint


def test_two_clusters_that_name_each_other_as_data_end(check: Check) -> None:
    text = "extends: p6-b200-cluster\nname: {}\ndata: {{profile: {}.yaml}}\n"
    cluster = check(text.format("mine", "other"), files={"other.yaml": text.format("other", "my")})
    assert cluster.exit_status == 1


def test_a_profile_without_a_name_of_its_own_is_warned_of(tmp_path: Path) -> None:
    file = tmp_path / "nameless.yaml"
    file.write_text("extends: p6-b200\n", encoding="utf-8")
    (found,) = [d for d in load_cluster(str(file)).diagnostics if d.code == "PRO028"]
    assert (found.severity, found.path) == ("warning", "name")
    assert "p6-b200" in found.message
    file.write_text("extends: p6-b200\nname: mine\n", encoding="utf-8")
    assert "PRO028" not in [d.code for d in load_cluster(str(file)).diagnostics]
