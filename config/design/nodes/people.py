"""What nodes of a Slurm cluster do for people: accounts, homes, directories, associations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from config.design.access.directory import sssd_conf
from config.design.nodes.clients import KUBERNETES, SharedHome, SharedLustre
from config.profile.model import Profile
from config.profile.orchestrator import HyperPodSlurm
from config.profile.slurm.pcs import Pcs

_STATED = frozenset(("users", "groups", "users_file", "directories"))

LIST = "people.txt"
"""The list's name in its folder of the bundle's bucket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePeople:
    """What a bundle has beside where nodes have accounts of people.

    `parameter` names where the list is: None where a directory has them all. `secret_arn` and
    `secret_key_arn` are what nodes read the directory with.
    """

    settings: Mapping[str, str] = field(hash=False)
    files: Mapping[str, str] = field(hash=False)
    parameter: str | None
    secret_arn: str | None = None
    secret_key_arn: str | None = None


def has_list(profile: Profile) -> bool:
    """Whether a profile states people: an empty list is one, too, from which everybody was taken out."""
    return profile.access is not None and bool(profile.access.model_fields_set & _STATED)


def plan_node_people(
    profile: Profile, home: SharedHome | None, file_systems: tuple[SharedLustre, ...]
) -> NodePeople | None:
    """What nodes do for the people of a profile; None where it has none, or nodes have no accounts."""
    access, plane = profile.access, profile.orchestrator
    if access is None or plane is None or plane.kind in KUBERNETES:
        return None
    listed, directory = has_list(profile), access.directory
    if not listed and directory is None:
        return None
    homes = home_folder(home, file_systems)
    parameter = f"/ultracluster/{profile.name}/nodes/people" if listed else None
    files = {}
    if directory is not None:
        files["sssd.conf"] = sssd_conf(directory, homes)
        if directory.ca_certificate is not None:
            files["directory-ca.pem"] = directory.ca_certificate
    return NodePeople(
        settings={
            "ACCESS_PARAMETER": parameter or "",
            "HOME_FOLDER": homes,
            "SHARED_DIRECTORIES": "\n".join(f"{one.per} {one.path}" for one in access.directories),
            "SLURM_ACCOUNTS": _told_by(profile),
            "DIRECTORY_SECRET": directory.bind_secret_arn if directory else "",
        },
        files=files,
        parameter=parameter,
        secret_arn=directory.bind_secret_arn if directory else None,
        secret_key_arn=directory.bind_secret_key_arn if directory else None,
    )


def home_folder(home: SharedHome | None, file_systems: tuple[SharedLustre, ...]) -> str:
    """Where homes are: on shared home directories, else on the main Lustre, else on each node's disk."""
    if home is not None:
        return home.mount_path
    return f"{file_systems[0].mount_path}/home" if file_systems else "/home"


def _told_by(profile: Profile) -> str:
    """Which nodes tell Slurm of accounts; HyperPod's controller always keeps some."""
    plane = profile.orchestrator
    if isinstance(plane, HyperPodSlurm):
        return "controller"
    return "any" if isinstance(plane, Pcs) and plane.accounting is not None else ""
