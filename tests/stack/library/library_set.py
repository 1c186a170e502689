"""One of everything, put together as a stack for an EFA cluster would."""

from aws_cdk import Stack
from constructs import Construct

from ultracluster.capacity import EfaNodeGroup, EfaNodeGroupProps, NodeInterface
from ultracluster.network import (
    ClusterNetwork,
    ClusterNetworkProps,
    NodeSecurityGroup,
    NodeSecurityGroupProps,
    SubnetProps,
)
from ultracluster.nodes import NodeScripts, NodeScriptsProps
from ultracluster.observability import (
    AlertKey,
    AlertKeyProps,
    AlertRules,
    AlertRulesProps,
    AlertTopic,
    AlertTopicProps,
    GrafanaContent,
    GrafanaContentProps,
    GrafanaLoader,
    GrafanaLoaderProps,
    GrafanaWorkspace,
    GrafanaWorkspaceProps,
    MetricAlarm,
    MetricAlarmProps,
    MetricsScraper,
    MetricsScraperProps,
    MetricsWorkspace,
    MetricsWorkspaceProps,
    discarded_samples,
)
from ultracluster.retention import Retention
from ultracluster.slurm import (
    HyperPodExecutionRole,
    HyperPodExecutionRoleProps,
    HyperPodGroup,
    HyperPodSlurmCluster,
    HyperPodSlurmClusterProps,
    Lifecycle,
    LustreMount,
)
from ultracluster.storage import (
    DataBucket,
    DataBucketProps,
    DataRepository,
    DirectoryBucket,
    DirectoryBucketProps,
    ImportTask,
    ImportTaskProps,
    LogBucket,
    LogBucketProps,
    LustreFileSystem,
    LustreFileSystemProps,
    LustreOperations,
    LustreOperationsProps,
    OpenZfsFileSystem,
    OpenZfsFileSystemProps,
    RootSquash,
    RootSquashProps,
    StorageKey,
    StorageKeyProps,
)

TAGS = {"project": "tests", "Cluster": "demo"}
SUBNETS = (
    SubnetProps(name="public", cidr="10.0.0.0/24", availability_zone_id="usw2-az1", public=True),
    SubnetProps(name="nodes", cidr="10.0.128.0/17", availability_zone_id="usw2-az2"),
    SubnetProps(name="second", cidr="10.0.64.0/24", availability_zone_id="usw2-az3"),
)
P6_B200 = (
    NodeInterface(network_card_index=0, device_index=0, interface_type="interface"),
    NodeInterface(network_card_index=0, device_index=1, interface_type="efa-only"),
    *(
        NodeInterface(network_card_index=card, device_index=0, interface_type="efa-only")
        for card in range(1, 8)
    ),
)
SCRIPTS = {"on_init_complete.sh": "#!/bin/bash\nexit 0\n", "mount_local_nvme.sh": "#!/bin/bash\n"}


def build(stack: Stack, retention: Retention = Retention.RETAIN) -> None:
    network, nodes = add_network(Construct(stack, "Network"), retention)
    compute = Construct(stack, "Compute")
    EfaNodeGroup(
        compute,
        "train",
        EfaNodeGroupProps(
            name="demo-train",
            instance_type="p6-b200.48xlarge",
            interfaces=P6_B200,
            security_group_ids=[nodes.security_group_id],
            cluster_placement_group=True,
            root_volume_gib=200,
            tags=TAGS,
        ),
    )
    storage = Construct(stack, "Storage")
    file_system = add_storage(storage, network, nodes, retention)
    add_lustre_operations(storage, file_system)
    OpenZfsFileSystem(storage, "home", home_props(network, nodes, retention))
    cache = DirectoryBucketProps(name="demo-cache", zone_id="usw2-az3", retention=retention, tags=TAGS)
    DirectoryBucket(storage, "cache", cache)
    add_hyperpod(Construct(stack, "Orchestration"), network, nodes, file_system)
    add_observability(Construct(stack, "Observability"), retention)


def add_network(scope: Construct, retention: Retention) -> tuple[ClusterNetwork, NodeSecurityGroup]:
    network = ClusterNetwork(
        scope,
        "vpc",
        ClusterNetworkProps(
            name="demo",
            vpc_cidr="10.0.0.0/16",
            subnets=SUBNETS,
            nat_gateway_subnet="public",
            interface_endpoints=["ssm", "ecr.api"],
            interface_endpoint_subnets=["second", "nodes"],
            flow_log_retention_days=30,
            retention=retention,
            tags=TAGS,
        ),
    )
    nodes = NodeSecurityGroup(
        scope,
        "nodes",
        NodeSecurityGroupProps(
            vpc_id=network.vpc_id,
            name="demo-nodes",
            description="Machines of demo",
            retention=retention,
            tags=TAGS,
        ),
    )
    return network, nodes


