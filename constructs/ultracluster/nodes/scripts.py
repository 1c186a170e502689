"""Scripts that machines fetch at boot, published under their content's hash."""

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
    """The files of one bundle.

    Attributes:
        files: Text by file name, without folders (`on_init_complete.sh`).
        key_prefix: First part of the object keys. `hyperpod-lifecycle` by default.
        content_hash: The bundle's version. None: computed from names and texts, so that any change is a new
            prefix and therefore a visible change of the cluster.
    """

    files: Mapping[str, str]
    key_prefix: str = "hyperpod-lifecycle"
    content_hash: str | None = None


class NodeScripts(Construct):
    """Files published by the CDK CLI, as file assets, before the stack is deployed.

    All files of a bundle share one folder, named after their content: a machine that boots during an update
    sees the old bundle or the new one, never a mixture. No custom resource and no bucket of its own is
    involved: the assets lie in the bootstrap bucket.

    Attributes:
        bucket_name: The bucket's name, a token.
        prefix: The folder, without slashes at its ends.
        versions_prefix: The folder of all bundles that were ever published, without slashes at its ends.
        s3_uri: The folder as `s3://bucket/prefix/`.
        object_keys: Keys of the files. `cdk gc` deletes what no template names, so a template must name them.
    """

    def __init__(self, scope: Construct, construct_id: str, props: NodeScriptsProps) -> None:
        """Write the files into the cloud assembly; raises ValueError for names that the keys cannot carry."""
        super().__init__(scope, construct_id)
        _check(props)
        version = props.content_hash or _content_hash(props.files)
        stack = Stack.of(self)
        stage = Stage.of(stack)
        if stage is None:
            raise ValueError(f"{construct_id!r} is outside of any app: create its stack below one")
        # a bundle that is its own folder in the assembly cannot meet another's files
        folder = Path(stage.asset_outdir, f"{props.key_prefix}-{version}")
        folder.mkdir(parents=True, exist_ok=True)
        relative = os.path.relpath(folder, stage.outdir)
        synthesizer = stack.synthesizer
        keys: list[str] = []
        for name, text in sorted(props.files.items()):
            # bytes, so that no machine translates the line ends
            (folder / name).write_bytes(text.encode())
            location = synthesizer.add_file_asset(
                # the object's key is this and the file's extension
                source_hash=f"{props.key_prefix}/{version}/{Path(name).stem}",
                file_name=f"{relative}/{name}",
                packaging=FileAssetPackaging.FILE,
            )
            keys.append(location.object_key)
        self.bucket_name = location.bucket_name
        # the synthesizer may have put a prefix of its own before ours
        self.prefix = location.object_key.rpartition("/")[0]
        self.versions_prefix = self.prefix.rpartition("/")[0]
        self.object_keys = tuple(keys)
        self.s3_uri = f"s3://{self.bucket_name}/{self.prefix}/"


def _content_hash(files: Mapping[str, str]) -> str:
    bundle = json.dumps(files, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(bundle.encode()).hexdigest()[:32]


def _check(props: NodeScriptsProps) -> None:
    if not props.files:
        raise ValueError("files is empty: give at least one file")
    bad = sorted(name for name in props.files if not _FILE_NAME.fullmatch(name))
    if bad:
        raise ValueError(f"file names {bad} are not letters, digits, '_', '-' and one extension: rename them")
    stems = {Path(name).stem for name in props.files}
    if len(stems) != len(props.files):
        raise ValueError(f"file names {sorted(props.files)} differ only in their extension: rename one")
    if "provisioning_parameters.json" in props.files:
        # the service refuses it beside Slurm settings of its own, after an hour (HYPERPOD-01)
        raise ValueError(
            "files holds 'provisioning_parameters.json', which the cluster's API replaces: drop it"
        )
