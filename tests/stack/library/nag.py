"""cdk-nag's AwsSolutions over a finished template, and the findings that are acknowledged, each with its
reason.

The rules look for the typed classes of aws_cdk, and the library writes plain resources; `CfnInclude` makes
the typed classes of a template's resources, which is how cdk-nag's guide checks templates. Acknowledgements
are kept here, not in the constructs, where each would cost every synthesis a round trip.
"""

import json
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aws_cdk import App, DefaultStackSynthesizer, Stack, Validations
from aws_cdk.cloudformation_include import CfnInclude
from cdk_nag import AwsSolutionsChecks


@dataclass(frozen=True, kw_only=True)
class Acknowledgement:
    """A finding that stays, for roles that one service assumes.

    Attributes:
        trusts: The service that assumes the role.
        finding: Pattern of the whole finding id.
        reason: Why it stays.
    """

    trusts: str
    finding: str
    reason: str


ACKNOWLEDGEMENTS = (
    Acknowledgement(
        trusts="sagemaker.amazonaws.com",
        finding=r"AwsSolutions-IAM5\[Resource::\*\]",
        reason="HyperPod documents its network interface statement without resources; metrics, limited to "
        "one namespace, and Session Manager channels take none",
    ),
    Acknowledgement(
        trusts="sagemaker.amazonaws.com",
        finding=r"AwsSolutions-IAM5\[Resource::.*:log-group:(\*|/aws/sagemaker/Clusters/[^/]+/\*)\]",
        reason="the service names the cluster's log groups; finding groups is asked of all",
    ),
    Acknowledgement(
        trusts="sagemaker.amazonaws.com",
        finding=r"AwsSolutions-IAM5\[Resource::.*:network-interface/\*\]",
        reason="the service tags interfaces that it has yet to create",
    ),
    Acknowledgement(
        trusts="sagemaker.amazonaws.com",
        finding=r"AwsSolutions-IAM5\[Resource::.*hyperpod-lifecycle/(.*/)?\*.*\]",
        reason="the lifecycle scripts, every version: during an update nodes boot with the one before",
    ),
    Acknowledgement(
        trusts="sagemaker.amazonaws.com",
        finding=r"AwsSolutions-IAM5\[Resource::.*:kms:.*:key/\*\]",
        reason="only through S3 and only for objects of the bootstrap bucket, whose key is not known",
    ),
    Acknowledgement(
        trusts="ec2.amazonaws.com",
        finding=r"AwsSolutions-IAM5\[Resource::\*\]",
        reason="registration in PCS, sessions, and CloudWatch's metrics, written to one namespace and read, "
        "take no resource",
    ),
    Acknowledgement(
        trusts="ec2.amazonaws.com",
        finding=r"AwsSolutions-IAM5\[Resource::.*:s3:::my-bucket/metrics/\*\]",
        reason="programs for metrics, in the folder that the profile names",
    ),
    Acknowledgement(
        trusts="ec2.amazonaws.com",
        finding=r"AwsSolutions-IAM5\[Resource::.*:log-group:/ultracluster/[^/]+/\*\]",
        reason="each log of a machine is a group below the cluster's",
    ),
    Acknowledgement(
        trusts="ec2.amazonaws.com",
        finding=r"AwsSolutions-IAM5\[Resource::.*pcs-lifecycle/(.*/)?\*.*\]",
        reason="the node scripts, every version: during an update nodes boot with the one before",
    ),
    Acknowledgement(
        trusts="ec2.amazonaws.com",
        finding=r"AwsSolutions-IAM5\[Resource::.*:kms:.*:key/\*\]",
        reason="only through S3 and only for objects of the bootstrap bucket, whose key is not known",
    ),
    Acknowledgement(
        trusts="ec2.amazonaws.com",
        finding=r"AwsSolutions-IAM5\[Resource::.*eks-nodes/(.*/)?\*.*\]",
        reason="the node scripts, every version: during an update nodes boot with the one before",
    ),
    Acknowledgement(
        trusts="ec2.amazonaws.com",
        finding=r"AwsSolutions-IAM4\[Policy::.*/(AmazonEKSWorkerNodePolicy|AmazonEC2ContainerRegistryPullOnly)\]",
        reason="EKS documents these for nodes, and refuses to make a node group without them",
    ),
    Acknowledgement(
        trusts="eks.amazonaws.com",
        finding=r"AwsSolutions-IAM4\[Policy::.*/AmazonEKSClusterPolicy\]",
        reason="EKS documents it for its control plane, and extends it with what new versions need",
    ),
    Acknowledgement(
        trusts="pods.eks.amazonaws.com",
        finding=r"AwsSolutions-IAM4\[Policy::.*\]",
        reason="AWS maintains what its own add-ons need; each role is for one service account",
    ),
    Acknowledgement(
        trusts="pods.eks.amazonaws.com",
        finding=r"AwsSolutions-IAM5\[Resource::\*\]",
        reason="FSx and EC2 do not scope looking at what there is to resources",
    ),
    Acknowledgement(
        trusts="lambda.amazonaws.com",
        finding=r"AwsSolutions-IAM5\[Resource::\*\]",
        reason="FSx is asked for lists of file systems and tasks; a Grafana in another Region is "
        "made and found without a name; keys of secrets are used only through Secrets Manager",
    ),
    Acknowledgement(
        trusts="lambda.amazonaws.com",
        finding=r"AwsSolutions-IAM5\[Resource::.*:grafana:.*:/workspaces/\*\]",
        reason="Grafana makes up the id of a workspace that the function makes in another Region",
    ),
    Acknowledgement(
        trusts="lambda.amazonaws.com",
        finding=r"AwsSolutions-IAM5\[Resource::.*:task/\*\]",
        reason="FSx makes up the ids of tasks",
    ),
    Acknowledgement(
        trusts="grafana.amazonaws.com",
        finding=r"AwsSolutions-IAM5\[Resource::\*\]",
        reason="CloudWatch does not scope reading to resources, nor Prometheus its list of workspaces",
    ),
)

