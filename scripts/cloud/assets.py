"""Upload of an app's assets, as `cdk deploy` does before the deployment."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

from config.profile.deployment import DEFAULT_QUALIFIER
from scripts.cloud.local import LocalCloud

_LARGE = 1_000_000


def put_assets(cloud: LocalCloud, region: str, folder: Path) -> None:
    """Bootstrap the Region and upload every asset of an assembly; large assets are uploaded empty."""
    s3 = cloud.client("s3", region)
    for file in sorted(folder.glob("*.assets.json")):
        for asset in json.loads(file.read_bytes())["files"].values():
            content = _content(folder / asset["source"]["path"])
            for destination in asset["destinations"].values():
                bucket = _bucket(cloud, region, _qualifier(destination["bucketName"]))
                s3.put_object(Bucket=bucket, Key=destination["objectKey"], Body=content)


def _qualifier(bucket: str) -> str:
    """Return QUALIFIER of a bootstrap bucket's name, which is `cdk-QUALIFIER-assets-...`."""
    found = re.match(r"cdk-([a-z0-9]+)-assets-", bucket)
    return found[1] if found else DEFAULT_QUALIFIER


def _bucket(cloud: LocalCloud, region: str, qualifier: str) -> str:
    """Return the bootstrap bucket, which is created if it does not exist."""
    s3 = cloud.client("s3", region)
    bucket = f"cdk-{qualifier}-assets-{cloud.account}-{region}"
    if bucket not in [one["Name"] for one in s3.list_buckets()["Buckets"]]:
        place = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
        s3.create_bucket(Bucket=bucket, **place)
        version = {"Name": f"/cdk-bootstrap/{qualifier}/version", "Type": "String", "Value": "30"}
        cloud.client("ssm", region).put_parameter(**version, Overwrite=True)
    return bucket


def _content(path: Path) -> bytes:
    if path.is_file() and path.stat().st_size < _LARGE:
        return path.read_bytes()
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for file in sorted(path.rglob("*")) if path.is_dir() else ():
            if file.is_file():
                archive.write(file, file.relative_to(path))
    return target.getvalue()
