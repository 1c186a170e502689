"""Simulated nodes with user accounts, and the user list that a cluster publishes."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path

from config.design.access.people import cluster_users, users_table
from config.design.nodes.people import plan_node_people
from config.design.nodes.scripts import NodeScriptsPlan, with_people
from config.profile.access.cluster import ClusterAccess
from config.profile.model import Profile
from tests.nodes.node import HOME, MAIN, SCRIPTED, Node, bundle

PROGRAMS = Path(__file__).parent / "programs_of_people"
PARAMETER = "/ultracluster/mine/nodes/people"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"


def profile(access: Mapping[str, object], kind: str = "hyperpod-slurm", **orchestrator: object) -> Profile:
    """Return a profile with these users."""
    declared = {"kind": kind, **orchestrator}
    return Profile.model_validate(
        {"name": "mine", "region": "us-west-2", "orchestrator": declared, "access": access}
    )


def people_bundle(
    access: Mapping[str, object], kind: str = "hyperpod-slurm", *, home: bool = True, **orchestrator: object
) -> NodeScriptsPlan:
    """Return the script bundle of a cluster with these users."""
    shared = HOME if home else None
    plan = plan_node_people(profile(access, kind, **orchestrator), shared, (MAIN,))
    assert plan is not None
    system = SCRIPTED if kind == "pcs" else MAIN
    return with_people(bundle(kind, (system,), shared), plan)


def with_accounts(node: Node) -> Node:
    """A node whose accounts are in test files; it has root, ubuntu and a group of the AMI."""
    for name in ("aws", "stat"):
        shutil.move(node.bin / name, node.bin / f"{name}-of-nodes")
    for program in PROGRAMS.iterdir():
        shutil.copy(program, node.bin / program.name)
    node.file("etc/passwd", "root:x:0:0::/root:/bin/bash\nubuntu:x:1000:1000::/home/ubuntu:/bin/bash\n")
    node.file("etc/group", "root:x:0:\nubuntu:x:1000:\ndocker:x:998:ubuntu\n")
    node.file("etc/shadow", "root:*:20000::::::\nubuntu:!:20000::::::\n")
    node.file("etc/skel/.bashrc", "# shell\n")
    node.file("etc/ssh/sshd_config.d/50-cloud.conf", "")
    return node


def publishes(node: Node, access: Mapping[str, object], *, spoilt: bool = False) -> None:
    """Publish a user list and its location, like the cluster's stack."""
    table = users_table(cluster_users(ClusterAccess.model_validate(access), None))
    digest = hashlib.sha256(table.encode()).hexdigest()
    node.has("people.txt", table + ("user eve 0 eve 0 /bin/sh sudo -\n" if spoilt else ""))
    node.has(f"parameters/{PARAMETER}", f"s3://assets/hyperpod-lifecycle/abc/people.txt {digest}\n")


def accounts(node: Node) -> dict[str, tuple[int, int]]:
    """Return uid and gid of each account that the AMI does not have."""
    rows = (line.split(":") for line in node.text("etc/passwd").splitlines())
    return {name: (int(uid), int(gid)) for name, _, uid, gid, *_ in rows if int(uid) > 1000}


def members(node: Node, group: str) -> list[str]:
    """Return the members of a group."""
    rows = (line.split(":") for line in node.text("etc/group").splitlines())
    return next([one for one in names.split(",") if one] for name, _, _, names in rows if name == group)


def owners(node: Node) -> dict[str, str]:
    """Return the last owner of each path as uid:gid."""
    file = node.folder / "owners"
    rows = (line.split() for line in file.read_text().splitlines()) if file.exists() else ()
    return {path.removeprefix(str(node.root)): f"{uid}:{gid}" for path, uid, gid in rows}


def shadow(node: Node, name: str) -> tuple[str, str]:
    """Return password and expiry of an account."""
    rows = (line.split(":") for line in node.text("etc/shadow").splitlines())
    return next((row[1], row[7]) for row in rows if row[0] == name)
