"""Users: computed ids, users files, and the configuration of sssd."""

from __future__ import annotations

import configparser
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.design.access.directory import id_range, sssd_conf
from config.design.access.people import FIRST_ID, IDS, ClusterUsers, cluster_users, derived_id, users_table
from config.profile.access.cluster import ActiveDirectory, ClusterAccess, Ldap
from config.profile.access.people import User
from config.profile.source.people_file import COLUMNS, read_people
from config.rules.access.people import key_fault

NAMES = st.from_regex(r"[a-z][a-z0-9_-]{0,20}", fullmatch=True)
USERS = st.lists(
    st.builds(
        lambda name, uid: {"name": name, **({"uid": uid} if uid else {})},
        NAMES,
        st.none() | st.integers(20000, 50000),
    ),
    unique_by=lambda user: user["name"],
    max_size=12,
)  # fmt: skip


def of(users: list[dict[str, object]]) -> ClusterUsers:
    return cluster_users(ClusterAccess.model_validate({"users": users}), None)


@given(USERS, USERS, st.randoms())
def test_nobody_moves_when_somebody_comes_goes_or_is_sorted(
    users: list[dict[str, object]], more: list[dict[str, object]], luck: random.Random
) -> None:
    known = {user["name"] for user in users}
    together = [*users, *(user for user in more if user["name"] not in known)]
    luck.shuffle(together)
    before, after = of(users), of(together)
    ids = {user.name: (user.uid, user.gid) for user in after.users}
    assert {user.name: (user.uid, user.gid) for user in before.users}.items() <= ids.items()


@given(NAMES)
def test_an_id_that_follows_from_a_name_is_of_people(name: str) -> None:
    for kind in ("user", "group"):
        assert FIRST_ID <= derived_id(kind, name) < FIRST_ID + IDS <= 60000


def test_ids_that_follow_from_names_are_the_same_for_ever() -> None:
    assert (derived_id("user", "ada"), derived_id("user", "bob")) == (14101, 27048)


@given(USERS)
def test_what_nodes_read_has_a_line_of_as_many_words_for_everybody(users: list[dict[str, object]]) -> None:
    lines = [line.split(" ") for line in users_table(of(users)).splitlines()]
    assert [len(line) for line in lines] == [8] * len(users)
    assert "" not in [word for line in lines for word in line]


CSV = (
    "name,uid,group,groups,ssh_keys,sudo\n"
    "ada,20001,,research;ops,ssh-ed25519 AAAA a;ssh-ed25519 BBBB b,true\n"
    "bob,,research,,,\n"
)


