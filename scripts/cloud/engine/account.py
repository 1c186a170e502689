"""The account and Region of a stack."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from scripts.cloud.faults import Faults
from scripts.cloud.template.errors import ResourceFailedError


@dataclass(frozen=True)
class Account:
    """An account in one Region.

    `clients` creates a boto3 client from a service and a Region; clients are cached.

    `faults` are the injected faults. `pace` is the number of simulated seconds per real second; if it is
    None, the engine does not wait. If `observes` is True, each resource is read after its deployment, which
    drift detection requires.
    """

    account_id: str
    region: str
    clients: Callable[[str, str], Any]
    faults: Faults = field(default_factory=Faults)
    pace: float | None = None
    observes: bool = True
    _made: dict[str, Any] = field(default_factory=dict)

    def client(self, service: str) -> Any:
        """Return the client of a service in this Region."""
        if service not in self._made:
            self._made[service] = self.clients(service, self.region)
        return self._made[service]

    def parameter(self, path: str) -> str | None:
        """Return a parameter's value from Parameter Store; None if the parameter does not exist.

        The path may end in a colon and a version.
        """
        ssm = self.client("ssm")
        try:
            value: str = ssm.get_parameter(Name=path)["Parameter"]["Value"]
        except (ssm.exceptions.ParameterNotFound, ssm.exceptions.ParameterVersionNotFound):
            return None
        return value

    def zones(self, region: str) -> list[str]:
        """Return the names of a Region's Availability Zones, without Local Zones."""
        zones = self.clients("ec2", region).describe_availability_zones()["AvailabilityZones"]
        return sorted(zone["ZoneName"] for zone in zones if zone.get("ZoneType") != "local-zone")

    def dynamic(self, service: str, key: str) -> str:
        """Return the value of `{{resolve:service:key}}`; raises ResourceFailedError if it is missing."""
        value = None
        if service in ("ssm", "ssm-secure"):
            value = self.parameter(key)
        elif service == "secretsmanager":
            value = self._secret(key)
        if value is None:
            raise ResourceFailedError(
                f"Unable to resolve {{{{resolve:{service}:{key}}}}}: {key} was not found"
            )
        return value

    def _secret(self, key: str) -> str | None:
        name, _, rest = key.partition(":SecretString")
        secrets = self.client("secretsmanager")
        try:
            text: str = secrets.get_secret_value(SecretId=name)["SecretString"]
        except secrets.exceptions.ResourceNotFoundException:
            return None
        json_key = rest.strip(":").split(":")[0]
        return str(json.loads(text)[json_key]) if json_key else text
