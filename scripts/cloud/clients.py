"""boto3 clients that talk to the embedded cloud, whatever the machine's own AWS settings say."""

from __future__ import annotations

from typing import Any

import boto3
from botocore.config import Config

ACCOUNT_ID = "123456789012"
ACCESS_KEY = "AKIAEMBEDDEDCLOUD000"
SECRET_KEY = "embedded"  # noqa: S105 - a word that the embedded cloud takes from everyone


def client(endpoint: str, service: str, region: str) -> Any:
    """A client of one service in one Region."""
    session = boto3.session.Session(
        aws_access_key_id=ACCESS_KEY, aws_secret_access_key=SECRET_KEY, region_name=region
    )
    config = Config(retries={"total_max_attempts": 1}, proxies={}, s3={"addressing_style": "path"}, read_timeout=300)
    return session.client(service, endpoint_url=endpoint, config=config)
