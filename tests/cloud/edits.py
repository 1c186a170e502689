"""One-property edits of a template: for every property that it has, another value, legal by itself."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scripts.cloud.template.provider_schemas import schema_of
from scripts.cloud.template.schema import is_create_only

Path = tuple[str, ...]

# what references can be turned to: a second one of each kind of thing that our templates refer to
SPARES: Mapping[str, dict[str, Any]] = {
    "SpareVpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
    "SpareSubnet": {
        "Type": "AWS::EC2::Subnet",
        "Properties": {
            "VpcId": {"Ref": "SpareVpc"},
            "CidrBlock": "10.0.0.0/20",
            "AvailabilityZoneId": "usw2-az2",
        },
    },
    "SpareRouteTable": {"Type": "AWS::EC2::RouteTable", "Properties": {"VpcId": {"Ref": "SpareVpc"}}},
    "SpareInternetGateway": {"Type": "AWS::EC2::InternetGateway", "Properties": {}},
    "SpareAddress": {"Type": "AWS::EC2::EIP", "Properties": {"Domain": "vpc"}},
    "SpareSecurityGroup": {
        "Type": "AWS::EC2::SecurityGroup",
        "Properties": {"GroupDescription": "spare", "VpcId": {"Ref": "SpareVpc"}},
    },
    "SpareLogGroup": {
        "Type": "AWS::Logs::LogGroup",
        "Properties": {"LogGroupName": "/aws/fsx/spare", "RetentionInDays": 30},
    },
    "SpareKey": {"Type": "AWS::KMS::Key", "Properties": {"Description": "spare", "KeyPolicy": {}}},
    "SpareBucket": {"Type": "AWS::S3::Bucket", "Properties": {}},
    "SpareNatGateway": {
        "Type": "AWS::EC2::NatGateway",
        "Properties": {
            "SubnetId": {"Ref": "SpareSubnet"},
            "AllocationId": {"Fn::GetAtt": ["SpareNatAddress", "AllocationId"]},
        },
    },
    "SpareNatAddress": {"Type": "AWS::EC2::EIP", "Properties": {"Domain": "vpc"}},
    "SpareFileSystem": {
        "Type": "AWS::FSx::FileSystem",
        "Properties": {
            "FileSystemType": "LUSTRE",
            "StorageCapacity": 2400,
            "SubnetIds": [{"Ref": "SpareSubnet"}],
            "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250},
        },
    },
    "SpareMetrics": {"Type": "AWS::APS::Workspace", "Properties": {}},
    "SpareRole": {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": {
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Action": "sts:AssumeRole",
                        "Principal": {
                            "Service": [
                                "grafana.amazonaws.com",
                                "sagemaker.amazonaws.com",
                                "vpc-flow-logs.amazonaws.com",
                            ]
                        },
                    }
                ],
            }
        },
    },
    "SpareInstanceProfile": {
        "Type": "AWS::IAM::InstanceProfile",
        "Properties": {"Path": "/aws-pcs/", "Roles": [{"Ref": "SpareNodeRole"}]},
    },
    "SpareNodeRole": {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "Path": "/aws-pcs/",
            "AssumeRolePolicyDocument": {
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Action": "sts:AssumeRole",
                        "Principal": {"Service": "ec2.amazonaws.com"},
                    }
                ],
            },
        },
    },
}

# other values where the schema alone does not say what is legal; the key is (type, end of the path)
OTHER: Mapping[tuple[str, str], Any] = {
    ("AWS::EC2::Route", "DestinationCidrBlock"): "10.99.0.0/16",
    ("AWS::EC2::SecurityGroup", "CidrIp"): "10.0.0.0/8",
    ("AWS::EC2::SecurityGroup", "IpProtocol"): "50",
    ("AWS::EC2::SecurityGroupEgress", "IpProtocol"): "50",
    ("AWS::EC2::SecurityGroupIngress", "IpProtocol"): "50",
    ("AWS::EC2::Subnet", "AvailabilityZoneId"): "usw2-az1",
    ("AWS::EC2::Subnet", "CidrBlock"): "10.0.252.0/24",
    ("AWS::EC2::VPC", "CidrBlock"): "10.8.0.0/16",
    ("AWS::EC2::VPCEndpoint", "ServiceName"): {"Fn::Sub": "com.amazonaws.${AWS::Region}.dynamodb"},
    ("AWS::FSx::DataRepositoryAssociation", "FileSystemPath"): "/elsewhere",
    ("AWS::EKS::Cluster", "Version"): "1.36",
    ("AWS::FSx::FileSystem", "FileSystemTypeVersion"): "2.12",
    ("AWS::FSx::FileSystem", "StorageCapacity"): 76800,
    ("AWS::FSx::FileSystem", "PerUnitStorageThroughput"): 1000,
    ("AWS::FSx::FileSystem", "WeeklyMaintenanceStartTime"): "6:03:00",
    ("AWS::FSx::FileSystem", "DeploymentType"): "PERSISTENT_1",
    ("Custom::LustreRootSquash", "NoSquashNids"): "10.0.1.7@tcp",
    ("Custom::LustreRootSquash", "RootSquash"): "1000:1000",
    ("AWS::Grafana::Workspace", "GrafanaVersion"): "12.4",
    ("AWS::IAM::Role", "ManagedPolicyArns"): "arn:aws:iam::aws:policy/ReadOnlyAccess",
    ("AWS::Logs::LogGroup", "RetentionInDays"): 60,
    ("AWS::PCS::Cluster", "Version"): "26.05",
    ("AWS::PCS::ComputeNodeGroup", "AmiId"): "ami-0123456789abcdef0",
    ("AWS::SageMaker::Cluster", "InstanceType"): "ml.m5.8xlarge",
    ("AWS::SageMaker::Cluster", "ThreadsPerCore"): 2,
}

# what is left as it is, and why no other value is legal by itself
KEPT: Mapping[tuple[str, str], str] = {
    ("AWS::APS::Scraper", "ClusterArn"): "the stack has one cluster of EKS",
    ("AWS::APS::Scraper", "ConfigurationBlob"): "a text in base64",
    ("AWS::APS::Workspace", "AlertManagerDefinition"): "a file in a text, which names the stack's topic",
    ("AWS::CloudWatch::Alarm", "AlarmActions"): "the stack has one topic",
    ("AWS::CloudWatch::Alarm", "OKActions"): "the stack has one topic",
    ("AWS::EC2::FlowLog", "LogDestinationType"): "goes with the other properties of the destination",
    ("AWS::EC2::FlowLog", "ResourceType"): "goes with ResourceId",
    ("AWS::EC2::LaunchTemplate", "UserData"): "a text in base64",
    ("AWS::EC2::VPCEndpoint", "VpcEndpointType"): "goes with RouteTableIds or SubnetIds",
    ("AWS::EKS::AccessEntry", "ClusterName"): "the stack has one cluster",
    ("AWS::EKS::Addon", "ClusterName"): "the stack has one cluster",
    ("AWS::EKS::Nodegroup", "ClusterName"): "the stack has one cluster",
    ("AWS::EKS::Nodegroup", "Id"): "goes with Version, which is of one template",
    ("AWS::EKS::Nodegroup", "Version"): "goes with Id, or with the cluster's version",
    ("AWS::EKS::PodIdentityAssociation", "ClusterName"): "the stack has one cluster",
    ("AWS::FSx::FileSystem", "OpenZFSConfiguration"): "goes with FileSystemType",
    ("AWS::FSx::FileSystem", "FileSystemType"): "goes with the configuration of its kind",
    ("AWS::KMS::Key", "Effect"): "a key must stay manageable",
    ("AWS::PCS::ComputeNodeGroup", "ClusterId"): "another cluster has queues of its own",
    ("AWS::PCS::ComputeNodeGroup", "TemplateId"): "goes with Version, which is of one template",
    ("AWS::PCS::ComputeNodeGroup", "Version"): "goes with TemplateId",
    ("AWS::PCS::Queue", "ClusterId"): "goes with the groups, which are of one cluster",
    ("AWS::PCS::Queue", "ComputeNodeGroupId"): "the other group of the cluster is for logging in",
    ("AWS::Lambda::Function", "Layers"): "the stack has one layer with kubectl",
    ("AWS::Lambda::Function", "SecurityGroupIds"): "the cluster's own group reaches it",
    ("AWS::Lambda::Function", "USER_ON_EVENT_FUNCTION_ARN"): "the stack has one such function",
    ("AWS::Lambda::Function", "S3Bucket"): "the code lies in the one bucket of assets",
    ("AWS::Lambda::LayerVersion", "S3Bucket"): "the content lies in the one bucket of assets",
    ("AWS::SageMaker::Cluster", "ClusterArn"): "the stack has one cluster of EKS",
    ("AWS::SNS::TopicPolicy", "Resource"): "the stack has one topic",
    ("AWS::SNS::TopicPolicy", "Topics"): "the stack has one topic",
    ("Custom::AWSCDK-EKS-HelmChart", "Chart"): "goes with Repository and Version, which have it",
    ("Custom::AWSCDK-EKS-HelmChart", "ChartAssetURL"): "the archive is where Custom::GitChart put it",
    ("Custom::AWSCDK-EKS-HelmChart", "ClusterName"): "the stack has one cluster",
    ("Custom::AWSCDK-EKS-HelmChart", "Repository"): "goes with Chart and Version, which are there",
    ("Custom::AWSCDK-EKS-HelmChart", "ServiceToken"): "another function is another kind of thing",
    ("Custom::AWSCDK-EKS-HelmChart", "Timeout"): "a text that Helm reads as seconds",
    ("Custom::AWSCDK-EKS-HelmChart", "Values"): "JSON in a text",
    ("Custom::AWSCDK-EKS-HelmChart", "Version"): "goes with Repository and Chart",
    ("Custom::AWSCDK-EKS-KubernetesResource", "ClusterName"): "the stack has one cluster",
    ("Custom::AWSCDK-EKS-KubernetesResource", "Manifest"): "JSON in a text",
    ("Custom::AWSCDK-EKS-KubernetesResource", "ServiceToken"): "another function is another kind of thing",
    ("Custom::GitChart", "Commit"): "goes with Repository and Path",
    ("Custom::GitChart", "Path"): "goes with Repository and Commit",
    ("Custom::GitChart", "ServiceToken"): "another function is another kind of thing",
    ("Custom::GitChart", "Repository"): "goes with Commit and Path",
    ("Custom::GrafanaContent", "Region"): "goes with WorkspaceId, which is in it",
    ("Custom::GrafanaContent", "ServiceToken"): "another function is another kind of thing",
    ("Custom::GrafanaContent", "WorkspaceId"): "the stack has one workspace of Grafana",
    ("Custom::LustreImportTask", "FileSystemId"): "goes with Paths, which are links of that file system",
}

# custom resources have no schema to say it; IAM wants someone whose policy it is
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "AWS::IAM::Policy": ("Roles",),
    "Custom::AWSCDK-EKS-HelmChart": ("ClusterName", "Release", "Version"),
    "Custom::AWSCDK-EKS-KubernetesResource": ("ClusterName",),
    "Custom::GitChart": ("Bucket",),
    "Custom::GrafanaContent": ("WorkspaceId", "Region", "PrometheusUrl", "ContentHash"),
    "Custom::LustreImportTask": ("FileSystemId", "Paths"),
    "Custom::LustreRootSquash": ("FileSystemId", "RootSquash"),
}


@dataclass(frozen=True)
class Edit:
    """One resource, one property path in it (positions in lists as numbers), and what is written there."""

    logical_id: str
    type: str
    path: Path
    value: Any
    remove: bool = False

    @property
    def name(self) -> str:
        """Type and path without positions: one edit of each is enough."""
        place = "/".join("*" if part.isdigit() else part for part in self.path)
        return f"{self.type.removeprefix('AWS::')}/{place}{' removed' if self.remove else ''}"

    def applied(self, template: Mapping[str, Any]) -> dict[str, Any]:
        """A copy of the template with the edit."""
        changed: dict[str, Any] = copy.deepcopy(dict(template))
        place: Any = changed["Resources"][self.logical_id]["Properties"]
        for part in self.path[:-1]:
            place = place[int(part)] if isinstance(place, list) else place[part]
        last: Any = int(self.path[-1]) if isinstance(place, list) else self.path[-1]
        if self.remove:
            del place[last]
        else:
            place[last] = self.value
        return changed


def with_spares(template: Mapping[str, Any]) -> dict[str, Any]:
    """The template with a second thing of each kind, so that references have somewhere else to go."""
    spares = copy.deepcopy(dict(SPARES))
    # in the zone of the template's own subnets, whatever Region they are in
    own = (d["Properties"] for d in template["Resources"].values() if d["Type"] == "AWS::EC2::Subnet")
    zone = next((subnet["AvailabilityZoneId"] for subnet in own if "AvailabilityZoneId" in subnet), None)
    if zone is None:
        del spares["SpareSubnet"]["Properties"]["AvailabilityZoneId"]
    else:
        spares["SpareSubnet"]["Properties"]["AvailabilityZoneId"] = zone
    return {**template, "Resources": {**template["Resources"], **spares}}


def edits(template: Mapping[str, Any], region: str) -> Iterator[Edit]:
    """An edit of every property of every resource that is not a spare, and its removal where it may go."""
    for logical_id, declared in template["Resources"].items():
        if logical_id in SPARES or declared["Type"] == "AWS::CDK::Metadata":
            continue
        kind, properties = declared["Type"], declared.get("Properties") or {}
        required = (*schema_of(region, kind).get("required", []), *REQUIRED.get(kind, ()))
        for path, value in leaves(properties):
            other = _other(kind, path, value, template, region)
            if other is not None and (kind, _last(path)) not in KEPT:
                yield Edit(logical_id, kind, path, other)
        for name in properties:
            fixed = name in required or is_create_only(region, kind, (name,))
            if not fixed and (kind, name) not in KEPT:
                yield Edit(logical_id, kind, (name,), None, remove=True)


def removals(template: Mapping[str, Any]) -> Iterator[Edit]:
    """The removal of each setting of the configuration of a file system: it is one property in the schema."""
    for logical_id, declared in template["Resources"].items():
        if logical_id in SPARES or declared["Type"] != "AWS::FSx::FileSystem":
            continue
        for name, settings in declared["Properties"].items():
            if name.endswith("Configuration"):
                for setting in settings:
                    yield Edit(logical_id, declared["Type"], (name, setting), None, remove=True)


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every scalar and every function of some properties, with its path."""
    if isinstance(value, dict) and not _is_function(value):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from leaves(item, (*path, str(number)))
    else:
        yield path, value


