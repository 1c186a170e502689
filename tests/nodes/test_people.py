"""User accounts on nodes: the real scripts create, change and lock them from the cluster's user list."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from tests.nodes.fixtures import MakeNode, prepared
from tests.nodes.node import Node, needs_bash
from tests.nodes.people import (
    KEY,
    accounts,
    members,
    owners,
    people_bundle,
    profile,
    publishes,
    shadow,
    with_accounts,
)

pytestmark = needs_bash

ADA: dict[str, Any] = {
    "name": "ada",
    "uid": 20001,
    "groups": ["research"],
    "ssh_keys": [f"{KEY} ada@laptop"],
    "sudo": True,
}
BOB: dict[str, Any] = {"name": "bob", "uid": 20002, "group": "research"}
RESEARCH = {"name": "research", "gid": 30001}
BOTH: dict[str, Any] = {"users": [ADA, BOB], "groups": [RESEARCH]}


@pytest.fixture
def node(make: MakeNode) -> Node:
    """Return a HyperPod node after its scripts, with the users Ada and Bob."""
    node = with_accounts(prepared(make(people_bundle(BOTH))))
    node.mounts("/home", "nfs")
    publishes(node, BOTH)
    done = node.runs()
    assert done.returncode == 0, done.stdout
    return node


def applies(node: Node, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the timer's script."""
    script = str(node.root / "opt/ultracluster/access/access.sh")
    return node.runs(script, *arguments) if arguments else node.runs(script, "apply")


def test_everybody_has_the_ids_of_the_list_and_a_home_of_their_own(node: Node) -> None:
    assert accounts(node) == {"ada": (20001, 20001), "bob": (20002, 30001)}
    assert members(node, "research") == ["ada"]
    assert owners(node)["/home/ada"] == "20001:20001"
    assert owners(node)["/home/bob"] == "20002:30001"
    assert (node.root / "home/ada").stat().st_mode & 0o777 == 0o700
    assert node.text("home/ada/.bashrc") == "# shell\n"


def test_nobody_has_a_password_and_keys_are_roots(node: Node) -> None:
    assert shadow(node, "ada") == ("*", "")
    assert node.text("etc/ssh/ultracluster-keys/ada") == f"{KEY} ada@laptop\n"
    assert not (node.root / "etc/ssh/ultracluster-keys/bob").exists()
    sshd = node.text("etc/ssh/sshd_config.d/10-ultracluster.conf")
    assert "AuthorizedKeysFile .ssh/authorized_keys /etc/ssh/ultracluster-keys/%u" in sshd
    assert "PasswordAuthentication no" in sshd
    assert node.text("etc/sudoers.d/ultracluster-people") == "ada ALL=(ALL:ALL) NOPASSWD: ALL\n"


@pytest.mark.long
def test_a_second_run_changes_nothing(node: Node) -> None:
    before = node.files()
    node.lacks("calls")
    assert applies(node).returncode == 0
    assert node.files() == before
    for program in ("useradd", "usermod", "groupadd", "gpasswd"):
        assert node.calls(program) == []
    assert not [call for call in node.calls("systemctl") if "reload" in call]


@pytest.mark.long
def test_a_new_colleague_moves_nobody_and_needs_no_other_bundle(node: Node) -> None:
    cleo = {"name": "cleo", "groups": ["research"]}
    more = {"users": [cleo, ADA, BOB], "groups": [RESEARCH]}
    assert people_bundle(more).content_hash == people_bundle(BOTH).content_hash
    publishes(node, more)
    assert applies(node).returncode == 0
    assert accounts(node).keys() == {"ada", "bob", "cleo"}
    assert accounts(node)["ada"] == (20001, 20001)
    assert members(node, "research") == ["ada", "cleo"]
    assert members(node, "docker") == ["ubuntu"]


def test_who_has_left_is_locked_and_keeps_id_and_files(node: Node) -> None:
    publishes(node, {"users": [BOB], "groups": [RESEARCH]})
    assert applies(node).returncode == 0
    assert accounts(node)["ada"] == (20001, 20001)
    assert shadow(node, "ada") == ("!*", "1")
    assert not (node.root / "etc/ssh/ultracluster-keys/ada").exists()
    assert not (node.root / "etc/sudoers.d/ultracluster-people").exists()
    assert members(node, "research") == []
    assert (node.root / "home/ada/.bashrc").exists()


