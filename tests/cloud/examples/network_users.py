"""One of each kind that stands in a network: the words of its refusal, and its resources."""

from __future__ import annotations

from typing import Any

from . import clusters, databases, observability, operations, storage
from .example import NETWORK, ROLE, att, ref, resource

LAUNCHED = {
    **clusters.PCS_NODES,
    "Placement": resource("AWS::EC2::PlacementGroup", Strategy="cluster"),
    "NodeGroup": resource("AWS::EC2::SecurityGroup", GroupDescription="nodes", VpcId=ref("Vpc")),
    "Template": resource(
        "AWS::EC2::LaunchTemplate",
        LaunchTemplateData={
            "InstanceType": "p5.48xlarge",
            "Placement": {"GroupName": ref("Placement")},
            "NetworkInterfaces": [{"DeviceIndex": 0, "Groups": [att("NodeGroup", "GroupId")]}],
        },
    ),
}
PCS_NODES = {
    **clusters.PCS,
    **LAUNCHED,
    "Nodes": resource("AWS::PCS::ComputeNodeGroup", **clusters.PCS_GROUP),
}
EKS_NODES = {
    **clusters.EKS,
    **LAUNCHED,
    "Nodes": resource(
        "AWS::EKS::Nodegroup",
        ClusterName=ref("Cluster"),
        NodeRole=att("Role", "Arn"),
        Subnets=[ref("Subnet")],
        ScalingConfig={"MinSize": 1, "DesiredSize": 2, "MaxSize": 2},
        LaunchTemplate={"Id": ref("Template"), "Version": att("Template", "LatestVersionNumber")},
    ),
}
USERS: dict[str, dict[str, Any]] = {
    "file system": {**NETWORK, "Lustre": resource("AWS::FSx::FileSystem", **storage.LUSTRE)},
    "HyperPod cluster": clusters.HYPERPOD,
    "EKS cluster": clusters.EKS,
    "PCS cluster": clusters.PCS,
    "database": {
        **databases.DATABASE,
        "Aurora": resource("AWS::RDS::DBCluster", **databases.AURORA),
        "Instance": resource(
            "AWS::RDS::DBInstance",
            DBClusterIdentifier=ref("Aurora"),
            DBInstanceClass="db.serverless",
            Engine="aurora-mysql",
        ),
    },
    "function": {
        **NETWORK,
        **ROLE,
        "Function": resource(
            "AWS::Lambda::Function",
            **operations.FUNCTION_PROPERTIES,
            VpcConfig={"SubnetIds": [ref("Subnet")], "SecurityGroupIds": [ref("Group")]},
        ),
    },
    "endpoint": {
        **NETWORK,
        "Endpoint": resource(
            "AWS::EC2::VPCEndpoint",
            VpcId=ref("Vpc"),
            VpcEndpointType="Interface",
            ServiceName="com.amazonaws.us-east-1.logs",
            SubnetIds=[ref("Subnet")],
            SecurityGroupIds=[ref("Group")],
        ),
    },
    "Grafana workspace": {
        **NETWORK,
        **ROLE,
        "Grafana": resource(
            "AWS::Grafana::Workspace",
            AuthenticationProviders=["SAML"],
            PermissionType="CUSTOMER_MANAGED",
            AccountAccessType="CURRENT_ACCOUNT",
            RoleArn=att("Role", "Arn"),
            VpcConfiguration={
                "SubnetIds": [ref("Subnet"), ref("Second")],
                "SecurityGroupIds": [ref("Group")],
            },
        ),
    },
    "scraper": {
        **clusters.EKS,
        **observability.METRICS,
        "Scraper": resource(
            "AWS::APS::Scraper",
            Source={
                "VpcConfiguration": {
                    "SubnetIds": [ref("Second")],
                    "SecurityGroupIds": [ref("Group")],
                }
            },
            Destination={"AmpConfiguration": {"WorkspaceArn": ref("Metrics")}},
            ScrapeConfiguration={"ConfigurationBlob": "c2NyYXBlX2NvbmZpZ3M6IFtdCg=="},
        ),
    },
    "PCS compute node group": PCS_NODES,
    "EKS node group": EKS_NODES,
}
# clusters that name no security group of ours; nodes have those of their launch template
WITHOUT_GROUP = {"EKS cluster", "PCS compute node group", "EKS node group"}
