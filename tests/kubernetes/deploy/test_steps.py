"""Steps of a design become resources of a stack, and what they mark is filled in when it is deployed."""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest

from config.catalog import catalog
from config.cluster import load_cluster
from config.design.kubernetes.steps import Manifest, Release, Step, later
from config.design.model import Design
from scripts.cloud.assets import put_assets
from scripts.cloud.custom import git_chart as model
from scripts.cloud.local import LocalCloud
from stacks.foundation import Foundation, NodeNetwork
from stacks.kubernetes.steps import add_steps, stack_values
from ultracluster.kubernetes import git_chart, git_chart_handler
from ultracluster.kubernetes.eks_cluster import EksCluster, EksClusterProps
from ultracluster.kubernetes.kubectl_layer import add_kubectl_layer

REGION, NAME = "us-west-2", "stepped"
pytestmark = pytest.mark.synth

STEPS: tuple[Step, ...] = (
    Release(
        name="dependencies",
        chart="hyperpod-helm-chart",
        namespace="kube-system",
        values={"health-monitoring-agent": {"region": later("region")}},
        wait=False,
    ),
    Manifest(
        name="settings",
        objects=(
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "where", "namespace": "kube-system"},
                "data": {"vpc": later("vpc-id"), "cluster": later("cluster-name")},
            },
        ),
        after=("dependencies",),
    ),
)


