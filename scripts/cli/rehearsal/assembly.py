"""A cloud assembly: what `cdk synth` wrote, read for the stack's name and place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from config.profile.deployment import DEFAULT_QUALIFIER

from .errors import RehearsalError


@dataclass(frozen=True)
class Assembly:
    """The one stack of a synthesized profile. `account` is None unless the profile guards it.

    `qualifier` is that of the bootstrap whose roles and bucket deploy it.
    """

    folder: Path
    stack_name: str
    region: str
    account: str | None
    protected: bool
    template: Mapping[str, Any]
    qualifier: str = DEFAULT_QUALIFIER


def read_assembly(folder: Path) -> Assembly:
    """Read the manifest; a profile is one stack."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    stacks = {
        name: artifact
        for name, artifact in manifest["artifacts"].items()
        if artifact["type"] == "aws:cloudformation:stack"
    }
    if len(stacks) != 1:
        raise RehearsalError(
            f"expected one stack in the assembly, found {len(stacks)}: {', '.join(stacks)}", 2
        )
    name, artifact = next(iter(stacks.items()))
    place = urlparse(artifact["environment"])
    properties = artifact["properties"]
    region = place.path.strip("/")
    if region == "unknown-region":
        raise RehearsalError(f"the stack {name} has no region", 2)
    return Assembly(
        folder=folder,
        stack_name=properties.get("stackName", name),
        region=region,
        account=None if place.netloc == "unknown-account" else place.netloc,
        protected=bool(properties.get("terminationProtection", False)),
        template=json.loads((folder / properties["templateFile"]).read_text(encoding="utf-8")),
        qualifier=_qualifier(properties.get("bootstrapStackVersionSsmParameter", "")),
    )


def _qualifier(parameter: str) -> str:
    """The qualifier in `/cdk-bootstrap/QUALIFIER/version`; an app of others may state none."""
    parts = parameter.split("/")
    return parts[2] if len(parts) == 4 and parts[1] == "cdk-bootstrap" else DEFAULT_QUALIFIER
