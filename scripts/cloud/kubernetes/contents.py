"""Contents of one cluster: namespaces, custom resources, objects and releases, with their history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .schemas import Object, fault_of, is_own

Verb = Literal["install", "upgrade", "uninstall", "create", "apply", "delete", "patch", "lost"]
Key = tuple[str, str, str, str]
"""Key of an object: API group, kind, namespace, name."""


class RefusedByClusterError(Exception):
    """The cluster rejects a request; the message is that of kubectl or Helm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A change in a cluster. `what` is the name of a release, or `KIND NAME` for an object.

    The verb `lost` means that an object was deleted because its definition was deleted.
    """

    verb: Verb
    what: str
    namespace: str = ""

    def __str__(self) -> str:
        return f"{self.verb} {self.what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseState:
    """An installed Helm release."""

    name: str
    namespace: str
    chart: str
    version: str
    values: Mapping[str, Any]
    waited: bool
    atomic: bool
    timeout_s: int | None
    kinds: frozenset[str]
    webhooks: bool


@dataclass(kw_only=True)
class Contents:
    """Contents of a cluster.

    `history` contains all changes in order; failed attempts are not recorded.
    """

    version: str
    namespaces: set[str] = field(
        default_factory=lambda: {"default", "kube-system", "kube-public", "kube-node-lease"}
    )
    objects: dict[Key, Object] = field(default_factory=dict)
    releases: dict[tuple[str, str], ReleaseState] = field(default_factory=dict)
    history: list[Event] = field(default_factory=list)

    def order(self) -> list[str]:
        """Return all changes, one line each: `install kueue`, `apply Topology p6-b200`."""
        return [str(event) for event in self.history]

    def of_kind(self, kind: str) -> list[Object]:
        """Return the existing objects of a kind, by namespace and name."""
        return [one for key, one in sorted(self.objects.items()) if key[1] == kind]

    def release(self, name: str) -> ReleaseState:
        """Return the release of that name."""
        (found,) = (release for release in self.releases.values() if release.name == name)
        return found

    def apply(self, one: Object, further_kinds: frozenset[str], *, create: bool) -> None:
        """Create or apply an object; `further_kinds` are the custom kinds that add-ons have installed."""
        _require_identity(one)
        key = key_of(one)
        if create and key in self.objects:
            raise RefusedByClusterError(
                'Error from server (AlreadyExists): error when creating "/tmp/manifest.yaml": '
                f'{one["kind"].lower()}s "{key[3]}" already exists'
            )
        self._require_kind(one, further_kinds)
        if key[2] and key[2] not in self.namespaces:
            raise RefusedByClusterError(
                'Error from server (NotFound): error when creating "/tmp/manifest.yaml": '
                f'namespaces "{key[2]}" not found'
            )
        self._require_webhooks(one)
        self.objects[key] = one
        if is_own(one) and one["kind"] == "Namespace":
            self.namespaces.add(key[3])
        self._happened("create" if create else "apply", one)

    def delete(self, one: Object) -> None:
        """Delete an object; a namespace is deleted with its objects."""
        key = key_of(one)
        if self.objects.pop(key, None) is None:
            raise RefusedByClusterError(
                'Error from server (NotFound): error when deleting "/tmp/manifest.yaml": '
                f'{one["kind"].lower()}s "{key[3]}" not found'
            )
        self._happened("delete", one)
        if one["kind"] == "Namespace":
            self.namespaces.discard(key[3])
            self._lose(lambda other: other[2] == key[3])

    def install(self, release: ReleaseState, *, create_namespace: bool) -> None:
        """Install or upgrade a release."""
        if release.namespace not in self.namespaces and not create_namespace:
            raise RefusedByClusterError(
                f'Error: create: failed to create: namespaces "{release.namespace}" not found'
            )
        key = (release.namespace, release.name)
        verb: Verb = "upgrade" if key in self.releases else "install"
        self.namespaces.add(release.namespace)
        self.releases[key] = release
        self.history.append(Event(verb=verb, what=release.name, namespace=release.namespace))

    def uninstall(self, name: str, namespace: str, *, crds_stay: bool) -> None:
        """Uninstall a release; unless `crds_stay`, delete its definitions and custom resources too."""
        release = self.releases.pop((namespace, name), None)
        if release is None:
            raise RefusedByClusterError(f"Error: uninstall: Release not loaded: {name}: release: not found")
        self.history.append(Event(verb="uninstall", what=name, namespace=namespace))
        if not crds_stay:
            unserved = release.kinds - self._kinds()
            self._lose(lambda key: kind_of(self.objects[key]) in unserved)

    def patched(self, what: str, namespace: str) -> None:
        """Record a patch."""
        if namespace not in self.namespaces:
            raise RefusedByClusterError(f'Error from server (NotFound): namespaces "{namespace}" not found')
        self.history.append(Event(verb="patch", what=what, namespace=namespace))

    def _kinds(self) -> frozenset[str]:
        found = {kind for release in self.releases.values() for kind in release.kinds}
        for one in self.of_kind("CustomResourceDefinition"):
            found.update(_defined(one))
        return frozenset(found)

    def _require_kind(self, one: Object, further: frozenset[str]) -> None:
        try:
            fault = fault_of(one, self.version)
        except LookupError:
            raise RefusedByClusterError(_no_matches(one)) from None
        if not is_own(one) and kind_of(one) not in self._kinds() | further:
            raise RefusedByClusterError(_no_matches(one))
        if fault is not None:
            raise RefusedByClusterError(
                f'error: error validating "/tmp/manifest.yaml": error validating data: {fault}; '
                "if you choose to ignore these errors, turn validation off with --validate=false"
            )

    def _require_webhooks(self, one: Object) -> None:
        """Raise an error if a kind's webhook cannot respond yet, because Helm did not wait for it."""
        for release in self.releases.values():
            if release.webhooks and not release.waited and kind_of(one) in release.kinds:
                raise RefusedByClusterError(
                    "Error from server (InternalError): failed calling webhook: no endpoints available for "
                    f'service of release "{release.name}"'
                )

    def _lose(self, matches: Any) -> None:
        for key in [key for key in self.objects if matches(key)]:
            self._happened("lost", self.objects.pop(key))

    def _happened(self, verb: Verb, one: Object) -> None:
        metadata = one["metadata"]
        what = f"{one['kind']} {metadata['name']}"
        self.history.append(Event(verb=verb, what=what, namespace=metadata.get("namespace", "")))


