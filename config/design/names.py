"""Names and fingerprints that depend on create-only properties."""

from __future__ import annotations

import hashlib
import json
import re
from functools import lru_cache
from typing import Any

# https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
_BUCKET = re.compile(
    r"(?!xn--|sthree-|amzn-s3-demo-|.*(-s3alias|--ol-s3|--table-s3|\.mrap)$)(?!.*\.\.)(?!([0-9]+\.){3}[0-9]+$)"
    r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]"
)


@lru_cache(maxsize=1024)
def is_bucket_name(name: str) -> bool:
    """Return True for a valid name of a general purpose S3 bucket."""
    return _BUCKET.fullmatch(name) is not None and not is_directory_bucket(name)


def is_directory_bucket(name: str) -> bool:
    """Return True for the name of a directory bucket (S3 Express One Zone)."""
    return name.endswith("--x-s3")


def fingerprint(inputs: Any, length: int = 8) -> str:
    """Return a short hexadecimal hash of a JSON-ready value; it is the same on every computer."""
    text = json.dumps(inputs, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def replaceable_name(name: str, create_only: Any) -> str:
    """Return a physical name that changes with the create-only properties of a resource.

    With a fixed name, a change of a create-only property fails, because CloudFormation creates the new
    resource before it deletes the old one (failure report SLURM-12).
    """
    return f"{name}-{fingerprint(create_only, 6)}"
