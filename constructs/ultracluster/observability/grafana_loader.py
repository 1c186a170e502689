"""Lambda function that loads data sources and dashboards into Grafana, which CloudFormation cannot do."""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aws_cdk import FileAssetPackaging, Stack, Stage
from constructs import Construct

from ultracluster.cfn import (
    Tagged,
    add_log_group,
    add_resource,
    add_security_group,
    add_service_role,
    attribute,
    https_rule,
    tag_list,
)
from ultracluster.observability.grafana_permissions import (
    in_a_vpc,
    loads_into,
    makes_workspaces,
    reads_secrets,
    writes_log,
)

_PACKAGE = Path(__file__).with_name("grafana_function")
_RUNTIME = "python3.14"
#: Maximum of Lambda; the function reserves some seconds to clean up and to respond.
_TIMEOUT_S = 900
#: Time after which CloudFormation stops to wait for a response; the default is one hour.
SERVICE_TIMEOUT_S = 960


@dataclass(frozen=True, slots=True, kw_only=True)
class LoaderNetwork:
    """VPC in which the function runs if Grafana is not reachable from the internet.

    The function must reach Grafana, the APIs of Amazon Managed Grafana and Secrets Manager, and S3, which
    receives the response to CloudFormation. The subnets therefore need endpoints or a NAT gateway.
    """

    vpc_id: str
    subnet_ids: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrafanaLoaderProps(Tagged):
    """Properties of the loader function.

    Attributes:
        name: Part of the log group's name (`/ultracluster/<name>/grafana-loader`).
        content: Content to load, which is part of the function's code.
        workspace_region: Region of the workspace. None for an existing Grafana outside of Amazon Managed
            Grafana.
        workspace_id: Id of the workspace. None if only a Region is set; the function then creates the
            workspace.
        workspace_role_arn: ARN of the role for a workspace that the function creates.
        identity_center: Whether that workspace uses IAM Identity Center.
        secret_arns: ARNs of secrets that the function reads: a token for Grafana, a password for Prometheus.
        network: VPC in which the function runs. None: it runs outside of a VPC, with internet access.
        log_retention_days: Retention of the function's log in days.
        log_key_arn: ARN of the KMS key of the log group. None: the key that CloudWatch owns.
    """

    name: str
    content: Mapping[str, Any]
    log_retention_days: int
    workspace_region: str | None = None
    workspace_id: str | None = None
    workspace_role_arn: str | None = None
    identity_center: bool = False
    secret_arns: Sequence[str] = ()
    network: LoaderNetwork | None = None
    log_key_arn: str | None = None


class GrafanaLoader(Construct):
    """A Lambda function that loads dashboards into Grafana. Its code contains the dashboards.

    The function's code is a file asset that the CDK CLI publishes. The function reads no S3 bucket when it
    runs. Function, role and log group are deleted with the stack.

    Attributes:
        function_arn: ARN of the function, for `GrafanaContent` and `RegionalGrafanaWorkspace`.
        content_hash: Hash of code and content; a change loads the content again.
    """

    def __init__(self, scope: Construct, construct_id: str, props: GrafanaLoaderProps) -> None:
        """Create the function, its role and its log group."""
        super().__init__(scope, construct_id)
        log_group = add_log_group(
            self,
            "LogGroup",
            name=f"/ultracluster/{props.name}/grafana-loader",
            retention_days=props.log_retention_days,
            key_arn=props.log_key_arn,
            tags=props.tags,
        )
        role = add_service_role(
            self,
            "Role",
            service="lambda.amazonaws.com",
            description=f"Loads dashboards into the Grafana of {props.name}",
            statements=_statements(props, attribute(log_group, "Arn")),
            tags=props.tags,
            source_account_condition=False,
        )
        self.content_hash, code = _publish(self, props.content)
        function = add_resource(
            self,
            "Function",
            "AWS::Lambda::Function",
            {
                "Description": f"Loads dashboards into the Grafana of {props.name}",
                "Runtime": _RUNTIME,
                "Handler": "grafana_function.handler.handler",
                "Code": code,
                "Timeout": _TIMEOUT_S,
                "MemorySize": 256,
                "Role": attribute(role, "Arn"),
                # not Lambda's default log group, which never expires and is retained
                "LoggingConfig": {"LogGroup": log_group.ref},
                "VpcConfig": self._network(props),
                "Tags": tag_list(props.tags),
            },
        )
        self.function_arn = attribute(function, "Arn")

    def _network(self, props: GrafanaLoaderProps) -> dict[str, Any] | None:
        if props.network is None:
            return None
        group_id = add_security_group(
            self,
            "SecurityGroup",
            vpc_id=props.network.vpc_id,
            description=f"Loads dashboards into the Grafana of {props.name}",
            rules={"SecurityGroupEgress": [https_rule("0.0.0.0/0", "Grafana and the APIs of AWS")]},
            tags=tag_list(props.tags, f"{props.name}-grafana-loader"),
        )
        return {"SecurityGroupIds": [group_id], "SubnetIds": sorted(props.network.subnet_ids)}


def _publish(scope: Construct, content: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """Write code and content into the cloud assembly; return their hash and their location in S3."""
    files = {path.name: path.read_bytes() for path in sorted(_PACKAGE.glob("*.py"))}
    files["content.json"] = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    version = hashlib.sha256(b"\0".join(part for item in files.items() for part in _bytes(item))).hexdigest()
    stack, stage = Stack.of(scope), Stage.of(scope)
    if stage is None:
        raise ValueError(f"{scope.node.path!r} is not part of an app: create its stack in an app")
    folder = Path(stage.asset_outdir, f"grafana-loader-{version[:32]}")
    package = folder / _PACKAGE.name
    package.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (package / name).write_bytes(data)
    location = stack.synthesizer.add_file_asset(
        source_hash=version,
        file_name=os.path.relpath(folder, stage.outdir),
        packaging=FileAssetPackaging.ZIP_DIRECTORY,
    )
    return version[:32], {"S3Bucket": location.bucket_name, "S3Key": location.object_key}


def _bytes(item: tuple[str, bytes]) -> tuple[bytes, bytes]:
    return item[0].encode(), item[1]


def _statements(props: GrafanaLoaderProps, log_group_arn: str) -> list[dict[str, Any]]:
    found = [writes_log(log_group_arn)]
    if props.workspace_region and props.workspace_id:
        found.append(loads_into(props.workspace_region, props.workspace_id))
    elif props.workspace_region and props.workspace_role_arn:
        found += makes_workspaces(
            props.workspace_region, props.workspace_role_arn, identity_center=props.identity_center
        )
    if props.secret_arns:
        found += reads_secrets(props.secret_arns)
    if props.network:
        found.append(in_a_vpc())
    return found
