"""The databases of Slurm's accounting."""

from __future__ import annotations

from .example import NETWORK, Example, ref, resource

SUBNETS = [ref("Subnet"), ref("Second")]
DATABASE = {
    **NETWORK,
    "Subnets": resource("AWS::RDS::DBSubnetGroup", DBSubnetGroupDescription="slurm", SubnetIds=SUBNETS),
}
AURORA = {
    "Engine": "aurora-mysql",
    "MasterUsername": "slurm",
    "ManageMasterUserPassword": True,
    "DBSubnetGroupName": ref("Subnets"),
    "VpcSecurityGroupIds": [ref("Group")],
    "ServerlessV2ScalingConfiguration": {"MinCapacity": 0.5, "MaxCapacity": 4},
}

EXAMPLES = (
    Example(
        type="AWS::RDS::DBCluster",
        properties=AURORA,
        stands_on=DATABASE,
        change={"ServerlessV2ScalingConfiguration": {"MinCapacity": 0.5, "MaxCapacity": 8}},
        seen=lambda client, name: client("rds").describe_db_clusters(DBClusterIdentifier=name)["DBClusters"][
            0
        ]["ServerlessV2ScalingConfiguration"]["MaxCapacity"],
        expected=8,
        not_reported=frozenset({"StorageEncryptionType", "StorageThroughput"}),
    ),
    Example(
        type="AWS::RDS::DBInstance",
        properties={
            "DBClusterIdentifier": ref("Aurora"),
            "DBInstanceClass": "db.serverless",
            "Engine": "aurora-mysql",
        },
        stands_on={**DATABASE, "Aurora": resource("AWS::RDS::DBCluster", **AURORA)},
        change={"DBInstanceClass": "db.r8g.large"},
        seen=lambda client, name: client("rds").describe_db_instances(DBInstanceIdentifier=name)[
            "DBInstances"
        ][0]["DBInstanceClass"],
        expected="db.r8g.large",
        not_reported=frozenset(
            {
                "AdditionalStorageVolumes",
                "AutomaticRestartTime",
                "CertificateDetails",
                "InstanceCreateTime",
                "IsStorageConfigUpgradeAvailable",
                "LatestRestorableTime",
                "ListenerEndpoint",
                "PercentProgress",
                "ReadReplicaDBClusterIdentifiers",
                "ReadReplicaDBInstanceIdentifiers",
                "ResumeFullAutomationModeTime",
                "SecondaryAvailabilityZone",
                "StatusInfos",
                "StorageOperationPercentProgress",
                "StorageOperationStatus",
            }
        ),
    ),
    Example(
        type="AWS::RDS::DBSubnetGroup",
        properties={"DBSubnetGroupDescription": "slurm", "SubnetIds": SUBNETS},
        stands_on=NETWORK,
        change={"DBSubnetGroupDescription": "accounting"},
        seen=lambda client, name: client("rds").describe_db_subnet_groups(DBSubnetGroupName=name)[
            "DBSubnetGroups"
        ][0]["DBSubnetGroupDescription"],
        expected="accounting",
    ),
    Example(
        type="AWS::RDS::DBClusterParameterGroup",
        properties={
            "Family": "aurora-mysql8.0",
            "Description": "slurm",
            "Parameters": {"innodb_lock_wait_timeout": "900"},
        },
        change={"Parameters": {"innodb_lock_wait_timeout": "1800"}},
        seen=lambda client, name: client("rds").describe_db_cluster_parameters(
            DBClusterParameterGroupName=name
        )["Parameters"][0]["ParameterValue"],
        expected="1800",
    ),
)
