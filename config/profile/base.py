"""Base class, types and patterns that all profile models share.

Every command imports the models, so two rules keep the import fast. Defaults use `model_construct`, because calling
the class would build its validator. Modules with models do not use `from __future__ import annotations`, because
pydantic would compile every annotation from its text.
"""

from functools import cache
from typing import Annotated, Any, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, model_validator
from pydantic_core import PydanticKnownError, core_schema


class Model(BaseModel):
    """Base class of profile parts: immutable, rejects unknown keys, does not convert types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _null_takes_away(cls, data: Any) -> Any:
        """Remove keys with the value null, so that `key: null` restores the default of the key."""
        if not isinstance(data, dict) or None not in data.values():
            return data
        optional = {
            field.alias or name for name, field in cls.model_fields.items() if not field.is_required()
        }
        return {key: value for key, value in data.items() if value is not None or key not in optional}


class ByKind:
    """A union of models that builds only the validator for the given `kind`, or all for an unknown kind."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        models = {get_args(model.model_fields["kind"].annotation)[0]: model for model in get_args(source)}
        self._union = cache(lambda: TypeAdapter(Annotated[source, Field(discriminator="kind")]))

        def validate(value: Any) -> Any:
            kind = value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)
            declared = models.get(kind) if isinstance(kind, str) else None
            return declared.model_validate(value) if declared else self._union().validate_python(value)

        return core_schema.no_info_plain_validator_function(validate)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        return handler(self._union().core_schema)


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _as_declared(value: Any) -> Any:
    if isinstance(value, bool | float):
        raise PydanticKnownError("int_type")
    return value


WHOLE = BeforeValidator(_as_declared)
"""Validator that accepts only integers; in Python false equals 0, so `raid: false` would mean RAID 0."""

T = TypeVar("T")
Sequence = Annotated[tuple[T, ...], BeforeValidator(_as_tuple)]

_ZONE_ID = r"[a-z]{2,6}[0-9]+(-[a-z]{3}[0-9]+)?-az[0-9]+"
_REGION = r"[a-z]{2}(-[a-z]+)+-[0-9]+"
_ZONE_NAME = rf"{_REGION}(-[a-z]{{3}}-[0-9]+)?[a-z]"

NAME = r"^[a-z]([a-z0-9-]*[a-z0-9])?$"
ZONE_ID = f"^{_ZONE_ID}$"
ZONE_NAME = f"^{_ZONE_NAME}$"
ZONE = f"^({_ZONE_NAME}|{_ZONE_ID})$"
CIDR = r"^([0-9]{1,3}\.){3}[0-9]{1,3}/[0-9]{1,2}$"
REGION = f"^{_REGION}$"
ACCOUNT = r"^[0-9]{12}$"
VPC_ID = r"^vpc-[0-9a-f]{8,17}$"
SUBNET_ID = r"^subnet-[0-9a-f]{8,17}$"
FILE_SYSTEM_ID = r"^fs-[0-9a-f]{8,17}$"
SECURITY_GROUP_ID = r"^sg-[0-9a-f]{8,17}$"
KMS_KEY_ARN = rf"^arn:aws[a-z-]*:kms:{_REGION}:[0-9]{{12}}:key/[A-Za-z0-9-]{{1,64}}$"
AMI_ID = r"^ami-[0-9a-f]{8,17}$"
DEVICE = r"^/dev/(sd[a-z][0-9]?|xvd[a-z]{1,2})$"
SECRET_ARN = rf"^arn:aws[a-z-]*:secretsmanager:{_REGION}:[0-9]{{12}}:secret:[A-Za-z0-9/_+=.@-]+$"
ENDPOINT = r"^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$"
DATABASE_NAME = r"^[A-Za-z0-9$_]+$"
AURORA_VERSION = r"^8\.0\.mysql_aurora\.3\.[0-9]{2}\.[0-9]$"
S3_FOLDER = r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9!_.*'()-]+)*/?$"
FILE_NAME = r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*$"
ALARM_NAME = r"^[A-Za-z0-9_.:/# -]*[A-Za-z0-9_.:/#-]$"
NID = r"^([0-9\[\]-]+\.){3}[0-9\[\]-]+@tcp$"
TIME_OF_DAY = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"
MOUNT_NAME = r"^[A-Za-z0-9_-]{1,8}$"
MAINTENANCE = r"^[1-7]:([01][0-9]|2[0-3]):[0-5][0-9]$"

