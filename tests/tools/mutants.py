"""`make mutants`: faults planted one by one in a copy of the tree, and the quick tests that find each.

A mutant's own test runs first, and without the fault it must pass. Where it misses the fault, everything that
`make test` runs follows. Snapshots are not written anew, so a snapshot may be what finds a mutant.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARED = (".venv", "node_modules", ".cache")
PYTEST = (".venv/bin/python", "-m", "pytest", "--exitfirst", "--quiet", "-p", "no:cacheprovider", "--tb=no")


@dataclass(frozen=True)
class Mutant:
    """Text of a file, from `text` up to the end of `until`, that `put` replaces; the test that finds it."""

    name: str
    file: str
    text: str
    put: str
    tests: str
    test: str
    until: str = ""

    @property
    def found_by(self) -> str:
        """The test by pytest's name."""
        return f"{self.tests}::{self.test}"

    def applied(self, content: str) -> str:
        """The content of the file with the fault in it."""
        if content.count(self.text) != 1:
            raise LookupError(f"{self.name}: {self.file} has {content.count(self.text)} times {self.text!r}")
        start = content.index(self.text)
        end = content.index(self.until, start + len(self.text)) + len(self.until)
        return content[:start] + self.put + content[end:]


MUTANTS = (
    Mutant(
        "node tuning: no value of a mounted file system is set",
        "scripts/node/lib/tuning.sh",
        'lctl set_param "$4=$value" >/dev/null',
        "true",
        "tests/storage/nodes/test_tuning.py",
        "test_every_machine_gets_the_values_of_its_cores_and_memory",
    ),
    Mutant(
        "node tuning: no option of a module is written",
        "scripts/node/lib/tuning.sh",
        "[[ $3 == module ]]",
        "[[ $3 == modules ]]",
        "tests/storage/nodes/test_tuning.py",
        "test_every_machine_gets_the_values_of_its_cores_and_memory",
    ),
    Mutant(
        "IAM: HyperPod's machines cannot describe network interfaces",
        "constructs/ultracluster/slurm/hyperpod_execution_role.py",
        '"ec2:DescribeNetworkInterfaces",',
        "",
        "tests/slurm/test_hyperpod_templates.py",
        "test_the_role_of_a_built_in_cluster_may_do_nothing_more",
    ),
    Mutant(
        "IAM: PCS nodes cannot register",
        "constructs/ultracluster/slurm/pcs_node_role.py",
        "pcs:RegisterComputeNodeGroupInstance",
        "pcs:RegisterQueue",
        "tests/slurm/test_pcs_constructs.py",
        "test_the_role_has_pcss_path_no_name_and_what_its_machines_need",
    ),
    Mutant(
        "IAM: nodes cannot read the parameters of file systems",
        "constructs/ultracluster/nodes/permissions.py",
        '"ssm:GetParameter"',
        '"ssm:GetParameters"',
        "tests/slurm/test_hyperpod_constructs.py",
        "test_the_role_reads_the_parameters_of_its_scripts_and_no_others",
    ),
    Mutant(
        "security group: nodes have no rule to themselves",
        "constructs/ultracluster/network/node_security_group.py",
        "add_self_rules(self, self.security_group_id, ALL_TRAFFIC, retention=props.retention)",
        "()",
        "tests/network/test_constructs.py",
        "test_hyperpod_07_members_reach_each_other_both_ways_by_group_id",
    ),
    Mutant(
        "security group: a peer is let in by address, which EFA does not match",
        "constructs/ultracluster/security_rules.py",
        "_PEERS[direction]: peer_id,",
        '"CidrIp": "0.0.0.0/0",',
        "tests/storage/templates/test_storage_constructs.py",
        "test_efa_rules_name_groups_and_allow_everything",
    ),
    Mutant(
        "security group: Lustre's second range of ports is closed",
        "constructs/ultracluster/security_rules.py",
        '    Traffic(\n        name="1018-1023",',
        "",
        "tests/storage/templates/test_storage_constructs.py",
        "test_storage_18_plain_file_system_comes_after_every_rule",
        until="    ),\n",
    ),
    Mutant(
        "wait: user data reads the bundle again at once",
        "scripts/node/fetch.sh",
        "sleep $((attempt * 5))",
        "true",
        "tests/nodes/test_bundle.py",
        "test_the_bundle_is_fetched_and_run",
    ),
    Mutant(
        "wait: slurmd starts before the GPUs are there",
        "scripts/node/pcs/prepare.sh",
        "step wait_for_gpus\n",
        "",
        "tests/nodes/test_gpu.py",
        "test_slurm_09_slurmd_waits_for_gpus_at_every_boot",
    ),
    Mutant(
        "wait: GPUs are looked for once",
        "scripts/node/lib/gpu.sh",
        "wait_for 300 gpus_are_there",
        "gpus_are_there",
        "tests/nodes/test_gpu.py",
        "test_slurm_08_gpus_that_come_late_are_waited_for",
    ),
    Mutant(
        "wait: a parameter is asked for again at once",
        "scripts/node/lib/parameters.sh",
        "sleep $((attempt * 5))",
        "true",
        "tests/nodes/test_bundle.py",
        "test_parameters_are_asked_for_again_until_the_role_may_read_them",
    ),
    Mutant(
        "alert: none for a row of memory that waits for a reset",
        "config/design/observability/alerts/gpus.py",
        '    _alert(\n        name="GpuRowRemapPending",',
        "",
        "tests/observability/alerts/test_fire.py",
        "test_every_case_is_of_an_alert_of_the_catalogue",
        until="\n    ),\n",
    ),
    Mutant(
        "alert: problems of a GPU are reported at once",
        "config/design/observability/alerts/gpus.py",
        '        for_s=15 * MINUTE,\n    ),\n    _alert(\n        name="GpuRowRemapFailure"',
        '        for_s=0,\n    ),\n    _alert(\n        name="GpuRowRemapFailure"',
        "tests/observability/alerts/test_fire.py",
        "test_every_alert_fires_says_where_and_clears",
    ),
    Mutant(
        "Helm value: Kueue lets jobs without a queue through",
        "config/design/kubernetes/scheduler/kueue_values.py",
        '        "manageJobsWithoutQueueName": True,\n',
        "",
        "tests/kubernetes/test_scheduler_objects.py",
        "test_kueue_manages_the_namespaces_of_teams_and_nothing_else_of_the_cluster",
    ),
    Mutant(
        "Helm value: Karpenter hears of no interruption",
        "config/design/kubernetes/nodes/karpenter.py",
        '                "interruptionQueue": queue_name,\n',
        "",
        "tests/kubernetes/test_karpenter.py",
        "test_the_controller_hears_of_interruptions_from_a_queue_of_its_own",
    ),
    Mutant(
        "DependsOn: the NAT address is made before the internet gateway is attached",
        "constructs/ultracluster/network/internet_access.py",
        '"Tags": tag_list(tags, f"{name}-nat")},\n        depends_on=[attachment],\n',
        '"Tags": tag_list(tags, f"{name}-nat")},\n',
        "tests/network/test_constructs.py",
        "test_hyperpod_05_public_route_waits_for_the_gateways_attachment",
    ),
    Mutant(
        "DependsOn: the Lustre file system is made before the rules of its group",
        "constructs/ultracluster/storage/lustre_file_system.py",
        "            depends_on=[*own_rules, *client_rules, *props.client_rules],\n",
        "",
        "tests/storage/templates/test_storage_constructs.py",
        "test_storage_18_file_system_comes_after_every_rule",
    ),
    Mutant(
        "DependsOn: data repository associations are made at once",
        "constructs/ultracluster/storage/data_repository.py",
        "        association.node.add_dependency(previous)\n",
        "        pass\n",
        "tests/storage/templates/test_storage_constructs.py",
        "test_storage_04_repositories_are_chained_and_those_that_export_come_first",
    ),
    Mutant(
        "DependsOn: PCS nodes start before what they boot from",
        "constructs/ultracluster/slurm/pcs_cluster.py",
        "            depends_on=props.boot_dependencies,\n",
        "",
        "tests/slurm/test_pcs_templates.py",
        "test_nodes_come_after_all_that_they_mount_and_the_controller_does_not",
    ),
    Mutant(
        "launch template: IMDSv1 is open",
        "constructs/ultracluster/capacity/efa_node_group.py",
        '"HttpTokens": "required"',
        '"HttpTokens": "optional"',
        "tests/capacity/test_compute_constructs.py",
        "test_obs_19_metadata_needs_a_token_and_reaches_containers",
    ),
    Mutant(
        "stack: no termination protection",
        "stacks/cluster_stack.py",
        "termination_protection=not profile.disposable",
        "termination_protection=False",
        "tests/stack/test_templates.py",
        "test_the_manifest_has_region_and_protection_and_no_account",
    ),
    Mutant(
        "Slurm: a job whose prolog fails is held",
        "config/design/slurm/defaults.py",
        "nohold_on_prolog_fail",
        "hold_on_prolog_fail",
        "tests/slurm/test_slurm_conf.py",
        "test_hyperpod_has_all_nodes_in_dev_and_each_group_in_its_partition",
    ),
)


