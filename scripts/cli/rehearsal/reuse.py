"""Reuse of retained resources: YAML for the profile, and commands that create DRAs again."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from config.profile.source.yaml_writer import as_yaml

from .remaining import Place, as_existing

NO_WAY_OUT = (
    "the internet route and the interface endpoints were deleted with the stack: add a route "
    "to the private subnets before nodes boot in them"
)


@dataclass(frozen=True, kw_only=True)
class Link:
    """A data repository association (DRA) that can be created again; events have the API's names."""

    file_system_id: str
    path: str
    repository: str
    imports: tuple[str, ...]
    exports: tuple[str, ...]
    key_arn: str | None

    def command(self, region: str) -> str:
        """Return the command that creates the DRA again.

        Source: https://docs.aws.amazon.com/cli/latest/reference/fsx/create-data-repository-association.html
        """
        policies = [
            f"{name}={{Events=[{','.join(events)}]}}"
            for name, events in (("AutoImportPolicy", self.imports), ("AutoExportPolicy", self.exports))
            if events
        ]
        arguments = ["aws", "fsx", "create-data-repository-association", "--region", region]
        arguments += ["--file-system-id", self.file_system_id, "--file-system-path", self.path]
        arguments += ["--data-repository-path", self.repository]
        return shlex.join([*arguments, *(["--s3", ",".join(policies)] if policies else [])])

    def as_repository(self) -> dict[str, Any]:
        """Return the DRA as a profile declares it for a new file system, with the existing bucket."""
        bucket, _, prefix = self.repository.removeprefix("s3://").partition("/")
        declared = {
            "path": self.path,
            "bucket": bucket,
            "prefix": prefix,
            "import": [event.lower() for event in self.imports],
            "export": [event.lower() for event in self.exports],
            "bucket_key_arn": self.key_arn,
        }
        return {key: value for key, value in declared.items() if value}


@dataclass(frozen=True, kw_only=True)
class Reuse:
    """Instructions to reuse retained resources.

    `profile` is YAML. `repositories` maps the ID of each file system to YAML.
    """

    profile: str = ""
    links: tuple[str, ...] = ()
    repositories: Mapping[str, str] | None = None

    def lines(self) -> Iterator[str]:
        """Yield the instructions as text; yield no text if no file system is retained."""
        if not self.profile:
            return
        yield "to reuse the retained resources, replace the same keys of the profile with:"
        yield from ("", *self.profile.rstrip().splitlines(), "")
        if self.profile.startswith("network:"):
            yield NO_WAY_OUT
        if self.links:
            yield "the DRAs are deleted, but not the buckets; to link the same file systems again:"
            yield from (f"  {command}" for command in self.links)
        for system, block in (self.repositories or {}).items():
            yield f"or, for a new file system instead of {system}:"
            yield from ("", *block.rstrip().splitlines(), "")


def links_of(place: Place, systems: Collection[str]) -> tuple[Link, ...]:
    """Return the DRAs of file systems, before they are deleted with the file systems."""
    fsx = place.client("fsx")
    found = [
        link
        for system in systems
        for link in fsx.describe_data_repository_associations(
            Filters=[{"Name": "file-system-id", "Values": [system]}]
        )["Associations"]
    ]
    return tuple(
        Link(
            file_system_id=link["FileSystemId"],
            path=link["FileSystemPath"],
            repository=link["DataRepositoryPath"],
            imports=_events(link, "AutoImportPolicy"),
            exports=_events(link, "AutoExportPolicy"),
            key_arn=_key_of(place, link["DataRepositoryPath"]),
        )
        for link in sorted(found, key=lambda link: (link["FileSystemId"], link["FileSystemPath"]))
    )


def reuse_of(place: Place, systems: Collection[Mapping[str, Any]], links: Collection[Link]) -> Reuse:
    """Return the instructions for these file systems and DRAs."""
    repositories: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for link in links:
        repositories[link.file_system_id].append(link.as_repository())
    return Reuse(
        profile=as_existing(place, systems),
        links=tuple(link.command(place.region) for link in links),
        repositories={
            system: as_yaml({"data_repositories": declared}) for system, declared in repositories.items()
        },
    )


def _events(link: Mapping[str, Any], policy: str) -> tuple[str, ...]:
    return tuple((link.get("S3") or {}).get(policy, {}).get("Events", ()))


def _key_of(place: Place, repository: str) -> str | None:
    """Return the KMS key of a bucket; None if the bucket has none or cannot be queried."""
    bucket = repository.removeprefix("s3://").partition("/")[0]
    try:
        found = place.client("s3").get_bucket_encryption(Bucket=bucket)
    except ClientError:
        return None
    (rule,) = found["ServerSideEncryptionConfiguration"]["Rules"]
    key: str | None = rule["ApplyServerSideEncryptionByDefault"].get("KMSMasterKeyID")
    return key if key and key.startswith("arn:") else None
