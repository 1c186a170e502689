"""Networks, gateways, security groups and what instances are launched with."""

from __future__ import annotations

from .example import BUCKET, NETWORK, VPC, Client, Example, att, ref, resource

GATEWAY = {
    **NETWORK,
    "Internet": resource("AWS::EC2::InternetGateway"),
    "Attachment": resource(
        "AWS::EC2::VPCGatewayAttachment", VpcId=ref("Vpc"), InternetGatewayId=ref("Internet")
    ),
    "Table": resource("AWS::EC2::RouteTable", VpcId=ref("Vpc")),
}
TAGS = {"Tags": [{"Key": "team", "Value": "training"}]}


def _tags(client: Client, physical_id: str) -> list[tuple[str, str]]:
    reported = client("ec2").describe_tags(Filters=[{"Name": "resource-id", "Values": [physical_id]}])
    return [(tag["Key"], tag["Value"]) for tag in reported["Tags"]]


def _rule_descriptions(client: Client, rule_id: str) -> list[str]:
    reported = client("ec2").describe_security_group_rules(SecurityGroupRuleIds=[rule_id])
    return [rule["Description"] for rule in reported["SecurityGroupRules"]]


def _nat_gateways(client: Client, route: str) -> int:
    reported = client("ec2").describe_route_tables(RouteTableIds=[route.split("|")[0]])
    return sum("NatGatewayId" in route for table in reported["RouteTables"] for route in table["Routes"])


