"""Steps in a cluster: what each becomes, and what is refused before anything is deployed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from aws_cdk import Stack
from aws_cdk import aws_eks_v2 as eks

from tests.stack.library.support import Synthesized, depends_on, synthesize
from ultracluster.kubernetes.git_chart import GitChart, GitChartProps
from ultracluster.kubernetes.kubectl_layer import add_kubectl_layer
from ultracluster.kubernetes.steps import (
    MAX_BYTES,
    OBJECT_TYPE,
    RELEASE_TYPE,
    ChartFrom,
    KubernetesSteps,
    KubernetesStepsProps,
    ObjectsStep,
    ReleaseStep,
)

pytestmark = pytest.mark.synth
OCI = ChartFrom(repository="oci://registry.k8s.io/kueue/charts/kueue", version="0.19.2")


def release(name: str = "kueue", **more: Any) -> ReleaseStep:
    return ReleaseStep(name=name, **{"chart": OCI, "namespace": "system", "values": {"a": 1}, **more})


def config_map(name: str = "one", namespace: str | None = "default", **data: str) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def steps(*found: ReleaseStep | ObjectsStep, kubectl: bool = True) -> Synthesized:
    def build(stack: Stack) -> None:
        layer = add_kubectl_layer(stack, "Layer", "1.35")
        cluster = eks.Cluster(
            stack,
            "Cluster",
            version=eks.KubernetesVersion.of("1.35"),
            default_capacity_type=eks.DefaultCapacityType.NODEGROUP,
            default_capacity=0,
            kubectl_provider_options=eks.KubectlProviderOptions(kubectl_layer=layer) if kubectl else None,
        )
        props = KubernetesStepsProps(
            cluster=cast(eks.ICluster, cluster), steps=found, outside={"nodes": [layer]}
        )
        KubernetesSteps(stack, "Steps", props)

    return synthesize(build)


def test_a_release_is_whole_or_not_at_all_and_a_stuck_function_costs_a_quarter_of_an_hour() -> None:
    found = steps(release(after=["nodes"])).properties(RELEASE_TYPE)
    expected: Mapping[str, Any] = {
        "Release": "kueue",
        "Repository": OCI.repository,
        "Version": "0.19.2",
        "Namespace": "system",
        "CreateNamespace": True,
        "Values": '{\n "a": 1\n}',
        "Wait": True,
        "Atomic": True,
        "Timeout": "420s",
        "ServiceTimeout": 960,
    }
    assert {key: found[key] for key in expected} == expected
    assert found["Chart"] == "kueue"


def test_what_is_not_waited_for_says_nothing_of_waiting_since_any_text_is_true() -> None:
    found = steps(release(wait=False)).properties(RELEASE_TYPE)
    assert not {"Wait", "Atomic"} & found.keys()


def test_each_object_is_a_resource_after_the_namespaces_of_its_step() -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}
    found = steps(release(), ObjectsStep(name="teams", objects=[config_map(), namespace], after=["kueue"]))
    ids = {key: depends_on(value) for key, value in found.of_type(OBJECT_TYPE).items()}
    (first,) = (key for key in ids if "Namespace" in key)
    (second,) = (key for key in ids if "ConfigMap" in key)
    (kueue,) = found.of_type(RELEASE_TYPE)
    assert first in ids[second]
    assert kueue in ids[first]
    assert kueue in ids[second]
    assert found.properties(OBJECT_TYPE, "ConfigMap")["Overwrite"] is True


def test_ids_follow_from_the_names_of_steps_and_objects_alone() -> None:
    one, two = ObjectsStep(name="a", objects=[config_map()]), ObjectsStep(name="b", objects=[config_map()])
    assert set(steps(one, two).of_type(OBJECT_TYPE)) == set(steps(two, one).of_type(OBJECT_TYPE))


def test_a_folder_is_uploaded_and_the_function_may_read_it(tmp_path: Path) -> None:
    (tmp_path / "Chart.yaml").write_text("name: x\nversion: 1.0.0\n")
    found = steps(release(chart=ChartFrom(folder=str(tmp_path))))
    properties = found.properties(RELEASE_TYPE)
    assert "s3://" in str(properties["ChartAssetURL"])
    assert not {"Repository", "Version", "Chart"} & properties.keys()
    _, resource = found.named(RELEASE_TYPE)
    assert any("Policy" in name for name in depends_on(resource))


REFUSED: dict[str, tuple[Sequence[ReleaseStep | ObjectsStep], str]] = {
    "no_such_step": ([release(after=["nothing"])], "names nothing in `after`, which is not a step"),
    "a_circle": ([release("a", after=["b"]), release("b", after=["a"])], "wait for each other: a, b"),
    "a_name_twice": ([release(), release()], "several steps are named kueue"),
    "too_long": ([release(timeout_minutes=14, wait=False)], "timeout of 14 minutes; 1 to 13 are allowed"),
    "eks_12_no_time_for_the_roll_back": ([release(timeout_minutes=8)], "8 minutes; 1 to 7 are allowed"),
    "no_version": ([release(chart=ChartFrom(repository=OCI.repository))], "needs a version of its chart"),
    "no_chart": ([release(chart=ChartFrom())], "needs a repository, a folder or an archive"),
    "oci_with_a_name": (
        [release(chart=ChartFrom(repository=OCI.repository, chart="kueue", version="1.0.0"))],
        "set the chart's name for a chart repository",
    ),
    "too_large": (
        [ObjectsStep(name="big", objects=[config_map(text="x" * MAX_BYTES)])],
        f"the maximum in an event to a function is {MAX_BYTES}",
    ),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("case", REFUSED)
def test_steps_that_cannot_be_done_are_refused(case: str) -> None:
    found, reason = REFUSED[case]
    with pytest.raises(ValueError, match=reason):
        steps(*found)


def test_a_cluster_without_kubectl_takes_no_steps() -> None:
    with pytest.raises(ValueError, match="no kubectl provider"):
        steps(release(), kubectl=False)


@pytest.mark.long
@pytest.mark.parametrize(
    ("version", "kubectl"), [("1.33", "1.34"), ("1.34", "1.34"), ("1.35", "1.36"), ("1.36", "1.36")]
)
def test_kubectl_is_within_one_minor_version_of_the_cluster(version: str, kubectl: str) -> None:
    found = synthesize(lambda stack: add_kubectl_layer(stack, "Layer", version))
    description = found.properties("AWS::Lambda::LayerVersion")["Description"]
    assert f"/opt/kubectl/kubectl {kubectl}." in description


def test_a_version_that_no_kubectl_is_near_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no layer has a kubectl for Kubernetes 1\.31"):
        synthesize(lambda stack: add_kubectl_layer(stack, "Layer", "1.31"))


def test_the_archive_of_a_chart_is_read_by_one_role_and_goes_with_the_stack() -> None:
    def build(stack: Stack) -> None:
        props = GitChartProps(
            name="demo",
            repository="https://github.com/aws/sagemaker-hyperpod-cli",
            commit="0" * 40,
            path="helm_chart/HyperPodHelmChart",
            helm_layer_arn="arn:aws:lambda:us-west-2:123456789012:layer:kubectl:1",
            reader_role_name="reader",
        )
        chart = GitChart(stack, "Chart", props)
        assert chart.archive.startswith("s3://")

    found = synthesize(build)
    assert found.properties("AWS::IAM::Policy")["Roles"] == ["reader"]
    _, bucket = found.named("AWS::S3::Bucket")
    assert bucket["DeletionPolicy"] == "Delete"
    assert all(bucket["Properties"]["PublicAccessBlockConfiguration"].values())
