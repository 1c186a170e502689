"""AWS's values for Lustre clients, as the scripts of the nodes set them."""

from __future__ import annotations

import os
import subprocess

import pytest

from config.catalog import catalog
from tests.nodes.fixtures import MakeNode
from tests.nodes.node import BASH, DATA, HOME, PLAIN, SCRIPTED, Node, bundle, knows, needs_bash

pytestmark = needs_bash

EVERY_MACHINE = """
source "$1/library.sh"
source "$1/settings.env"
say() { true; }
lctl() { printf '%s\\n' "$2" >&4; }
write_file() { cat >&4; }
lustre_is_loaded() { true; }
while read -r name CPUS MEMORY_GIB; do
  printf 'machine %s\\n' "$name"
  write_module_options
  tune_mounts
done 4>&1
"""


MANY_CORES = {
    "options ptlrpc ptlrpcd_per_cpt_max=32", "options ksocklnd credits=2560",
    "osc.*OST*.max_rpcs_in_flight=32", "mdc.*.max_rpcs_in_flight=64", "mdc.*.max_mod_rpcs_in_flight=50",
}  # fmt: skip


@pytest.fixture
def pcs(make: MakeNode) -> Node:
    return knows(make(bundle("pcs", [SCRIPTED, DATA], HOME)))


def test_every_machine_gets_the_values_of_its_cores_and_memory(make: MakeNode) -> None:
    machines = catalog().instances
    run = subprocess.run(
        [str(BASH), "-c", EVERY_MACHINE, "bash", str(make().scripts)],
        input="".join(f"{name} {row.vcpus} {row.memory_gib}\n" for name, row in machines.items()),
        env={"PATH": os.defpath, "ULTRACLUSTER_ROOT": "/nowhere"},
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert run.stderr == ""
    parts = [part.splitlines() for part in run.stdout.split("machine ")[1:]]
    found = {name: set(lines) for name, *lines in parts}
    assert found == {
        name: {"osc.*.max_dirty_mb=64"}
        | ({"ldlm.namespaces.*.lru_max_age=600000"} if row.memory_gib > 64 else set())
        | ({f"ldlm.namespaces.*.lru_size={100 * row.vcpus}"} if row.memory_gib > 64 else set())
        | (MANY_CORES if row.vcpus > 64 else set())
        for name, row in machines.items()
    }


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        (
            "p6-b200.48xlarge",
            [
                "osc.*.max_dirty_mb=64",
                "ldlm.namespaces.*.lru_max_age=600000",
                "ldlm.namespaces.*.lru_size=19200",
                "osc.*OST*.max_rpcs_in_flight=32",
                "mdc.*.max_rpcs_in_flight=64",
                "mdc.*.max_mod_rpcs_in_flight=50",
            ],
        ),
        (
            "m5.8xlarge",
            [
                "osc.*.max_dirty_mb=64",
                "ldlm.namespaces.*.lru_max_age=600000",
                "ldlm.namespaces.*.lru_size=3200",
            ],
        ),
        ("m5.4xlarge", ["osc.*.max_dirty_mb=64"]),
    ],
)  # fmt: skip
def test_mounts_get_the_values_that_fit_the_machine(
    make: MakeNode, machine: str, expected: list[str]
) -> None:
    node = make(bundle(file_systems=[PLAIN], machine=machine), machine)
    node.mounts("/fsx")
    run = node.runs()
    assert (run.returncode, run.stderr) == (0, "")
    assert node.calls("lctl") == [f"lctl set_param {value}" for value in expected]
    options = node.root / "etc" / "modprobe.d" / "ultracluster-lustre.conf"
    many_cores = machine.startswith("p6")
    assert options.exists() is many_cores
    if many_cores:
        assert options.read_text() == "options ptlrpc ptlrpcd_per_cpt_max=32\noptions ksocklnd credits=2560\n"


def test_values_are_set_again_at_boot_since_they_go_with_the_mount(pcs: Node) -> None:
    pcs.runs()
    pcs.reboots()
    pcs.runs("boot.sh", "mounts")
    assert len(pcs.calls("lctl")) == 6
    pcs.lacks("calls")
    pcs.runs("boot.sh", "tune")
    assert len(pcs.calls("lctl")) == 6


def test_options_of_modules_are_there_before_the_modules(pcs: Node) -> None:
    pcs.runs()
    assert "take effect when the modules are loaded again" not in pcs.text("var/log/ultracluster.log")


def test_a_value_that_cannot_be_set_is_a_warning(pcs: Node) -> None:
    pcs.has("no-lctl")
    run = pcs.runs()
    assert run.returncode == 0
    assert "warning: osc.*.max_dirty_mb could not be set to 64" in run.stdout
