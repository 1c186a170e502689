"""Names and versions that follow from what cannot change in place."""

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
    """Whether S3 gives a general purpose bucket this name; directory buckets end otherwise."""
    return _BUCKET.fullmatch(name) is not None and not is_directory_bucket(name)


def is_directory_bucket(name: str) -> bool:
    """Whether a name is that of a directory bucket (S3 Express)."""
    return name.endswith("--x-s3")


def fingerprint(inputs: Any, length: int = 8) -> str:
    """A short hexadecimal word for a JSON-ready value; the same on every machine."""
    text = json.dumps(inputs, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def replaceable_name(name: str, create_only: Any) -> str:
    """A physical name that changes with the inputs that CloudFormation can only replace.

    A fixed name collides with itself when a create-only property changes, since the new resource is made
    before the old one goes (failure report SLURM-12).
    """
    return f"{name}-{fingerprint(create_only, 6)}"