# CDK chooses the runtime of its kubectl provider and writes the roles of its two functions
_OF_CDK = re.compile(
    r".*KubectlProvider.*: AwsSolutions-(L1|IAM4\[Policy::.*\]|IAM5\[Resource::.*\.Arn>:\*\])"
)


def unacknowledged_findings(template: Mapping[str, Any]) -> list[str]:
    """Findings that no acknowledgement covers, as `logical id: finding id`."""
    return sorted(
        reported
        for logical_id, finding in nag_findings(template)
        if not any(_covers(entry, template["Resources"][logical_id], finding) for entry in ACKNOWLEDGEMENTS)
        and _OF_CDK.fullmatch(reported := f"{logical_id}: {finding}") is None
    )


def unused_acknowledgements(*templates: Mapping[str, Any]) -> list[str]:
    """Acknowledgements that cover no finding of any of these templates any more."""
    found = [
        (template["Resources"][logical_id], finding)
        for template in templates
        for logical_id, finding in nag_findings(template)
    ]
    return [
        f"{entry.trusts}: {entry.finding}"
        for entry in ACKNOWLEDGEMENTS
        if not any(_covers(entry, resource, finding) for resource, finding in found)
    ]


def _covers(entry: Acknowledgement, resource: Mapping[str, Any], finding: str) -> bool:
    if resource["Type"] != "AWS::IAM::Role" or re.fullmatch(entry.finding, finding) is None:
        return False
    trust = resource["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    return any(statement["Principal"] == {"Service": entry.trusts} for statement in trust)


def nag_findings(template: Mapping[str, Any]) -> set[tuple[str, str]]:
    """All findings, as (logical id, finding id)."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "template.json")
        source.write_text(json.dumps(template))
        app = App(outdir=str(Path(folder, "assembly")), analytics_reporting=False)
        # the template brings the bootstrap version's parameter and rule along
        synthesizer = DefaultStackSynthesizer(generate_bootstrap_version_rule=False)
        stack = Stack(app, "Nag", synthesizer=synthesizer)
        CfnInclude(stack, "Template", template_file=str(source))
        Validations.of(app).add_plugins(AwsSolutionsChecks(app))
        try:
            app.synth()
        except RuntimeError as error:
            # findings fail the synthesis; the report says which
            if "Validation failed" not in str(error) and "ValidationFailed" not in str(error):
                raise
        report = json.loads(Path(folder, "assembly", "validation-report.json").read_text())
    return {
        (construct["constructPath"].rpartition("/")[2], violation["ruleName"])
        for plugin in report["pluginReports"]
        if plugin["pluginName"] == "AwsSolutions"
        for violation in plugin["violations"]
        for construct in violation["violatingConstructs"]
    }
