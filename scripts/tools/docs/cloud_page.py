"""embedded-cloud.md: for each behaviour and each resource type what is real, modelled or refused."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from config.catalog.durations import stated_s
from scripts.cloud.extensions.install import SERVICES
from scripts.cloud.faults import KINDS
from scripts.cloud.resources.base import Model
from scripts.cloud.resources.registry import model_of, modelled_types
from scripts.cloud.template.corrections import corrected_types
from scripts.cloud.template.names import DELETED_FIRST, replaced_in_order
from scripts.cloud.template.schema import NO_SCHEMA
from scripts.cloud.validation.requests import request_of
from scripts.cloud.validation.rules import RULES
from scripts.tools.docs.markdown import COMMAND, page, table

_PATH = Path(__file__).parent / "cloud_behaviours.yaml"
_REGION = "us-east-1"
# services whose name in a resource type is not what boto3 calls them
_CALLED = {"APS": "amp"}

_INTRO = """`ultracluster cloud` runs it, `make deploy` starts one: a process on the loopback interface that
the CDK CLI, boto3 and every other client take for AWS. Nothing in it costs, and nothing leaves the machine.
*Real* is what is the program or the data that AWS or its users run; *modelled* is played by us over the
services of moto; *refused* fails with a message that names it, so that nothing passes unseen."""

_FAULTS = f"""## Failures on purpose

`ultracluster cloud --fault 'KIND name=value ...'` makes something fail. Kinds are {", ".join(KINDS)}. It
strikes at `type=`, `logical_id=`, `action=` (create, update, delete) or `call=` (`fsx:CreateFileSystem`),
`times=` so often, after `seconds=`. For example a first deployment for which the machines are missing:

```console
ultracluster cloud --fault 'capacity type=AWS::SageMaker::Cluster times=1'
make deploy ARGS=--no-rollback   # in another terminal: says what is missing, and keeps the rest
make deploy ARGS=--no-rollback   # once the machines are there: goes on where it stood
```

`--pace 60` lets a deployment take time, a minute of AWS in a second. Without it every deployment is over at
once, and its summary says how long AWS would have taken and which resources decide it."""

_TYPES = """A type that is not here fails its stack. *Service*: moto's, or one of our own where moto has none.
*In place*: whether the model changes a resource; what replaces it is said by the provider's schema, with our
corrections where the next column says so. *Drift*: read back and compared. *Request*: the API request whose
model the properties are held against. *Rules*: codes of what the service is known to refuse
(`ultracluster explain CODE`). *Create*: seconds on the simulated clock, where a source tells them."""

_CUSTOM = """`Custom::*` and `AWS::CloudFormation::CustomResource` run their provider (see above); they have
no schema but `ServiceToken` and `ServiceTimeout`, and the attributes that their provider returns."""


def cloud_page() -> str:
    """The page."""
    return page(
        "The embedded cloud",
        _INTRO,
        "## Behaviours",
        table(("behaviour", "is", "how", "tested by"), map(_behaviour, behaviours())),
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
    """The rows of the first table."""
    return tuple(yaml.safe_load(_PATH.read_text(encoding="utf-8")))


def _behaviour(row: Mapping[str, Any]) -> tuple[str, ...]:
    return row["behaviour"], row["is"], row["how"] or "-", f"`tests/{row['test']}`"


def _type(kind: str) -> tuple[str, ...]:
    model, codes = type(model_of(kind)), sorted(rule.code.code for rule in RULES if kind in rule.types)
    in_place = "yes" if model.update is not Model.update else "replaced"
    seconds = stated_s(kind, "create")
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