@pytest.mark.long
def test_who_is_back_comes_in_again(node: Node) -> None:
    publishes(node, {"users": [BOB], "groups": [RESEARCH]})
    applies(node)
    publishes(node, BOTH)
    assert applies(node).returncode == 0
    assert shadow(node, "ada") == ("*", "")
    assert "ada:x:20001:20001::/home/ada:/bin/bash" in node.text("etc/passwd")
    assert (node.root / "etc/ssh/ultracluster-keys/ada").exists()


@pytest.mark.long
def test_everybody_can_be_taken_out(node: Node) -> None:
    publishes(node, {"users": []})
    assert applies(node).returncode == 0
    assert {shadow(node, name)[1] for name in ("ada", "bob")} == {"1"}
    assert shadow(node, "ubuntu") == ("!", "")


@pytest.mark.long
def test_an_id_that_is_taken_is_neither_shared_nor_changed(node: Node) -> None:
    ada = {**ADA, "uid": 20009}
    eve = {"name": "eve", "uid": 1000}
    publishes(node, {"users": [ada, eve, BOB], "groups": [RESEARCH]})
    done = applies(node)
    assert done.returncode == 1
    assert "ada has passwd id 20001 on this node and 20009 in the list: it is not changed" in done.stdout
    assert "passwd id 1000 belongs to ubuntu on this node: eve is not created" in done.stdout
    assert accounts(node) == {"ada": (20001, 20001), "bob": (20002, 30001)}


@pytest.mark.long
def test_an_account_that_the_node_had_before_gives_nobody_its_rights_and_is_never_locked(node: Node) -> None:
    node.file("etc/passwd", f"{node.text('etc/passwd')}agent:x:1500:1500::/home/agent:/bin/bash\n")
    node.file("etc/shadow", f"{node.text('etc/shadow')}agent:!:20000::::::\n")
    agent = {"name": "agent", "ssh_keys": [f"{KEY} eve"], "sudo": True}
    publishes(node, {"users": [ADA, BOB, agent], "groups": [RESEARCH]})
    assert "agent has passwd id 1500 on this node" in applies(node).stdout
    assert not (node.root / "etc/ssh/ultracluster-keys/agent").exists(), "eve would come in as it"
    assert node.text("etc/sudoers.d/ultracluster-people") == "ada ALL=(ALL:ALL) NOPASSWD: ALL\n"
    publishes(node, BOTH)
    assert applies(node).returncode == 0
    assert shadow(node, "agent") == ("!", "")


@pytest.mark.long
def test_a_group_that_the_node_had_before_keeps_its_members(node: Node) -> None:
    node.file("etc/group", f"{node.text('etc/group')}lxc:x:110:ubuntu\n")
    ada = {**ADA, "groups": ["research", "lxc"]}
    publishes(node, {"users": [ada, BOB], "groups": [RESEARCH, {"name": "lxc"}]})
    assert "lxc has group id 110 on this node" in applies(node).stdout
    assert members(node, "lxc") == ["ubuntu"]


@pytest.mark.long
def test_who_changes_the_id_in_the_list_comes_in_as_before(node: Node) -> None:
    publishes(node, {"users": [{**ADA, "uid": 20009}, BOB], "groups": [RESEARCH]})
    assert applies(node).returncode == 1
    assert node.text("etc/ssh/ultracluster-keys/ada") == f"{KEY} ada@laptop\n"
    assert node.text("etc/sudoers.d/ultracluster-people") == "ada ALL=(ALL:ALL) NOPASSWD: ALL\n"


@pytest.mark.long
def test_who_could_not_be_locked_is_locked_by_the_next_run(node: Node) -> None:
    node.has("usermod-fails")
    publishes(node, {"users": [BOB], "groups": [RESEARCH]})
    done = applies(node)
    assert (done.returncode, "ada, who is no longer in the list, could not be locked" in done.stdout) == (
        1,
        True,
    )
    node.lacks("usermod-fails")
    assert applies(node).returncode == 0
    assert shadow(node, "ada") == ("!*", "1")


@pytest.mark.long
def test_a_home_that_is_somebody_elses_stays_so(node: Node) -> None:
    (node.root / "home/cleo").mkdir()
    node.has("owners", f"{node.root}/home/cleo 40000 40000\n")
    publishes(node, {"users": [{"name": "cleo", "uid": 20003}]})
    done = applies(node)
    assert (done.returncode, "/home/cleo belongs to uid 40000, not to 20003" in done.stdout) == (1, True)
    assert owners(node)["/home/cleo"] == "40000:40000"


