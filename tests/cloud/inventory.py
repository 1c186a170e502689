"""Everything that exists in an account and Region of the embedded cloud, asked of the services themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scripts.cloud.local import LocalCloud

Client = Callable[[str], Any]


def inventory(local: LocalCloud, region: str) -> set[str]:
    """One word for each thing, such as `subnet/subnet-1`; without what AWS makes for every account."""

    def client(service: str) -> Any:
        return local.client(service, region)

    return {
        f"{kind}/{name}"
        for listing in (_network, _storage, _keys, _cluster, _observability, _identity)
        for kind, name in listing(client)
    }


def _network(client: Client) -> Iterable[tuple[str, str]]:
    ec2 = client("ec2")
    own = [vpc["VpcId"] for vpc in ec2.describe_vpcs()["Vpcs"] if not vpc["IsDefault"]]
    inside = [{"Name": "vpc-id", "Values": [*own, "none"]}]
    yield from (("vpc", name) for name in own)
    yield from (("subnet", s["SubnetId"]) for s in ec2.describe_subnets(Filters=inside)["Subnets"])
    groups = ec2.describe_security_groups(Filters=inside)["SecurityGroups"]
    yield from (("security-group", g["GroupId"]) for g in groups if g["GroupName"] != "default")
    yield from (
        ("rule", rule["SecurityGroupRuleId"])
        for rule in ec2.describe_security_group_rules()["SecurityGroupRules"]
        if rule["GroupId"] in {g["GroupId"] for g in groups if g["GroupName"] != "default"}
    )
    for table in ec2.describe_route_tables(Filters=inside)["RouteTables"]:
        if not any(a.get("Main") for a in table["Associations"]):
            yield "route-table", table["RouteTableId"]
            yield from (("association", a["RouteTableAssociationId"]) for a in table["Associations"])
            yield from (("route", f"{table['RouteTableId']} {_destination(r)}") for r in table["Routes"])
    yield from (
        ("gateway", g["InternetGatewayId"]) for g in ec2.describe_internet_gateways()["InternetGateways"]
    )
    yield from (("address", a["AllocationId"]) for a in ec2.describe_addresses()["Addresses"])
    yield from (
        ("nat-gateway", g["NatGatewayId"])
        for g in ec2.describe_nat_gateways()["NatGateways"]
        if g["State"] not in ("deleted", "deleting")
    )
    yield from (
        ("endpoint", e["VpcEndpointId"])
        for e in ec2.describe_vpc_endpoints()["VpcEndpoints"]
        if e["State"] not in ("deleted", "deleting")
    )
    yield from (("flow-log", log["FlowLogId"]) for log in ec2.describe_flow_logs()["FlowLogs"])
    yield from (
        ("launch-template", t["LaunchTemplateId"]) for t in ec2.describe_launch_templates()["LaunchTemplates"]
    )


def _destination(route: dict[str, Any]) -> str:
    return str(route.get("DestinationCidrBlock") or route.get("DestinationPrefixListId"))


def _storage(client: Client) -> Iterable[tuple[str, str]]:
    yield from (("bucket", b["Name"]) for b in client("s3").list_buckets()["Buckets"])
    fsx = client("fsx")
    yield from (("file-system", s["FileSystemId"]) for s in fsx.describe_file_systems()["FileSystems"])
    yield from (
        ("association", a["AssociationId"])
        for a in fsx.describe_data_repository_associations()["Associations"]
    )


def _keys(client: Client) -> Iterable[tuple[str, str]]:
    kms = client("kms")
    for key in kms.list_keys()["Keys"]:
        if kms.describe_key(KeyId=key["KeyId"])["KeyMetadata"]["KeyState"] != "PendingDeletion":
            yield "key", key["KeyId"]
    yield from (
        ("alias", a["AliasName"])
        for a in kms.list_aliases()["Aliases"]
        if not a["AliasName"].startswith("alias/aws/")
    )


def _cluster(client: Client) -> Iterable[tuple[str, str]]:
    yield from (("cluster", c["ClusterArn"]) for c in client("sagemaker").list_clusters()["ClusterSummaries"])
    yield from (("kubernetes", name) for name in client("eks").list_clusters()["clusters"])
    functions = client("lambda")
    yield from (("function", one["FunctionName"]) for one in functions.list_functions()["Functions"])
    yield from (("layer", one["LayerName"]) for one in functions.list_layers()["Layers"])


def _observability(client: Client) -> Iterable[tuple[str, str]]:
    yield from (("metrics", w["arn"]) for w in client("amp").list_workspaces()["workspaces"])
    yield from (("grafana", w["id"]) for w in client("grafana").list_workspaces()["workspaces"])
    yield from (("log-group", g["logGroupName"]) for g in client("logs").describe_log_groups()["logGroups"])


def _identity(client: Client) -> Iterable[tuple[str, str]]:
    yield from (
        ("role", role["RoleName"])
        for role in client("iam").list_roles()["Roles"]
        if not role["Path"].startswith("/aws-service-role/")
    )
    iam = client("iam")
    yield from (
        ("profile", p["InstanceProfileName"]) for p in iam.list_instance_profiles()["InstanceProfiles"]
    )
    yield from (("policy", p["Arn"]) for p in iam.list_policies(Scope="Local")["Policies"])
    providers = iam.list_open_id_connect_providers()["OpenIDConnectProviderList"]
    yield from (("identity-provider", p["Arn"]) for p in providers)
    own = (p["Name"] for p in client("ssm").describe_parameters()["Parameters"])
    yield from (("parameter", name) for name in own if not name.startswith("/aws/"))
