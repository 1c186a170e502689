"""Permissions of the AWS Load Balancer Controller.

Actions and conditions are those of the policy that the controller's project publishes for version 2
(https://github.com/kubernetes-sigs/aws-load-balancer-controller, docs/install/iam_policy.json). AWS's own
deployment of the inference operator has the same policy (https://github.com/awslabs/awsome-distributed-ai,
hyperpod-eks-tf). The controller can delete only load balancers, target groups and security groups that have
its tag.
"""

from typing import Any

from ultracluster.cfn import statement, sub

_TAG = "elbv2.k8s.aws/cluster"
_MARKED = {"Null": {f"aws:ResourceTag/{_TAG}": "false"}}
_MARKING = {"Null": {f"aws:RequestTag/{_TAG}": "false"}}
_REMARKING = {"Null": {f"aws:RequestTag/{_TAG}": "true", f"aws:ResourceTag/{_TAG}": "false"}}
_DESCRIBED = (
    "AccountAttributes", "Addresses", "AvailabilityZones", "CoipPools", "Instances", "InternetGateways",
    "IpamPools", "NetworkInterfaces", "RouteTables", "SecurityGroups", "Subnets", "Tags",
    "VpcPeeringConnections", "Vpcs",
)  # fmt: skip
_BALANCERS_DESCRIBED = (
    "CapacityReservation", "ListenerAttributes", "ListenerCertificates", "Listeners",
    "LoadBalancerAttributes", "LoadBalancers", "Rules", "SSLPolicies", "Tags", "TargetGroupAttributes",
    "TargetGroups", "TargetHealth", "TrustStores",
)  # fmt: skip
_OTHER_SERVICES = (
    "acm:DescribeCertificate", "acm:ListCertificates", "cognito-idp:DescribeUserPoolClient",
    "iam:GetServerCertificate", "iam:ListServerCertificates", "shield:CreateProtection",
    "shield:DeleteProtection", "shield:DescribeProtection", "shield:GetSubscriptionState",
    "waf-regional:AssociateWebACL", "waf-regional:DisassociateWebACL", "waf-regional:GetWebACL",
    "waf-regional:GetWebACLForResource", "wafv2:AssociateWebACL", "wafv2:DisassociateWebACL",
    "wafv2:GetWebACL", "wafv2:GetWebACLForResource",
)  # fmt: skip


def load_balancer_statements() -> list[dict[str, Any]]:
    """Return the statements; the statements for reading are first."""
    described = [
        *(f"ec2:Describe{what}" for what in _DESCRIBED),
        "ec2:GetCoipPoolUsage",
        "ec2:GetSecurityGroupsForVpc",
        *(f"elasticloadbalancing:Describe{what}" for what in _BALANCERS_DESCRIBED),
    ]
    linked = {"StringEquals": {"iam:AWSServiceName": "elasticloadbalancing.amazonaws.com"}}
    return [
        statement(described, "*", sid="Describe"),
        statement(list(_OTHER_SERVICES), "*", sid="OtherServices"),
        statement(["iam:CreateServiceLinkedRole"], "*", sid="ServiceLinkedRole", condition=linked),
        *_security_groups(),
        *_balancers(),
    ]


def _security_groups() -> list[dict[str, Any]]:
    groups = sub("arn:${AWS::Partition}:ec2:${AWS::Region}:${AWS::AccountId}:security-group/*")
    created = {"StringEquals": {"ec2:CreateAction": "CreateSecurityGroup"}, **_MARKING}
    rules = ["ec2:AuthorizeSecurityGroupIngress", "ec2:RevokeSecurityGroupIngress"]
    return [
        # also rules of the nodes' security groups, which do not have the tag
        statement(rules, "*", sid="SecurityGroupRules"),
        statement(["ec2:CreateSecurityGroup"], "*", sid="NewSecurityGroups"),
        statement(["ec2:CreateTags"], groups, sid="TagNewSecurityGroups", condition=created),
        statement(
            ["ec2:CreateTags", "ec2:DeleteTags"], groups, sid="TagSecurityGroups", condition=_REMARKING
        ),
        statement(["ec2:DeleteSecurityGroup"], "*", sid="DeleteSecurityGroups", condition=_MARKED),
    ]


def _balancers() -> list[dict[str, Any]]:
    place = "arn:${AWS::Partition}:elasticloadbalancing:${AWS::Region}:${AWS::AccountId}:"
    kinds = ("net", "app")
    balancers = [sub(f"{place}targetgroup/*/*"), *(sub(f"{place}loadbalancer/{kind}/*/*") for kind in kinds)]
    listeners = [
        sub(f"{place}{what}/{kind}/*/*/*") for what in ("listener", "listener-rule") for kind in kinds
    ]
    tags = ["AddTags", "RemoveTags"]
    created = {
        "StringEquals": {"elasticloadbalancing:CreateAction": ["CreateTargetGroup", "CreateLoadBalancer"]},
        **_MARKING,
    }
    changed = (
        "DeleteLoadBalancer", "DeleteTargetGroup", "ModifyCapacityReservation", "ModifyIpPools",
        "ModifyListenerAttributes", "ModifyLoadBalancerAttributes", "ModifyTargetGroup",
        "ModifyTargetGroupAttributes", "SetIpAddressType", "SetSecurityGroups", "SetSubnets",
    )  # fmt: skip
    rules = (
        "AddListenerCertificates", "CreateListener", "CreateRule", "DeleteListener", "DeleteRule",
        "ModifyListener", "ModifyRule", "RemoveListenerCertificates", "SetRulePriorities", "SetWebAcl",
    )  # fmt: skip
    targets = ("DeregisterTargets", "RegisterTargets")
    return [
        statement(
            _named("CreateLoadBalancer", "CreateTargetGroup"), "*", sid="NewBalancers", condition=_MARKING
        ),
        statement(_named("AddTags"), balancers, sid="TagNewBalancers", condition=created),
        statement(_named(*tags), balancers, sid="TagBalancers", condition=_REMARKING),
        statement(_named(*tags), listeners, sid="TagListeners"),
        statement(_named(*changed), "*", sid="Balancers", condition=_MARKED),
        statement(_named(*rules), "*", sid="Listeners"),
        statement(_named(*targets), sub(f"{place}targetgroup/*/*"), sid="Targets"),
    ]


def _named(*actions: str) -> list[str]:
    return [f"elasticloadbalancing:{action}" for action in actions]