IAM_PRINCIPAL = r"^arn:aws[a-z-]*:iam::[0-9]{12}:(role|user)/[A-Za-z0-9+=,.@_/-]{1,576}$"
KUBERNETES_NAMESPACES = r"^[a-z0-9*]([a-z0-9*-]*[a-z0-9*])?$"
KUBERNETES_GROUP = r"^[A-Za-z0-9][A-Za-z0-9._/-]*$"
ADDON_VERSION = r"^v[0-9]+\.[0-9]+\.[0-9]+(-[a-z0-9.]+)*$"
IMAGE_RELEASE = r"^[0-9]+\.[0-9]+\.[0-9]+-[0-9a-f]{8}$"
REPAIR_REASON = r"^[A-Z][A-Za-z0-9]*$"

# AWS::SageMaker::Cluster, ScheduleExpression: HyperPod rejects lists, ranges and steps of minutes and hours
CRON = (
    r"^cron\(([0-5][0-9]|[0-9]) ([01][0-9]|2[0-3]|[0-9]) ([1-9]|0[1-9]|[12][0-9]|3[01]|\?) "
    r"([1-9]|0[1-9]|1[0-2]|\*|\*/([1-9]|1[0-2])) (MON|TUE|WED|THU|FRI|SAT|SUN|[1-7]|\?|L|[1-7]#[1-5]|[1-7]L) "
    r"(20[2-9][0-9]|\*)\)$"
)

MOMENT = r"^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]Z$"
DIAGNOSTIC = r"^[A-Z]{3}[0-9]{3}$"
PREFIX_LIST_ID = r"^pl-[0-9a-f]{8,17}$"
VPC_ENDPOINT_ID = r"^vpce-[0-9a-f]{8,17}$"
URL = r"^https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?$"
DOWNLOADS = (
    r"^(https://[A-Za-z0-9.-]+(:[0-9]{1,5})?|s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(/[A-Za-z0-9._~-]+)*/?$"
)
GRAFANA_VERSION = r"^[0-9]{1,2}\.[0-9]{1,2}$"
TOPIC_ARN = rf"^arn:aws[a-z-]*:sns:{_REGION}:[0-9]{{12}}:[A-Za-z0-9_-]{{1,256}}(\.fifo)?$"
EMAIL = r"^[^@\s]+@[^@\s]+\.[^@\s]+$"
ALERT = r"^[A-Z][A-Za-z0-9]{0,127}$"
CONDITION = r"^[a-z][a-z0-9-]*$"

# AWS::SageMaker::Cluster, ClusterKubernetesTaint; Kubernetes has the same limits for labels
LABEL_KEY = r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$"
LABEL_VALUE = r"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$"
# accepted by FSx, IAM, SageMaker, AMP, Logs and SSM (API models), limited to ASCII letters
TAG_KEY = r"^[A-Za-z0-9_.:/=+@-]([A-Za-z0-9 _.:/=+@-]{0,126}[A-Za-z0-9_.:/=+@-])?$"
TAG_VALUE = r"^[A-Za-z0-9_.:/=+@-]([A-Za-z0-9 _.:/=+@-]{0,254}[A-Za-z0-9_.:/=+@-])?$"
TEAM = r"^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$"
HYPERPOD_RELEASE = r"^[0-9]+\.[0-9]+\.[0-9]+$"
CONTAINER_IMAGE = r"^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)+(:[A-Za-z0-9_.-]+|@sha256:[0-9a-f]{64})$"
OCI_REGISTRY = r"^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)*$"

ACCOUNT_NAME = r"^[a-z_][a-z0-9_-]*$"
SHELL = r"^/[A-Za-z0-9._/-]+$"
ABSOLUTE_PATH = r"^(/[A-Za-z0-9._-]+)+$"
LDAP_URI = r"^ldaps?://[A-Za-z0-9.-]+(:[0-9]{1,5})?$"
DISTINGUISHED_NAME = r"^[A-Za-z]+=[^=,\n\r$\x00]+(,[A-Za-z]+=[^=,\n\r$\x00]+)*$"
CERTIFICATES = r"^(-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+-----END CERTIFICATE-----\n*)+$"
BUCKET_NAME = r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$"
KEY_PREFIX = r"^[A-Za-z0-9!_.*'()-]+(/[A-Za-z0-9!_.*'()-]+)*$"
PEOPLE_FILE = r"^.*\.(yaml|yml|csv)$"
ONE_LINE = r"^[^\x00-\x1f\x7f$]+$"
# botocore, ecr: RepositoryName and PullThroughCacheRuleRepositoryPrefix
_REPOSITORY = r"[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*"
REPOSITORY = f"^{_REPOSITORY}$"
IMAGE_TAGS = r"^[0-9a-zA-Z._*-]{1,128}$"
REGISTRY_HOST = r"^[a-z0-9]+\.azurecr\.io$"

