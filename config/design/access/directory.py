"""The sssd configuration for a directory: the same on every node, without the password."""

from __future__ import annotations

from collections.abc import Iterator

from config.profile.access.cluster import ActiveDirectory, Directory, Ldap

CA_FILE = "/etc/sssd/ultracluster-ca.pem"

MAPPED = (200_000, 2_000_200_000)
"""Range of ids that sssd computes from SIDs: the defaults of sssd (sssd-ldap(5), ldap_idmap_range_min)."""


def sssd_conf(directory: Directory, homes: str) -> str:
    """Return sssd.conf without the password; a node appends the password as the last line.

    `homes` is the folder of home directories. Source: sssd.conf(5) and sssd-ldap(5).
    """
    return "".join(f"{line}\n" for line in _lines(directory, homes))


def id_range(directory: Directory) -> tuple[int, int] | None:
    """Return the range of the directory's ids; None if no key limits it."""
    if isinstance(directory, ActiveDirectory) and directory.posix_ids == "mapped":
        least, largest = MAPPED
    elif directory.least_id is None and directory.largest_id is None:
        return None
    else:
        least, largest = 0, 2**32 - 2
    return (
        least if directory.least_id is None else max(least, directory.least_id),
        largest if directory.largest_id is None else min(largest, directory.largest_id),
    )


def _lines(directory: Directory, homes: str) -> Iterator[str]:
    yield from ("[sssd]", "services = nss, pam", "domains = people", "")
    yield from ("[nss]", "filter_users = root, slurm, munge", "filter_groups = root, slurm, munge", "")
    yield "[domain/people]"
    yield "id_provider = ldap"
    yield "auth_provider = ldap"
    yield "chpass_provider = none"
    if directory.login_groups:
        yield "access_provider = simple"
        yield f"simple_allow_groups = {', '.join(sorted(set(directory.login_groups)))}"
    else:
        yield "access_provider = permit"
    yield f"ldap_uri = {', '.join(directory.uris)}"
    yield f"ldap_search_base = {directory.base_dn}"
    yield f"ldap_default_bind_dn = {directory.bind_dn}"
    yield "ldap_default_authtok_type = password"
    # StartTLS encrypts ldap:// connections before credentials are sent
    yield f"ldap_id_use_start_tls = {any(uri.startswith('ldap://') for uri in directory.uris)}"
    yield "ldap_tls_reqcert = demand"
    if directory.ca_certificate is not None:
        yield f"ldap_tls_cacert = {CA_FILE}"
    yield from (
        _of_active_directory(directory) if isinstance(directory, ActiveDirectory) else _of_ldap(directory)
    )
    if directory.least_id is not None:
        yield f"min_id = {directory.least_id}"
    if directory.largest_id is not None:
        yield f"max_id = {directory.largest_id}"
    yield f"override_homedir = {homes}/%u"
    yield "fallback_homedir = " + f"{homes}/%u"
    yield "default_shell = /bin/bash"
    yield "cache_credentials = True"
    # users are looked up by name: a directory may have thousands of them
    yield "enumerate = False"


def _of_ldap(directory: Ldap) -> Iterator[str]:
    yield f"ldap_schema = {directory.group_schema}"
    yield "ldap_id_mapping = False"


def _of_active_directory(directory: ActiveDirectory) -> Iterator[str]:
    """Yield the lines for Active Directory; with the same range, all nodes compute the same id from a SID."""
    mapped = directory.posix_ids == "mapped"
    yield "ldap_schema = ad"
    yield "ldap_user_name = sAMAccountName"
    yield "ldap_referrals = False"
    yield f"ldap_id_mapping = {mapped}"
    if mapped:
        yield f"ldap_idmap_range_min = {MAPPED[0]}"
        yield f"ldap_idmap_range_max = {MAPPED[1]}"
