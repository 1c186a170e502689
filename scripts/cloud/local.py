"""The embedded cloud in this process, for tests that deploy often and access the engine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from config.profile.deployment import DEFAULT_QUALIFIER

from .clients import ACCOUNT_ID, in_process
from .engine.account import Account
from .engine.backend import Backend, Request
from .extensions.simulation import Simulation
from .extensions.simulation import use as use_simulation
from .faults import Faults

if TYPE_CHECKING:
    from .kubernetes.contents import Contents


class LocalCloud:
    """An AWS account in this process: moto's services with our extensions, and the CloudFormation engine."""

    def __init__(self, account: str = ACCOUNT_ID, *, observes: bool = False) -> None:
        self.account, self.faults, self.simulation, self._observes = account, Faults(), Simulation(), observes
        self._backends: dict[str, Backend] = {}

    def client(self, service: str, region: str) -> Any:
        """Return a boto3 client for this process."""
        return in_process(self.account, service, region)

    def backend(self, region: str) -> Backend:
        """Return CloudFormation in one Region."""
        if region not in self._backends:
            account = Account(self.account, region, self.client, self.faults, observes=self._observes)
            self._backends[region] = Backend(account)
        return self._backends[region]

    def bootstrap(self, region: str, qualifier: str = DEFAULT_QUALIFIER) -> None:
        """Create the version parameter and the deploy role of `cdk bootstrap`, which templates require."""
        self.client("ssm", region).put_parameter(
            Name=f"/cdk-bootstrap/{qualifier}/version", Type="String", Value="30", Overwrite=True
        )
        iam, name = self.client("iam", region), f"cdk-{qualifier}-deploy-role-{self.account}-{region}"
        if name not in {role["RoleName"] for role in iam.list_roles()["Roles"]}:
            iam.create_role(RoleName=name, AssumeRolePolicyDocument="{}")

    def deploy(self, region: str, name: str, template: str, *, rollback: bool = True) -> Any:
        """Create or update a stack as CloudFormation does; returns the stack after the deployment."""
        backend = self.backend(region)
        request = Request(
            stack_name=name, template=template, parameters={}, tags={}, capabilities=("CAPABILITY_NAMED_IAM",)
        )
        known = any(s.name == name and s.status != "DELETE_COMPLETE" for s in backend.stacks.values())
        change_set = backend.create_change_set("local", "UPDATE" if known else "CREATE", request)
        backend.execute(change_set, rollback=rollback)
        return change_set.stack

    def kubernetes(self, region: str, cluster_name: str) -> Contents:
        """Return the contents of an EKS cluster: its objects and releases, with their history."""
        from .kubernetes.clusters import contents_of

        return contents_of(self.account, region, cluster_name)


@lru_cache(maxsize=1)
def _install() -> None:
    from .extensions.install import install

    install()


@contextmanager
def local_cloud(account: str = ACCOUNT_ID, *, observes: bool = False) -> Iterator[LocalCloud]:
    """Yield an empty cloud, which is deleted at the end of the `with` statement.

    Drift detection requires `observes`. Each resource is then read after its deployment; a third of the total
    time is spent on these reads.
    """
    os.environ["MOTO_IAM_LOAD_MANAGED_POLICIES"] = "true"
    os.environ["MOTO_ACCOUNT_ID"] = account
    # instances are not launched here, and to load 1,300 images takes longer than to deploy a stack
    os.environ["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"
    from moto import mock_aws

    _install()
    from .extensions.calls import faults as call_faults

    cloud = LocalCloud(account, observes=observes)
    call_faults.use(cloud.faults)
    use_simulation(cloud.simulation)
    with mock_aws():
        yield cloud