def add_storage(
    scope: Construct, network: ClusterNetwork, nodes: NodeSecurityGroup, retention: Retention
) -> LustreFileSystem:
    key = StorageKey(
        scope,
        "key",
        StorageKeyProps(
            alias="demo/storage",
            description="Data of demo",
            retention=retention,
            fsx_data_repositories=True,
            tags=TAGS,
        ),
    )
    logs = None
    if retention is Retention.RETAIN:
        props = LogBucketProps(name="demo-access-logs", log_retention_days=90, tags=TAGS)
        logs = LogBucket(scope, "access-logs", props)
    buckets = {
        name: DataBucket(
            scope,
            name,
            DataBucketProps(
                name=f"demo-{name}",
                noncurrent_version_expiration_days=30,
                access_log_bucket_name=logs.bucket_name if logs else None,
                key_arn=key.key_arn,
                retention=retention,
                tags=TAGS,
            ),
        )
        for name in ("datasets", "checkpoints")
    }
    return LustreFileSystem(
        scope,
        "lustre",
        LustreFileSystemProps(
            name="demo",
            vpc_id=network.vpc_id,
            subnet_id=network.subnet_ids["nodes"],
            client_security_group_id=nodes.security_group_id,
            client_rules=nodes.rules,
            storage_capacity_gib=38400,
            throughput_mbps_per_tib=500,
            efa_enabled=True,
            weekly_maintenance_start_time="7:03:00",
            log_retention_days=30,
            kms_key_arn=key.key_arn,
            retention=retention,
            data_repositories=[
                DataRepository(
                    name="datasets",
                    file_system_path="/datasets",
                    data_repository_path=f"s3://{buckets['datasets'].bucket_name}/datasets",
                    import_events=["NEW", "CHANGED", "DELETED"],
                ),
                DataRepository(
                    name="checkpoints",
                    file_system_path="/checkpoints",
                    data_repository_path=f"s3://{buckets['checkpoints'].bucket_name}/checkpoints",
                    export_events=["NEW", "CHANGED", "DELETED"],
                ),
            ],
            tags=TAGS,
        ),
    )


def add_lustre_operations(scope: Construct, file_system: LustreFileSystem) -> None:
    datasets = scope.node.find_child("datasets")
    assert isinstance(datasets, DataBucket)
    operations = LustreOperations(
        scope,
        "operations",
        LustreOperationsProps(
            name="demo", file_system_ids=[file_system.file_system_id], log_retention_days=30, tags=TAGS
        ),
    )
    RootSquash(
        scope,
        "squash",
        RootSquashProps(
            function_arn=operations.function_arn,
            file_system_id=file_system.file_system_id,
            no_squash_nids=["10.0.128.[10-12]@tcp"],
        ),
    )
    ImportTask(
        scope,
        "import",
        ImportTaskProps(
            function_arn=operations.function_arn,
            file_system_id=file_system.file_system_id,
            paths=[f"s3://{datasets.bucket_name}/datasets"],
            links=list(file_system.links.values()),
        ),
    )


def home_props(
    network: ClusterNetwork, nodes: NodeSecurityGroup, retention: Retention
) -> OpenZfsFileSystemProps:
    return OpenZfsFileSystemProps(
        name="demo-home",
        vpc_id=network.vpc_id,
        subnet_ids=[network.subnet_ids["nodes"]],
        client_security_group_id=nodes.security_group_id,
        client_rules=nodes.rules,
        capacity_gib=1024,
        throughput_mbps=160,
        deployment_type="SINGLE_AZ_HA_2",
        weekly_maintenance_start_time="7:04:00",
        backup_retention_days=7,
        backup_start_time="02:00",
        volume_name="home",
        user_quotas_gib={1002: 50, 1001: 100},
        retention=retention,
        tags=TAGS,
    )


def add_hyperpod(
    scope: Construct, network: ClusterNetwork, nodes: NodeSecurityGroup, file_system: LustreFileSystem
) -> None:
    scripts = NodeScripts(scope, "scripts", NodeScriptsProps(files=SCRIPTS))
    key = StorageKey(
        scope,
        "volume-key",
        StorageKeyProps(
            alias="demo/volumes", description="Volumes of demo", retention=Retention.DISPOSABLE, tags=TAGS
        ),
    )
    role = HyperPodExecutionRole(
        scope,
        "role",
        HyperPodExecutionRoleProps(
            cluster_name="demo",
            scripts_bucket_name=scripts.bucket_name,
            scripts_prefix=scripts.prefix,
            volume_key_arns=[key.key_arn],
            describe_file_systems=True,
            parameter_names=["/demo/data-mount-name", "/demo/data-dns-name"],
            tags=TAGS,
        ),
    )
    mount = LustreMount(dns_name=file_system.dns_name, mount_name=file_system.mount_name)
    HyperPodSlurmCluster(
        scope,
        "cluster",
        HyperPodSlurmClusterProps(
            cluster_name="demo",
            subnet_ids=[network.subnet_ids["nodes"]],
            security_group_ids=[nodes.security_group_id],
            groups=[
                HyperPodGroup(
                    name="train",
                    node_type="compute",
                    instance_type="ml.p6-b200.48xlarge",
                    count=2,
                    partition="train",
                    threads_per_core=1,
                    deep_health_checks=["InstanceStress", "InstanceConnectivity"],
                    root_volume_key_arn=key.key_arn,
                    ebs_volume_gib=500,
                    ebs_volume_key_arn=key.key_arn,
                    lustre=mount,
                ),
                HyperPodGroup(
                    name="controller",
                    node_type="controller",
                    instance_type="ml.m5.4xlarge",
                    count=1,
                    lustre=mount,
                ),
                HyperPodGroup(
                    name="login",
                    node_type="login",
                    instance_type="ml.m5.4xlarge",
                    count=1,
                    lustre=mount,
                ),
            ],
            slurm_config_strategy="Managed",
            node_recovery="Automatic",
            lifecycle=Lifecycle(source_s3_uri=scripts.s3_uri, on_init_complete="on_init_complete.sh"),
            execution_role_arn=role.role_arn,
            boot_dependencies=[*network.nodes_ready, *nodes.rules, *file_system.mount_ready],
            tags=TAGS,
        ),
    )


