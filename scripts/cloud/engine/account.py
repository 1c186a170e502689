"""The account and Region that a stack lives in, as the engine needs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from scripts.cloud.faults import Faults
from scripts.cloud.template.errors import ResourceFailedError


@dataclass(frozen=True)
class Account:
    """An account in one Region. `clients` makes a boto3 client of a service; each is made once.

    `faults` are injected; `pace` is the number of simulated seconds in a real one (None: no waiting).
    `observes`: each resource is read after its deployment, which drift detection needs.
    """

    account_id: str
    region: str
    clients: Callable[[str, str], Any]
    faults: Faults = field(default_factory=Faults)
    pace: float | None = None
    observes: bool = True
    _made: dict[str, Any] = field(default_factory=dict)

    def client(self, service: str) -> Any:
        """The client of a service in this Region."""
        if service not in self._made:
            self._made[service] = self.clients(service, self.region)
        return self._made[service]

    def parameter(self, path: str) -> str | None:
        """A value of Parameter Store; None where there is none. A version may follow after a colon."""
        ssm = self.client("ssm")
        try:
            value: str = ssm.get_parameter(Name=path)["Parameter"]["Value"]
        except (ssm.exceptions.ParameterNotFound, ssm.exceptions.ParameterVersionNotFound):
            return None
        return value

    def zones(self, region: str) -> list[str]:
        """The names of a Region's availability zones; no Local Zones."""
        zones = self.clients("ec2", region).describe_availability_zones()["AvailabilityZones"]
        return sorted(zone["ZoneName"] for zone in zones if zone.get("ZoneType") != "local-zone")

    def dynamic(self, service: str, key: str) -> str:
        """The value of `{{resolve:service:key}}`; raises with the reference for what is not there."""
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