EXAMPLES = (
    Example(
        type="AWS::EC2::VPC",
        properties={"CidrBlock": "10.0.0.0/16"},
        change={"EnableDnsHostnames": True},
        seen=lambda client, vpc: client("ec2").describe_vpc_attribute(
            VpcId=vpc, Attribute="enableDnsHostnames"
        )["EnableDnsHostnames"]["Value"],
        expected=True,
        not_reported=frozenset({"Ipv6CidrBlocks", "VpcEncryptionControl"}),
    ),
    Example(
        type="AWS::EC2::VPCCidrBlock",
        properties={"VpcId": ref("Vpc"), "CidrBlock": "10.1.0.0/16"},
        stands_on=VPC,
        not_reported=frozenset({"Ipv6AddressAttribute", "IpSource"}),
    ),
    Example(
        type="AWS::EC2::Subnet",
        properties={
            "VpcId": ref("Vpc"),
            "CidrBlock": "10.0.0.0/24",
            "AvailabilityZoneId": "use1-az4",
        },
        stands_on=VPC,
        change={"MapPublicIpOnLaunch": True},
        seen=lambda client, subnet: client("ec2").describe_subnets(SubnetIds=[subnet])["Subnets"][0][
            "MapPublicIpOnLaunch"
        ],
        expected=True,
        not_reported=frozenset({"NetworkAclAssociationId", "Ipv6CidrBlocks", "BlockPublicAccessStates"}),
    ),
    Example(
        type="AWS::EC2::RouteTable",
        properties={"VpcId": ref("Vpc")},
        stands_on=VPC,
        change=TAGS,
        seen=lambda client, table: _tags(client, table),
        expected=[("team", "training")],
    ),
    Example(
        type="AWS::EC2::Route",
        properties={
            "RouteTableId": ref("Table"),
            "DestinationCidrBlock": "0.0.0.0/0",
            "GatewayId": ref("Internet"),
        },
        stands_on={
            **GATEWAY,
            "Address": resource("AWS::EC2::EIP"),
            "Nat": {
                **resource(
                    "AWS::EC2::NatGateway",
                    SubnetId=ref("Subnet"),
                    AllocationId=att("Address", "AllocationId"),
                ),
                "DependsOn": "Attachment",
            },
        },
        change={"GatewayId": {"Ref": "AWS::NoValue"}, "NatGatewayId": ref("Nat")},
        seen=_nat_gateways,
        expected=1,
    ),
    Example(
        type="AWS::EC2::SubnetRouteTableAssociation",
        properties={"RouteTableId": ref("Table"), "SubnetId": ref("Subnet")},
        stands_on=GATEWAY,
    ),
    Example(
        type="AWS::EC2::InternetGateway",
        change=TAGS,
        seen=lambda client, gateway: _tags(client, gateway),
        expected=[("team", "training")],
    ),
    Example(
        type="AWS::EC2::VPCGatewayAttachment",
        properties={"VpcId": ref("Vpc"), "InternetGatewayId": ref("Internet")},
        stands_on={**VPC, "Internet": resource("AWS::EC2::InternetGateway")},
    ),
    Example(
        type="AWS::EC2::EIP",
        change=TAGS,
        seen=lambda client, address: client("ec2").describe_addresses(PublicIps=[address])["Addresses"][0][
            "Tags"
        ],
        expected=[{"Key": "team", "Value": "training"}],
    ),
    Example(
        type="AWS::EC2::NatGateway",
        properties={"SubnetId": ref("Subnet"), "AllocationId": att("Address", "AllocationId")},
        stands_on={**GATEWAY, "Address": resource("AWS::EC2::EIP")},
        depends_on="Attachment",
        change=TAGS,
        seen=lambda client, gateway: client("ec2").describe_nat_gateways(NatGatewayIds=[gateway])[
            "NatGateways"
        ][0]["Tags"],
        expected=[{"Key": "team", "Value": "training"}],
        not_reported=frozenset({"AutoProvisionZones", "AutoScalingIps", "RouteTableId"}),
    ),
    Example(
        type="AWS::EC2::VPCEndpoint",
        properties={
            "VpcId": ref("Vpc"),
            "VpcEndpointType": "Interface",
            "ServiceName": "com.amazonaws.us-east-1.logs",
            "SubnetIds": [ref("Subnet")],
            "SecurityGroupIds": [ref("Group")],
        },
        stands_on=NETWORK,
        change={"SubnetIds": [ref("Subnet"), ref("Second")]},
        seen=lambda client, endpoint: len(
            client("ec2").describe_vpc_endpoints(VpcEndpointIds=[endpoint])["VpcEndpoints"][0]["SubnetIds"]
        ),
        expected=2,
    ),
    Example(
        type="AWS::EC2::FlowLog",
        properties={
            "ResourceId": ref("Vpc"),
            "ResourceType": "VPC",
            "TrafficType": "REJECT",
            "LogDestinationType": "s3",
            "LogDestination": att("Bucket", "Arn"),
        },
        stands_on={**VPC, **BUCKET},
        change=TAGS,
        seen=lambda client, log: client("ec2").describe_flow_logs(FlowLogIds=[log])["FlowLogs"][0]["Tags"],
        expected=[{"Key": "team", "Value": "training"}],
    ),
    Example(
        type="AWS::EC2::SecurityGroup",
        properties={"GroupDescription": "nodes", "VpcId": ref("Vpc")},
        stands_on=VPC,
        change={
            "SecurityGroupIngress": [
                {"IpProtocol": "tcp", "FromPort": 988, "ToPort": 988, "CidrIp": "10.0.0.0/16"}
            ]
        },
        seen=lambda client, group: client("ec2").describe_security_groups(GroupIds=[group])["SecurityGroups"][
            0
        ]["IpPermissions"][0]["FromPort"],
        expected=988,
    ),
    Example(
        type="AWS::EC2::SecurityGroupIngress",
        properties={
            "GroupId": ref("Group"),
            "IpProtocol": "-1",
            "SourceSecurityGroupId": ref("Group"),
        },
        stands_on=NETWORK,
        change={"Description": "nodes to nodes"},
        seen=_rule_descriptions,
        expected=["nodes to nodes"],
    ),
    Example(
        type="AWS::EC2::SecurityGroupEgress",
        properties={
            "GroupId": ref("Group"),
            "IpProtocol": "-1",
            "DestinationSecurityGroupId": ref("Group"),
        },
        stands_on=NETWORK,
        change={"Description": "nodes to nodes"},
        seen=_rule_descriptions,
        expected=["nodes to nodes"],
    ),
    Example(
        type="AWS::EC2::LaunchTemplate",
        properties={"LaunchTemplateData": {"InstanceType": "p5.48xlarge"}},
        change={"LaunchTemplateData": {"InstanceType": "p5en.48xlarge"}},
        seen=lambda client, template: client("ec2").describe_launch_template_versions(
            LaunchTemplateId=template, Versions=["$Latest"]
        )["LaunchTemplateVersions"][0]["LaunchTemplateData"]["InstanceType"],
        expected="p5en.48xlarge",
    ),
    Example(type="AWS::EC2::PlacementGroup", properties={"Strategy": "cluster"}),
    Example(
        type="AWS::EC2::CapacityReservation",
        properties={
            "AvailabilityZone": "us-east-1a",
            "InstanceCount": 2,
            "InstancePlatform": "Linux/UNIX",
            "InstanceType": "p5.48xlarge",
        },
        change={"InstanceCount": 4},
        seen=lambda client, reservation: client("ec2").describe_capacity_reservations(
            CapacityReservationIds=[reservation]
        )["CapacityReservations"][0]["TotalInstanceCount"],
        expected=4,
        not_reported=frozenset({"CapacityAllocationSet", "CommitmentInfo", "CapacityReservationFleetId"}),
    ),
)
