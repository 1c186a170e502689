"""The providers of the CDK that is installed are found in the table: their functions look as expected."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_lambda as awslambda
from aws_cdk import aws_s3 as s3
from aws_cdk import custom_resources as cr

from scripts.cloud.custom import builtin
from scripts.cloud.custom.cdk import (
    auto_delete_objects,
    aws_custom_resource,
    default_security_group,
    provider_framework,
)
from scripts.cloud.custom.functions import Function
from scripts.cloud.custom.providers import behaviour_of

pytestmark = pytest.mark.synth


@pytest.fixture(scope="module")
def resources() -> dict[str, Any]:
    stack = cdk.Stack(cdk.App(), "app", env=cdk.Environment(account="123456789012", region="us-east-1"))
    s3.Bucket(stack, "Bucket", auto_delete_objects=True, removal_policy=cdk.RemovalPolicy.DESTROY)
    ec2.Vpc(stack, "Vpc", max_azs=1, nat_gateways=0, restrict_default_security_group=True)
    code = awslambda.Code.from_inline("def handler(event, context):\n    return {}\n")
    user = awslambda.Function(
        stack, "User", runtime=awslambda.Runtime.PYTHON_3_13, handler="index.handler", code=code
    )
    provider = cr.Provider(stack, "Provider", on_event_handler=user)
    cdk.CustomResource(stack, "Framed", service_token=provider.service_token, resource_type="Custom::Framed")
    call = cr.AwsSdkCall(
        service="SSM", action="getParameter", physical_resource_id=cr.PhysicalResourceId.of("one")
    )
    anything = cr.AwsCustomResourcePolicy.from_sdk_calls(resources=cr.AwsCustomResourcePolicy.ANY_RESOURCE)
    cr.AwsCustomResource(stack, "Sdk", on_create=call, policy=anything)
    cr.AwsCustomResource(stack, "Named", on_create=call, policy=anything, resource_type="Custom::Own")
    return dict(cdk.assertions.Template.from_stack(stack).to_json()["Resources"])


@pytest.mark.parametrize(
    ("kind", "behaviour"),
    [
        ("Custom::S3AutoDeleteObjects", auto_delete_objects.BEHAVIOUR),
        ("Custom::VpcRestrictDefaultSG", default_security_group.BEHAVIOUR),
        ("Custom::Framed", provider_framework.BEHAVIOUR),
        ("Custom::AWS", aws_custom_resource.behave),
        ("Custom::Own", aws_custom_resource.behave),
    ],
)
def test_the_function_of_a_provider_is_recognized(
    resources: dict[str, Any], kind: str, behaviour: Any
) -> None:
    builtin.register_all()
    (custom,) = [r for r in resources.values() if r["Type"] == kind]
    logical_id, _ = custom["Properties"]["ServiceToken"]["Fn::GetAtt"]
    properties = resources[logical_id]["Properties"]
    description = properties.get("Description", "")
    function = Function(
        arn="arn",
        name=f"app-{logical_id}",
        runtime=properties["Runtime"],
        handler=properties["Handler"],
        description=description if isinstance(description, str) else "",
    )
    assert behaviour_of(function, kind) is behaviour
