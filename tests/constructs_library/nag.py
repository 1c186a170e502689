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
        trusts="grafana.amazonaws.com",
        finding=r"AwsSolutions-IAM5\[Resource::\*\]",
        reason="CloudWatch does not scope reading to resources, nor Prometheus its list of workspaces",
    ),
)


def unacknowledged_findings(template: Mapping[str, Any]) -> list[str]:
    """Findings that no acknowledgement covers, as `logical id: finding id`."""
    return sorted(
        f"{logical_id}: {finding}"
        for logical_id, finding in nag_findings(template)
        if not any(_covers(entry, template["Resources"][logical_id], finding) for entry in ACKNOWLEDGEMENTS)
    )


def unused_acknowledgements(template: Mapping[str, Any]) -> list[str]:
    """Acknowledgements that cover no finding any more."""
    findings = nag_findings(template)
    return [
        f"{entry.trusts}: {entry.finding}"
        for entry in ACKNOWLEDGEMENTS
        if not any(_covers(entry, template["Resources"][logical_id], found) for logical_id, found in findings)
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