def _last(path: Path) -> str:
    return next(part for part in reversed(path) if not part.isdigit())


def _is_function(value: Mapping[str, Any]) -> bool:
    return len(value) == 1 and next(iter(value)).startswith(("Ref", "Fn::"))


def _other(kind: str, path: Path, value: Any, template: Mapping[str, Any], region: str) -> Any:
    last = _last(path)
    if OTHER.get((kind, last), value) != value:
        return OTHER[(kind, last)]
    if isinstance(value, dict):
        return _other_reference(value, template)
    if isinstance(value, bool):
        return not value
    choices = _enum(schema_of(region, kind), path)
    if choices:
        return next((choice for choice in choices if choice != value), None)
    if isinstance(value, int):
        return value + 1
    return _other_text(last, str(value))


def _other_text(last: str, text: str) -> str | None:
    if last == "Version":  # of a policy document: the older one has other rules
        return None
    if last == "Effect":
        return "Deny" if text == "Allow" else "Allow"
    if last in ("Action", "NotAction"):
        service = text.partition(":")[0]
        return "sts:AssumeRoleWithWebIdentity" if service == "sts" else f"{service}:Get*"
    if text in ("true", "false"):
        return "true" if text == "false" else "false"
    if last == "Service":
        return "ec2.amazonaws.com"
    if last == "Sid":
        return text + "Other"
    return text.rstrip("/") + "-other" if text != "*" else None


