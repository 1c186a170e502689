"""Slurm accounting database outside of the controller."""

from collections.abc import Sequence
from dataclasses import dataclass

from aws_cdk import CfnResource, Fn
from constructs import Construct, IDependable

from ultracluster.cfn import NO_EGRESS, Tagged, add_resource, add_security_group, attribute, tag_list
from ultracluster.retention import Retention
from ultracluster.security_rules import add_peer_rules, inline_peer_rules, mysql_traffic

_PORT = 3306
_USER = "slurm"
_ENGINE = "aurora-mysql"
_PASSWORD_LENGTH = 40

#: Setting that Slurm requires for large InnoDB transactions. Source:
#: https://slurm.schedmd.com/accounting.html#mysql-configuration
_PARAMETERS = {"innodb_lock_wait_timeout": "900"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountingDatabaseClusterProps(Tagged):
    """Properties of an Aurora MySQL Serverless cluster and of the access to it.

    Attributes:
        name: The Name tag.
        vpc_id: The VPC.
        subnet_ids: Subnets in at least two Availability Zones, but not in a Local Zone.
        client_security_group_id: Security group of the nodes. Rules for the database are added to it.
        engine_version: Version of Aurora MySQL (`8.0.mysql_aurora.3.10.3`).
        min_acu: Minimum capacity. slurmdbd is always connected, so the database is not paused.
        max_acu: Maximum capacity.
        instances: 1, or 2 for a second instance in another Availability Zone that takes over after a failure.
        backup_retention_days: Days to retain the daily backups, 1 to 35.
        retention: Whether the database, secret, security groups and rules are retained after stack deletion.
        kms_key_arn: KMS key of the database and the secret. None: AWS managed keys.
        client_rules: Rules of the client group that must exist before the database.
    """

    name: str
    vpc_id: str
    subnet_ids: Sequence[str]
    client_security_group_id: str
    engine_version: str
    min_acu: float
    max_acu: float
    instances: int
    backup_retention_days: int
    retention: Retention
    kms_key_arn: str | None = None
    client_rules: Sequence[IDependable] = ()


class AccountingDatabaseCluster(Construct):
    """A database cluster with its secret; the user in the secret may create databases.

    The construct creates the secret, because a secret that RDS manages gets a new password every seven days,
    and slurmdbd would continue with the old one. Source:
    https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/rds-secrets-manager.html

    Attributes:
        endpoint: Host name of the writer instance.
        port: Port of the database.
        secret_arn: Secret with `username` and `password`.
        ready: Resources that must exist before a node can reach the database.
    """

    def __init__(self, scope: Construct, construct_id: str, props: AccountingDatabaseClusterProps) -> None:
        """Create the database; raises ValueError if the props contradict each other."""
        super().__init__(scope, construct_id)
        _check(props)
        traffic = mysql_traffic(_PORT)
        inbound = inline_peer_rules(props.client_security_group_id, traffic)
        group_id = add_security_group(
            self,
            "SecurityGroup",
            vpc_id=props.vpc_id,
            description=f"Accounting database {props.name}",
            rules={**inbound, "SecurityGroupEgress": [NO_EGRESS]},
            tags=tag_list(props.tags, props.name),
            retention=props.retention,
        )
        rules = add_peer_rules(
            self,
            props.client_security_group_id,
            group_id,
            traffic,
            prefix="Client",
            retention=props.retention,
            directions=["Egress"],
        )
        secret = self._add_secret(props)
        cluster = self._add_cluster(props, secret.ref, group_id)
        instances = tuple(self._add_instance(props, cluster.ref, i + 1) for i in range(props.instances))
        self.endpoint = attribute(cluster, "Endpoint.Address")
        self.port = _PORT
        self.secret_arn = secret.ref
        self.ready = (*rules, *instances)

    def _add_secret(self, props: AccountingDatabaseClusterProps) -> CfnResource:
        generated = {
            "SecretStringTemplate": f'{{"username": "{_USER}"}}',
            "GenerateStringKey": "password",
            "PasswordLength": _PASSWORD_LENGTH,
            "ExcludePunctuation": True,  # in slurmdbd.conf, `#` starts a comment
        }
        properties = {
            "Description": f"User of the accounting database {props.name}",
            "GenerateSecretString": generated,
            "KmsKeyId": props.kms_key_arn,
            "Tags": tag_list(props.tags, props.name),
        }
        return add_resource(
            self, "Secret", "AWS::SecretsManager::Secret", properties, retention=props.retention
        )

    def _add_cluster(
        self, props: AccountingDatabaseClusterProps, secret_arn: str, group_id: str
    ) -> CfnResource:
        shared = {"Tags": tag_list(props.tags, props.name)}
        description = f"Accounting database {props.name}"
        subnets = add_resource(
            self,
            "Subnets",
            "AWS::RDS::DBSubnetGroup",
            {"DBSubnetGroupDescription": description, "SubnetIds": list(props.subnet_ids), **shared},
            retention=props.retention,
        )
        parameters = add_resource(
            self,
            "Parameters",
            "AWS::RDS::DBClusterParameterGroup",
            {"Description": description, "Family": "aurora-mysql8.0", "Parameters": _PARAMETERS, **shared},
            retention=props.retention,
        )
        password = Fn.join("", ["{{resolve:secretsmanager:", secret_arn, ":SecretString:password}}"])
        return add_resource(
            self,
            "Resource",
            "AWS::RDS::DBCluster",
            {
                "Engine": _ENGINE,
                "EngineVersion": props.engine_version,
                "MasterUsername": _USER,
                "MasterUserPassword": password,
                "Port": _PORT,
                "DBSubnetGroupName": subnets.ref,
                "DBClusterParameterGroupName": parameters.ref,
                "VpcSecurityGroupIds": [group_id],
                "ServerlessV2ScalingConfiguration": {
                    "MinCapacity": props.min_acu,
                    "MaxCapacity": props.max_acu,
                },
                "StorageEncrypted": True,
                "KmsKeyId": props.kms_key_arn,
                "BackupRetentionPeriod": props.backup_retention_days,
                "CopyTagsToSnapshot": True,
                # `retention` protects the database; this would prevent the rollback of a failed creation
                "DeletionProtection": False,
                "EnableCloudwatchLogsExports": ["error", "slowquery"],
                **shared,
            },
            retention=props.retention,
            depends_on=props.client_rules,
        )

    def _add_instance(self, props: AccountingDatabaseClusterProps, cluster: str, number: int) -> CfnResource:
        properties = {
            "DBClusterIdentifier": cluster,
            "DBInstanceClass": "db.serverless",
            "Engine": _ENGINE,
            # minor upgrades would leave the version with long-term support
            # (https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/AuroraMySQL.Update.SpecialVersions.html)
            "AutoMinorVersionUpgrade": False,
            "PubliclyAccessible": False,
            "Tags": tag_list(props.tags, f"{props.name}-{number}"),
        }
        return add_resource(
            self, f"Instance{number}", "AWS::RDS::DBInstance", properties, retention=props.retention
        )


def _check(props: AccountingDatabaseClusterProps) -> None:
    if len(props.subnet_ids) < 2:
        raise ValueError(f"{len(props.subnet_ids)} subnet_ids: pass subnets in 2 zones")
    if props.min_acu > props.max_acu:
        raise ValueError(f"min_acu {props.min_acu} is above max_acu {props.max_acu}: pass a lower min_acu")
