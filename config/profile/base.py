"""What all models of a profile share."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticKnownError


class Model(BaseModel):
    """A part of a profile: immutable, unknown keys refused, no silent conversion of types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _null_takes_away(cls, data: Any) -> Any:
        """`key: null` takes the key of the profile below away: what holds then is the key's own default."""
        if not isinstance(data, dict) or None not in data.values():
            return data
        optional = {
            field.alias or name for name, field in cls.model_fields.items() if not field.is_required()
        }
        return {key: value for key, value in data.items() if value is not None or key not in optional}


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _as_stated(value: Any) -> Any:
    if isinstance(value, bool | float):
        raise PydanticKnownError("int_type")
    return value


WHOLE = BeforeValidator(_as_stated)
"""For a closed set of whole numbers: to Python false is 0, and `raid: false` would be RAID 0."""

T = TypeVar("T")
Sequence = Annotated[tuple[T, ...], BeforeValidator(_as_tuple)]

_ZONE_ID = r"[a-z]{2,6}[0-9]+(-[a-z]{3}[0-9]+)?-az[0-9]+"
_ZONE_NAME = r"[a-z]{2}(-[a-z]+)+-[0-9]+(-[a-z]{3}-[0-9]+)?[a-z]"

NAME = r"^[a-z]([a-z0-9-]*[a-z0-9])?$"
ZONE_ID = f"^{_ZONE_ID}$"
ZONE_NAME = f"^{_ZONE_NAME}$"
ZONE = f"^({_ZONE_NAME}|{_ZONE_ID})$"
CIDR = r"^([0-9]{1,3}\.){3}[0-9]{1,3}/[0-9]{1,2}$"
REGION = r"^[a-z]{2}(-[a-z]+)+-[0-9]+$"
ACCOUNT = r"^[0-9]{12}$"
VPC_ID = r"^vpc-[0-9a-f]{8,17}$"
SUBNET_ID = r"^subnet-[0-9a-f]{8,17}$"
MAINTENANCE = r"^[1-7]:([01][0-9]|2[0-3]):[0-5][0-9]$"

MOMENT = r"^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]Z$"
DIAGNOSTIC = r"^[A-Z]{3}[0-9]{3}$"

# what YAML's own reader refuses stands in no template: control characters, ends of lines, and no characters at all
_SIGNS = r"\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff$"
REASON = f"^[^ {_SIGNS}][^{_SIGNS}]{{8,198}}[^ {_SIGNS}]\\n?$"
PLAIN = f"^[^{_SIGNS}]*\\n?$"

FORMS = {
    NAME: "lower-case letters, digits and inner hyphens, such as pretrain-west",
    ZONE_ID: "a zone id, such as usw2-az2; `aws ec2 describe-availability-zones` lists them",
    ZONE_NAME: "a zone name, such as us-west-2b; a zone id goes to `availability_zone_id`",
    ZONE: "a zone id such as usw2-az2, or a zone name such as us-west-2b",
    CIDR: "an IPv4 block, such as 10.0.0.0/16",
    REGION: "a Region, such as us-west-2",
    ACCOUNT: 'twelve digits in quotes, such as "123456789012"',
    VPC_ID: "the id of a VPC, such as vpc-0123456789abcdef0",
    SUBNET_ID: "the id of a subnet, such as subnet-0123456789abcdef0",
    PLAIN: "one line without control characters and `$`, such as: our first cluster",
    MOMENT: "a minute in UTC, such as 2027-01-04T11:30Z",
    DIAGNOSTIC: "the code of a diagnostic, such as CAP009",
    REASON: "why, in one line of at least 10 characters without control characters and `$`",
    MAINTENANCE: "day:HH:MM in UTC, such as 7:03:00 for Sunday at three",
}
"""What to write where a pattern does not match, in words."""

Name = Annotated[str, Field(pattern=NAME, min_length=1, max_length=32)]
"""A name in a profile: lower-case letters, digits and inner hyphens, at most 32 characters."""

ZoneId = Annotated[str, Field(pattern=ZONE_ID)]
"""An availability zone id, the same zone in every account: `usw2-az2`."""

ZoneName = Annotated[str, Field(pattern=ZONE_NAME)]
"""An availability zone name, mapped to a zone account by account: `us-west-2b`."""

Zone = Annotated[str, Field(pattern=ZONE)]
"""A zone by name or by id."""

Cidr = Annotated[str, Field(pattern=CIDR)]
"""An IPv4 block: `10.0.0.0/16`."""

LOG_RETENTION_DAYS = (
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
)  # fmt: skip
"""Days that CloudWatch Logs can keep a log group (API_PutRetentionPolicy)."""
