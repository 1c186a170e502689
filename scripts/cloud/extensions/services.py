"""Services that the embedded cloud implements itself, for clients in this process and over HTTP."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from types import ModuleType
from typing import Any, ClassVar

from botocore.session import Session
from moto import backend_index
from moto.core.base_backend import BackendDict, BaseBackend
from moto.core.responses import ActionResult, BaseResponse, EmptyResult
from moto.utilities.utils import get_partition

from . import existence
from .records import Record, RefusedError, next_id, next_number, table

_BACKENDS: dict[str, BackendDict[Any]] = {}


class Service(BaseResponse):
    """A service that is implemented here. Each operation is a method with the operation's name.

    `name` is the service's name in boto3; `host` is its name in addresses, ARNs and signatures.
    """

    name: ClassVar[str]
    host: ClassVar[str]
    not_found: ClassVar[str] = "ResourceNotFoundException"
    invalid: ClassVar[str] = "ValidationException"

    def __init__(self) -> None:
        super().__init__(service_name=self.name)
        self.automated_parameter_parsing = True

    @classmethod
    def records(cls, account: str, region: str, kind: str) -> dict[str, Record]:
        """Return the records of one type in an account and Region."""
        return table(_BACKENDS[cls.name][account][region], kind)

    def table(self, kind: str) -> dict[str, Record]:
        """Return the records of one type in the caller's account and Region."""
        return self.records(self.current_account, self.region, kind)

    def next_id(self, kind: str, length: int = 10) -> str:
        """Return the id of the next record of a type."""
        return next_id(_BACKENDS[self.name][self.current_account][self.region], kind, length)

    def next_number(self, kind: str) -> str:
        """Return the next id of a type whose ids are numbers."""
        return str(next_number(_BACKENDS[self.name][self.current_account][self.region], kind))

    def arn(self, path: str) -> str:
        """Return the ARN of a resource of this service."""
        return f"arn:{get_partition(self.region)}:{self.host}:{self.region}:{self.current_account}:{path}"

    def require_network(self, subnets: Iterable[str], groups: Iterable[str]) -> None:
        """Reject subnets and security groups that do not exist."""
        absent = existence.missing_network(self.current_account, self.region, subnets, groups)
        if absent:
            raise RefusedError(self.invalid, f"the following resources do not exist: {', '.join(absent)}")

    def require_role(self, arn: str | None) -> None:
        """Reject a role that does not exist."""
        if arn and not existence.role_exists(self.current_account, arn):
            raise RefusedError(self.invalid, f"the role {arn} does not exist")

    def require_key(self, key: str | None) -> None:
        """Reject a key that does not exist, or that is scheduled for deletion."""
        if key and not existence.key_exists(self.current_account, self.region, key):
            raise RefusedError(self.invalid, f"the key {key} does not exist or cannot be used")

    def missing(self, what: str) -> RefusedError:
        """Return the error for a missing resource."""
        return RefusedError(self.not_found, f"{what} was not found")

    def found(self, kind: str, key: str, what: str | None = None) -> Record:
        """Return the record with this key; if it does not exist, raise an error that names `what`."""
        if key not in self.table(kind):
            raise self.missing(what or key)
        return self.table(kind)[key]

    def drop(self, kind: str, key: str, arn: str) -> EmptyResult:
        """Delete a record with its tags; returns the response of a deletion."""
        del self.table(kind)[key]
        self.forget_tags(arn)
        return EmptyResult()

    def keep_tags(self, arn: str, tags: Record | None) -> None:
        """Store the tags of a new resource."""
        self.table("tags")[arn] = dict(tags or {})

    def forget_tags(self, arn: str) -> None:
        """Delete the tags of a deleted resource."""
        self.table("tags").pop(arn, None)

    def tag_resource(self) -> EmptyResult:
        """TagResource."""
        self._tags().update(self._get_param("tags"))
        return EmptyResult()

    def untag_resource(self) -> EmptyResult:
        """UntagResource."""
        for key in self._get_param("tagKeys"):
            self._tags().pop(key, None)
        return EmptyResult()

    def list_tags_for_resource(self) -> ActionResult:
        """ListTagsForResource."""
        return ActionResult({"tags": self._tags()})

    def _tags(self) -> Record:
        return self.found("tags", self._get_param("resourceArn"))


class _Backend(BaseBackend):
    """The backend of a service, as moto requires it; it stores the service's records."""

    service: ClassVar[type[Service]]
    urls_module: ClassVar[ModuleType]

    @property
    def _url_module(self) -> Any:
        return self.urls_module


def play(service: type[Service]) -> None:
    """Register a service with moto, instead of moto's own service if it has one."""
    name = service.name
    base = rf"https?://{service.host}\.(.+)\.amazonaws\.com"
    urls = ModuleType(f"moto.{name}.urls")
    vars(urls).update(url_bases=[base], url_paths={path: service.dispatch for path in ("{0}/$", "{0}/.*")})
    kind = type(f"{name.title()}Records", (_Backend,), {"service": service, "urls_module": urls})
    session = Session()
    partitions = session.get_available_partitions()
    regions = [name for one in partitions for name in session.get_available_regions("ec2", one)]
    backends: BackendDict[Any] = BackendDict(kind, name, use_boto3_regions=False, additional_regions=regions)
    package = ModuleType(f"moto.{name}")
    vars(package)[f"{name}_backends"] = _BACKENDS[name] = backends
    sys.modules[f"moto.{name}"] = package
    if all(known != name for known, _ in backend_index.backend_url_patterns):
        backend_index.backend_url_patterns.append((name, re.compile(base)))
