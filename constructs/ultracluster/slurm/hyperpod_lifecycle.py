"""Lifecycle scripts of HyperPod nodes."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """Lifecycle scripts; set either `on_init_complete` or `on_create`.

    Attributes:
        source_s3_uri: S3 folder of the scripts.
        on_init_complete: Name of the script that runs after HyperPod has configured a node (extended mode).
        on_create: Name of the script that replaces HyperPod's setup (customer-managed mode).
    """

    source_s3_uri: str
    on_init_complete: str | None = None
    on_create: str | None = None


def lifecycle_config(lifecycle: Lifecycle | None) -> dict[str, Any] | None:
    """Return the property LifeCycleConfig."""
    if lifecycle is None:
        return None
    entry = (
        {"OnCreate": lifecycle.on_create}
        if lifecycle.on_create is not None
        else {"OnInitComplete": lifecycle.on_init_complete}
    )
    return {"SourceS3Uri": lifecycle.source_s3_uri, **entry}


def check_lifecycle(lifecycle: Lifecycle | None) -> None:
    """Raise ValueError if neither or both of the scripts are set."""
    if lifecycle and (lifecycle.on_create is None) == (lifecycle.on_init_complete is None):
        raise ValueError("lifecycle requires exactly one of on_create and on_init_complete: set one")