# characters that YAML readers reject must not be in templates: control characters and line separators
_SIGNS = r"\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff$"
REASON = f"^[^ {_SIGNS}][^{_SIGNS}]{{8,198}}[^ {_SIGNS}]\\n?$"
PLAIN = f"^[^{_SIGNS}]*\\n?$"

ENVIRONMENT = r"^[a-z][a-z0-9]*$"
QUALIFIER = r"^[a-z0-9]{1,10}$"
BOUNDARY = r"^(arn:aws[a-z-]*:iam::([0-9]{12}|aws):policy/)?([A-Za-z0-9+=,.@_-]+/)*[A-Za-z0-9+=,.@_-]{1,128}$"

FORMS = {
    ENVIRONMENT: "lower-case letters and digits, starting with a letter, such as dev, staging or prod",
    QUALIFIER: "1 to 10 lower-case letters and digits, the value of `cdk bootstrap --qualifier`",
    BOUNDARY: "the ARN of a managed policy, such as arn:aws:iam::123456789012:policy/boundary, or its name",
    OCI_REGISTRY: "a host and a path without oci://, such as 123456789012.dkr.ecr.us-west-2.amazonaws.com/charts",
    NAME: "lower-case letters, digits and inner hyphens, starting with a letter, such as pretrain-west",
    ZONE_ID: "a zone ID, such as usw2-az2; `aws ec2 describe-availability-zones` lists them",
    ZONE_NAME: "a zone name, such as us-west-2b; write a zone ID to `availability_zone_id`",
    ZONE: "a zone ID such as usw2-az2, or a zone name such as us-west-2b",
    CIDR: "an IPv4 CIDR block, such as 10.0.0.0/16",
    REGION: "a Region, such as us-west-2",
    ACCOUNT: '12 digits in quotes, such as "123456789012"',
    VPC_ID: "the ID of a VPC, such as vpc-0123456789abcdef0",
    SUBNET_ID: "the ID of a subnet, such as subnet-0123456789abcdef0",
    FILE_SYSTEM_ID: "the ID of a file system, such as fs-0123456789abcdef0",
    SECURITY_GROUP_ID: "the ID of a security group, such as sg-0123456789abcdef0",
    KMS_KEY_ARN: "the ARN of a KMS key, such as "
    "arn:aws:kms:us-west-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef",
    AMI_ID: "the ID of an AMI, such as ami-0123456789abcdef0",
    DEVICE: "an EC2 device name, such as /dev/sda1 or /dev/xvda",
    SECRET_ARN: "the ARN of a secret, such as arn:aws:secretsmanager:us-west-2:123456789012:secret:accounting-AbCdEf",
    ENDPOINT: "a host name, such as accounting.cluster-abcdefghijkl.us-west-2.rds.amazonaws.com",
    DATABASE_NAME: "letters, digits, `$` and `_`, such as slurm_acct_db_west",
    AURORA_VERSION: "an Aurora MySQL 3 version, such as 8.0.mysql_aurora.3.10.3",
    S3_FOLDER: "a folder in S3, such as s3://my-bucket/hyperpod/v1/",
    FILE_NAME: "a file name, such as on_create.sh",
    ALARM_NAME: "the name of a CloudWatch alarm, such as hyperpod-nodes-lost",
    CRON: "minute, hour, day of the month, month, day of the week and year, such as cron(0 3 ? * SUN *)",
    NID: "a Lustre client (NID), such as 10.0.1.6@tcp or 10.0.[2-10].[1-255]@tcp",
    MOUNT_NAME: "a mount name of 1 to 8 letters, digits, hyphens and underscores, such as abcdefgh",
    TIME_OF_DAY: "HH:MM in UTC, such as 05:00",
    PLAIN: "one line without control characters and `$`, such as: our first cluster",
    MOMENT: "a minute in UTC, such as 2027-01-04T11:30Z",
    LABEL_KEY: "a Kubernetes label key, such as nvidia.com/gpu or team",
    LABEL_VALUE: "letters and digits with inner hyphens, dots and underscores, such as training",
    TAG_KEY: "letters, digits, inner spaces and `_.:/=+@-`, such as cost-centre",
    TAG_VALUE: "letters, digits, inner spaces and `_.:/=+@-`, such as pretraining",
    TEAM: "at most 40 lower-case letters, digits and inner hyphens, such as research",
    HYPERPOD_RELEASE: "a release of the HyperPod image, such as 1.0.7",
    CONTAINER_IMAGE: "an image with its tag or digest, such as "
    "123456789012.dkr.ecr.us-west-2.amazonaws.com/hyperpod-health-monitoring-agent:1.0.1892.0_1.0.424.0",
    DIAGNOSTIC: "the code of a diagnostic, such as CAP009",
    REASON: "a reason in one line of at least 10 characters, without control characters and `$`",
    IAM_PRINCIPAL: "the ARN of an IAM role or user, such as arn:aws:iam::123456789012:role/researchers; for a role session, "
    "the ARN of the role",
    KUBERNETES_NAMESPACES: "a namespace, such as team-a, or a prefix with a star, such as team-*",
    KUBERNETES_GROUP: "a group in your own role bindings, such as researchers; EKS rejects system groups",
    ADDON_VERSION: "an add-on version, such as v1.14.3-eksbuild.3; `aws eks describe-addon-versions` lists them",
    IMAGE_RELEASE: "an image release, such as 1.35.6-20260714",
    REPAIR_REASON: "a reason of the node monitoring agent, such as NvidiaXID79Error",
    PREFIX_LIST_ID: "the ID of a prefix list, such as pl-0123456789abcdef0",
    VPC_ENDPOINT_ID: "the ID of a VPC endpoint, such as vpce-0123456789abcdef0",
    URL: "a URL with http:// or https://, such as https://prometheus.example.com:9090/api/v1/write",
    DOWNLOADS: "an https URL or a folder in S3, such as https://files.example.com/exporters or s3://my-bucket/exporters",
    GRAFANA_VERSION: 'a version in quotes, such as "10.4"',
    TOPIC_ARN: "the ARN of an SNS topic, such as arn:aws:sns:us-west-2:123456789012:oncall",
    ALERT: "the name of an alert in docs/alerts.md, such as LustreTargetFull",
    EMAIL: "an email address, such as oncall@example.com",
    CONDITION: "a condition in docs/repair.md, such as xid-74",
    ACCOUNT_NAME: "lower-case letters, digits, hyphens and underscores, such as ada",
    SHELL: "the path of a program, such as /bin/bash",
    ABSOLUTE_PATH: "an absolute path, such as /fsx/teams",
    LDAP_URI: "ldaps:// or ldap:// and a host, such as ldaps://ldap.example.com",
    DISTINGUISHED_NAME: "a distinguished name, such as ou=people,dc=example,dc=com",
    CERTIFICATES: "certificates in PEM format, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----, after `ca_certificate: |`",
    BUCKET_NAME: "the name of an S3 bucket, such as our-session-logs",
    KEY_PREFIX: "a folder without slashes at its ends, such as sessions",
    PEOPLE_FILE: "the path of a file that ends with .yaml, .yml or .csv, such as people.yaml",
    ONE_LINE: "one line without control characters and `$`",
    REPOSITORY: "lower-case letters and digits, separated by dots, underscores, hyphens or slashes, such as train or team/eval",
    IMAGE_TAGS: "a tag, or a pattern with a star, such as latest or dev-*",
    REGISTRY_HOST: "the host of an Azure registry, such as myregistry.azurecr.io",
    MAINTENANCE: "day:HH:MM in UTC, such as 7:03:00 for Sunday at 03:00",
}
"""The accepted form of each pattern, for hints and the documentation."""

Name = Annotated[str, Field(pattern=NAME, min_length=1, max_length=32)]
"""A name in a profile: lower-case letters, digits and inner hyphens, at most 32 characters."""

Environment = Annotated[str, Field(pattern=ENVIRONMENT, max_length=12)]
"""The environment of a profile, such as `dev`, `staging` or `prod`."""

ZoneId = Annotated[str, Field(pattern=ZONE_ID)]
"""An Availability Zone ID, which is the same zone in every account: `usw2-az2`."""

ZoneName = Annotated[str, Field(pattern=ZONE_NAME)]
"""An Availability Zone name, which each account maps to a zone: `us-west-2b`."""

Zone = Annotated[str, Field(pattern=ZONE)]
"""An Availability Zone by name or by ID."""

Cidr = Annotated[str, Field(pattern=CIDR)]
"""An IPv4 CIDR block: `10.0.0.0/16`."""

LOG_RETENTION_DAYS = (
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
)  # fmt: skip
"""Retention periods in days that CloudWatch Logs accepts (API_PutRetentionPolicy)."""
