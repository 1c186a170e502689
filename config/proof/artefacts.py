"""Generated artefacts as data: templates, script bundles and jobs, with functions to find values in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from config.proof.model import Place

Object = Mapping[str, Any]

_SSM = re.compile(r"\{\{resolve:ssm:([^:}]+)(?::[0-9]+)?\}\}")
_SYMBOL = re.compile(r"\$\{([A-Za-z0-9]+)(?:\.([A-Za-z0-9.]+))?\}")
HELM = "Custom::AWSCDK-EKS-HelmChart"
MANIFEST = "Custom::AWSCDK-EKS-KubernetesResource"


@dataclass(frozen=True, slots=True)
class Found:
    """A value and its location."""

    value: Any
    place: Place

    def at(self, *keys: str | int) -> Found | None:
        """Return the nested value that the keys lead to; None if it does not exist."""
        here = self
        for key in keys:
            value = here.value
            if isinstance(key, int):
                if not isinstance(value, Sequence) or isinstance(value, str) or key >= len(value):
                    return None
                here = Found(value[key], here.place.below(f"[{key}]"))
            else:
                if not isinstance(value, Mapping) or key not in value:
                    return None
                here = Found(value[key], here.place.below(key))
        return here

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key; the default if the key does not exist or this value is not a mapping."""
        return mapping(self.value).get(key, default)

    def items(self, *keys: str | int) -> tuple[Found, ...]:
        """Return the elements of this list, or of the list at the given keys; empty if there is no list."""
        if (here := self.at(*keys)) is None:
            return ()
        listed = enumerate(sequence(here.value))
        return tuple(Found(value, here.place.below(f"[{number}]")) for number, value in listed)


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource of a template."""

    stack: str
    name: str
    kind: str
    body: Object = field(hash=False)

    @property
    def properties(self) -> Found:
        """Return all properties and their location."""
        place = Place(artefact=self.stack, at=self.name, path="Properties")
        return Found(self.body.get("Properties", {}), place)

    def at(self, *keys: str | int) -> Found | None:
        """Return a property; None if it does not exist."""
        return self.properties.at(*keys)

    def items(self, *keys: str | int) -> tuple[Found, ...]:
        """Return the elements of a list property; empty if it does not exist."""
        return self.properties.items(*keys)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a property."""
        return self.properties.get(key, default)

    @property
    def after(self) -> tuple[str, ...]:
        """Return the names in DependsOn."""
        declared = self.body.get("DependsOn", ())
        return (declared,) if isinstance(declared, str) else tuple(declared)

    @property
    def key(self) -> str:
        """Return a key of the resource that is unique in all templates."""
        return f"{self.stack}/{self.name}"


@dataclass(frozen=True, slots=True)
class Release:
    """A Helm release of a template: chart, version and values."""

    resource: Resource
    chart: str
    version: Found | None
    values: Found


@dataclass(frozen=True, slots=True)
class Bundle:
    """The scripts that nodes download, by file name.

    `name` is their prefix, for example `eks-nodes/e13146107ae8c3ee`.
    """

    name: str
    files: Mapping[str, str] = field(hash=False)

    def lines(self) -> Iterator[tuple[str, int, str]]:
        """Yield every line with its file and number."""
        for file in sorted(self.files):
            for number, line in enumerate(self.files[file].splitlines(), 1):
                yield file, number, line

    def place(self, file: str, line: int = 1) -> Place:
        """Return the location of a line."""
        return Place(artefact=self.name, at=file, line=line)

    def first(self, file: str, pattern: str) -> Found | None:
        """Return the first line of a file that matches; None if no line matches."""
        for number, line in enumerate(self.files.get(file, "").splitlines(), 1):
            if re.search(pattern, line):
                return Found(line, self.place(file, number))
        return None

    def setting(self, name: str, file: str = "settings.env") -> Found | None:
        """Return the value of a setting `NAME='VALUE'`, which may span lines; None if it is not set."""
        text = self.files.get(file, "")
        found = re.search(rf"^{name}='([^']*)'", text, re.MULTILINE)
        if found is None:
            return None
        return Found(found[1], self.place(file, text.count("\n", 0, found.start()) + 1))