def key_of(one: Object) -> Key:
    """Return the key of an object."""
    group = str(one["apiVersion"]).rpartition("/")[0]
    return group, one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]


def kind_of(one: Object) -> str:
    """Return `group/version Kind` of an object."""
    return f"{one['apiVersion']} {one['kind']}"


def _defined(definition: Object) -> Iterator[str]:
    spec = definition["spec"]
    for version in spec["versions"]:
        if version.get("served", True):
            yield f"{spec['group']}/{version['name']} {spec['names']['kind']}"


def _require_identity(one: Object) -> None:
    for field_name in ("apiVersion", "kind"):
        if not one.get(field_name):
            raise RefusedByClusterError(
                f'error: error validating "/tmp/manifest.yaml": error validating data: {field_name} not set'
            )
    metadata = one.get("metadata")
    if metadata is not None and not isinstance(metadata, Mapping):
        raise RefusedByClusterError('error: error validating "/tmp/manifest.yaml": metadata is not an object')
    if not (metadata or {}).get("name"):
        raise RefusedByClusterError("error: resource name may not be empty")


def _no_matches(one: Object) -> str:
    metadata = one["metadata"]
    return (
        f'error: resource mapping not found for name: "{metadata["name"]}" '
        f'namespace: "{metadata.get("namespace", "")}" from "/tmp/manifest.yaml": no matches for kind '
        f'"{one["kind"]}" in version "{one["apiVersion"]}"\nensure CRDs are installed first'
    )
