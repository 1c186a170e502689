"""VPC flow logs."""

from collections.abc import Mapping

from constructs import Construct

from ultracluster.cfn import add_log_group, add_resource, add_service_role, attribute, statement, tag_list


def add_flow_logs(
    scope: Construct,
    *,
    name: str,
    vpc_id: str,
    retention_days: int,
    key_arn: str | None,
    tags: Mapping[str, str],
) -> None:
    """Write flow logs of all traffic to a dedicated log group, with a role that only has this permission."""
    log_group = add_log_group(
        scope,
        "FlowLogGroup",
        name=f"/ultracluster/{name}/flow-logs",
        retention_days=retention_days,
        key_arn=key_arn,
        tags=tags,
    )
    role = add_service_role(
        scope,
        "FlowLogRole",
        service="vpc-flow-logs.amazonaws.com",
        description=f"Writes the VPC flow logs of {name}",
        statements=[
            statement(
                ["logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"],
                attribute(log_group, "Arn"),
            )
        ],
        tags=tags,
    )
    properties = {
        "ResourceType": "VPC",
        "ResourceId": vpc_id,
        "TrafficType": "ALL",
        "LogDestinationType": "cloud-watch-logs",
        "LogGroupName": log_group.ref,
        "DeliverLogsPermissionArn": attribute(role, "Arn"),
        "Tags": tag_list(tags, name),
    }
    add_resource(scope, "FlowLog", "AWS::EC2::FlowLog", properties)
