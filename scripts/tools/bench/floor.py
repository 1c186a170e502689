"""CDK app with one stack and one placement group, the reference for synthesis times."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2

app = cdk.App(analytics_reporting=False, tree_metadata=False)
stack = cdk.Stack(app, "floor", env=cdk.Environment(region="us-west-2"))
ec2.CfnPlacementGroup(stack, "Group", strategy="cluster")
app.synth()
