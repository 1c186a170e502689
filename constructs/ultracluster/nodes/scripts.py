"""Node scripts, which are published as CDK assets under the hash of their content."""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aws_cdk import FileAssetPackaging, Stack, Stage
from constructs import Construct

_FILE_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeScriptsProps:
    """Properties of a script bundle.

    Attributes:
        files: File contents by name, without folders (`on_init_complete.sh`).
        key_prefix: First part of the object keys. `hyperpod-lifecycle` by default.
        content_hash: Version of the bundle. None: the hash of all names and contents, so that each change has
            a new prefix and therefore changes the cluster resource.
    """

    files: Mapping[str, str]
    key_prefix: str = "hyperpod-lifecycle"
    content_hash: str | None = None


class NodeScripts(Construct):
    """Files that the CDK CLI publishes as file assets before it deploys the stack.

    All files of a bundle are in one folder, which is named after their content. A node that boots during an
    update therefore downloads either the old or the new bundle. The assets are in the CDK bootstrap bucket,
    without a custom resource or an additional bucket.

    Attributes:
        bucket_name: Name of the bucket, a token.
        prefix: Folder of the bundle, without leading and trailing slash.
        versions_prefix: Folder of all published bundles, without leading and trailing slash.
        s3_uri: Folder of the bundle as `s3://bucket/prefix/`.
        object_keys: Keys of the files. `cdk gc` deletes assets that no template contains, so a template must
            contain these keys.
    """

    def __init__(self, scope: Construct, construct_id: str, props: NodeScriptsProps) -> None:
        """Write the files to the cloud assembly; raises ValueError for invalid file names."""
        super().__init__(scope, construct_id)
        _check(props)
        version = props.content_hash or _content_hash(props.files)
        stack = Stack.of(self)
        stage = Stage.of(stack)
        if stage is None:
            raise ValueError(f"{construct_id!r} is not part of an app: create its stack in an app")
        # each bundle has its own folder in the assembly, so that file names cannot collide
        folder = Path(stage.asset_outdir, f"{props.key_prefix}-{version}")
        folder.mkdir(parents=True, exist_ok=True)
        relative = os.path.relpath(folder, stage.outdir)
        synthesizer = stack.synthesizer
        keys: list[str] = []
        for name, text in sorted(props.files.items()):
            # as bytes, so that line ends are not converted
            (folder / name).write_bytes(text.encode())
            location = synthesizer.add_file_asset(
                # the object key is this hash and the file's extension
                source_hash=f"{props.key_prefix}/{version}/{Path(name).stem}",
                file_name=f"{relative}/{name}",
                packaging=FileAssetPackaging.FILE,
            )
            keys.append(location.object_key)
        self.bucket_name = location.bucket_name
        # the synthesizer may have added its own prefix
        self.prefix = location.object_key.rpartition("/")[0]
        self.versions_prefix = self.prefix.rpartition("/")[0]
        self.object_keys = tuple(keys)
        self.s3_uri = f"s3://{self.bucket_name}/{self.prefix}/"


def _content_hash(files: Mapping[str, str]) -> str:
    bundle = json.dumps(files, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(bundle.encode()).hexdigest()[:32]


def _check(props: NodeScriptsProps) -> None:
    if not props.files:
        raise ValueError("files is empty: add at least one file")
    bad = sorted(name for name in props.files if not _FILE_NAME.fullmatch(name))
    if bad:
        raise ValueError(f"file names {bad} are not letters, digits, '_', '-' and one extension: rename them")
    stems = {Path(name).stem for name in props.files}
    if len(stems) != len(props.files):
        raise ValueError(f"file names {sorted(props.files)} differ only in their extension: rename one")
    if "provisioning_parameters.json" in props.files:
        # HyperPod rejects the file together with Slurm settings in the API, after an hour (HYPERPOD-01)
        raise ValueError(
            "files contains 'provisioning_parameters.json', which the cluster's API replaces: remove it"
        )