RULES = "groups:\n- name: gpu\n  rules:\n  - alert: GpuHot\n    expr: DCGM_FI_DEV_GPU_TEMP > 90\n"
SCRAPE = "scrape_configs:\n- {job_name: node, kubernetes_sd_configs: [{role: pod}]}\n"


def add_observability(scope: Construct, retention: Retention) -> None:
    key = AlertKey(
        scope, "key", AlertKeyProps(alias="demo-alerts", description="Alerts of demo", tags=TAGS)
    ).key_arn
    topic = AlertTopic(
        scope,
        "alerts",
        AlertTopicProps(
            name="demo-alerts", display_name="demo", key_arn=key, emails=["oncall@example.com"], tags=TAGS
        ),
    )
    metrics = MetricsWorkspace(
        scope,
        "metrics",
        MetricsWorkspaceProps(
            alias="demo",
            retention_days=150,
            log_retention_days=30,
            retention=retention,
            late_samples_s=600,
            alert_manager_definition=definition(topic.topic_arn),
            tags=TAGS,
        ),
    )
    topic.allow_senders(metrics.workspace_arn)
    AlertRules(
        scope,
        "rules",
        AlertRulesProps(workspace_arn=metrics.workspace_arn, name="demo", text=RULES, tags=TAGS),
    )
    MetricAlarm(
        scope,
        "discarded",
        MetricAlarmProps(
            name="demo-discarded-samples",
            description="AMP drops samples",
            query=discarded_samples(metrics.workspace_id),
            threshold=0,
            comparison="above",
            period_s=300,
            periods=3,
            action_arns=[topic.topic_arn],
            tags=TAGS,
        ),
    )
    MetricAlarm(
        scope,
        "full",
        MetricAlarmProps(
            name="demo-lustre-full",
            description="The fullest target of the file system",
            namespace="AWS/FSx",
            metric_name="StorageCapacityUtilization",
            dimensions={"FileSystemId": "fs-0123456789abcdef0", "StorageTargetId": "OST0000"},
            threshold=85,
            comparison="above",
            period_s=60,
            periods=5,
            action_arns=[topic.topic_arn],
            tags=TAGS,
        ),
    )
    MetricsScraper(
        scope,
        "scraper",
        MetricsScraperProps(
            alias="demo",
            cluster_arn="arn:aws:eks:us-west-2:123456789012:cluster/demo",
            subnet_ids=["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
            security_group_ids=["sg-0123456789abcdef0"],
            workspace_arn=metrics.workspace_arn,
            configuration=SCRAPE,
            tags=TAGS,
        ),
    )
    grafana = GrafanaWorkspace(
        scope,
        "grafana",
        GrafanaWorkspaceProps(
            name="demo",
            grafana_version="12.4",
            metrics_workspace_arns=[metrics.workspace_arn],
            tags=TAGS,
        ),
    )
    loader = GrafanaLoader(
        scope,
        "loader",
        GrafanaLoaderProps(
            name="demo",
            content={"prefix": "ultracluster"},
            log_retention_days=30,
            workspace_region="us-west-2",
            workspace_id=grafana.workspace_id,
            tags=TAGS,
        ),
    )
    GrafanaContent(
        scope,
        "content",
        GrafanaContentProps(
            loader=loader,
            workspace_id=grafana.workspace_id,
            workspace_region="us-west-2",
            prometheus_url=metrics.prometheus_endpoint,
        ),
    )


def definition(topic_arn: str) -> str:
    lines = (
        "alertmanager_config: |",
        "  route: {receiver: oncall}",
        "  receivers:",
        "  - name: oncall",
        f"    sns_configs: [{{topic_arn: '{topic_arn}', sigv4: {{region: us-west-2}}}}]",
        "",
    )
    return "\n".join(lines)
