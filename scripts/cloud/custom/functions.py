"""The Lambda functions of service tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .environment import Environment


@dataclass(frozen=True, kw_only=True)
class Function:
    """A Lambda function. `code` is its zip archive; None for a container image."""

    arn: str
    name: str
    runtime: str = ""
    handler: str = ""
    description: str = ""
    version: str = "$LATEST"
    timeout_s: float = 3.0
    memory_mib: int = 128
    variables: Mapping[str, str] = field(default_factory=dict)
    code: bytes | None = field(default=None, repr=False)

    @property
    def log_group(self) -> str:
        """The log group to which Lambda writes the function's output."""
        return f"/aws/lambda/{self.name}"


def find_function(environment: Environment, arn: str) -> Function | None:
    """Return the function with an ARN, which can end in a version or alias; None if it does not exist."""
    parts = arn.split(":")
    if parts[2:3] != ["lambda"] or parts[3:4] != [environment.region] or len(parts) not in (7, 8):
        return None
    awslambda = environment.client("lambda")
    qualifier = {"Qualifier": parts[7]} if len(parts) == 8 else {}
    try:
        found = awslambda.get_function(FunctionName=parts[6], **qualifier)["Configuration"]
    except awslambda.exceptions.ResourceNotFoundException:
        return None
    return Function(
        arn=arn,
        name=found["FunctionName"],
        runtime=found.get("Runtime", ""),
        handler=found.get("Handler", ""),
        description=found.get("Description", ""),
        version=found.get("Version", "$LATEST"),
        timeout_s=float(found.get("Timeout", 3)),
        memory_mib=found.get("MemorySize", 128),
        variables=found.get("Environment", {}).get("Variables", {}),
        code=_code(environment, *parts[6:]),
    )


def _code(environment: Environment, name: str, qualifier: str | None = None) -> bytes | None:
    """Return the archive from moto's backend, because the URL from moto's GetFunction does not work."""
    from moto.awslambda.models import lambda_backends  # moto reads its settings at import

    backend = lambda_backends[environment.account_id][environment.region]
    code: bytes | None = getattr(backend.get_function(name, qualifier), "code_bytes", None)
    return code
