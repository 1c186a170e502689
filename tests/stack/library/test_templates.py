"""What holds for everything the library renders."""

import pytest
from aws_cdk import App

from tests.kubernetes.templates.test_eks_constructs import eks_set
from tests.observability.grafana.test_constructs import regional_set
from tests.slurm.test_pcs_constructs import pcs_role
from tests.stack.library import library_set
from tests.stack.library.nag import unacknowledged_findings, unused_acknowledgements
from tests.stack.library.support import Synthesized, depends_on, lint_findings, retention_of, synthesize
from ultracluster.retention import Retention

pytestmark = pytest.mark.synth

STATE = {
    "AWS::APS::Workspace",
    "AWS::FSx::FileSystem",
    "AWS::FSx::Volume",
    "AWS::KMS::Key",
    "AWS::S3::Bucket",
    "AWS::S3::BucketPolicy",
    "AWS::S3Express::BucketPolicy",
    "AWS::S3Express::DirectoryBucket",
}
UNDER_STATE = {
    "AWS::EC2::VPC",
    "AWS::EC2::RouteTable",
    "AWS::EC2::SecurityGroup",
    "AWS::EC2::SecurityGroupEgress",
    "AWS::EC2::SecurityGroupIngress",
    "AWS::EC2::Subnet",
    "AWS::EC2::SubnetRouteTableAssociation",
    "AWS::EC2::VPCEndpoint",
}
STATEFUL_IDS = [
    "Observabilitymetrics0D8C9F24",
    "Orchestrationvolumekey1F50E7CE",
    "StorageaccesslogsB553ECB3",
    "StorageaccesslogsPolicy1EF421EB",
    "Storagecache089E4924",
    "StoragecachePolicyBA364FF1",
    "Storagecheckpoints4C793603",
    "StoragecheckpointsPolicy7BE47083",
    "Storagedatasets8D20D06B",
    "StoragedatasetsPolicy352C4144",
    "Storagehome47BCF2BA",
    "StoragehomeVolumeD92F1948",
    "Storagekey27286AE9",
    "Storagelustre500193DA",
]
# what CloudFormation has no property for
CUSTOM = {"Custom::GrafanaContent", "Custom::LustreImportTask", "Custom::LustreRootSquash"}
KEPT = (Retention.RETAIN, Retention.ALWAYS)
# of these types, what holds nothing that is retained or bills by the hour
EXCEPT = (
    "public", "Public", "EndpointSecurityGroup", "Endpointssm", "Endpointecr", "volumekey",
    "Observabilitykey",
)  # fmt: skip


@pytest.fixture(scope="module")
def everything() -> Synthesized:
    return synthesize(library_set.build)


@pytest.fixture(scope="module")
def disposable() -> Synthesized:
    return synthesize(lambda stack: library_set.build(stack, Retention.DISPOSABLE))


def test_templates_lint_clean(everything: Synthesized, disposable: Synthesized) -> None:
    assert lint_findings(everything.template) == []
    assert lint_findings(disposable.template) == []


def test_aws_solutions_finds_nothing_that_is_not_acknowledged(everything: Synthesized) -> None:
    assert unacknowledged_findings(everything.template) == []


def test_every_acknowledgement_is_needed(everything: Synthesized) -> None:
    assert (
        unused_acknowledgements(
            everything.template,
            synthesize(pcs_role).template,
            synthesize(eks_set).template,
            synthesize(regional_set).template,
        )
        == []
    )


def test_aws_solutions_sees_the_resources(everything: Synthesized) -> None:
    broken = {
        "Resources": {
            key: value
            for key, value in everything.resources.items()
            if value["Type"] not in ("AWS::S3::BucketPolicy", "AWS::EC2::FlowLog")
        }
    }
    rules = {finding.rpartition(": ")[2] for finding in unacknowledged_findings(broken)}
    assert {"AwsSolutions-S10", "AwsSolutions-VPC7"} <= rules


