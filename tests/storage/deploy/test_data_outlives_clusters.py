"""A data profile with two clusters on it deploys, scales and goes in every order without losing data."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cloud.local import local_cloud
from tests.cloud.sandbox import Sandbox, explained
from tests.storage.deploy.landlord import CLUSTERS, DATA, FILE_SYSTEM, Landlord

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

ALPHA, BETA = CLUSTERS


def scale_up_and_down(ours: Landlord) -> None:
    ours.scale(ALPHA, 4)
    ours.scale(ALPHA, 1)


ORDERS = list(permutations((DATA, *CLUSTERS)))
CHANGES: Mapping[str, Callable[[Landlord], None]] = {
    "scale": scale_up_and_down,
    "grow": Landlord.grow,
    "move": Landlord.move,
    "leave": Landlord.leave_another,
}


# every change follows directly on every other in one of these (a row-complete Latin square); the machine
# below goes through longer orders
FOLLOWING = [
    ("scale", "grow", "leave", "move"),
    ("grow", "move", "scale", "leave"),
    ("move", "leave", "grow", "scale"),
    ("leave", "scale", "move", "grow"),
]


@pytest.fixture
def ours(tmp_path: Path) -> Iterator[Landlord]:
    with local_cloud() as cloud:
        yield Landlord(Sandbox(cloud, tmp_path))


def deploy_in(order: tuple[str, ...], ours: Landlord) -> None:
    """In this order; a cluster before its data is refused, and comes after it."""
    late = []
    for name in order:
        if name != DATA and not ours.sandbox.stack(DATA):
            ours.is_refused(name)
            late.append(name)
        else:
            ours.deploy(name)
    for name in late:
        ours.deploy(name)


def delete_in(order: tuple[str, ...], ours: Landlord) -> None:
    """In this order; teardown refuses data under a cluster, which a deletion by hand does not."""
    for name in order:
        standing = ours.standing()
        if name == DATA and standing:
            with pytest.raises(RehearsalError, match=rf"of {DATA} are used by {', '.join(standing)}: "):
                ours.tear_down(DATA)
            ours.delete(DATA)
        elif name == DATA:
            ours.tear_down(DATA)
        else:
            ours.delete(name)


@pytest.mark.long
@pytest.mark.parametrize(
    ("deployed", "deleted"),
    [
        (deployed, deleted)
        for number, deployed in enumerate(ORDERS)
        # each order of deletion after two orders of deployment; the machine below draws other pairs
        for deleted in (ORDERS[number], ORDERS[number - 1])
    ],
    ids="-".join,
)
def test_data_and_clusters_come_and_go_in_each_order(
    deployed: tuple[str, ...], deleted: tuple[str, ...], ours: Landlord
) -> None:
    deploy_in(deployed, ours)
    for change in CHANGES.values():
        change(ours)
    delete_in(deleted, ours)
    assert ours.standing() == []


@pytest.mark.long
@pytest.mark.parametrize("order", FOLLOWING, ids="-".join)
def test_each_change_comes_directly_after_each_other_one(order: tuple[str, ...], ours: Landlord) -> None:
    deploy_in((DATA, *CLUSTERS), ours)
    for change in order:
        CHANGES[change](ours)
        for name in CLUSTERS:
            ours.scale(name, 5 - ours.counts[name])
    delete_in((DATA, *CLUSTERS), ours)


@pytest.mark.long
def test_at_the_end_exactly_the_data_and_its_network_are_left(ours: Landlord) -> None:
    deploy_in((DATA, *CLUSTERS), ours)
    ours.move()
    for name in (*CLUSTERS, DATA):
        ours.tear_down(name)
    left = everything(ours.sandbox)
    assert left == {
        "file systems": 5,  # the main one twice, the one beside it, home, and a cluster's own
        "directory buckets": 1,
        "buckets": 5,  # two of the data and one of a cluster, and their access logs
        "keys": 3,  # one of each stack that makes buckets, and the one that was stated
        "vpcs": 1,
        "subnets": 2,
        "groups": 5,  # of the nodes, and of each file system, which the main one has kept
        "endpoints": 2,  # gateways, which cost nothing
    }
    # and none of it stands in the way of the same again
    ours.kept, ours.paths = {}, {}
    before = {s["FileSystemId"] for s in ours.sandbox.client("fsx").describe_file_systems()["FileSystems"]}
    ours.kept[FILE_SYSTEM] = before
    deploy_in((DATA, *CLUSTERS), ours)


def bootstrapped(name: str) -> bool:
    """What `cdk bootstrap` makes for the whole account."""
    return name.startswith("cdk-hnb659fds-")


def everything(sandbox: Sandbox) -> dict[str, int]:
    """What there is in the account that somebody made, by kind; nothing of what is none."""
    ec2, iam = sandbox.client("ec2"), sandbox.client("iam")
    own = {v["VpcId"] for v in ec2.describe_vpcs()["Vpcs"] if not v["IsDefault"]}
    of_own = [{"Name": "vpc-id", "Values": sorted(own)}]
    groups = ec2.describe_security_groups(Filters=of_own)["SecurityGroups"]
    kms = sandbox.client("kms")
    found = (kms.describe_key(KeyId=key["KeyId"])["KeyMetadata"] for key in kms.list_keys()["Keys"])
    keys = [key for key in found if key["KeyState"] == "Enabled"]
    parameters = sandbox.client("ssm").describe_parameters()["Parameters"]
    there = {
        "file systems": sandbox.client("fsx").describe_file_systems()["FileSystems"],
        "links": sandbox.client("fsx").describe_data_repository_associations()["Associations"],
        "buckets": [b for b in sandbox.client("s3").list_buckets()["Buckets"] if not bootstrapped(b["Name"])],
        "directory buckets": sandbox.client("s3").list_directory_buckets()["Buckets"],
        "keys": keys,
        "vpcs": own,
        "subnets": ec2.describe_subnets(Filters=of_own)["Subnets"],
        "groups": [group for group in groups if group["GroupName"] != "default"],
        "endpoints": [e for e in ec2.describe_vpc_endpoints()["VpcEndpoints"] if e["State"] != "deleted"],
        "gateways": [g for g in ec2.describe_nat_gateways()["NatGateways"] if g["State"] != "deleted"],
        "internet gateways": ec2.describe_internet_gateways()["InternetGateways"],
        "addresses": ec2.describe_addresses()["Addresses"],
        "clusters": sandbox.client("sagemaker").list_clusters()["ClusterSummaries"],
        "logs": sandbox.client("logs").describe_log_groups()["logGroups"],
        "roles": [r for r in iam.list_roles()["Roles"] if not bootstrapped(r["RoleName"])],
        "functions": sandbox.client("lambda").list_functions()["Functions"],
        "parameters": [p for p in parameters if not p["Name"].startswith("/cdk-bootstrap/")],
    }
    return {kind: len(found) for kind, found in there.items() if found}


@pytest.mark.long
def test_data_is_not_made_anew_under_a_cluster_that_stands_on_what_was_left(ours: Landlord) -> None:
    deploy_in((DATA, *CLUSTERS), ours)
    ours.delete(DATA)
    with pytest.raises(
        RehearsalError, match=r"earlier data left at /ultra.* by alpha, beta: destroy alpha, beta"
    ):
        ours.deploy(DATA)
    # without the command, CloudFormation refuses it too
    stack = ours.sandbox.try_deploy(ours.sandbox.load(ours.data_profile()))
    assert stack.status == "ROLLBACK_COMPLETE"
    assert re.search(r"The parameter already exists|already exists", explained(stack))
    ours.sandbox.delete(DATA)
    ours.check()
    for name in CLUSTERS:
        ours.scale(name, 3)
        ours.delete(name)
    ours.deploy(DATA)


@pytest.mark.long
def test_one_file_system_more_or_less_moves_no_other_path(ours: Landlord) -> None:
    ours.further = False
    ours.deploy(DATA)
    first = set(ours.paths)
    ours.further = True
    ours.deploy(DATA)
    assert first < set(ours.paths)
    ours.leave_another()
    ours.further = True
    ours.paths = {path: value for path, value in ours.paths.items() if path in first}
    ours.deploy(DATA)


@pytest.mark.long
def test_nodes_read_what_their_data_profile_publishes_of_each_file_system(ours: Landlord) -> None:
    deploy_in((DATA, ALPHA), ours)
    text = ours.sandbox.template(ours.sandbox.load(ours.cluster_profile(ALPHA)))
    facts = {path for path in ours.paths if path.endswith(("-dns-name", "-mount-name"))}
    assert len(facts) == 5  # of two Lustre file systems, and of home
    assert {path for path in facts if path in text} == facts
    # a file system that left the profile is not made anew while nodes may read the old one's paths
    ours.leave_another()
    ours.further = True
    with pytest.raises(
        RehearsalError, match=r"parameters that an earlier data left at .* are used by alpha: "
    ):
        ours.deploy(DATA)


def test_a_cluster_on_an_earlier_path_still_stands_on_the_data(ours: Landlord) -> None:
    deploy_in((DATA, ALPHA), ours)
    ours.move()
    with pytest.raises(RehearsalError, match=r"data are used by alpha: destroy alpha first"):
        ours.tear_down(DATA)


@pytest.mark.long
def test_another_network_under_what_stands_is_refused_and_taken_back(ours: Landlord) -> None:
    deploy_in((DATA, *CLUSTERS), ours)
    ours.network = 1
    stack = ours.sandbox.try_deploy(ours.sandbox.load(ours.data_profile()))
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    ours.network = 0
    ours.check()
    for name in CLUSTERS:
        ours.scale(name, 3)
    ours.grow()


def test_backups_that_are_turned_on_later_do_not_make_another_file_system(ours: Landlord) -> None:
    profile = ours.data_profile() | {"storage": {"lustre": {"capacity_gib": 9600, "data_repositories": []}}}
    ours.sandbox.deploy(profile)
    before = ours.sandbox.ids(DATA, FILE_SYSTEM)
    profile["storage"]["lustre"]["backups"] = {"retention_days": 7}
    ours.sandbox.deploy(profile)
    assert ours.sandbox.ids(DATA, FILE_SYSTEM) == before
    (system,) = ours.sandbox.client("fsx").describe_file_systems()["FileSystems"]
    assert system["LustreConfiguration"]["AutomaticBackupRetentionDays"] == 7


@pytest.mark.long
def test_a_disposable_data_profile_leaves_nothing(ours: Landlord) -> None:
    profile = ours.data_profile() | {"disposable": True}
    profile["storage"]["lustre"]["data_repositories"] = []
    ours.sandbox.deploy(profile)
    ours.sandbox.delete(DATA)
    assert everything(ours.sandbox) == {}


class AnyOrder(RuleBasedStateMachine):
    """Whatever is done to a data profile and its clusters, in whatever order."""

    @initialize()
    def start(self) -> None:
        self.open = ExitStack()
        cloud = self.open.enter_context(local_cloud())
        folder = Path(self.open.enter_context(tempfile.TemporaryDirectory()))
        self.ours = Landlord(Sandbox(cloud, folder))

    def there(self, name: str) -> bool:
        return self.ours.sandbox.stack(name) is not None

    @rule()
    def deploy_data(self) -> None:
        if not self.there(DATA) and self.ours.standing():
            with pytest.raises(RehearsalError, match="parameters that an earlier data left"):
                self.ours.deploy(DATA)
        else:
            self.ours.deploy(DATA)

    def deploy_cluster(self, name: str) -> None:
        if self.there(DATA) or self.there(name):
            self.ours.deploy(name)

    @rule()
    def deploy_alpha(self) -> None:
        self.deploy_cluster(ALPHA)

    @rule()
    def deploy_beta(self) -> None:
        self.deploy_cluster(BETA)

    @precondition(lambda self: self.ours.standing())
    @rule()
    def scale(self) -> None:
        for name in self.ours.standing():
            self.ours.scale(name, self.ours.counts[name] % 5 + 1)

    @precondition(lambda self: self.there(DATA) and self.ours.steps < 8)
    @rule()
    def grow(self) -> None:
        self.ours.grow()

    @precondition(lambda self: self.there(DATA))
    @rule()
    def move(self) -> None:
        self.ours.move()

    @precondition(lambda self: self.there(DATA))
    @rule()
    def tear_down_data(self) -> None:
        delete_in((DATA,), self.ours)

    @precondition(lambda self: self.ours.standing())
    @rule()
    def tear_down_a_cluster(self) -> None:
        self.ours.tear_down(self.ours.standing()[0])

    def teardown(self) -> None:
        self.open.close()


@pytest.mark.long
@pytest.mark.timeout(900)
def test_no_order_of_steps_loses_data() -> None:
    from hypothesis.stateful import run_state_machine_as_test

    checks = list(HealthCheck)
    options = settings(
        max_examples=30, stateful_step_count=15, deadline=None, derandomize=True, suppress_health_check=checks
    )
    run_state_machine_as_test(AnyOrder, settings=options)
