"""Sign-in of enroot to ECR: the scripts run on a simulated node, and enroot's files are checked."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from config.design.network.closure import mentions
from config.design.nodes.scripts import with_registry
from tests.nodes.fixtures import MakeNode, prepared
from tests.nodes.node import BASH, SCRIPTED, Node, bundle, needs_bash

REGISTRY = "123456789012.dkr.ecr.us-west-2.amazonaws.com"
CREDENTIALS = "etc/ultracluster/enroot/.credentials"
SETTINGS = "etc/enroot/enroot.conf"
FOLDER = "usr/local/libexec/ultracluster-enroot-settings"
KINDS = ("hyperpod-slurm", "pcs")

# enroot itself, in its words: a password that begins with a dollar is run (NVIDIA/enroot, src/common.sh)
EVALUATE = r"""awk '{
  if (NF >= 6 && $6 ~ "^\\$") {
    for (i = 1; i < 6; i++) printf "%s ", $i
    for (i = 1; i < 6; i++) sub("^[ ]*[^ ]+[ ]+", "", $0)
    system("echo " $0)
  } else print
}' """


def pulling(make: MakeNode, kind: str = "pcs") -> Node:
    """Return a node that needs the sign-in."""
    node = prepared(make(with_registry(bundle(kind, [SCRIPTED]))))
    node.has("parameters/lustre-dns", "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com")
    node.has("parameters/lustre-mount", "abcdef")
    node.has("registry", f"https://{REGISTRY}\n")
    node.file(SETTINGS, "ENROOT_MOUNT_HOME no\n#ENROOT_CONFIG_PATH ${HOME}/.config/enroot\n")
    node.has("bin/enroot", "#!/bin/sh\n")
    (node.bin / "enroot").chmod(0o755)
    return node


@pytest.mark.parametrize("kind", KINDS)
def test_a_bundle_signs_in_where_it_loads_pyxis_and_else_is_the_same(kind: str) -> None:
    plain, signing = bundle(kind), with_registry(bundle(kind))
    assert set(signing.files) == {*plain.files, "registry.sh"}
    assert signing.content_hash != plain.content_hash
    changed = {name for name in plain.files if plain.files[name] != signing.files[name]}
    assert changed == {plain.entry}
    lines = signing.files[plain.entry].splitlines()
    assert lines[lines.index("step configure_pyxis") + 1 :][:3] == [
        "# shellcheck source=/dev/null",
        'source "$here/registry.sh"',
        "step configure_registry",
    ]
    assert mentions(signing.files["registry.sh"]) == ()


@needs_bash
@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_enroot_asks_for_a_password_of_the_day_and_none_lies_on_the_disk(make: MakeNode, kind: str) -> None:
    node = pulling(make, kind)
    for _ in range(2):
        run = node.runs()
        assert run.returncode == 0
    assert f"enroot signs in to {REGISTRY}" in run.stdout
    credentials = node.text(CREDENTIALS)
    assert credentials == (
        f"machine {REGISTRY} login AWS password $(aws ecr get-login-password --region us-west-2)\n"
    )
    assert stat.S_IMODE((node.root / CREDENTIALS).stat().st_mode) == 0o644
    lines = node.text(SETTINGS).splitlines()
    assert lines[0] == "ENROOT_MOUNT_HOME no"
    assert "ENROOT_CONFIG_PATH $(/usr/local/libexec/ultracluster-enroot-settings)" in lines
    assert sum(line.startswith("ENROOT_CONFIG_PATH ") for line in lines) == 1
    assert not any("a-password" in text for text in node.files().values())
    assert BASH
    reported = subprocess.run(
        [BASH, "-c", f"{EVALUATE} '{node.root / CREDENTIALS}'"],
        env={**os.environ, "PATH": f"{node.bin}:{os.environ['PATH']}", "NODE": str(node.bin.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert reported.stdout.split() == ["machine", REGISTRY, "login", "AWS", "password", "a-password-of-today"]


@needs_bash
@pytest.mark.long
def test_settings_of_a_users_own_count_where_there_are_any(make: MakeNode, tmp_path: Path) -> None:
    node = pulling(make)
    assert node.runs().returncode == 0
    home = tmp_path / "home"
    own = home / ".config" / "enroot"

    def folder() -> str:
        environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
        run = subprocess.run(
            [str(node.root / FOLDER)], env=environment, capture_output=True, text=True, check=True
        )
        return run.stdout.strip()

    assert folder() == "/etc/ultracluster/enroot"
    own.mkdir(parents=True)
    assert folder() == "/etc/ultracluster/enroot"
    (own / ".credentials").write_text("machine nvcr.io login $oauthtoken password mine\n")
    assert folder() == str(own)


@needs_bash
@pytest.mark.long
def test_a_node_waits_for_its_permissions_and_goes_on_without_them(make: MakeNode) -> None:
    node = pulling(make, "hyperpod-slurm")
    node.has("aws-fails", "1")
    run = node.runs()
    assert run.returncode == 0
    assert f"enroot signs in to {REGISTRY}" in run.stdout
    (node.root / CREDENTIALS).unlink()
    node.has("aws-fails", "1000")
    run = node.runs()
    assert run.returncode == 0
    assert "warning: the registry of this account does not answer" in run.stdout
    assert not (node.root / CREDENTIALS).exists()
    assert run.stdout.splitlines()[-1].endswith("node is ready")


@needs_bash
@pytest.mark.long
def test_a_node_without_enroot_asks_nobody(make: MakeNode) -> None:
    node = pulling(make, "hyperpod-slurm")
    (node.bin / "enroot").unlink()
    run = node.runs()
    assert run.returncode == 0
    assert not [call for call in node.calls("aws") if "ecr" in call]
    assert not (node.root / CREDENTIALS).exists()