def test_state_and_what_it_stands_on_are_retained_and_nothing_else(everything: Synthesized) -> None:
    for logical_id, resource in everything.resources.items():
        survives = resource["Type"] in STATE | UNDER_STATE and not any(part in logical_id for part in EXCEPT)
        # S3 writes into the log bucket when it likes, so even a creation that rolls back must not delete it
        kept = Retention.ALWAYS if "accesslogs" in logical_id.lower() else Retention.RETAIN
        assert (retention_of(resource) is kept) == survives, logical_id


def test_a_disposable_stack_retains_nothing(disposable: Synthesized) -> None:
    kept = [key for key, value in disposable.resources.items() if retention_of(value) in KEPT]
    assert kept == []


def test_what_is_retained_refers_only_to_what_is_retained(everything: Synthesized) -> None:
    kept = {key for key, value in everything.resources.items() if retention_of(value) in KEPT}
    # log groups are names to a file system or a workspace: losing one loses its log and no data
    # and so are topics: without rules nothing is sent to them any more
    harmless = set(everything.of_type("AWS::Logs::LogGroup")) | set(everything.of_type("AWS::SNS::Topic"))
    for logical_id in kept:
        assert _references(everything.resources[logical_id]["Properties"]) - harmless <= kept, logical_id


def _references(value: object) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(_references, value))
    if not isinstance(value, dict):
        return set()
    if set(value) == {"Ref"} and not value["Ref"].startswith("AWS::"):
        return {value["Ref"]}
    if set(value) == {"Fn::GetAtt"}:
        return {value["Fn::GetAtt"][0]}
    return set().union(*map(_references, value.values()))


def test_logical_ids_of_everything_stateful_stay(everything: Synthesized) -> None:
    stateful = sorted(
        key
        for key, value in everything.resources.items()
        if value["Type"] in STATE and not key.startswith("Observabilitykey")
    )
    assert stateful == STATEFUL_IDS


def test_logical_ids_start_with_the_layer(everything: Synthesized) -> None:
    layers = ("Network", "Compute", "Storage", "Orchestration", "Observability")
    assert [key for key in everything.resources if not key.startswith(layers)] == []


def test_tags_are_sorted_and_on_everything_that_takes_them(everything: Synthesized) -> None:
    untagged = {
        "AWS::EC2::Route",
        "AWS::EC2::SecurityGroupEgress",
        "AWS::EC2::SecurityGroupIngress",
        "AWS::EC2::SubnetRouteTableAssociation",
        "AWS::EC2::VPCGatewayAttachment",
        "AWS::EC2::LaunchTemplate",  # tag specifications instead
        "AWS::KMS::Alias",
        "AWS::S3::BucketPolicy",
        "AWS::S3Express::BucketPolicy",
        "AWS::SNS::Subscription",
        "AWS::SNS::TopicPolicy",
        *CUSTOM,
    }
    for logical_id, resource in everything.resources.items():
        if resource["Type"] in untagged:
            continue
        keys = [tag["Key"] for tag in resource["Properties"]["Tags"]]
        assert keys == sorted(keys), logical_id
        assert {"project", "Cluster"} <= set(keys), logical_id


def test_the_same_props_give_the_same_template_in_another_folder(
    everything: Synthesized, tmp_path: object
) -> None:
    elsewhere = synthesize(library_set.build, App(outdir=f"{tmp_path}/out", analytics_reporting=False))
    assert elsewhere.template == everything.template


def test_custom_resources_are_those_that_cannot_be_done_without(everything: Synthesized) -> None:
    types = [resource["Type"] for resource in everything.resources.values()]
    assert {name for name in types if name.startswith("Custom")} == CUSTOM
    # one for Lustre, one for Grafana
    assert types.count("AWS::Lambda::Function") == 2


def test_nothing_waits_for_a_custom_resource_and_nothing_that_stays_needs_the_function(
    everything: Synthesized,
) -> None:
    operations = {key for key in everything.resources if "operations" in key}
    custom = {key for key, value in everything.resources.items() if value["Type"] in CUSTOM}
    for logical_id, resource in everything.resources.items():
        needs = _references(resource["Properties"]) | set(depends_on(resource))
        assert not needs & custom, logical_id
        assert logical_id in custom | operations or not needs & operations, logical_id


def test_a_stack_of_everything_stays_small(everything: Synthesized) -> None:
    assert len(everything.resources) < 100
