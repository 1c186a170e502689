"""What happens to a resource when its stack lets go of it."""

from enum import StrEnum


class Retention(StrEnum):
    """Whether something stateful survives the deletion or replacement of its stack's resource.

    `RETAIN` renders `DeletionPolicy: RetainExceptOnCreate` and `UpdateReplacePolicy: Retain`: the resource
    stays, but a first creation that rolls back leaves nothing behind that bills. `DISPOSABLE` renders
    `Delete` for both, explicitly, so that a reader (and cfn-lint's I3011) sees a decision and not an
    omission.

    `ALWAYS` renders `Retain` for both: for what AWS itself fills, so that deleting it fails.

    What a caller retains must bring along what it stands on. A retained Lustre file system keeps network
    interfaces in a subnet, and as long as they exist EC2 refuses to delete the subnet, its VPC and every
    security group attached to them or named in the rules of one that is. These are therefore retained
    together:

    * file systems, buckets with their policies, keys, metric workspaces: the state itself;
    * the VPC, private subnets, node and file-system security groups and all their rules: held by interfaces;
    * the private route table, its associations and the S3 gateway endpoint: they cost nothing, and a client
      that mounts the retained file system later needs them.

    These go with the stack: NAT gateway, elastic IP, internet gateway, public subnets and interface endpoints
    (they bill, or hold nothing), routes to what goes, flow logs, roles, launch templates, the cluster and
    Grafana (no data of its own). So do log groups and key aliases, whose fixed names would make the next
    creation of the same stack fail, and data repository associations: these are links, not data, and
    retaining them would keep a link that the user took out exporting for ever, unseen.
    """

    RETAIN = "retain"
    ALWAYS = "always"
    DISPOSABLE = "disposable"
