"""Clusters of EKS, PCS and HyperPod."""

from __future__ import annotations

from .example import NETWORK, ROLE, Client, Example, att, ref, resource, trusted

SUBNETS = [ref("Subnet"), ref("Second")]
EKS = {
    **NETWORK,
    **ROLE,
    "Cluster": resource(
        "AWS::EKS::Cluster",
        RoleArn=att("Role", "Arn"),
        ResourcesVpcConfig={"SubnetIds": SUBNETS},
        AccessConfig={"AuthenticationMode": "API"},
        Version="1.34",
    ),
}
PCS_NODES = {
    "NodeRole": resource("AWS::IAM::Role", Path="/aws-pcs/", AssumeRolePolicyDocument=trusted("ec2")),
    "Profile": resource("AWS::IAM::InstanceProfile", Roles=[ref("NodeRole")]),
    "Template": resource("AWS::EC2::LaunchTemplate", LaunchTemplateData={"InstanceType": "p5.48xlarge"}),
}
PCS_CLUSTER = {
    "Size": "SMALL",
    "Scheduler": {"Type": "SLURM", "Version": "25.05"},
    "Networking": {"SubnetIds": [ref("Subnet")], "SecurityGroupIds": [ref("Group")]},
}
PCS_GROUP = {
    "ClusterId": att("Cluster", "Id"),
    "SubnetIds": [ref("Subnet")],
    "IamInstanceProfileArn": att("Profile", "Arn"),
    "InstanceConfigs": [{"InstanceType": "p5.48xlarge"}],
    "CustomLaunchTemplate": {
        "TemplateId": ref("Template"),
        "Version": att("Template", "LatestVersionNumber"),
    },
    "ScalingConfiguration": {"MinInstanceCount": 2, "MaxInstanceCount": 2},
}
PCS = {**NETWORK, **PCS_NODES, "Cluster": resource("AWS::PCS::Cluster", **PCS_CLUSTER)}
NODES = {
    "InstanceGroupName": "train",
    "InstanceType": "ml.g6.4xlarge",  # no EFA: the rules of its group are another matter
    "InstanceCount": 2,
    "ExecutionRole": att("Nodes", "Arn"),
}
HYPERPOD = {
    **EKS,
    "Nodes": resource("AWS::IAM::Role", AssumeRolePolicyDocument=trusted("sagemaker")),
    "HyperPod": resource(
        "AWS::SageMaker::Cluster",
        Orchestrator={"Eks": {"ClusterArn": att("Cluster", "Arn")}},
        VpcConfig={"Subnets": [ref("Subnet")], "SecurityGroupIds": [ref("Group")]},
        InstanceGroups=[NODES],
    ),
}


def _group(count: int) -> dict[str, object]:
    return {"InstanceGroups": [{**NODES, "InstanceCount": count}]}


def _quota(count: int) -> dict[str, object]:
    resources = [{"InstanceType": "ml.p5.48xlarge", "Count": count}]
    return {"ComputeQuotaConfig": {"ComputeQuotaResources": resources}}


def _nodegroup(client: Client, physical_id: str) -> int:
    cluster, name = physical_id.split("/")
    reported = client("eks").describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"]
    size: int = reported["scalingConfig"]["desiredSize"]
    return size


def _addon(client: Client, physical_id: str) -> str:
    cluster, name = physical_id.split("|")
    reported = client("eks").describe_addon(clusterName=cluster, addonName=name)["addon"]
    version: str = reported["addonVersion"]
    return version


def _policies(client: Client, physical_id: str) -> list[str]:
    principal, cluster = physical_id.split("|")
    reported = client("eks").list_associated_access_policies(clusterName=cluster, principalArn=principal)
    return [policy["policyArn"].split("/")[-1] for policy in reported["associatedAccessPolicies"]]


def _pod_role(client: Client, arn: str) -> str:
    cluster, association = arn.split("/")[-2:]
    reported = client("eks").describe_pod_identity_association(clusterName=cluster, associationId=association)
    role: str = reported["association"]["roleArn"]
    return role.split("/")[-1]


def _pcs_group(client: Client, arn: str) -> int:
    _, cluster, _, group = arn.split("/")
    reported = client("pcs").get_compute_node_group(
        clusterIdentifier=cluster, computeNodeGroupIdentifier=group
    )
    size: int = reported["computeNodeGroup"]["scalingConfiguration"]["maxInstanceCount"]
    return size


def _pcs_queue(client: Client, arn: str) -> int:
    _, cluster, _, queue = arn.split("/")
    reported = client("pcs").get_queue(clusterIdentifier=cluster, queueIdentifier=queue)
    return len(reported["queue"]["computeNodeGroupConfigurations"])


