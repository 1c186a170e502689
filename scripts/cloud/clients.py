"""boto3 clients that talk to the embedded cloud, whatever the machine's own AWS settings say."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

import boto3
from botocore.config import Config

ACCOUNT_ID = "123456789012"
SECRET_KEY = "embedded"


def access_key(account: str) -> str:
    """A key id of an account: one for each, since the CDK CLI remembers on disk which account a key is of."""
    return f"AKIA0000{account}"


@lru_cache(maxsize=16)
def _session(account: str, kind: Literal["HTTP", "in process"]) -> Any:
    """One session for all clients of an account: what it reads of botocore's data it keeps.

    moto answers only the clients of sessions that are made after moto is there, hence two kinds.
    """
    session: Any = boto3.session.Session(
        aws_access_key_id=access_key(account), aws_secret_access_key=SECRET_KEY
    )
    return session


def client(endpoint: str, account: str, service: str, region: str) -> Any:
    """A client of one service in one Region."""
    # a directory bucket would stand in the host's name, and ask for a session before it is there
    s3: Any = {"addressing_style": "path", "disable_s3_express_session_auth": True}
    config = Config(retries={"total_max_attempts": 1}, proxies={}, s3=s3, read_timeout=300)
    url = endpoint.replace("//localhost:", "//127.0.0.1:") if service == "s3" else endpoint
    return _session(account, "HTTP").client(service, region_name=region, endpoint_url=url, config=config)


@lru_cache(maxsize=256)
def in_process(account: str, service: str, region: str) -> Any:
    """A client that moto answers in this process, one for all clouds that come and go in it."""
    config = Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"})
    return _session(account, "in process").client(service, region_name=region, config=config)
