"""Exporters and agent on a Slurm node: where they run, and their resource limits."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace

import pytest

from config.catalog.observability.artefacts import artefacts
from config.design.nodes.scripts import ENTRIES
from config.design.observability.collection.slurm import cluster_node, native_settings, slurm_metrics
from tests.nodes.fixtures import MakeNode, prepared
from tests.nodes.node import Node, bundle, needs_bash
from tests.observability.nodes.collecting import collecting_bundle, collection_of, design, profile_of
from tests.programs import needed

pytestmark = needs_bash
UNITS = "etc/systemd/system/ultracluster-{}.service"
ALL = ("node-exporter", "dcgm-exporter", "slurm-exporter", "fsx-exporter", "prometheus")
LOGIN_PARAMETERS = "parameters/ultracluster/p6-b200/nodes/remote-write-url"


def put_programs(node: Node) -> None:
    """All programs, already downloaded."""
    listed = node.text("opt/ultracluster/metrics-settings.env").partition("METRICS_ARTEFACTS='")[2]
    programs = {"node-exporter": "node_exporter", "slurm-exporter": "slurm_exporter"}
    for line in listed.strip().rstrip("'").splitlines():
        name, machine, file, _, sha = line.split()
        program = programs.get(name, name)
        if machine == "x86_64":
            node.file(f"opt/ultracluster/bin/{program}", "").chmod(0o755)
            node.file(f"opt/ultracluster/bin/{program}.from", f"{file} {sha}\n")


def collecting(
    make: MakeNode, kind: str = "hyperpod-slurm", machine: str = "p6-b200.48xlarge", **declared: object
) -> Node:
    """A node with an installed bundle and all programs."""
    node = prepared(make(collecting_bundle(kind, **declared), machine=machine))
    node.has("parameters/lustre-dns", "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com")
    node.has("parameters/lustre-mount", "abcdef")
    node.has("slurm")
    node.has("bin/docker", (node.bin / "docker").read_text())
    node.has("images", artefacts().images["dcgm-exporter"].reference + "\n")
    run = node.runs()
    assert run.returncode == 0, run.stdout + run.stderr
    put_programs(node)
    return node


def keeps(node: Node) -> str:
    """Return the output of the node when it checks its exporters."""
    run = node.runs("metrics.sh", "keep")
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout + run.stderr


def running(node: Node) -> set[str]:
    return {name for name in ALL if (node.root / UNITS.format(name)).exists()}


def agent(node: Node) -> str:
    return node.text("opt/ultracluster/prometheus-agent.yml")


def test_a_cluster_that_collects_nothing_keeps_the_bundle_that_it_has() -> None:
    off = profile_of(collection={"collector": "none"})
    assert collection_of(off) is None
    assert collection_of(off.model_copy(update={"observability": None})) is None
    for kind in ENTRIES:
        text = "".join(f"{name}\n{content}" for name, content in bundle(kind).files.items())
        assert "metrics-library" not in text
        assert bundle(kind).content_hash != collecting_bundle(kind).content_hash


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ENTRIES)
def test_the_scripts_of_collection_pass_shellcheck(kind: str, make: MakeNode) -> None:
    shellcheck = needed("shellcheck")
    scripts = make(collecting_bundle(kind)).scripts
    for arguments in (
        ["metrics.sh", ENTRIES[kind]],
        ["--shell=bash", "metrics-library.sh", "--exclude=SC2034"],
    ):
        run = subprocess.run(
            [str(shellcheck), *arguments], cwd=scripts, capture_output=True, text=True, check=False
        )
        assert (run.returncode, run.stdout) == (0, "")


def test_nothing_is_downloaded_before_a_node_is_ready(make: MakeNode) -> None:
    node = prepared(make(collecting_bundle()))
    (node.bin / "curl").write_text("#!/bin/sh\nexit 1\n")
    (node.bin / "curl").chmod(0o755)
    run = node.runs()
    assert (run.returncode, run.stdout.strip().endswith("node is ready")) == (0, True)
    assert "systemctl start --no-block ultracluster-metrics-keep.service" in node.calls("systemctl")


def test_downloads_that_fail_are_warnings_and_tried_again(make: MakeNode) -> None:
    node = collecting(make)
    shutil.rmtree(node.root / "opt/ultracluster/bin")
    (node.bin / "curl").write_text("#!/bin/sh\necho try >>$NODE/tries\nexit 22\n")
    (node.bin / "curl").chmod(0o755)
    for _ in range(2):
        assert "retrying node-exporter later" in keeps(node)
    assert running(node) == {"dcgm-exporter"}
    assert len((node.folder / "tries").read_text().splitlines()) == 4


def test_a_node_runs_its_exporters_and_the_agent_and_scrapes_no_other_node(make: MakeNode) -> None:
    node = collecting(make)
    keeps(node)
    assert running(node) == {"node-exporter", "dcgm-exporter", "prometheus"}
    targets = re.findall(r'"targets": \["([^"]*)"\]', agent(node))
    assert targets == ["127.0.0.1:9100", "127.0.0.1:9400", "127.0.0.1:9464"]
    for name in ("node-exporter", "prometheus"):
        assert "--web.listen-address=127.0.0.1:" in node.text(UNITS.format(name))
    assert "-a 127.0.0.1:9400" in node.text(UNITS.format("dcgm-exporter"))


@pytest.mark.long
def test_obs_20_sources_of_the_whole_cluster_are_read_by_one_node(make: MakeNode) -> None:
    node = collecting(make)
    node.has("controller")
    keeps(node)
    assert running(node) == set(ALL)
    assert re.findall(r'"job_name": "(\w+)"', agent(node))[-2:] == ["slurm", "fsx"]
    node.lacks("controller")
    keeps(node)
    assert running(node) == {"node-exporter", "dcgm-exporter", "prometheus"}
    assert "slurm" not in agent(node)


@pytest.mark.long
def test_of_all_file_systems_in_the_region_those_of_the_cluster_are_kept(make: MakeNode) -> None:
    node = collecting(make)
    node.has("controller")
    keeps(node)
    assert '"regex": "fs-0123456789abcdef0", "action": "keep"' in agent(node)
    node.lacks("parameters/lustre-dns")
    keeps(node)
    assert '"regex": ".+", "action": "keep"' in agent(node)


def test_obs_20_every_node_has_labels_of_its_own(make: MakeNode) -> None:
    node = collecting(make)
    keeps(node)
    labels = (
        '{"instance": "train-1", "node": "train-1", "instance_type": "p6-b200.48xlarge", "group": "train"}'
    )
    assert agent(node).count(labels) == 3
    assert '"external_labels": {"cluster": "p6-b200"}' in agent(node)
    assert "@" not in agent(node).partition("\n")[2]


@pytest.mark.long
def test_a_group_of_hyperpod_is_found_by_the_machines_address(make: MakeNode) -> None:
    node = collecting(make)
    node.file(
        "opt/ml/config/resource_config.json",
        '{"InstanceGroups": [{"Name": "head", "Instances": [{"CustomerIpAddress": "10.0.0.1"}]},'
        ' {"Name": "other", "Instances": [{"CustomerIpAddress": "10.0.0.7"}]}, {"Name": "empty"}]}',
    )
    keeps(node)
    assert '"group": "other"' in agent(node)


@pytest.mark.long
def test_a_machine_that_slurm_does_not_know_is_named_after_its_host_ten_minutes_after_boot(
    make: MakeNode,
) -> None:
    node = collecting(make)
    node.lacks("slurm")
    (node.root / "var/lib/ultracluster/metrics-node").unlink(missing_ok=True)
    node.file("proc/uptime", "120.5 900.1\n")
    assert "this node is not in Slurm yet" in keeps(node)
    assert "prometheus" not in running(node)
    node.file("proc/uptime", "700.5 900.1\n")
    keeps(node)
    assert '"node": "ip-10-0-0-7"' in agent(node)


@pytest.mark.long
def test_slurm_is_asked_for_the_nodes_name_once_in_a_boot(make: MakeNode) -> None:
    node = collecting(make)
    keeps(node)
    node.lacks("calls")
    keeps(node)
    assert node.calls("scontrol") == []
    assert [call for call in node.calls("systemctl") if " restart " in call] == []


def test_obs_19_the_agent_is_a_process_of_the_host_and_signs_with_the_nodes_role(make: MakeNode) -> None:
    node = collecting(make, authentication={"kind": "sigv4"})
    keeps(node)
    unit = node.text(UNITS.format("prometheus"))
    assert "ExecStart=/opt/ultracluster/bin/prometheus --agent" in unit
    assert "docker" not in unit
    assert '"sigv4": {"region": "us-west-2"}' in agent(node)


@pytest.mark.long
def test_a_new_workspaces_address_is_read_once_it_is_there_and_kept(make: MakeNode) -> None:
    node = collecting(make, managed=True)
    said = keeps(node)
    assert "does not have a remote write URL" in said
    assert "prometheus" not in running(node)
    url = "https://aps-workspaces.us-west-2.amazonaws.com/workspaces/ws-1/api/v1/remote_write"
    node.has(LOGIN_PARAMETERS, url)
    keeps(node)
    node.lacks(LOGIN_PARAMETERS)
    keeps(node)
    assert f'"url": "{url}"' in agent(node)


@pytest.mark.long
def test_a_password_is_given_to_the_service_and_is_in_no_configuration(make: MakeNode) -> None:
    arn = "arn:aws:secretsmanager:us-west-2:123456789012:secret:metrics-AbCdEf"
    node = collecting(make, authentication={"kind": "secret", "secret_arn": arn})
    node.has("secret", '{"username": "team-1", "password": "p\\"w$%&\\\\"}')
    keeps(node)
    assert '"basic_auth": {"username": "team-1", "password_file": ' in agent(node)
    assert node.text("opt/ultracluster/remote-write-password") == 'p"w$%&\\'
    assert (node.root / "opt/ultracluster/remote-write-password").stat().st_mode & 0o777 == 0o600
    assert "LoadCredential=password:" in node.text(UNITS.format("prometheus"))


@pytest.mark.long
def test_another_password_is_another_start_of_the_agent_and_the_same_is_none(make: MakeNode) -> None:
    arn = "arn:aws:secretsmanager:us-west-2:123456789012:secret:metrics-AbCdEf"
    node = collecting(make, authentication={"kind": "secret", "secret_arn": arn})
    starts = []
    for password in ("first", "first", "second"):
        node.has("secret", f'{{"username": "team-1", "password": "{password}"}}')
        keeps(node)
        starts.append(node.calls("systemctl").count("systemctl restart ultracluster-prometheus.service"))
    assert starts == [1, 1, 2]


@pytest.mark.long
@pytest.mark.parametrize(("profiling", "right"), [(True, 1), (False, 0)])
def test_dcgm_has_the_right_to_profile_only_where_it_profiles(
    make: MakeNode, profiling: bool, right: int
) -> None:
    node = collecting(make, collection={"profiling": profiling, "interval_s": 60})
    keeps(node)
    unit = node.text(UNITS.format("dcgm-exporter"))
    assert unit.count("--cap-add SYS_ADMIN") == right
    assert "-c 60000 " in unit
    assert "dcgm-blackwell.csv:/etc/dcgm-exporter" in unit


@pytest.mark.long
@pytest.mark.parametrize(
    "other",
    [
        "hyperpod 602401143452.dkr.ecr.us-west-2.amazonaws.com/hyperpod/dcgm_exporter:4.1.1",
        "a dcgm-exporter:1",
    ],
)
def test_obs_05_no_second_program_reads_the_gpus(make: MakeNode, other: str) -> None:
    node = collecting(make)
    keeps(node)
    node.has("containers", f"ultracluster-dcgm-exporter nvcr.io/nvidia/k8s/dcgm-exporter:4\n{other}\n")
    assert f"container {other.split()[0]} already exports DCGM metrics" in keeps(node)
    assert "dcgm-exporter" not in running(node)
    assert node.runs("metrics.sh", "may-run-dcgm").returncode == 1
    node.lacks("containers")
    assert node.runs("metrics.sh", "may-run-dcgm").returncode == 0


@pytest.mark.long
def test_without_docker_the_log_says_so_and_everything_else_runs(make: MakeNode) -> None:
    node = collecting(make)
    node.lacks("bin/docker")
    assert "the AMI has no Docker" in keeps(node)
    assert running(node) == {"node-exporter", "prometheus"}


@pytest.mark.long
def test_a_node_without_gpus_has_nothing_of_dcgm(make: MakeNode) -> None:
    node = collecting(make, machine="m5.12xlarge")
    keeps(node)
    assert running(node) == {"node-exporter", "prometheus"}
    assert "9400" not in agent(node)


@pytest.mark.long
def test_every_service_takes_little_of_a_node(make: MakeNode) -> None:
    node = collecting(make)
    node.has("controller")
    keeps(node)
    for name in ALL:
        unit = node.text(UNITS.format(name))
        for line in ("Nice=10", "CPUWeight=10", "MemoryMax=", "GOMAXPROCS=2", "LogRateLimitBurst="):
            assert line in unit, name
    assert "--memory 1g" in node.text(UNITS.format("dcgm-exporter"))
    verify = needed("systemd-analyze")
    units = sorted((node.root / "etc/systemd/system").glob("ultracluster-*.service"))
    run = subprocess.run(
        [str(verify), "verify", "--man=no", *map(str, units)], capture_output=True, text=True, check=False
    )
    complaints = [line for line in run.stderr.splitlines() if "not executable" not in line]
    assert [line for line in complaints if "ultracluster-" in line] == []


SHOWN = """Configuration data as of 2026-11-28T10:00:00
SlurmctldHost[0]        = slurmctld-primary(10.0.0.5)
SlurmctldHost[1]        = slurmctld-backup(10.0.0.6)
SlurmctldPort           = 6817-6819
"""


@pytest.fixture
def login(make: MakeNode) -> Node:
    """The PCS node that scrapes cluster metrics, with a Slurm version that serves metrics."""
    node = collecting(make, "pcs", pcs={"slurm_version": "25.11"})
    settings = node.root / "opt/ultracluster/metrics-settings.env"
    text = re.sub(r"(METRICS_CLUSTER_NODE)='.*'", r"\1='train-1'", settings.read_text())
    settings.write_text(re.sub(r"(METRICS_GROUPS)='.*'", r"\1='train=first other=second'", text))
    return node


@pytest.mark.long
def test_one_node_reads_slurmctld_itself_where_slurm_shows_its_own_metrics(login: Node) -> None:
    login.has("slurm-config", SHOWN)
    keeps(login)
    assert '"targets": ["10.0.0.5:6817"]' in agent(login)
    assert running(login) == {"node-exporter", "dcgm-exporter", "fsx-exporter", "prometheus"}
    assert '"group": "first"' in agent(login)


@pytest.mark.long
def test_a_controller_that_is_not_known_yet_is_asked_for_again(login: Node) -> None:
    assert "the address of slurmctld is not known" in keeps(login)
    assert '"targets": [""]' not in agent(login)
    login.has("slurm-config", SHOWN)
    keeps(login)
    assert "10.0.0.5:6817" in agent(login)


def test_only_the_first_login_node_of_pcs_reads_cluster_metrics() -> None:
    def reader(*roles: str) -> str | None:
        train = next(group for group in design().groups if group.role == "compute")
        groups = [replace(train, name=f"{role}-{i}", role=role) for i, role in enumerate(roles)]
        return cluster_node(profile_of("pcs"), groups)

    assert re.fullmatch(r"login-1-[0-9a-f]{6}-1", reader("compute", "login", "login") or "")
    assert reader("compute") is None
    assert native_settings(profile_of("pcs", pcs={"slurm_version": "25.11"}), []) == {}
    assert cluster_node(profile_of(), []) == "controller"


@pytest.mark.long
def test_samples_that_cannot_be_sent_do_not_fill_the_disk(make: MakeNode) -> None:
    node = collecting(make)
    # as systemd lays out the folder of a service with DynamicUser
    with node.file("var/lib/private/ultracluster-prometheus/wal/1", "").open("wb") as samples:
        samples.write(b"\1" * 3 * 2**20)
    (node.root / "var/lib/ultracluster-prometheus").symlink_to("private/ultracluster-prometheus")
    script = node.root / "opt/ultracluster/metrics-library.sh"
    assert "unsent samples" not in keeps(node)
    script.write_text(script.read_text().replace("AGENT_ROOM_MIB=2048", "AGENT_ROOM_MIB=2"))
    assert "MiB, more than 2: unsent samples are deleted" in keeps(node)
    assert list((node.root / "var/lib/private/ultracluster-prometheus").iterdir()) == []


@pytest.mark.parametrize(
    ("version", "settings", "expected"),
    [
        ("25.05", {}, "slurm-exporter"),
        ("25.11", {}, "slurm-native"),
        ("25.11", {"MetricsType": None}, "slurm-exporter"),
        ("25.11", {"CommunicationParameters": "NoAddrCache"}, "slurm-exporter"),
        ("25.11", {"CommunicationParameters": "NoAddrCache,enable_http"}, "slurm-native"),
    ],
)
def test_obs_15_slurms_own_metrics_where_its_version_has_them_and_a_pinned_exporter_elsewhere(
    version: str, settings: dict[str, str | None], expected: str
) -> None:
    profile = profile_of("pcs", pcs={"slurm_version": version, "settings": settings})
    assert slurm_metrics(profile) == expected


def test_obs_15_the_exporter_of_slurm_is_a_release_of_one_version() -> None:
    lines = collecting_bundle().files["metrics-settings.env"].splitlines()
    (line,) = [line for line in lines if line.startswith("slurm-exporter x86_64")]
    assert "/v1.8.4/slurm_exporter-1.8.4-linux-amd64.tar.gz" in line
    assert not re.search(r"\bgo (build|install)\b|git clone", collecting_bundle().files["metrics-library.sh"])
