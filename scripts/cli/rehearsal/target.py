"""Target of a rehearsal: a running or new embedded cloud, or the caller's AWS account."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from time import sleep
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from config.profile.deployment import DEFAULT_QUALIFIER
from scripts.cloud import clients, state
from scripts.cloud.process import Cloud, CloudError, environment, start_cloud

from .errors import RehearsalError
from .kubernetes_api import CloudApi, HttpsApi, KubernetesApi
from .progress import say, step

_LOG_IN = "run `aws sso login` or `aws configure`, and set AWS_PROFILE"


@dataclass(frozen=True)
class Target:
    """A target of deployments. If `started`, the rehearsal has started the embedded cloud and stops it."""

    account: str
    started: bool
    cloud: Cloud | None

    @property
    def environment(self) -> Mapping[str, str]:
        """Return the environment variables that the CDK CLI needs for this target."""
        return self.cloud.environment() if self.cloud else {}

    def client(self, service: str, region: str) -> Any:
        """Return a boto3 client."""
        if self.cloud:
            return self.cloud.client(service, region)
        session: Any = boto3.session.Session(region_name=region)
        return session.client(service)

    def kubernetes(self, region: str, cluster: str) -> KubernetesApi:
        """Return the Kubernetes API of an EKS cluster."""
        if self.cloud:
            return CloudApi(self.cloud, region, cluster)
        described = self.client("eks", region).describe_cluster(name=cluster)["cluster"]
        return HttpsApi(self.client("sts", region), described)

    def now(self) -> datetime:
        """Return the current time; it is simulated in the embedded cloud."""
        if self.cloud is None:
            return datetime.now(UTC)
        return datetime.fromisoformat(self.cloud.simulation("clock")["now"])

    def sleep(self, seconds: float) -> None:
        """Wait; in the embedded cloud, the simulated time passes immediately."""
        if self.cloud is None:
            sleep(seconds)
        else:
            self.cloud.simulation("clock", advance_s=seconds)

    def is_bootstrapped(self, region: str, qualifier: str = DEFAULT_QUALIFIER) -> bool:
        """Return whether the CDK bootstrap stack with this qualifier exists."""
        ssm = self.client("ssm", region)
        try:
            ssm.get_parameter(Name=f"/cdk-bootstrap/{qualifier}/version")
        except ssm.exceptions.ParameterNotFound:
            return False
        return True


def every(client: Any, operation: str, key: str, **asked: Any) -> list[dict[str, Any]]:
    """Return the items of all pages of an operation."""
    return [one for page in client.get_paginator(operation).paginate(**asked) for one in page[key]]


def stack_resources(client: Any, stack: str) -> list[dict[str, Any]]:
    """Return the resources of a stack as CloudFormation lists them."""
    return every(client, "list_stack_resources", "StackResourceSummaries", StackName=stack)


@contextmanager
def target(*, aws: bool, account: str | None) -> Iterator[Target]:
    """Yield the target; if this starts an embedded cloud, the cloud is stopped at the end."""
    if aws:
        yield _aws(account)
        return
    running = state.read()
    if running:
        if account not in (None, running.account):
            raise RehearsalError(
                f"the profile is for account {account}, but the running embedded cloud has account "
                f"{running.account}: stop the embedded cloud, or start one with --account {account}"
            )
        say(f"- the embedded cloud at {running.endpoint} (already running)")
        yield Target(running.account, started=False, cloud=Cloud(running.endpoint, running.account))
        return
    try:
        with step("start an embedded cloud"):
            cloud = start_cloud(account=account or clients.ACCOUNT_ID)
    except CloudError as error:
        raise RehearsalError(str(error), 2) from None
    with cloud:
        yield Target(cloud.account, started=True, cloud=cloud)


def synth_environment(*, aws: bool) -> Mapping[str, str]:
    """Return the environment for synthesis; its credentials are invalid unless AWS is the target."""
    return {} if aws else environment("http://localhost:9", clients.ACCOUNT_ID)


def _aws(account: str | None) -> Target:
    try:
        own: str = boto3.client("sts").get_caller_identity()["Account"]
    except (BotoCoreError, ClientError) as error:
        raise RehearsalError(f"AWS rejects the credentials: {error}", 2, _LOG_IN) from None
    if account not in (None, own):
        raise RehearsalError(
            f"the profile is for account {account}, but the credentials are for {own}",
            2,
            f"use credentials of account {account}: set AWS_PROFILE",
        )
    return Target(own, started=False, cloud=None)
