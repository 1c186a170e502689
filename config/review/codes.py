"""Codes of the findings of a review: changes that lose something, or that CloudFormation rejects."""

from __future__ import annotations

from config.diagnostics import Code, Severity, codes_of

_UPDATES = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-update-behaviors.html"
_DELETION = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-deletionpolicy.html"
_REPLACE = (
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-updatereplacepolicy.html"
)
_NAMES = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-name.html"
_EXPORTS = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-stack-exports.html"
_STACKS = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/stacks.html"
_PROTECTION = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-protect-stacks.html"
_TYPES = "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-template-resource-type-ref.html"
_PLANS = "https://docs.aws.amazon.com/sagemaker/latest/dg/reserve-capacity-with-training-plans.html"
_SCALE_DOWN = "https://github.com/awslabs/awsome-distributed-ai/pull/1011"
_LINKED = "https://github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/1687"
_PARAMETERS = "https://docs.aws.amazon.com/cdk/v2/guide/parameters.html"


def _code(code: str, severity: Severity, holds: str, why: str, source: str) -> Code:
    return Code(code=code, severity=severity, holds=holds, why=why, source=source)


_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE

STATEFUL_REPLACED = _code(
    "REV001", _ERROR, "a resource with data is not replaced",
    "CloudFormation creates a new, empty resource. The old resource is deleted with its data, or it is retained outside of the stack and still billed.",
    _REPLACE,
)  # fmt: skip
STATEFUL_DELETED = _code(
    "REV002", _ERROR, "a resource with data is not deleted",
    "The resource is no longer in the template, and its deletion policy does not retain it. Its data is lost.",
    _DELETION,
)  # fmt: skip
STATEFUL_LEFT = _code(
    "REV003", _WARNING, "a resource with data is not removed from the template",
    "The deletion policy retains the resource. The resource is still billed, but no stack manages it.",
    _DELETION,
)  # fmt: skip
STATEFUL_RENAMED = _code(
    "REV004", _ERROR, "a resource with data keeps its logical id",
    "CloudFormation identifies a resource by its logical id. For a new logical id CloudFormation creates a new, empty resource, and it deletes or retains the old resource.",
    _UPDATES,
)  # fmt: skip
MAY_BE_REPLACED = _code(
    "REV005", _WARNING, "a resource with data has no change that may replace it",
    "The change replaces the resource in some cases, according to the provider's schema. The reference of the resource type lists "
    "these cases.",
    _UPDATES,
)  # fmt: skip
PATH_STAYS = _code(
    "REV006", _NOTE, "a published path is deleted before a stack creates it again",
    "Parameters of a data profile that are removed from the template are retained, because clusters may still read them. "
    "CloudFormation does not create a parameter whose name exists, so a plain `cdk deploy` that adds the path again fails.",
    "https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html",
)  # fmt: skip
REFUSED = _code(
    "REV010", _ERROR, "the service supports the change",
    "The update fails, and CloudFormation rolls back the whole deployment. Resources that were updated before the failure are updated a second time.",
    _UPDATES,
)  # fmt: skip
NAME_TAKEN = _code(
    "REV011", _ERROR, "a new resource does not need a name that the old resource still has",
    "CloudFormation creates the new resource before it deletes the old one. Two resources cannot have the same name, so the update is rejected (SLURM-12).",
    _NAMES,
)  # fmt: skip
OTHER_TYPE = _code(
    "REV012", _ERROR, "a logical id keeps its resource type",
    "CloudFormation rejects the whole update, because the type of a resource cannot change.",
    _UPDATES,
)  # fmt: skip
NOT_VALID = _code(
    "REV013", _ERROR, "the properties of added and changed resources match the provider's schema",
    "CloudFormation validates properties before it calls the service. The deployment fails and is rolled back.",
    _TYPES,
)  # fmt: skip
UNKNOWN_TYPE = _code(
    "REV014", _WARNING, "the resource type has a known schema",
    "Without a schema, the review does not know the properties. A change may then interrupt or replace the resource, or be "
    "rejected, without a finding.",
    _TYPES,
)  # fmt: skip
NOT_TAKEN = _code(
    "REV015", _ERROR, "the service accepts the properties of added and changed resources",
    "The service's API checks patterns, lengths and lists of values that CloudFormation's schema does not have. The "
    "creation or update fails, and the deployment is rolled back.",
    _TYPES,
)  # fmt: skip
INTERRUPTED = _code(
    "REV020", _WARNING, "a change does not interrupt a running resource",
    "The resource is not replaced, but it is unavailable or behaves differently during the change.",
    _UPDATES,
)  # fmt: skip
NODES_REPLACED = _code(
    "REV021", _WARNING, "a change does not replace running nodes",
    "Jobs on running nodes are stopped, or must finish first. All data on the nodes' disks is lost.",
    _UPDATES,
)  # fmt: skip
NODES_REMOVED = _code(
    "REV022", _WARNING, "a node group does not get smaller",
    "The service chooses the nodes that it terminates, and ignores the jobs on these nodes (HYPERPOD-18).",
    _SCALE_DOWN,
)  # fmt: skip
NEW_NODES_ONLY = _code(
    "REV023", _NOTE, "a change reaches the running nodes",
    "Only new nodes receive the change. Until all nodes are replaced, old and new nodes differ.",
    "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html",
)  # fmt: skip
DATA_EXPIRES = _code(
    "REV024", _WARNING, "data is retained as long as before",
    "Data that is older than the new retention period is deleted soon after the update. A longer period later does not restore "
    "the data. Files that are not exported to S3 are only on the file system, and are deleted with the file system. Job records "
    "that are no longer retained cannot be queried.",
    "https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html",
)  # fmt: skip
JOBS_ENDED = _code(
    "REV025", _WARNING, "a queue with jobs is not deleted or renamed",
    "When PCS deletes a queue, it stops the running jobs and cancels the waiting jobs. A queue with a new name "
    "is a new queue, and the old queue is deleted.",
    "https://docs.aws.amazon.com/pcs/latest/userguide/working-with_queues_delete.html",
)  # fmt: skip
LEFT_BEHIND = _code(
    "REV026", _WARNING, "files that scripts wrote on nodes are removed together with the scripts",
    "Running nodes are not set up again, so the files and timers of ultracluster's scripts remain on these nodes. Slurm's "
    "controller still names a prolog and an epilog, but new nodes do not have these files.",
    "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-lifecycle-best-practices-slurm.html",
)  # fmt: skip
PEAK = _code(
    "REV030", _ERROR, "a change never needs more nodes at the same time than are reserved",
    "When a resource is replaced, the new nodes start before the old nodes are terminated. If the reservation does not have enough capacity for both, the deployment waits and is then rolled back.",
    _UPDATES,
)  # fmt: skip
PEAK_ON_DEMAND = _code(
    "REV031", _WARNING, "a change does not need more on-demand nodes at the same time than run now",
    "On-demand capacity is not reserved. Only the request shows whether EC2 has enough instances.",
    _UPDATES,
)  # fmt: skip
PEAK_OF_EXCHANGE = _code(
    "REV032", _WARNING, "nodes of a reservation are moved to another group in two deployments",
    "A service changes the sizes of groups in any order. If one group grows before the other group shrinks, the reservation is "
    "full.",
    _PLANS,
)  # fmt: skip
PROTECTION_REMOVED = _code(
    "REV040", _WARNING, "a protection against data loss is not removed",
    "The change itself does not lose data, but a later deletion or replacement is no longer prevented.",
    _PROTECTION,
)  # fmt: skip
EXPORT_CHANGED = _code(
    "REV041", _WARNING, "an export keeps its name and value",
    "CloudFormation rejects a change or removal of an export while another stack imports the export.",
    _EXPORTS,
)  # fmt: skip
OUTPUT_REMOVED = _code(
    "REV042", _NOTE, "an output is not removed",
    "Scripts and other tools that read the output of the stack fail.",
    _EXPORTS,
)  # fmt: skip
DEFAULT_CHANGED = _code(
    "REV043", _NOTE, "the default value of a parameter does not change",
    "A deployed stack keeps the current value of the parameter, because the CDK CLI passes the previous value. The new default is not used.",
    _PARAMETERS,
)  # fmt: skip
LINKED_TAGS = _code(
    "REV044", _WARNING, "the tags of a file system with a data repository association do not change",
    "CloudFormation sends the backup settings together with the tags. FSx rejects backup settings for a file system that is linked to S3 (STORAGE-09; the report is closed, but no fix is documented).",
    _LINKED,
)  # fmt: skip
STACK_REMOVED = _code(
    "REV050", _WARNING, "a deployed stack is not removed from the app",
    "CloudFormation does not delete a stack that is removed from the app. The stack is still deployed and billed.",
    _STACKS,
)  # fmt: skip
OTHER_STACK = _code(
    "REV051", _WARNING, "OLD and NEW are the same stack",
    "With another name or in another Region, CloudFormation creates a second stack. The old stack is not changed.",
    _STACKS,
)  # fmt: skip

CODES = codes_of(globals())
