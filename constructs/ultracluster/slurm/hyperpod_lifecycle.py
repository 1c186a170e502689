"""Scripts that HyperPod machines run before they join their cluster."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """Scripts that machines run. Exactly one of them is given.

    Attributes:
        source_s3_uri: Folder of the scripts.
        on_init_complete: Name of the script that runs once HyperPod has configured a machine (extended mode).
        on_create: Name of the script that runs in the place of HyperPod's own set-up (customer-managed mode).
    """

    source_s3_uri: str
    on_init_complete: str | None = None
    on_create: str | None = None


def lifecycle_config(lifecycle: Lifecycle | None) -> dict[str, Any] | None:
    """The property LifeCycleConfig."""
    if lifecycle is None:
        return None
    entry = (
        {"OnCreate": lifecycle.on_create}
        if lifecycle.on_create is not None
        else {"OnInitComplete": lifecycle.on_init_complete}
    )
    return {"SourceS3Uri": lifecycle.source_s3_uri, **entry}


def check_lifecycle(lifecycle: Lifecycle | None) -> None:
    """Raise ValueError for scripts of which none or both would run."""
    if lifecycle and (lifecycle.on_create is None) == (lifecycle.on_init_complete is None):
        raise ValueError("lifecycle has not exactly one of on_create and on_init_complete: give one")
