"""The codes of what a review finds: a change that loses something, or that will not go through."""

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
    "REV001", _ERROR, "what keeps data is not replaced",
    "CloudFormation makes a new, empty one; the old one goes with its data, or stays behind, unmanaged and billing.",
    _REPLACE,
)  # fmt: skip
STATEFUL_DELETED = _code(
    "REV002", _ERROR, "what keeps data is not deleted",
    "The resource left the template, and its deletion policy does not keep it: its data is lost.",
    _DELETION,
)  # fmt: skip
STATEFUL_LEFT = _code(
    "REV003", _WARNING, "what keeps data stays in the template",
    "Its deletion policy leaves it where it is: it bills on, and no stack knows it any more.",
    _DELETION,
)  # fmt: skip
STATEFUL_RENAMED = _code(
    "REV004", _ERROR, "what keeps data keeps its logical id",
    "CloudFormation knows a resource by its logical id: under another one it makes a new, empty resource, and the old one goes or is left behind.",
    _UPDATES,
)  # fmt: skip
MAY_BE_REPLACED = _code(
    "REV005", _WARNING, "what keeps data is not changed in a way that may replace it",
    "The provider's schema says that such a change replaces the resource in some cases; its reference says in which.",
    _UPDATES,
)  # fmt: skip
PATH_STAYS = _code(
    "REV006", _NOTE, "a published path that comes back was cleared before",
    "A data profile's parameters outlive what takes them out, since clusters may still read them, and CloudFormation creates no parameter whose name is taken: a plain `cdk deploy` that brings one back fails.",
    "https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html",
)  # fmt: skip
REFUSED = _code(
    "REV010", _ERROR, "a change is one that the service makes",
    "The update fails and the whole deployment is rolled back; what was changed before it is changed twice for nothing.",
    _UPDATES,
)  # fmt: skip
NAME_TAKEN = _code(
    "REV011", _ERROR, "what has a name of its own, or holds something alone, does not meet itself",
    "The new resource is made before the old one goes, and a name cannot be taken twice: the update is refused (SLURM-12).",
    _NAMES,
)  # fmt: skip
OTHER_TYPE = _code(
    "REV012", _ERROR, "a logical id keeps its resource type",
    "CloudFormation refuses the whole update: the type of a resource cannot be changed.",
    _UPDATES,
)  # fmt: skip
NOT_VALID = _code(
    "REV013", _ERROR, "the properties of what is added or changed fit the provider's schema",
    "CloudFormation validates properties before it calls the service; the deployment fails and is rolled back.",
    _TYPES,
)  # fmt: skip
UNKNOWN_TYPE = _code(
    "REV014", _WARNING, "a resource type has a schema that says what an update does",
    "Nothing is known of its properties: a change may go unnoticed, interrupt, replace, or be refused.",
    _TYPES,
)  # fmt: skip
NOT_TAKEN = _code(
    "REV015", _ERROR, "the properties of what is added or changed are ones that the service takes",
    "The service's API has patterns, lengths and lists of values that CloudFormation's schema leaves out; the "
    "creation or update fails, and the deployment is rolled back.",
    _TYPES,
)  # fmt: skip
INTERRUPTED = _code(
    "REV020", _WARNING, "a change does not interrupt what runs",
    "The resource stays, but is unavailable or acts differently while it is changed.",
    _UPDATES,
)  # fmt: skip
NODES_REPLACED = _code(
    "REV021", _WARNING, "running nodes are left alone",
    "Jobs on them end, or must end first; everything on their disks is lost.",
    _UPDATES,
)  # fmt: skip
NODES_REMOVED = _code(
    "REV022", _WARNING, "a group of nodes does not get smaller",
    "The service chooses which nodes go, whatever runs on them (HYPERPOD-18).",
    _SCALE_DOWN,
)  # fmt: skip
NEW_NODES_ONLY = _code(
    "REV023", _NOTE, "a change reaches the nodes that run",
    "Nodes get it when they are made: until they are replaced, old and new ones differ.",
    "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html",
)  # fmt: skip
DATA_EXPIRES = _code(
    "REV024", _WARNING, "data is kept as long as before",
    "What is older than the new retention is deleted soon after the update; raising it again brings nothing back. "
    "What a link no longer exports is on the file system alone, and goes with it. Records of jobs that are no longer "
    "kept cannot be asked for.",
    "https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html",
)  # fmt: skip
JOBS_ENDED = _code(
    "REV025", _WARNING, "a queue with jobs stays, under its name",
    "PCS ends the jobs that run in a queue that it deletes, and cancels those that wait; a queue that gets another name "
    "is deleted and made anew.",
    "https://docs.aws.amazon.com/pcs/latest/userguide/working-with_queues_delete.html",
)  # fmt: skip
LEFT_BEHIND = _code(
    "REV026", _WARNING, "what scripts wrote on nodes goes when the scripts go",
    "Nodes that run are not set up anew: what ultracluster's scripts wrote and what runs by its timers stays on them, "
    "and Slurm's controller goes on naming a prolog and an epilog that new nodes do not have.",
    "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-lifecycle-best-practices-slurm.html",
)  # fmt: skip
PEAK = _code(
    "REV030", _ERROR, "a change never needs more nodes at once than are reserved",
    "Where something is replaced, the new nodes start before the old ones end: a reservation without room for both leaves the deployment waiting, and then rolls it back.",
    _PLANS,
)  # fmt: skip
PEAK_ON_DEMAND = _code(
    "REV031", _WARNING, "a change needs no more nodes on demand at once than run already",
    "Nothing is reserved for them: whether they are there is known only when they are asked for.",
    _PLANS,
)  # fmt: skip
PEAK_OF_EXCHANGE = _code(
    "REV032", _WARNING, "nodes of one reservation move between groups in two deployments",
    "Nothing says in which order a service makes groups larger and smaller: the one that grows may find the reservation full.",
    _PLANS,
)  # fmt: skip
PROTECTION_REMOVED = _code(
    "REV040", _WARNING, "a protection against loss stays",
    "Nothing is lost now; the next deletion or replacement is no longer stopped.",
    _PROTECTION,
)  # fmt: skip
EXPORT_CHANGED = _code(
    "REV041", _WARNING, "an export keeps its name and value",
    "While another stack imports it, CloudFormation refuses to take an export away or to change its value.",
    _EXPORTS,
)  # fmt: skip
OUTPUT_REMOVED = _code(
    "REV042", _NOTE, "an output stays",
    "Whoever reads it from the stack (scripts, other tools) no longer finds it.",
    _EXPORTS,
)  # fmt: skip
DEFAULT_CHANGED = _code(
    "REV043", _NOTE, "the default of a parameter stays",
    "A deployed stack keeps the value that the parameter has: the CDK CLI passes the previous one on, and the new default is never used.",
    _PARAMETERS,
)  # fmt: skip
LINKED_TAGS = _code(
    "REV044", _WARNING, "the tags of a file system that is linked to S3 stay",
    "CloudFormation sends the backup settings with them, which FSx refuses on a linked file system (STORAGE-09; closed, but no fix was seen).",
    _LINKED,
)  # fmt: skip
STACK_REMOVED = _code(
    "REV050", _WARNING, "a deployed stack stays in the app",
    "CloudFormation knows nothing of it: the stack stays as it is, deployed and billing.",
    _STACKS,
)  # fmt: skip
OTHER_STACK = _code(
    "REV051", _WARNING, "both sides are the same stack",
    "Under another name, or in another Region, everything is made anew beside the old stack, which stays as it is.",
    _STACKS,
)  # fmt: skip

CODES = codes_of(globals())
