"""Retention of resources when their stack deletes or replaces them."""

from enum import StrEnum


class Retention(StrEnum):
    """Whether a stateful resource is retained when its stack deletes or replaces it.

    `RETAIN` renders `DeletionPolicy: RetainExceptOnCreate` and `UpdateReplacePolicy: Retain`: the resource is
    retained, but if the first creation is rolled back, no billed resource remains. `DISPOSABLE` renders
    `Delete` for both policies, explicitly, so that a reader (and cfn-lint's I3011) sees a decision.

    `ALWAYS` renders `Retain` for both policies. It is for resources that AWS writes data to, because
    CloudFormation cannot delete them while they contain data.

    A retained resource needs the resources that it depends on. A retained Lustre file system has network
    interfaces in a subnet. While the interfaces exist, EC2 does not delete the subnet, its VPC, the
    interfaces' security groups, or a security group that their rules name. Therefore these resources are
    retained together:

    * file systems, buckets with their policies, keys, metric workspaces: the state itself;
    * the VPC, private subnets, node and file system security groups and all their rules: used by interfaces;
    * the private route table, its associations and the S3 gateway endpoint: they have no cost, and a client
      that mounts the retained file system later needs them.

    These are deleted with the stack: NAT gateway, elastic IP, internet gateway, public subnets and interface
    endpoints (they have a cost, or no data), routes to them, flow logs, roles, launch templates, the cluster
    and Grafana (without data). Log groups and key aliases are deleted too: if their names were still in use,
    the next creation of the same stack would fail. Data repository associations are deleted, because they
    contain no data: a retained association would continue to export after the user has removed it from the
    profile.
    """

    RETAIN = "retain"
    ALWAYS = "always"
    DISPOSABLE = "disposable"