def _other_reference(value: Mapping[str, Any], template: Mapping[str, Any]) -> Any:
    (function, argument), resources = next(iter(value.items())), template["Resources"]
    if function == "Ref" and argument in resources:
        spare = _spare(resources[argument]["Type"])
        return {"Ref": spare} if spare else None
    if function == "Fn::GetAtt":
        spare = _spare(resources[argument[0]]["Type"])
        return {"Fn::GetAtt": [spare, argument[1]]} if spare else None
    if function in ("Fn::Join", "Fn::Sub"):
        return _other_text_of(json.loads(json.dumps(value)))
    return None


def _other_text_of(value: dict[str, Any]) -> dict[str, Any] | None:
    """A function that builds a text: the text that it builds ends otherwise."""
    if "Fn::Join" in value:
        value["Fn::Join"][1].append("-other")
        return value
    argument = value["Fn::Sub"]
    if isinstance(argument, list):
        argument[0] += "-other"
        return value
    return {"Fn::Sub": argument + "-other"}


def _spare(kind: str) -> str | None:
    return next((name for name, spare in SPARES.items() if spare["Type"] == kind), None)


def _enum(schema: Mapping[str, Any], path: Path) -> list[Any]:
    node: Any = schema
    for part in path:
        node = _resolved(node, schema)
        node = node.get("items") if part.isdigit() else node.get("properties", {}).get(part)
        if node is None:
            return []
    return list(_resolved(node, schema).get("enum", []))


def _resolved(node: Any, schema: Mapping[str, Any]) -> Any:
    while "$ref" in node:
        target: Any = schema
        for part in node["$ref"].lstrip("#/").split("/"):
            target = target[part]
        node = target
    return node
