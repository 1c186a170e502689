"""User accounts on Slurm nodes: accounts, home directories, shared directories and Slurm associations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from config.design.access.directory import sssd_conf
from config.design.nodes.clients import KUBERNETES, SharedHome, SharedLustre
from config.profile.model import Profile
from config.profile.orchestrator import HyperPodSlurm
from config.profile.slurm.pcs import Pcs

_DECLARED = frozenset(("users", "groups", "users_file", "directories"))

LIST = "people.txt"
"""File name of the user list in its folder of the bucket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePeople:
    """The parts of a script bundle that create user accounts on nodes.

    `parameter` is the SSM parameter with the location of the user list; None if all users are in a directory
    service. Nodes read the directory with the secret `secret_arn`, encrypted with `secret_key_arn`.
    """

    settings: Mapping[str, str] = field(hash=False)
    files: Mapping[str, str] = field(hash=False)
    parameter: str | None
    secret_arn: str | None = None
    secret_key_arn: str | None = None


def has_list(profile: Profile) -> bool:
    """Return whether a profile has a user list; an empty list counts, because it removes all users."""
    return profile.access is not None and bool(profile.access.model_fields_set & _DECLARED)


def plan_node_people(
    profile: Profile, home: SharedHome | None, file_systems: tuple[SharedLustre, ...]
) -> NodePeople | None:
    """Return the user accounts of a profile's nodes; None without users, and under Kubernetes."""
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
            "SLURM_ACCOUNTS": _reported_by(profile),
            "DIRECTORY_SECRET": directory.bind_secret_arn if directory else "",
        },
        files=files,
        parameter=parameter,
        secret_arn=directory.bind_secret_arn if directory else None,
        secret_key_arn=directory.bind_secret_key_arn if directory else None,
    )


def home_folder(home: SharedHome | None, file_systems: tuple[SharedLustre, ...]) -> str:
    """Return the folder of home directories: the home file system, the main Lustre, or the local disk."""
    if home is not None:
        return home.mount_path
    return f"{file_systems[0].mount_path}/home" if file_systems else "/home"


def _reported_by(profile: Profile) -> str:
    """Return which nodes update Slurm accounts: `controller`, `any`, or an empty text for no node."""
    plane = profile.orchestrator
    if isinstance(plane, HyperPodSlurm):
        return "controller"
    return "any" if isinstance(plane, Pcs) and plane.accounting is not None else ""