@dataclass(frozen=True, slots=True)
class Artefacts:
    """All artefacts of a proof.

    `stack` is the name of the profile's own stack. `templates` maps stack names to templates, and includes
    the stacks of the profiles that the profile attaches to. `bundles` maps a prefix to its scripts. `jobs`
    maps a group name to the objects of a job that uses all nodes of the group.
    """

    stack: str
    templates: Mapping[str, Object] = field(hash=False)
    bundles: Mapping[str, Mapping[str, str]] = field(hash=False)
    jobs: Mapping[str, Sequence[Object]] = field(hash=False)

    def resources(self, *kinds: str) -> Iterator[Resource]:
        """Yield the resources of the given types in all templates, the profile's own first."""
        for stack in sorted(self.templates, key=lambda name: (name != self.stack, name)):
            for name, body in self.templates[stack].get("Resources", {}).items():
                if body.get("Type") in kinds:
                    yield Resource(stack, name, body["Type"], body)

    def own(self, *kinds: str) -> Iterator[Resource]:
        """Yield the resources of the profile's own stack."""
        return (resource for resource in self.resources(*kinds) if resource.stack == self.stack)

    def named(self, key: str) -> Resource | None:
        """Return the resource for a key from `target`; None if the resource does not exist."""
        stack, _, name = key.partition("/")
        body = self.templates.get(stack, {}).get("Resources", {}).get(name)
        return None if body is None else Resource(stack, name, body.get("Type", ""), body)

    def target(self, value: Any, stack: str) -> str:
        """Return `STACK/LOGICALID` for a value that names a resource, otherwise the value as text.

        References through SSM parameters lead to the template that writes the parameter.
        """
        if isinstance(value, Mapping) and len(value) == 1:
            (function, argument), *_ = value.items()
            if function == "Ref":
                return f"{stack}/{argument}"
            if function == "Fn::GetAtt":
                return f"{stack}/{attribute_of(argument)[0]}"
        text = text_of(value)
        symbol = _SYMBOL.fullmatch(text)
        if symbol:
            return f"{stack}/{symbol[1]}"
        parameter = _SSM.fullmatch(text)
        if parameter:
            for resource in self.resources("AWS::SSM::Parameter"):
                if resource.get("Name") == parameter[1] and resource.stack != stack:
                    return self.target(resource.get("Value"), resource.stack)
        return text

    def releases(self) -> Iterator[Release]:
        """Yield the Helm releases of the profile's own stack."""
        for resource in self.own(HELM):
            # a chart from an asset has no chart name, so use the release name
            chart = text_of(resource.get("Chart", "")) or text_of(resource.get("Release", ""))
            place = Place(artefact=resource.stack, at=resource.name, path="Properties.Values")
            values = mapping(parsed(resource.get("Values", "{}")))
            yield Release(resource, chart, resource.at("Version"), _Within(values, place))

    def objects(self, *kinds: str) -> Iterator[tuple[Resource, Found]]:
        """Yield the Kubernetes objects of the given kinds, with the resource that applies them."""
        for resource in self.own(MANIFEST):
            listed = parsed(resource.get("Manifest", "[]"))
            listed = listed if isinstance(listed, list) else []
            for number, item in enumerate(listed):
                if isinstance(item, Mapping) and item.get("kind") in kinds:
                    place = Place(artefact=resource.stack, at=resource.name, path="Properties.Manifest")
                    yield resource, _Within(item, place, f"[{number}]" if len(listed) > 1 else "")

    def bundle(self, name: str) -> Bundle | None:
        """Return a bundle by its prefix; None if it does not exist."""
        files = self.bundles.get(name)
        return None if files is None else Bundle(name, files)


class _Within(Found):
    """A value inside a text value. In locations, ` > ` separates its keys from the keys of the template."""

    __slots__ = ()

    def __init__(self, value: Any, place: Place, start: str = "") -> None:
        super().__init__(value, place.within(start) if start else place)

    def at(self, *keys: str | int) -> Found | None:
        if not keys or " > " in self.place.path:
            return super().at(*keys)
        first, *others = keys
        if not isinstance(self.value, Mapping) or first not in self.value:
            return None
        return Found(self.value[first], self.place.within(str(first))).at(*others)


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a value as a mapping; empty for any other type."""
    value = value.value if isinstance(value, Found) else value
    return value if isinstance(value, Mapping) else {}


def sequence(value: Any) -> Sequence[Any]:
    """Return a value as a list; empty for any other type."""
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def attribute_of(argument: Any) -> tuple[str, str]:
    """Return the logical id and attribute of `Fn::GetAtt`, in either of its forms."""
    if isinstance(argument, str):
        name, _, attribute = argument.partition(".")
        return name, attribute
    parts = [*map(text_of, sequence(argument)), "", ""]
    return parts[0], parts[1]


def text_of(value: Any) -> str:
    """Return a value as text; values known after deployment are `${LogicalId.Attribute}`."""
    value = value.value if isinstance(value, Found) else value
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and len(value) == 1:
        (function, argument), *_ = value.items()
        if function == "Ref":
            return f"${{{argument}}}"
        if function == "Fn::GetAtt":
            return f"${{{'.'.join(attribute_of(argument))}}}"
        if function == "Fn::Join" and len(sequence(argument)) == 2:
            return str(argument[0]).join(text_of(part) for part in sequence(argument[1]))
        if function == "Fn::Sub":
            return text_of(argument if isinstance(argument, str) else next(iter(sequence(argument)), ""))
        if function == "Fn::Base64":
            return text_of(argument)
    return "" if value is None else str(value)


def parsed(value: Any) -> Any:
    """Return the parsed JSON text of a value; None if it is not JSON."""
    try:
        return json.loads(text_of(value))
    except ValueError:
        return None