def design(tmp_path: Path, charts: dict[str, Any]) -> Design:
    """A profile on disk, with its charts from somewhere."""
    declared = {
        "extends": "p6-b200",
        "name": NAME,
        "orchestrator": {"kind": "hyperpod-eks", "charts": charts},
    }
    groups = [{"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2}]
    train = {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 2}
    file = tmp_path / "mine.yaml"
    file.write_text(json.dumps({**declared, "compute": {"groups": [*groups, train]}}))
    found = load_cluster(str(file))
    assert found.design is not None, [d.message for d in found.diagnostics]
    return found.design


def deployed(cloud: LocalCloud, wanted: Design, steps: tuple[Step, ...] = STEPS) -> Any:
    """A stack with a cluster in the default VPC, and the steps in it."""
    ec2 = cloud.client("ec2", REGION)
    subnets = sorted(one["SubnetId"] for one in ec2.describe_subnets()["Subnets"])[:2]
    vpc, group = (
        ec2.describe_vpcs()["Vpcs"][0]["VpcId"],
        ec2.describe_security_groups()["SecurityGroups"][0],
    )
    app = cdk.App(analytics_reporting=False, outdir=tempfile.mkdtemp())
    stack = cdk.Stack(app, NAME, env=cdk.Environment(region=REGION))
    layer = add_kubectl_layer(stack, "Kubectl", "1.35")
    eks = EksCluster(
        stack,
        "Eks",
        EksClusterProps(
            cluster_name=NAME,
            kubernetes_version="1.35",
            vpc_id=vpc,
            subnet_ids=subnets,
            security_group_id=group["GroupId"],
            kubectl_layer=layer,
        ),
    )
    network = NodeNetwork(vpc_id=vpc, subnet_ids={}, node_security_group_id=group["GroupId"])
    known = stack_values(Foundation(design=wanted, node_network=network), eks)
    add_steps(stack, wanted, steps, eks, layer, known)
    assembly = app.synth()
    put_assets(cloud, REGION, Path(assembly.directory))
    return cloud.deploy(REGION, NAME, json.dumps(assembly.get_stack_by_name(NAME).template))


@pytest.fixture
def place(module_cloud: LocalCloud) -> Any:
    yield module_cloud
    backend = module_cloud.backend(REGION)
    for stack in backend.stacks.values():
        backend.delete(stack)
    assert {stack.status for stack in backend.stacks.values()} == {"DELETE_COMPLETE"}


def test_a_chart_in_a_git_repository_is_installed_from_an_archive_made_at_deployment(
    place: LocalCloud, tmp_path: Path
) -> None:
    stack = deployed(place, design(tmp_path, {"kind": "public"}))
    assert stack.status == "CREATE_COMPLETE", [e.reason for e in stack.events if e.reason]
    inside = place.kubernetes(REGION, NAME)
    assert inside.order() == ["install dependencies", "apply ConfigMap where"]
    found = inside.release("dependencies")
    assert (found.chart, found.version, found.waited) == ("hyperpod-helm-chart", "0.1.0", False)
    assert found.values == {"health-monitoring-agent": {"region": REGION}}
    assert "kubeflow.org/v2beta1 MPIJob" in found.kinds


def test_marks_are_what_the_stack_has(place: LocalCloud, tmp_path: Path) -> None:
    deployed(place, design(tmp_path, {"kind": "public"}))
    (found,) = place.kubernetes(REGION, NAME).of_kind("ConfigMap")
    (vpc,) = place.client("ec2", REGION).describe_vpcs()["Vpcs"]
    assert found["data"] == {"vpc": vpc["VpcId"], "cluster": NAME}


def test_a_vendored_chart_is_uploaded_with_the_stack(place: LocalCloud, tmp_path: Path) -> None:
    for chart in catalog().charts.values():
        folder = tmp_path / "charts" / chart.name
        folder.mkdir(parents=True)
        (folder / "Chart.yaml").write_text(f"name: {chart.name}\nversion: {chart.version}\n")
    stack = deployed(place, design(tmp_path, {"kind": "vendored", "folder": "charts"}))
    assert stack.status == "CREATE_COMPLETE", [e.reason for e in stack.events if e.reason]
    assert place.kubernetes(REGION, NAME).release("dependencies").version == "0.1.0"


def test_a_registry_of_ones_own_has_each_chart_under_its_name(place: LocalCloud, tmp_path: Path) -> None:
    own = {"kind": "registry", "registry": f"123456789012.dkr.ecr.{REGION}.amazonaws.com/charts"}
    stack = deployed(place, design(tmp_path, own))
    assert stack.status == "CREATE_COMPLETE", [e.reason for e in stack.events if e.reason]
    assert f"oci://{own['registry']}/hyperpod-helm-chart" in stack.template.text


def test_a_mark_of_nothing_is_reported(place: LocalCloud, tmp_path: Path) -> None:
    unknown = Manifest(name="odd", objects=({**STEPS[1].objects[0], "data": {"a": later("role-arn", "x")}},))  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="no value for role-arn x"):
        deployed(place, design(tmp_path, {"kind": "public"}), (unknown,))


def test_the_model_of_the_function_is_found_by_the_type_of_the_resource() -> None:
    assert model.IDENTITY.resource_type == git_chart.RESOURCE_TYPE
    # the description of the function differs between releases
    assert model.IDENTITY.description == ""


def archive_of(path: str) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as archive:
        for name, text in ((f"top-1/{path}/Chart.yaml", b"name: x\n"), ("top-1/README.md", b"no")):
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    return target.getvalue()


def test_the_function_takes_only_the_charts_folder_and_puts_it_at_the_top(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chart = catalog().charts["hyperpod-helm-chart"]
    asked: list[str] = []

    def opened(address: str) -> io.BytesIO:
        asked.append(address)
        return io.BytesIO(archive_of(str(chart.path)))

    monkeypatch.setattr("urllib.request.urlopen", opened)
    folder = git_chart_handler.fetched(
        chart.repository, str(chart.commit), str(chart.path), tmp_path / "work"
    )
    assert asked == [f"https://codeload.github.com/aws/sagemaker-hyperpod-cli/tar.gz/{chart.commit}"]
    git_chart_handler.pack(folder, tmp_path / "chart.zip")
    assert zipfile.ZipFile(tmp_path / "chart.zip").namelist() == ["Chart.yaml"]
