"""Generator of docs/reference/embedded-cloud.md, the behaviours and types of the embedded cloud."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from config.catalog.durations import declared_s
from scripts.cloud.extensions.install import SERVICES
from scripts.cloud.faults import KINDS
from scripts.cloud.resources.base import Model
from scripts.cloud.resources.registry import model_of, modelled_types
from scripts.cloud.template.corrections import corrected_types
from scripts.cloud.template.names import DELETED_FIRST, replaced_in_order
from scripts.cloud.template.schema import NO_SCHEMA
from scripts.cloud.validation.requests import request_of
from scripts.cloud.validation.rules import RULES
from scripts.tools.docs.kubernetes_versions import versions_table
from scripts.tools.docs.markdown import COMMAND, page, table

_PATH = Path(__file__).parent / "cloud_behaviours.yaml"
_REGION = "us-east-1"
# services with different names in resource types and in boto3
_CALLED = {"APS": "amp"}

_INTRO = """\
The embedded cloud is a local process that implements AWS APIs on the loopback interface. The CDK CLI,
boto3 and other clients use it in place of AWS. It is free of charge and does not send data to the network.
`ultracluster cloud` runs it, and `make deploy` starts its own.

- *Real*: the same program or data that AWS or its users run.
- *Modelled*: code of ultracluster, on the services of moto.
- *Rejected*: the operation fails, and the message names the unsupported part.
- *Not checked*: the embedded cloud accepts any value."""

_KUBERNETES = """\
### Agreement with a real Kubernetes

The tests create the objects of each built-in profile on a real API server with the webhooks of a real
Kueue. They also change each field of the objects of `p6-b200` and of a profile with all components in several
ways, and some fields of generated profiles. The embedded cloud must accept and reject the same objects. The
table above contains the differences as *not checked*; a difference without a row fails the tests, and so does
a row without a difference.
[Scheduling](../scheduling.md#tests-with-a-real-kubernetes) describes the other tests. The programs and charts
of all these tests are from Go modules:"""

_FAULTS = f"""## Fault injection

`ultracluster cloud --fault 'KIND name=value ...'` injects a fault. `KIND` is {", ".join(KINDS[:-1])} or
{KINDS[-1]}. The names select where and how often the fault occurs:

| name | value |
|---|---|
| `type` | resource type, such as `AWS::SageMaker::Cluster` |
| `logical_id` | logical ID of a resource |
| `action` | `create`, `update` or `delete` |
| `call` | API call, such as `fsx:CreateFileSystem` |
| `times` | number of times that the fault occurs; default: always |
| `seconds` | delay of `slow`, and time until `capacity` fails |

This example is a first deployment without available instances:

```console
ultracluster cloud --fault 'capacity type=AWS::SageMaker::Cluster times=1'
make deploy ARGS=--no-rollback   # in another terminal: reports the missing capacity and retains the rest
make deploy ARGS=--no-rollback   # when instances are available: continues
```

With `--pace 60`, 60 seconds on AWS take 1 second. Without `--pace`, each deployment completes immediately.
Its summary prints the estimated time on AWS and the resources that determine it."""

_TYPES = """\
A stack with a resource type that is not in the table fails. The columns are:

| column | meaning |
|---|---|
| service | `moto`, or `own` if ultracluster implements the service |
| in place | *yes* if an update can change the resource; *deleted first* if a replacement first deletes it |
| updates corrected | *yes* if ultracluster corrects the update behaviour of the schema |
| drift | *yes* if drift detection reads and compares the resource |
| request | the API request whose model checks the properties |
| rules | codes of values that the service rejects (`ultracluster explain CODE`) |
| create s | creation time on the simulated clock in seconds, if a source has it |"""

_CUSTOM = """\
Custom resources (`Custom::*` and `AWS::CloudFormation::CustomResource`) run their provider. Their only
properties with a schema are `ServiceToken` and `ServiceTimeout`. The provider returns their attributes."""


def cloud_page() -> str:
    """Return the page."""
    return page(
        "The embedded cloud",
        _INTRO,
        "## Behaviours",
        table(("behaviour", "is", "how", "tested by"), map(_behaviour, behaviours())),
        _KUBERNETES,
        versions_table(),
        _FAULTS,
        "## Resource types",
        _TYPES,
        table(
            ("type", "service", "in place", "updates corrected", "drift", "request", "rules", "create s"),
            map(_type, modelled_types()),
        ),
        _CUSTOM,
    ).replace(COMMAND, COMMAND.replace("config/", "scripts/cloud/"))


@lru_cache(maxsize=1)
def behaviours() -> tuple[Mapping[str, Any], ...]:
    """Return the table rows that describe the behaviours."""
    return tuple(yaml.safe_load(_PATH.read_text(encoding="utf-8")))


def _behaviour(row: Mapping[str, Any]) -> tuple[str, ...]:
    return row["behaviour"], row["is"], row["how"] or "-", f"`tests/{row['test']}`"


def _type(kind: str) -> tuple[str, ...]:
    model, codes = type(model_of(kind)), sorted(rule.code.code for rule in RULES if kind in rule.types)
    in_place = "yes" if model.update is not Model.update else "replaced"
    seconds = declared_s(kind, "create")
    return (
        f"`{kind}`",
        _service(kind),
        f"{in_place}, deleted first" if _is_deleted_first(kind) else in_place,
        "yes" if kind in corrected_types() else "-",
        "yes" if model.read is not Model.read else "not supported",
        f"`{request_of(kind)}`" if request_of(kind) else "-",
        ", ".join(codes) or "-",
        "-" if seconds is None else f"{seconds:g}",
    )


def _is_deleted_first(kind: str) -> bool:
    return kind not in NO_SCHEMA and replaced_in_order(_REGION, kind) == DELETED_FIRST


def _service(kind: str) -> str:
    word = kind.split("::")[1]
    if word in ("CDK", "CloudFormation"):
        return "the engine"
    own = {service.name for service in SERVICES}
    return "own" if _CALLED.get(word, word.lower()) in own else "moto"
