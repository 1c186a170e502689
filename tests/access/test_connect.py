"""`ultracluster connect` with clusters in the embedded cloud: its list of nodes, and its commands."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError, NoCredentialsError

from config.design.tags import PROFILE_TAG
from scripts.cli.connect import place as place_module
from scripts.cli.connect.errors import ConnectError
from scripts.cli.connect.nodes import Node, choose
from scripts.cli.connect.sessions import Tunnel, read_tunnel
from scripts.cli.connect.ssh_config import check_user, ssh_config
from scripts.cli.main import main
from scripts.cloud import state
from scripts.cloud.local import local_cloud
from scripts.cloud.process import Cloud
from tests.access.test_people_deploy import profile
from tests.cloud.sandbox import REGION, Sandbox

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

LOGIN = {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1}


GRAFANA = {"prometheus": {"kind": "managed"}, "grafana": {"kind": "managed"}}


class Deployed:
    """A cluster deployed in the embedded cloud of this process, and the command for it."""

    def __init__(self, sandbox: Sandbox, kind: str) -> None:
        self.sandbox = sandbox
        self.profile = {**profile(kind), "name": f"my-{kind}"}
        self.profile["access"] = {"sessions": {"logs": {"retention_days": 90}}}
        if kind in ("pcs", "hyperpod-slurm"):
            self.profile["compute"] = {"groups": [LOGIN, *self.profile["compute"]["groups"]]}
        if kind == "hyperpod-slurm":
            self.profile["observability"] = GRAFANA
        self.stack = sandbox.deploy(self.profile)
        self.file = sandbox.write(self.profile)
        self.capsys: Any = None

    def runs(self, *arguments: str) -> tuple[int, str, str]:
        self.capsys.readouterr()
        status = main(["connect", str(self.file), *arguments])
        said = self.capsys.readouterr()
        return status, said.out, said.err

    def launches(self, *names: str, kind: str = "m5.4xlarge", of: str | None = None) -> list[str]:
        """Launch EC2 instances from the launch templates of a profile, and return their ids."""
        ec2 = self.sandbox.client("ec2")
        found = []
        for name in names:
            own = {"Key": PROFILE_TAG, "Value": of or self.profile["name"]}
            tags = [{"ResourceType": "instance", "Tags": [{"Key": "Name", "Value": name}, own]}]
            run = ec2.run_instances(
                ImageId="ami-12c6146b", InstanceType=kind, MinCount=1, MaxCount=1, TagSpecifications=tags
            )
            found.append(run["Instances"][0]["InstanceId"])
        return found


class _Stacks:
    """DescribeStacks for the stacks of this process."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox

    def describe_stacks(self, *, StackName: str) -> dict[str, Any]:  # noqa: N803 - as boto3 names it
        stack = self.sandbox.stack(StackName)
        if stack is None:
            reported: Any = {
                "Code": "ValidationError",
                "Message": f"Stack with id {StackName} does not exist",
            }
            raise ClientError({"Error": reported}, "DescribeStacks")
        return {"Stacks": [{"StackStatus": stack.status, "Outputs": stack.outputs}]}


@pytest.fixture(scope="module")
def shared_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """One account for all tests: each type of cluster is deployed once."""
    with local_cloud() as cloud:
        yield Sandbox(cloud, tmp_path_factory.mktemp("profiles"))


