"""Read the stack's name, account and Region from a cloud assembly."""

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
    """The one stack of a synthesized profile. `account` is None if the profile does not set it.

    `qualifier` is the qualifier of the bootstrap stack.
    """

    folder: Path
    stack_name: str
    region: str
    account: str | None
    protected: bool
    template: Mapping[str, Any]
    qualifier: str = DEFAULT_QUALIFIER


def read_assembly(folder: Path) -> Assembly:
    """Read the manifest; a profile has exactly one stack."""
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
        raise RehearsalError(f"the stack {name} has no Region", 2)
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
    """Return QUALIFIER of `/cdk-bootstrap/QUALIFIER/version`; the default qualifier for other names."""
    parts = parameter.split("/")
    return parts[2] if len(parts) == 4 and parts[1] == "cdk-bootstrap" else DEFAULT_QUALIFIER
