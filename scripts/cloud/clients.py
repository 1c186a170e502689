"""boto3 clients for the embedded cloud, independent of the computer's own AWS settings."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

import boto3
from botocore.config import Config

ACCOUNT_ID = "123456789012"
SECRET_KEY = "embedded"


def access_key(account: str) -> str:
    """Return an access key id that differs between accounts.

    The CDK CLI caches the account of each key on disk.
    """
    return f"AKIA0000{account}"


@lru_cache(maxsize=16)
def _session(account: str, kind: Literal["HTTP", "in process"]) -> Any:
    """Return the session that all clients of an account share; the session caches botocore's data.

    moto intercepts clients only if their session was created after moto started. Clients in this process and
    HTTP clients therefore have separate sessions.
    """
    session: Any = boto3.session.Session(
        aws_access_key_id=access_key(account), aws_secret_access_key=SECRET_KEY
    )
    return session


def client(endpoint: str, account: str, service: str, region: str) -> Any:
    """Return a client of one service in one Region."""
    # otherwise a directory bucket would be part of the host name, and require a session before it exists
    s3: Any = {"addressing_style": "path", "disable_s3_express_session_auth": True}
    config = Config(retries={"total_max_attempts": 1}, proxies={}, s3=s3, read_timeout=300)
    url = endpoint.replace("//localhost:", "//127.0.0.1:") if service == "s3" else endpoint
    return _session(account, "HTTP").client(service, region_name=region, endpoint_url=url, config=config)


@lru_cache(maxsize=256)
def in_process(account: str, service: str, region: str) -> Any:
    """Return a client that moto intercepts in this process; all clouds in the process share the client."""
    config = Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"})
    return _session(account, "in process").client(service, region_name=region, config=config)