EXAMPLES = (
    Example(
        type="AWS::EKS::Cluster",
        properties=EKS["Cluster"]["Properties"],
        stands_on={**NETWORK, **ROLE},
        change={"Version": "1.35"},
        seen=lambda client, name: client("eks").describe_cluster(name=name)["cluster"]["version"],
        expected="1.35",
        not_reported=frozenset({"CertificateAuthority"}),
    ),
    Example(
        type="AWS::EKS::Nodegroup",
        properties={
            "ClusterName": ref("Cluster"),
            "NodeRole": att("Role", "Arn"),
            "Subnets": [ref("Subnet")],
            "ScalingConfig": {"MinSize": 1, "DesiredSize": 2, "MaxSize": 4},
        },
        stands_on=EKS,
        change={
            "ScalingConfig": {"MinSize": 1, "DesiredSize": 4, "MaxSize": 4},
            "Labels": {"role": "train"},
            "Taints": [{"Key": "nvidia.com/gpu", "Effect": "NO_SCHEDULE"}],
        },
        seen=_nodegroup,
        expected=4,
    ),
    Example(
        type="AWS::EKS::Addon",
        properties={"ClusterName": ref("Cluster"), "AddonName": "vpc-cni", "AddonVersion": "v1.20.1"},
        stands_on=EKS,
        change={"AddonVersion": "v1.20.2"},
        seen=_addon,
        expected="v1.20.2",
    ),
    Example(
        type="AWS::EKS::AccessEntry",
        properties={"ClusterName": ref("Cluster"), "PrincipalArn": att("Role", "Arn")},
        stands_on=EKS,
        change={
            "AccessPolicies": [
                {
                    "PolicyArn": "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy",
                    "AccessScope": {"Type": "cluster"},
                }
            ]
        },
        seen=_policies,
        expected=["AmazonEKSViewPolicy"],
    ),
    Example(
        type="AWS::EKS::PodIdentityAssociation",
        properties={
            "ClusterName": ref("Cluster"),
            "Namespace": "kube-system",
            "ServiceAccount": "fsx-csi-controller-sa",
            "RoleArn": att("Role", "Arn"),
        },
        stands_on={
            **EKS,
            "PodRole": resource(
                "AWS::IAM::Role", RoleName="pods", AssumeRolePolicyDocument=trusted("pods.eks")
            ),
        },
        change={"RoleArn": att("PodRole", "Arn")},
        seen=_pod_role,
        expected="pods",
    ),
    Example(
        type="AWS::PCS::Cluster",
        properties=PCS_CLUSTER,
        stands_on=NETWORK,
        change={"SlurmConfiguration": {"Accounting": {"Mode": "STANDARD"}}},
        seen=lambda client, arn: [
            endpoint["type"]
            for endpoint in client("pcs").get_cluster(clusterIdentifier=arn.split("/")[-1])["cluster"][
                "endpoints"
            ]
        ],
        expected=["SLURMCTLD", "SLURMDBD"],
    ),
    Example(
        type="AWS::PCS::ComputeNodeGroup",
        properties=PCS_GROUP,
        stands_on=PCS,
        change={"ScalingConfiguration": {"MinInstanceCount": 4, "MaxInstanceCount": 4}},
        seen=_pcs_group,
        expected=4,
    ),
    Example(
        type="AWS::PCS::Queue",
        properties={"ClusterId": att("Cluster", "Id")},
        stands_on={**PCS, "Nodes": resource("AWS::PCS::ComputeNodeGroup", **PCS_GROUP)},
        change={"ComputeNodeGroupConfigurations": [{"ComputeNodeGroupId": att("Nodes", "Id")}]},
        seen=_pcs_queue,
        expected=1,
    ),
    Example(
        type="AWS::SageMaker::Cluster",
        properties=HYPERPOD["HyperPod"]["Properties"],
        stands_on={name: part for name, part in HYPERPOD.items() if name != "HyperPod"},
        change=_group(4),
        seen=lambda client, arn: len(
            client("sagemaker").list_cluster_nodes(ClusterName=arn)["ClusterNodeSummaries"]
        ),
        expected=4,
    ),
    Example(
        type="AWS::SageMaker::ClusterSchedulerConfig",
        properties={
            "Name": "policy",
            "ClusterArn": ref("HyperPod"),
            "SchedulerConfig": {"FairShare": "Disabled"},
        },
        stands_on=HYPERPOD,
        change={"SchedulerConfig": {"FairShare": "Enabled"}},
        seen=lambda client, arn: client("sagemaker").describe_cluster_scheduler_config(
            ClusterSchedulerConfigId=arn.split("/")[-1]
        )["SchedulerConfig"]["FairShare"],
        expected="Enabled",
    ),
    Example(
        type="AWS::SageMaker::ComputeQuota",
        properties={
            "Name": "research",
            "ClusterArn": ref("HyperPod"),
            "ComputeQuotaTarget": {"TeamName": "research"},
            **_quota(1),
        },
        stands_on=HYPERPOD,
        change=_quota(2),
        seen=lambda client, arn: client("sagemaker").describe_compute_quota(
            ComputeQuotaId=arn.split("/")[-1]
        )["ComputeQuotaConfig"]["ComputeQuotaResources"][0]["Count"],
        expected=2,
    ),
)