@pytest.mark.long
def test_a_home_that_a_node_did_not_live_to_give_away_is_given(node: Node) -> None:
    (node.root / "home/cleo").mkdir()
    publishes(node, {"users": [{"name": "cleo", "uid": 20003}]})
    assert applies(node).returncode == 0
    assert owners(node)["/home/cleo"] == "20003:20003"


@pytest.mark.long
def test_a_list_that_is_not_what_the_parameter_names_changes_nothing(node: Node) -> None:
    before = node.text("etc/passwd")
    publishes(node, {"users": [ADA, BOB, {"name": "cleo"}], "groups": [RESEARCH]}, spoilt=True)
    done = applies(node)
    assert "does not have the checksum in the parameter" in done.stdout
    assert node.text("etc/passwd") == before


@pytest.mark.long
def test_sudo_rules_that_visudo_refuses_do_not_count(node: Node) -> None:
    node.has("visudo-refuses")
    publishes(node, {"users": [ADA, {**BOB, "sudo": True}], "groups": [RESEARCH]})
    assert "visudo rejects the sudo rules" in applies(node).stdout
    assert node.text("etc/sudoers.d/ultracluster-people") == "ada ALL=(ALL:ALL) NOPASSWD: ALL\n"


@pytest.mark.long
def test_a_node_boots_without_a_list_and_takes_it_when_it_is_there(make: MakeNode) -> None:
    node = with_accounts(prepared(make(people_bundle(BOTH))))
    node.mounts("/home", "nfs")
    node.has("parameters/other")
    assert node.runs().returncode == 0
    assert accounts(node) == {}
    assert "enable --now ultracluster-access.timer" in " ".join(node.calls("systemctl"))
    publishes(node, BOTH)
    assert applies(node).returncode == 0
    assert accounts(node).keys() == {"ada", "bob"}


@pytest.mark.long
def test_without_shared_homes_they_are_on_lustre(make: MakeNode) -> None:
    access: dict[str, Any] = {
        **BOTH,
        "directories": [{"path": "/fsx/teams", "per": "group"}, {"path": "/fsx/people", "per": "user"}],
    }
    node = with_accounts(prepared(make(people_bundle(access, home=False))))
    publishes(node, access)
    assert node.runs().returncode == 0
    assert "/fsx/home/ada" in node.text("etc/passwd")
    assert owners(node)["/fsx/teams/research"] == "0:30001"
    assert (node.root / "fsx/teams/research").stat().st_mode & 0o7777 == 0o2770
    assert owners(node)["/fsx/people/bob"] == "20002:30001"


def test_slurm_gets_an_account_for_each_group_and_each_user_in_theirs(node: Node) -> None:
    assert node.calls("sacctmgr") == []  # no controller
    node.has("controller")
    publishes(node, {"users": [ADA, BOB, {"name": "cleo"}], "groups": [RESEARCH]})
    assert applies(node).returncode == 0
    assert (node.folder / "associations").read_text().split() == [
        "research|", "research|ada", "research|bob", "everybody|", "everybody|cleo",
    ]  # fmt: skip
    node.lacks("calls")
    applies(node)
    assert node.calls("sacctmgr") == []


@pytest.mark.long
def test_slurm_holds_back_who_has_left_and_nobody_that_somebody_else_added(node: Node) -> None:
    node.has("controller")
    node.has("associations", "root|\nroot|root\nguests|\nguests|zoe\n")
    applies(node)
    publishes(node, {"users": [BOB], "groups": [RESEARCH]})
    applies(node)
    held = [call for call in node.calls("sacctmgr") if "modify" in call]
    assert held == ["sacctmgr --immediate modify user where name=ada set maxsubmitjobs=0"]
    publishes(node, BOTH)
    applies(node)
    assert node.calls("sacctmgr")[-1].endswith("modify user where name=ada set maxsubmitjobs=-1")


@pytest.mark.long
def test_a_database_that_does_not_answer_is_asked_again(node: Node) -> None:
    node.has("controller")
    node.has("no-slurmdbd")
    assert "slurmdbd does not answer" in applies(node).stdout
    node.lacks("no-slurmdbd")
    applies(node)
    assert "research|ada" in (node.folder / "associations").read_text()


