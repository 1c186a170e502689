"""The slow steps of storage: file systems and their data repository associations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from config.design.deployment.network import NetworkSteps
from config.design.deployment.steps import Steps
from config.design.model import Design
from config.design.storage.lustre import MAIN, LustrePlan
from config.design.storage.repositories import RepositoryPlan
from config.design.zones import PRIMARY

FILE_SYSTEM = "AWS::FSx::FileSystem"
LINK = "AWS::FSx::DataRepositoryAssociation"


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageSteps:
    """Storage steps that clusters wait for.

    `file_systems` are the steps of this stack by name, `home` the step of the home directories. `rules` are
    the steps that nodes need before they mount anything; `exports` are the associations that export to S3.
    """

    file_systems: Mapping[str, str] = field(default_factory=dict)
    home: str | None = None
    rules: tuple[str, ...] = ()
    exports: tuple[str, ...] = ()

    @property
    def made(self) -> tuple[str, ...]:
        """Every file system of this stack."""
        return (*self.file_systems.values(), *((self.home,) if self.home else ()))


def storage_steps(design: Design, steps: Steps, network: NetworkSteps) -> StorageSteps:
    """Add the file systems that the profile's own stack creates, and their data repository associations."""
    systems: dict[str, str] = {}
    rules, exports = [*network.rules], []
    for plan in design.own_file_systems:
        if plan.settings is None:  # for an existing file system, only rules are created
            continue
        named = "" if plan.name == MAIN else f" {plan.name}"
        after = (*network.rules, *network.subnet(PRIMARY))
        made = steps.add(f"lustre {plan.name}", FILE_SYSTEM, f"Lustre file system{named}", after)
        systems[plan.name] = made
        links = _links(plan, steps, made, named)
        quick = [links[link.name] for link in plan.repositories if not link.import_metadata_on_create]
        if plan.settings.root_squash:
            # root squash is active before the first client mounts, after the quick associations
            rules += [made, *quick]
        exports += [links[link.name] for link in plan.repositories if _carries(link)]
    return StorageSteps(
        file_systems=systems,
        home=_home(design, steps, network),
        rules=tuple(rules),
        exports=tuple(exports),
    )


def _carries(link: RepositoryPlan) -> bool:
    return bool(link.export_events) and not link.import_metadata_on_create


def _links(plan: LustrePlan, steps: Steps, file_system: str, named: str) -> dict[str, str]:
    """Add the associations in sequence: nodes wait for the first ones, and slow imports are last."""
    links: dict[str, str] = {}
    previous: tuple[str, ...] = ()
    for link in sorted(
        plan.repositories, key=lambda one: (one.import_metadata_on_create, not one.export_events)
    ):
        what = f"data repository association {link.path}{f' ({plan.name})' if named else ''}"
        links[link.name] = steps.add(f"link {plan.name} {link.name}", LINK, what, (file_system, *previous))
        previous = (links[link.name],)
    return links


def _home(design: Design, steps: Steps, network: NetworkSteps) -> str | None:
    home = design.home
    if home is None or not design.owns_home or home.existing is not None:
        return None
    after = (*network.rules, *network.subnet(home.subnet))
    return steps.add("home", FILE_SYSTEM, "OpenZFS file system for home directories", after)