@pytest.fixture
def sandbox(shared_sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    stacks = _Stacks(shared_sandbox)

    def client(service: str) -> Any:
        return stacks if service == "cloudformation" else shared_sandbox.client(service)

    monkeypatch.setattr(place_module, "_clients", lambda region, embedded: (client, {}))
    return shared_sandbox


@pytest.fixture(scope="module")
def made() -> dict[str, Deployed]:
    return {}


@pytest.fixture
def make(sandbox: Sandbox, made: dict[str, Deployed], capsys: Any) -> Callable[[str], Deployed]:
    def deployed(kind: str) -> Deployed:
        if kind not in made:
            made[kind] = Deployed(sandbox, kind)
        made[kind].capsys = capsys
        return made[kind]

    return deployed


@pytest.mark.long
def test_a_session_on_hyperpod_goes_to_the_login_node_by_the_clusters_document(make: Any) -> None:
    deployed = make("hyperpod-slurm")
    status, out, _ = deployed.runs("--print", "--json")
    assert status == 0
    command = json.loads(out)["command"]
    assert command[:6] == ["aws", "ssm", "start-session", "--region", REGION, "--target"]
    sagemaker = deployed.sandbox.client("sagemaker")
    outputs = {one["OutputKey"]: one["OutputValue"] for one in deployed.stack.outputs}
    cluster = sagemaker.describe_cluster(ClusterName=outputs["ClusterName"])
    listed = sagemaker.list_cluster_nodes(ClusterName=outputs["ClusterName"])
    (login,) = [n for n in listed["ClusterNodeSummaries"] if n["InstanceGroupName"] == "login"]
    cluster_id = cluster["ClusterArn"].rpartition("/")[2]
    assert command[6] == f"sagemaker-cluster:{cluster_id}_login-{login['InstanceId']}"
    assert command[7:] == ["--document-name", outputs["SessionDocument"]]


@pytest.mark.long
def test_a_node_is_named_by_number_group_instance_or_the_schedulers_name(make: Any) -> None:
    deployed = make("hyperpod-eks")
    nodes = json.loads(deployed.runs("--list", "--json")[1])
    assert [node["name"] for node in nodes] == ["system-0", "system-1", "train-0", "train-1"]
    train = nodes[2]
    for name in ("train-0", "train", train["instance_id"], f"hyperpod-{train['instance_id']}"):
        _, out, _ = deployed.runs(name, "--print")
        assert train["target"] in out
    assert nodes[0]["target"] in deployed.runs("--print")[1]


def test_a_node_that_is_not_there_has_neighbours(make: Any) -> None:
    deployed = make("hyperpod-slurm")
    status, _, err = deployed.runs("trian-0", "--print")
    assert (status, "the cluster has no node trian-0" in err, "train-0" in err) == (2, True, True)
    status, _, err = deployed.runs("xyz", "--print")
    assert "groups are controller, login, train" in err.replace("\n", " ")


@pytest.mark.long
def test_nodes_of_pcs_are_found_by_the_tags_of_their_templates(make: Any) -> None:
    deployed = make("pcs")
    before = json.loads(deployed.runs("--list", "--json")[1])
    assert {node["name"].rpartition("-")[0] for node in before} >= {"login", "train"}
    (login,) = [node["instance_id"] for node in before if node["name"] == "login-0"]
    deployed.launches("other-login", "my-pcsx")
    deployed.launches("my-pcs-login", of="my")  # group pcs-login of another profile has this name too
    nodes = json.loads(deployed.runs("--list", "--json")[1])
    assert nodes == before
    assert f"--target {login} " in deployed.runs("--print")[1]
    status, out, _ = deployed.runs("--list")
    assert (status, login in out, "running" in out) == (0, True, True)


@pytest.mark.long
def test_nodes_of_eks_are_called_as_kubernetes_calls_them(make: Any) -> None:
    deployed = make("eks")
    nodes = json.loads(deployed.runs("--list", "--json")[1])
    system = nodes[0]["instance_id"]
    assert nodes[0]["scheduler_name"].startswith("ip-")
    assert f"--target {system} " in deployed.runs(nodes[0]["scheduler_name"], "--print")[1]


def test_a_tunnel_leads_to_a_port_of_a_node_or_of_a_host_behind_it(make: Any) -> None:
    deployed = make("hyperpod-slurm")
    command = json.loads(deployed.runs("--forward", "8080:80", "--print", "--json")[1])["command"]
    assert command[-4:-1] == ["--document-name", "AWS-StartPortForwardingSession", "--parameters"]
    assert json.loads(command[-1]) == {"portNumber": ["80"], "localPortNumber": ["8080"]}
    command = json.loads(deployed.runs("--forward", "8443:443:db.internal", "--print", "--json")[1])[
        "command"
    ]
    assert command[-3] == "AWS-StartPortForwardingSessionToRemoteHost"
    assert json.loads(command[-1])["host"] == ["db.internal"]


def test_kubectl_gets_a_context_of_its_own(
    make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployed = make("eks")
    file = tmp_path / "kubeconfig"
    monkeypatch.setenv("KUBECONFIG", str(file))
    _, out, _ = deployed.runs("--kubeconfig", "--print")
    (name,) = [one for one in deployed.sandbox.client("eks").list_clusters()["clusters"] if "my-eks" in one]
    assert out == f"aws eks update-kubeconfig --region {REGION} --name {name} --alias my-eks\n"
    file.write_text("contexts: [{name: my-eks, context: {cluster: arn:aws:eks:us-east-1:1:cluster/old}}]\n")
    status, _, err = deployed.runs("--kubeconfig", "--print")
    assert (status, "cluster/old" in err, "--context OTHER" in err) == (2, True, True)
    assert "--alias new" in deployed.runs("--kubeconfig", "--print", "--context", "new")[1]
    file.write_text("contexts: 7\n")
    assert deployed.runs("--kubeconfig", "--print")[0] == 0


def test_kubectl_has_nothing_to_do_under_slurm(make: Any) -> None:
    status, _, err = make("pcs").runs("--kubeconfig")
    assert (status, "kubectl requires eks or hyperpod-eks" in err) == (2, True)


def test_grafana_is_an_address(make: Any) -> None:
    status, out, _ = make("hyperpod-slurm").runs("--grafana")
    assert (status, out.startswith("https://")) == (0, True)
    assert " " not in out.strip()


def test_a_cluster_without_grafana_says_what_makes_one(make: Any) -> None:
    status, _, err = make("pcs").runs("--grafana")
    assert (status, "grafana: {kind: managed}" in err) == (2, True)


def test_a_stack_that_is_not_deployed_says_how_to_deploy_it(sandbox: Sandbox, capsys: Any) -> None:
    file = sandbox.write({**profile("pcs"), "name": "gone"})
    assert main(["connect", str(file)]) == 2
    err = capsys.readouterr().err.replace("\n", " ")
    assert "the stack gone is not deployed in us-west-2 of account 123456789012" in err
    assert "cdk deploy" in err


def test_the_embedded_cloud_is_deployed_to_by_make(served: Any, monkeypatch: Any, capsys: Any) -> None:
    cloud, file = served
    monkeypatch.setattr(state, "PATH", file.parent / "cloud.json")
    monkeypatch.setenv("COLUMNS", "1000")
    state.write(state.Running(cloud.endpoint, cloud.account, os.getpid()))
    assert main(["connect", "p5-dev", "--embedded"]) == 2
    assert "deploy the stack (`make deploy PROFILE=p5-dev`)" in capsys.readouterr().err


def test_another_account_than_the_guards_is_refused(sandbox: Sandbox, capsys: Any) -> None:
    file = sandbox.write({**profile("pcs"), "account": "210987654321"})
    assert main(["connect", str(file)]) == 2
    assert "for account 210987654321, but the credentials are for 123456789012" in capsys.readouterr().err


def test_no_credentials_and_no_permission_are_no_tracebacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    class Asked:
        def __init__(self, error: Exception) -> None:
            self.error = error

        def get_caller_identity(self) -> None:
            raise self.error

    denied = ClientError({"Error": {"Code": "AccessDenied", "Message": "not you"}}, "GetCallerIdentity")
    expired = ClientError({"Error": {"Code": "ExpiredToken", "Message": "too late"}}, "GetCallerIdentity")
    for error, said in (
        (NoCredentialsError(), "aws sso login"),
        (denied, "docs/access.md"),
        (expired, "aws sso login"),
    ):
        asked = Asked(error)
        monkeypatch.setattr(
            place_module, "_clients", lambda region, embedded, asked=asked: (lambda s: asked, {})
        )
        assert main(["connect", "p6-b200"]) == 2
        assert said in capsys.readouterr().err


def test_a_data_profile_has_nobody_to_connect_to(capsys: Any) -> None:
    assert main(["connect", "p6-b200-data"]) == 2
    assert "has no nodes" in capsys.readouterr().err


NODE = Node(
    name="login-0", group="login", role="login", instance_type="m5.4xlarge",
    instance_id="i-0123456789abcdef0", target="sagemaker-cluster:abc_login-i-0123456789abcdef0",
    status="Running", scheduler_name="ip-10-0-0-9", address=None,
)  # fmt: skip
TRAIN = replace(
    NODE, name="train-0", group="train", role="compute", instance_id="i-0aaaaaaaaaaaaaaaa",
    target="sagemaker-cluster:abc_train-i-0aaaaaaaaaaaaaaaa", scheduler_name="ip-10-0-0-10",
)  # fmt: skip


@pytest.mark.skipif(shutil.which("ssh") is None, reason="needs ssh")
def test_ssh_reads_the_configuration_as_it_is_meant(tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text(
        ssh_config(
            [NODE, TRAIN],
            NODE,
            profile="mine",
            region=REGION,
            user="ada",
            command="ultracluster connect mine",
        )
    )
    for host, node in (("mine", NODE), ("mine-login-0", NODE), ("mine-train-0", TRAIN)):
        reported = subprocess.run(
            ["ssh", "-G", "-F", str(file), host], capture_output=True, text=True, check=True
        )
        facts = dict(line.split(" ", 1) for line in reported.stdout.splitlines() if " " in line)
        assert (facts["hostname"], facts["user"]) == (node.instance_id, "ada")
        assert facts["proxycommand"] == (
            f"aws ssm start-session --region {REGION} --target {node.target} "
            "--document-name AWS-StartSSHSession --parameters portNumber=%p"
        )


def test_sshs_configuration_is_written_for_its_owner_and_over_nobody_elses(make: Any, tmp_path: Path) -> None:
    deployed = make("hyperpod-slurm")
    file = tmp_path / "ssh" / "mine"
    for _ in range(2):
        status, out, _ = deployed.runs("--ssh-config", str(file), "--user", "ada")
        assert (status, "ssh my-hyperpod-slurm" in out) == (0, True)
    assert file.stat().st_mode & 0o777 == 0o600
    text = file.read_text()
    assert "User ada\n" in text
    assert deployed.runs("--ssh-config", "--user", "a b")[0] == 2
    # the file names the command that writes it: with the profile's path, not the cluster's name
    assert text.startswith(f"# written by `ultracluster connect {deployed.file} --user ada --ssh-config`")
    other = tmp_path / "config"
    other.write_text("Host *\n")
    status, _, err = deployed.runs("--ssh-config", str(other))
    assert (status, other.read_text()) == (2, "Host *\n")
    assert "Include" in err


@pytest.mark.parametrize("text", ["3000", "a:b", "0:80", "80:70000", "80:80:", "1:2:3:4"])
def test_what_is_no_tunnel_is_refused(text: str) -> None:
    with pytest.raises(ConnectError):
        read_tunnel(text)


@pytest.mark.parametrize("user", ["ada\n  ProxyCommand sh", "ada bob", "-oProxyCommand=sh", "%u", ""])
def test_an_account_that_would_be_another_line_of_ssh_is_refused(user: str) -> None:
    with pytest.raises(ConnectError, match="is not a user name"):
        check_user(user)
    check_user("ada.l_1-x")


def test_a_tunnel_is_read() -> None:
    assert read_tunnel("3000:80") == Tunnel(local=3000, remote=80)
    assert read_tunnel("3000:80:grafana.internal").host == "grafana.internal"


def test_a_node_that_does_not_run_yet_is_no_way_in() -> None:
    pending = replace(NODE, status="Pending")
    with pytest.raises(ConnectError, match="login-0 is Pending"):
        choose([pending, TRAIN], "login-0", "mine")
    assert choose([pending, TRAIN], None, "mine") == TRAIN
    with pytest.raises(ConnectError, match="no node runs yet"):
        choose([pending], None, "mine")


def programs(folder: Path, *names: str) -> str:
    """Stubs that print their arguments."""
    folder.mkdir(exist_ok=True)
    for name in names:
        file = folder / name
        file.write_text(f'#!/bin/sh\necho {name} "$@"\n')
        file.chmod(0o755)
    return str(folder)


@pytest.fixture
def served(cloud: Cloud, tmp_path: Path) -> Iterator[tuple[Cloud, Path]]:
    """A stack with a node in an embedded cloud in its own process."""
    file = tmp_path / "served.yaml"
    file.write_text("extends: p6-b200\nname: served\norchestrator: {kind: pcs}\ncompute:\n  groups:\n"
                    "    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: 2}\n"
                    "    - {name: login, role: login, instance_type: m5.4xlarge, count: 1}\n")  # fmt: skip
    stacks = cloud.client("cloudformation", REGION)
    resources = {"Some": {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": "x"}}}
    stacks.create_stack(StackName="served", TemplateBody=json.dumps({"Resources": resources}))
    own = [{"Key": "Name", "Value": "served-login"}, {"Key": PROFILE_TAG, "Value": "served"}]
    tags = [{"ResourceType": "instance", "Tags": own}]
    run = cloud.client("ec2", REGION).run_instances(
        ImageId="ami-12c6146b", InstanceType="m5.4xlarge", MinCount=1, MaxCount=1, TagSpecifications=tags
    )
    yield cloud, file
    cloud.client("ec2", REGION).terminate_instances(InstanceIds=[run["Instances"][0]["InstanceId"]])
    stacks.delete_stack(StackName="served")


def test_the_command_becomes_the_aws_cli(served: tuple[Cloud, Path], tmp_path: Path) -> None:
    cloud, file = served
    both = programs(tmp_path / "both", "aws", "session-manager-plugin")
    command = [sys.executable, "-m", "scripts.cli.main", "connect", str(file)]
    environment = {**os.environ, **cloud.environment()}
    done = subprocess.run(
        command, env={**environment, "PATH": both}, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("aws ssm start-session --region us-west-2 --target i-")
    one = programs(tmp_path / "one", "aws")
    done = subprocess.run(
        command, env={**environment, "PATH": one}, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 2
    assert "session-manager-plugin is not installed" in done.stderr
    assert "https://docs.aws.amazon.com/systems-manager/" in done.stderr.replace("\n", "")


def test_the_embedded_cloud_that_runs_can_be_asked(
    served: tuple[Cloud, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    cloud, file = served
    monkeypatch.setattr(state, "PATH", tmp_path / "cloud.json")
    assert main(["connect", str(file), "--embedded", "--list"]) == 2
    assert "ultracluster cloud" in capsys.readouterr().err
    state.write(state.Running(cloud.endpoint, cloud.account, os.getpid()))
    assert main(["connect", str(file), "--embedded", "--list"]) == 0
    assert "login-0" in capsys.readouterr().out