@pytest.mark.parametrize(
    ("orchestrator", "reported"),
    [
        ({"kind": "pcs"}, ""),
        ({"kind": "pcs", "accounting": {}}, "any"),
        ({"kind": "hyperpod-slurm"}, "controller"),
    ],
)
def test_slurm_is_configured_only_where_it_keeps_accounts(
    orchestrator: dict[str, Any], reported: str
) -> None:
    scripts = people_bundle(BOTH, **orchestrator)
    assert f"SLURM_ACCOUNTS='{reported}'" in scripts.files["access-settings.env"]


@pytest.mark.long
def test_a_pcs_node_has_its_accounts_before_slurmd_starts(make: MakeNode) -> None:
    node = with_accounts(prepared(make(people_bundle(BOTH, "pcs", home=False))))
    node.has("parameters//lustre-dns", "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com\n")
    node.has("parameters//lustre-mount", "abcdebev\n")
    publishes(node, BOTH)
    done = node.runs()
    assert done.returncode == 0, done.stdout
    assert accounts(node).keys() == {"ada", "bob"}


@pytest.mark.long
def test_show_says_who_is_there(node: Node) -> None:
    publishes(node, {"users": [ADA, BOB, {"name": "eve", "uid": 1000}], "groups": [RESEARCH]})
    applies(node)
    lines = [line.split() for line in applies(node, "show").stdout.splitlines()]
    assert lines == [["ada", "20001", "there"], ["bob", "20002", "there"], ["eve", "1000", "missing"]]


DIRECTORY = {
    "kind": "ldap",
    "uris": ["ldap://ldap.example.com"],
    "base_dn": "dc=example,dc=com",
    "bind_dn": "cn=nodes,dc=example,dc=com",
    "bind_secret_arn": "arn:aws:secretsmanager:us-west-2:123456789012:secret:ldap-AbCdEf",
    "ca_certificate": "-----BEGIN CERTIFICATE-----\nTUlJQg==\n-----END CERTIFICATE-----\n",
}


@pytest.fixture
def directed(make: MakeNode) -> Node:
    """Return a node with sssd and a user directory."""
    node = with_accounts(prepared(make(people_bundle({"directory": DIRECTORY}))))
    node.mounts("/home", "nfs")
    node.has("bin/sssd", "#!/bin/sh\n")
    (node.bin / "sssd").chmod(0o755)
    node.has("secret", "swordfish\n")
    return node


@pytest.mark.long
def test_a_directory_is_asked_over_tls_with_a_password_that_no_bundle_has(directed: Node) -> None:
    assert directed.runs().returncode == 0
    conf = directed.text("etc/sssd/sssd.conf")
    assert "ldap_id_use_start_tls = True\nldap_tls_reqcert = demand" in conf
    assert conf.endswith("ldap_default_authtok = swordfish\n")
    assert (directed.root / "etc/sssd/sssd.conf").stat().st_mode & 0o777 == 0o600
    assert "swordfish" not in "".join(people_bundle({"directory": DIRECTORY}).files.values())
    assert "restart sssd.service" in " ".join(directed.calls("systemctl"))
    directed.lacks("calls")
    applies(directed)
    assert "restart sssd.service" not in " ".join(directed.calls("systemctl"))


@pytest.mark.long
def test_another_password_is_there_within_minutes(directed: Node) -> None:
    directed.runs()
    directed.has("secret", "herring\n")
    directed.lacks("calls")
    applies(directed)
    assert directed.text("etc/sssd/sssd.conf").endswith("ldap_default_authtok = herring\n")
    assert "restart sssd.service" in " ".join(directed.calls("systemctl"))


@pytest.mark.long
def test_a_secret_that_is_no_password_leaves_the_node_as_it_is(directed: Node) -> None:
    directed.has("secret", '{\n"password": "x"\n}\n')
    done = directed.runs()
    assert (done.returncode, "the secret of the directory is not one line" in done.stdout) == (0, True)
    assert not (directed.root / "etc/sssd/sssd.conf").exists()


def test_a_profile_without_people_has_the_bundle_that_it_had() -> None:
    assert "access.sh" in people_bundle(BOTH).files
    from config.design.nodes.people import plan_node_people

    assert plan_node_people(profile({"sessions": {}}), None, ()) is None
    assert plan_node_people(profile(BOTH, "eks", kubernetes_version="1.35"), None, ()) is None
