"""Execution environment of a provider's function: account, Region, and endpoint of the embedded cloud."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlparse

import boto3

from scripts.cloud.clients import SECRET_KEY, access_key, client, in_process

_LOOPBACK = ("127.0.0.1", "localhost")


@dataclass(frozen=True, kw_only=True)
class Environment:
    """An account and a Region. `endpoint` is the cloud's URL; None if the cloud is in this process."""

    account_id: str
    region: str
    endpoint: str | None = None

    @classmethod
    def at(cls, account_id: str, region: str, address: str) -> Environment:
        """Return the environment for functions; `address` is the endpoint URL of a client."""
        local = urlparse(address).hostname in _LOOPBACK
        return cls(account_id=account_id, region=region, endpoint=address if local else None)

    def session(self) -> Any:
        """Return the session that `boto3.client` uses in a handler."""
        return _session(self.account_id, self.region)

    def client(self, service: str, region: str | None = None) -> Any:
        """Return a client of a service, in any Region."""
        where = region or self.region
        if self.endpoint is None:
            return in_process(self.account_id, service, where)
        return _at(self.endpoint, self.account_id, service, where)

    def variables(self) -> dict[str, str]:
        """Return the environment variables that direct a program's AWS calls to the embedded cloud."""
        found = {
            "AWS_ACCESS_KEY_ID": access_key(self.account_id),
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_REGION": self.region,
            "AWS_DEFAULT_REGION": self.region,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "NO_PROXY": ",".join(_LOOPBACK),
            "no_proxy": ",".join(_LOOPBACK),
        }
        return found | ({"AWS_ENDPOINT_URL": self.endpoint} if self.endpoint else {})


@lru_cache(maxsize=16)
def _session(account_id: str, region: str) -> Any:
    return boto3.session.Session(
        aws_access_key_id=access_key(account_id), aws_secret_access_key=SECRET_KEY, region_name=region
    )


_at = lru_cache(maxsize=64)(client)