@contextmanager
def copied() -> Iterator[Path]:
    """A clone of the tree with its uncommitted changes; the environment is that of the tree."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder) / ROOT.name
        subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(copy)], check=True)
        listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for name in filter(None, names.split("\0")):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).exists():
                shutil.copy2(ROOT / name, copy / name)
            else:
                (copy / name).unlink(missing_ok=True)
        for name in SHARED:
            if (ROOT / name).exists():
                (copy / name).symlink_to(ROOT / name)
        yield copy


def failed(copy: Path, tests: Sequence[str]) -> str | None:
    """The first test that fails; None where all pass."""
    environment = {**os.environ, "PYTHONPATH": f"{copy}{os.pathsep}{copy / 'constructs'}"}
    done = subprocess.run(
        [*PYTEST, *tests], cwd=copy, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return None
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    if not lines:
        raise RuntimeError(f"pytest ended with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return lines[0].split()[1]


def found_by(mutant: Mutant, copy: Path) -> str | None:
    """The test that finds a mutant; the file is as it was afterwards."""
    file = copy / mutant.file
    content = file.read_text(encoding="utf-8")
    file.write_text(mutant.applied(content), encoding="utf-8")
    try:
        return failed(copy, [mutant.found_by]) or failed(copy, ())
    finally:
        file.write_text(content, encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """Try every mutant, or those with a word in their name; returns 1 where one is missed."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("word", nargs="?", default="", help="only mutants with this in their name")
    word = parser.parse_args(argv).word
    chosen = [mutant for mutant in MUTANTS if word in mutant.name]
    missed = 0
    with copied() as copy:
        if broken := failed(copy, sorted({mutant.found_by for mutant in chosen})):
            print(f"error: {broken} fails without a mutant", file=sys.stderr)
            return 2
        for mutant in chosen:
            test = found_by(mutant, copy)
            missed += test is None
            print(
                f"{'missed' if test is None else 'found'}  {mutant.name}{f': {test}' if test else ''}",
                flush=True,
            )
    print(f"{len(chosen) - missed} of {len(chosen)} mutants are found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
