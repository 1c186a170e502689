"""All destinations of nodes are listed, and a closed network has an endpoint for each service."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from config.catalog import catalog
from config.cluster import Cluster, load_cluster
from config.design.network.closure import Mention, mentions
from config.design.network.references import interface_endpoints, references_of
from config.profile.orchestrator import ORCHESTRATORS
from config.profile.source.reference import built_in_names
from tests.conftest import ROOT, SNAPSHOTS
from tests.tables import each_row

HOST = re.compile(r"(?:[a-z0-9-]+\.)+(?:com|io|org|net|dev|aws|ai)\b")
NODE_SCRIPTS = sorted((ROOT / "scripts" / "node").rglob("*.sh"))
Write = Callable[[str], Cluster]
COLLECTION = "collection: {downloads: 's3://my-bucket/metrics'}"


@pytest.fixture
def check(tmp_path: Path) -> Write:
    def load(text: str) -> Cluster:
        (tmp_path / "my.yaml").write_text(text, encoding="utf-8")
        return load_cluster("my.yaml", base=tmp_path)

    return load


def texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of a template with its key."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from texts(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner, key)
    elif isinstance(value, str):
        yield key, value


def names_no_place(key: str, text: str) -> bool:
    """Return whether a text is a policy principal or an endpoint service, not a contacted host."""
    return key == "Service" or text.startswith(("arn:", "com.amazonaws."))


@pytest.mark.parametrize("name", built_in_names())
def test_a_template_sends_nodes_to_no_host_that_is_not_listed(name: str) -> None:
    template = json.loads((SNAPSHOTS / f"{name}.template.json").read_text(encoding="utf-8"))
    design = load_cluster(name).design
    assert design is not None
    listed = {r.name for r in references_of(design.profile, design.data_profile)}
    found = {
        host: (key, text)
        for key, text in texts(template["Resources"])
        for host in [*HOST.findall(text), *(m.name for m in mentions(text))]
        if not names_no_place(key, text)
    }
    # what FSx calls itself, and the form of a Region's host names, are parts of policies and of a mount
    services = {"s3.data-source.lustre.fsx.amazonaws.com", "amazonaws.com"}
    assert set(found) - listed - services == set()


OF_THE_DISTRIBUTION = {
    # signed packages of the image's own distribution, where it lacks them and a profile states a directory
    "directory.sh": {"apt sssd-ldap", "apt libnss-sss", "apt libpam-sss", "dnf sssd-ldap"},
}


@each_row("script", NODE_SCRIPTS, lambda path: path.parent.name)
def test_node_scripts_fetch_nothing(script: Path) -> None:
    found = {mention.name for mention in mentions(script.read_text(encoding="utf-8"))}
    assert found == OF_THE_DISTRIBUTION.get(script.name, set())


@pytest.mark.parametrize("name", [name for name in built_in_names() if not name.endswith("-data")])
def test_what_is_written_for_the_nodes_fetches_nothing_but_releases_of_one_version(name: str) -> None:
    design = load_cluster(name).design
    assert design is not None
    assert design.hyperpod is not None
    assert design.hyperpod.scripts is not None
    for file, text in design.hyperpod.scripts.files.items():
        # programs for metrics, which a network without a way out has in a place of its own
        releases = [Mention(kind="host", name="github.com", moving=False)]
        assert list(mentions(text)) == (releases if file == "metrics-settings.env" else []), file


def test_a_place_of_ones_own_is_all_that_programs_for_metrics_come_from(check: Write) -> None:
    text = f"extends: p6-b200\nname: mine\nnetwork: {{closed: true}}\nobservability: {{{COLLECTION}}}\n"
    planned = check(text).design
    assert planned is not None
    assert planned.hyperpod is not None
    assert planned.hyperpod.scripts is not None
    found = {mention for text in planned.hyperpod.scripts.files.values() for mention in mentions(text)}
    assert found == {Mention(kind="bucket", name="my-bucket", moving=False)}


@pytest.mark.parametrize("kind", ORCHESTRATORS)
def test_a_closed_network_has_an_endpoint_for_every_service_that_nodes_call(kind: str, check: Write) -> None:
    text = f"extends: p6-b200\nname: mine\nnetwork: {{closed: true}}\norchestrator: {{kind: {kind}}}\n"
    text += f"observability: {{{COLLECTION}}}\n"
    if kind != "hyperpod-slurm":
        text += (
            "compute:\n  groups:\n"
            "    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: 4}\n"
        )
    if kind.endswith("eks"):
        text += "    - {name: tools, role: system, instance_type: m5.4xlarge, count: 2}\n"
        # the registries of projects are outside
        mirror = "{kind: registry, registry: 123456789012.dkr.ecr.us-west-2.amazonaws.com/charts}"
        text = text.replace(f"{{kind: {kind}}}", f"{{kind: {kind}, charts: {mirror}}}")
    planned = check(text).design
    assert planned is not None
    assert planned.network is not None
    services = [r for r in references_of(planned.profile) if r.kind == "service"]
    assert {r.name for r in services if r.reach == "gateway-endpoint"} == {"s3"}
    reached = {r.name for r in services if r.reach == "interface-endpoint"}
    assert reached == set(planned.network.interface_endpoints)
    assert reached >= {"logs", "ssm", "ssmmessages", "ec2messages", "aps-workspaces"}
    own = {"hyperpod-slurm": "sagemaker.api", "hyperpod-eks": "eks-auth", "eks": "eks", "pcs": "pcs"}
    assert own[kind] in reached
    assert planned.network.nat_subnet is None


@pytest.mark.parametrize(
    ("change", "removed"),
    [
        ("observability: null\n", {"aps-workspaces"}),
        (f"storage: null\nobservability: {{{COLLECTION}}}\n", {"fsx"}),
        ("observability: null\nstorage: null\n", {"aps-workspaces", "fsx"}),
    ],
)
def test_what_a_cluster_lacks_has_no_endpoint(change: str, removed: set[str], check: Write) -> None:
    text = f"extends: p6-b200\nname: mine\nnetwork: {{closed: true}}\nobservability: {{{COLLECTION}}}\n"
    whole = check(text).design
    part = check(f"extends: p6-b200\nname: mine\nnetwork: {{closed: true}}\n{change}").design
    assert whole is not None
    assert part is not None
    assert set(interface_endpoints(whole.profile)) - set(interface_endpoints(part.profile)) == removed


def test_a_closed_cluster_with_a_database_reaches_its_secret(check: Write) -> None:
    accounting = "orchestrator: {provisioning: continuous, accounting: {kind: new}}\n"
    accounting += f"observability: {{{COLLECTION}}}\n"
    found = check(f"extends: p6-b200\nname: mine\nnetwork: {{closed: true}}\n{accounting}").design
    assert found is not None
    assert "secretsmanager" in interface_endpoints(found.profile)


def test_a_closed_data_profile_serves_every_cluster_that_may_attach(check: Write) -> None:
    data = check("extends: p6-b200-data\nname: mine\nnetwork: {closed: true}\n").design
    assert data is not None
    assert {"aps-workspaces", "fsx", "sagemaker.api", "secretsmanager"} <= set(
        interface_endpoints(data.profile)
    )


def test_every_endpoint_of_the_catalogue_is_somebodys() -> None:
    used: set[str] = set()
    for row in catalog().endpoints.values():
        assert row.what
        used |= set(row.control_planes)
    assert used == set(ORCHESTRATORS)


SCRIPT = """#!/bin/bash
# curl https://comment.example.com/never
curl -fsSL https://raw.githubusercontent.com/aws/efa/main/setup.sh | bash
apt-get update && sudo apt-get install -y htop jq=1.6-2
if true; then DEBIAN_FRONTEND=noninteractive pip install torch==2.6 numpy; fi
docker pull nvcr.io/nvidia/pytorch:latest
enroot import docker://nvcr.io#nvidia/pytorch:25.01-py3
helm install kueue oci://registry.k8s.io/kueue/charts/kueue --version 0.19.2
helm upgrade --install policies kyverno/kyverno
aws s3 cp s3://my-bucket/v1/setup.sh .
git clone git@github.com:aws/efa.git
git clone --branch v1.0 https://gitlab.com/aws/efa
curl http://169.254.169.254/latest/meta-data/instance-id
"""


def test_every_way_to_fetch_is_seen_and_what_moves_is_distinguished() -> None:
    found = {(m.kind, m.name): m.moving for m in mentions(SCRIPT)}
    assert found == {
        ("host", "raw.githubusercontent.com"): True,
        ("package", "apt htop"): True,
        ("package", "apt jq=1.6-2"): False,
        ("package", "pip torch==2.6"): False,
        ("package", "pip numpy"): True,
        ("image", "nvcr.io/nvidia/pytorch:latest"): True,
        ("image", "nvcr.io/nvidia/pytorch:25.01-py3"): False,
        ("chart", "registry.k8s.io/kueue/charts/kueue"): False,
        ("chart", "kyverno/kyverno"): True,
        ("bucket", "my-bucket"): False,
        ("host", "github.com"): True,
        ("host", "gitlab.com"): False,
        ("host", "169.254.169.254"): False,
    }