def test_a_csv_has_a_line_for_each_user(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(CSV)
    file = read_people("people.csv", tmp_path)
    assert file.faults == ()
    ada, bob = file.people.users
    assert (ada.uid, ada.groups, len(ada.ssh_keys), ada.sudo) == (20001, ("research", "ops"), 2, True)
    assert (bob.uid, bob.group) == (None, "research")
    assert [group.name for group in file.people.groups] == ["ops", "research"]


def test_the_profile_gives_groups_of_a_csv_their_ids(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(CSV)
    access = ClusterAccess.model_validate({"groups": [{"name": "research", "gid": 30001}]})
    found = cluster_users(access, read_people("people.csv", tmp_path))
    assert next(user.gid for user in found.users if user.name == "bob") == 30001


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "user,uid\nada,1\n", "the first line contains 'user'"),
        ("a.csv", "uid\n1\n", "does not contain `name`"),
        ("a.csv", "name,uid\nada\n", "line 2"),
        ("a.csv", "name,uid\nada,x\n", "ada"),
        ("a.csv", "", "does not contain `name`"),
        ("a.csv", "name,uid,uid\nada,1,2\n", "contains 'uid' twice"),
        ("a.csv", f"name,uid\nada,{'9' * 5000}\n", "ada"),
        ("a.yaml", f"users: [{{name: ada, uid: {'9' * 5000}}}]\n", ""),
        ("a.csv", 'name\n"ada\n', "not valid CSV"),
        ("a.yaml", "users: [{name: Ada}]", "lower-case letters"),
        ("a.yaml", "- ada\n", "neither `users:`"),
        ("a.yaml", "users: {", "line"),
        ("a.yaml", "users: ada", "list"),
        ("a.yaml", "users: [ada]", "users[0]"),
        ("a.yaml", "people: []", "people"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_words(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    file = read_people(name, tmp_path)
    assert file.faults
    assert said in file.faults[0]


@given(st.binary(max_size=200), st.sampled_from(["a.csv", "a.yaml"]))
def test_no_file_is_too_odd_to_be_read(content: bytes, name: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_bytes(content)
        read_people(name, Path(folder))


def test_every_key_of_a_user_is_a_column() -> None:
    assert set(COLUMNS) == set(User.model_fields)


@pytest.mark.long
def test_keys_of_ssh_keygen_are_taken(tmp_path: Path) -> None:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("needs ssh-keygen")
    for kind, bits, taken in (
        ("ed25519", "256", True),
        ("ecdsa", "384", True),
        ("rsa", "3072", True),
        ("rsa", "1024", False),
    ):
        file = tmp_path / f"{kind}-{bits}"
        command = ["ssh-keygen", "-q", "-t", kind, "-b", bits, "-N", "", "-C", "me@here", "-f", str(file)]
        subprocess.run(command, check=True, timeout=60)
        fault = key_fault(file.with_name(f"{file.name}.pub").read_text())
        assert (fault is None) is taken, fault
    assert "private key" in (key_fault("-----BEGIN OPENSSH PRIVATE KEY-----") or "")


COMMON = {
    "uris": ["ldap://a.example.com", "ldaps://b.example.com"],
    "base_dn": "dc=example,dc=com",
    "bind_dn": "cn=nodes,dc=example,dc=com",
    "bind_secret_arn": "arn:aws:secretsmanager:us-west-2:123456789012:secret:ldap-AbCdEf",
}
DIRECTORIES: dict[str, Ldap | ActiveDirectory] = {
    "ldap": Ldap.model_validate({"kind": "ldap", "least_id": 100000, "group_schema": "rfc2307bis", **COMMON}),
    "ad": ActiveDirectory.model_validate({"kind": "active-directory", "login_groups": ["gpu"], **COMMON}),
    "ad-stated": ActiveDirectory.model_validate(
        {"kind": "active-directory", "posix_ids": "stated", **COMMON}
    ),
}


@pytest.mark.parametrize("name", DIRECTORIES)
def test_sssd_is_reported_one_domain_over_tls(name: str) -> None:
    conf = configparser.ConfigParser(interpolation=None)
    conf.read_string(sssd_conf(DIRECTORIES[name], "/home") + "ldap_default_authtok = x\n")
    assert conf["sssd"]["domains"] == "people"
    domain = conf["domain/people"]
    assert (domain["ldap_tls_reqcert"], domain["ldap_id_use_start_tls"]) == ("demand", "True")
    assert domain["ldap_default_authtok"] == "x"  # the last section is that of the domain
    assert domain["override_homedir"] == "/home/%u"


def test_the_range_of_a_directory_is_what_sssd_takes() -> None:
    assert id_range(DIRECTORIES["ad"]) == (200_000, 2_000_200_000)
    assert id_range(DIRECTORIES["ldap"]) == (100_000, 2**32 - 2)
    assert id_range(DIRECTORIES["ad-stated"]) is None


@pytest.mark.skipif(shutil.which("sssctl") is None, reason="needs sssctl (sssd-tools)")
@pytest.mark.parametrize("name", DIRECTORIES)
def test_sssd_itself_takes_the_configuration(name: str, tmp_path: Path) -> None:
    file = tmp_path / "sssd.conf"
    file.write_text(sssd_conf(DIRECTORIES[name], "/home") + "ldap_default_authtok = x\n")
    file.chmod(0o600)
    done = subprocess.run(
        ["sssctl", "config-check", "-c", str(file), "-s", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Issues identified by validators: 0" in done.stdout, done.stdout + done.stderr
