"""Region for which requests to an AMP workspace are signed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from config.profile.observability.metrics import ExistingPrometheus, Sigv4Authentication

_ADDRESS = re.compile(
    r"^(https://aps-workspaces(?:-fips)?\.([a-z0-9-]+)\.[a-z.]+/workspaces/(ws-[a-z0-9-]+))(?:/|$)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AmpAddress:
    """Parts of an AMP workspace address; `base` is the prefix of all addresses of the workspace."""

    base: str
    region: str
    workspace_id: str


def amp_address(address: str) -> AmpAddress | None:
    """Return the parts of an AMP address; None if it is not an AMP address.

    https://docs.aws.amazon.com/general/latest/gr/prometheus-service.html
    """
    found = _ADDRESS.match(address)
    return AmpAddress(base=found[1], region=found[2], workspace_id=found[3]) if found else None


def signing_region(prometheus: ExistingPrometheus, region: str) -> str:
    """Return the Region that the profile sets, the Region of the address, or the cluster's Region."""
    authentication = prometheus.authentication
    declared = authentication.region if isinstance(authentication, Sigv4Authentication) else None
    amp = amp_address(prometheus.remote_write_url)
    return declared or (amp.region if amp else region)
