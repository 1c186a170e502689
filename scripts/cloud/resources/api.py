"""Resource types whose service has one operation for each lifecycle step.

botocore's service model determines which properties an operation accepts, and in which form. The provider's
schema determines which members of a response are properties and which are attributes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any, ClassVar

from scripts.cloud.template.errors import ResourceFailedError
from scripts.cloud.template.provider_schemas import known_schema

from . import base
from .base import Context, Created, Existing, Model, Properties

# properties that are documents: services return them as text
_DOCUMENTS = re.compile("Policy|Document|Body|Pattern|Content")
_PAGES = frozenset({"nexttoken", "marker", "responsemetadata"})
_TAGGING = (
    ("untag_resource", "tag_resource"),
    ("remove_tags_from_resource", "add_tags_to_resource"),
    ("delete_tags", "add_tags"),
    ("untag_queue", "tag_queue"),
    ("untag", "tag"),
)


def _shapes(client: Any, method: str, direction: str = "input") -> Mapping[str, Any]:
    """Return the members of an operation's request or response by name."""
    operation = client.meta.service_model.operation_model(client.meta.method_to_api_mapping[method])
    shape = getattr(operation, f"{direction}_shape")
    return shape.members if shape else {}


def _spelled(name: str, names: Mapping[str, Any]) -> str | None:
    """Return the entry of `names` that is equal to `name`, ignoring case; None if none is equal."""
    if name in names:
        return name
    return next((other for other in names if other.lower() == name.lower()), None)


def _as_parameter(value: Any, shape: Any) -> Any:
    """Return a property in the form of a request parameter."""
    if shape.type_name == "structure" and isinstance(value, Mapping):
        names = {key: _spelled(key, shape.members) for key in value}
        return {
            name or key: _as_parameter(value[key], shape.members[name]) if name else value[key]
            for key, name in names.items()
        }
    if shape.type_name == "list" and isinstance(value, list):
        return [_as_parameter(item, shape.member) for item in value]
    if shape.type_name == "string" and isinstance(value, Mapping):
        return base.text_of(value)
    if shape.type_name == "blob" and isinstance(value, str):
        return value.encode()
    return int(value) if shape.type_name in ("integer", "long") and isinstance(value, str) else value


def _pascal(name: str) -> str:
    return name[:1].upper() + name[1:]


def _as_property(value: Any, shape: Any) -> Any:
    """Return a member of a response in the form of a property."""
    if shape.type_name == "structure":
        return {
            _pascal(key): _as_property(item, shape.members[key])
            for key, item in value.items()
            if key in shape.members
        }
    if shape.type_name == "list":
        return [_as_property(item, shape.member) for item in value]
    return value.decode() if shape.type_name == "blob" else value


def taken(client: Any, method: str, properties: Properties) -> dict[str, Any]:
    """Return the properties that an operation accepts, as its parameters. Tags are not included."""
    members = _shapes(client, method)
    names = {name: _spelled(name, members) for name in properties if name != "Tags"}
    return {
        member: _as_parameter(properties[name], members[member]) for name, member in names.items() if member
    }


def call(client: Any, method: str, properties: Properties, **more: Any) -> dict[str, Any]:
    """Call an operation with the properties that it accepts and the parameters in `more`."""
    answer: dict[str, Any] = getattr(client, method)(**taken(client, method, properties) | more)
    return answer


def fitting(client: Any, method: str, parameter: str, value: Properties) -> dict[str, Any]:
    """Return only those members of `value` that the operation accepts in this parameter."""
    return base.only(value, *_shapes(client, method)[parameter].members)


def tags_for(client: Any, method: str, tags: Mapping[str, str]) -> dict[str, Any]:
    """Return the tags parameter of an operation. If there are no tags, return an empty mapping.

    Services reject an empty list of tags.
    """
    members = _shapes(client, method)
    name = _spelled("Tags", members)
    if name is None or not tags:
        return {}
    if members[name].type_name == "map":
        return {name: dict(tags)}
    key, value = sorted(members[name].member.members)
    return {name: [{key: k, value: v} for k, v in sorted(tags.items())]}


def retag(
    context: Context, service: str, resource: str | Mapping[str, str], old: Properties, new: Properties,
    methods: tuple[str, str] | None = None,
) -> None:  # fmt: skip
    """Set a resource's tags to those in its properties. `resource` is its ARN, or parameters that name it."""
    client, before, after = context.client(service), base.tag_mapping(old), context.tags(new)
    untag, tag = methods or next(pair for pair in _TAGGING if hasattr(client, pair[0]))
    members = _shapes(client, untag)
    keys = next(name for name, shape in members.items() if shape.type_name == "list")
    if isinstance(resource, str):
        resource = {next(name for name in members if name != keys): resource}
    if removed := sorted(set(before) - set(after)):
        getattr(client, untag)(**resource, **{keys: removed})
    if after and after != before:
        getattr(client, tag)(**resource, **tags_for(client, tag, after))


def setting(
    old: Properties, new: Properties, name: str, put: Callable[[Any], Any], remove: Callable[[], Any]
) -> None:
    """Call `put` with the property's value; call `remove` if the property was removed."""
    if name in new:
        put(new[name])
    elif name in old:
        remove()


@lru_cache(maxsize=256)
def _names(region: str, resource_type: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the property names and the attribute names of a type."""
    schema = known_schema(region, resource_type) or {}
    read_only = [path.removeprefix("/properties/") for path in schema.get("readOnlyProperties", ())]
    properties = tuple(name for name in schema.get("properties", ()) if name not in read_only)
    return properties, tuple(name for name in read_only if "/" not in name)


class ApiModel(Model):
    """A type whose service has `create_NOUN`, `update_NOUN`, `describe_NOUN` and `delete_NOUN`.

    * `key`: the parameters that name the resource in a request, as `PARAMETER` or `PARAMETER:SOURCE`. SOURCE
      is the property or attribute with the value; default: the physical id (the part after the last `|`).
    * `named`: the property with the resource's name, the request parameter for it, and the maximum length of
      a generated name.
    * `ref`: the format of the physical id, from properties and members of the create response. Default: the
      name.
    * `shown`: attributes that the schema does not list.
    * `emptied`: properties that an update sends empty if they were removed.

    Without `updates`, the service only changes settings and tags.
    """

    service: ClassVar[str]
    noun: ClassVar[str]
    creates: ClassVar[str] = "create_{}"
    updates: ClassVar[str] = "update_{}"
    reads: ClassVar[str] = "describe_{}"
    deletes: ClassVar[str] = "delete_{}"
    key: ClassVar[tuple[str, ...]]
    named: ClassVar[tuple[str, str, int] | None] = None
    ref: ClassVar[str] = ""
    shown: ClassVar[tuple[str, ...]] = ()
    emptied: ClassVar[tuple[str, ...]] = ()
    unique: ClassVar[bool] = False
    """Whether the service accepts a create request with an existing name. `create` checks this first."""
    refreshed: ClassVar[bool] = False
    """Whether the attributes are read again after the settings are applied."""
    versioned: ClassVar[bool] = False
    """Whether each update creates a new version, even without a changed parameter."""

    def create(self, context: Context, properties: Properties) -> Created:
        """Create the resource, then its settings."""
        client, method = context.client(self.service), self.creates.format(self.noun)
        name = self.name(context, properties)
        if self.unique and self.described(context, Existing(self.identity(context, name), properties, {})):
            raise ResourceFailedError(f"{self.identity(context, name)} already exists")
        more = self.request(context, method, Existing("", properties, {})) | name
        more |= self.tags(context, client, method, properties)
        answer = call(client, method, self.request_properties(context, None, properties), **more)
        made = {**properties, **name, **(self.record(client, method, answer) or {})}
        existing = Existing(self.identity(context, made), {}, {})
        existing = replace(existing, attributes=self.attributes(context, existing, made))
        context.claim(existing.physical_id, **existing.attributes)
        self.settle(context, client, existing, properties)
        return Created(existing.physical_id, self._after(context, existing, properties))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties | Created:
        """Update the resource, its settings and its tags."""
        client, method = context.client(self.service), self.updates.format(self.noun)
        if method:
            request = self.request(context, method, existing)
            before, after = (
                self.request_properties(context, existing.properties, p)
                for p in (existing.properties, properties)
            )
            if self.versioned or taken(client, method, before) != taken(client, method, after):
                call(client, method, after, **_emptied(client, method, self.emptied, after), **request)
        self.settle(context, client, existing, properties)
        self.retag(context, existing, properties)
        return self._after(context, existing, properties)

    def _after(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        if not self.refreshed:
            return existing.attributes
        now = replace(existing, properties=properties)
        record = self.described(context, now) or {}
        return {**existing.attributes, **self.attributes(context, now, {**properties, **record})}

    def delete(self, context: Context, existing: Existing) -> None:
        """Delete the resource."""
        method = self.deletes.format(self.noun)
        getattr(context.client(self.service), method)(**self.request(context, method, existing))

    def read(self, context: Context, existing: Existing) -> Properties | None:
        """Describe the resource and return its properties."""
        record = self.described(context, existing)
        return base.known(**self.properties(context, existing, record)) if record else None

    def name(self, context: Context, properties: Properties) -> dict[str, Any]:
        """Return the request parameter with the resource's name; an empty mapping if the type has no name."""
        if self.named is None:
            return {}
        declared, parameter, limit = self.named
        return {parameter: properties.get(declared) or context.generated_name(limit)}

    def identity(self, context: Context, made: Properties) -> str:
        """Return the physical id, from the properties, the name and the create response."""
        return self.ref.format_map(made) if self.ref else str(made[(self.named or ("", ""))[1]])

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        """Return the properties under their parameter names. `old` is None at creation."""
        return new

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        """Return the attributes in a response, where an attribute's name can have the noun as its prefix."""
        noun, known = self.noun.replace("_", ""), {}
        for name in (*_names(context.region, self.type)[1], *self.shown):
            member = _spelled(name, made) or _spelled(noun + name, made)
            if member is not None:
                value = made[member]
                known[name] = value.isoformat() if isinstance(value, datetime) else value
            elif name == "Id":
                known[name] = existing.physical_id
        return known

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        """Apply the settings that have their own operations. At creation, `existing` has no properties."""

    def tags(self, context: Context, client: Any, method: str, properties: Properties) -> dict[str, Any]:
        """Return the tags parameter of the create request."""
        takes = "Tags" in _names(context.region, self.type)[0]
        return tags_for(client, method, context.tags(properties)) if takes else {}

    def retag(self, context: Context, existing: Existing, properties: Properties) -> None:
        """Set the resource's tags to those in its properties."""
        if "Tags" not in _names(context.region, self.type)[0]:
            return
        if arn := next((v for k, v in existing.attributes.items() if k.lower().endswith("arn")), None):
            retag(context, self.service, arn, existing.properties, properties)

    def request(self, context: Context, method: str, existing: Existing) -> dict[str, Any]:
        """Return the parameters that name the resource; a value is a list if the operation accepts a list."""
        of_id = {"": existing.physical_id.split("|")[-1], "AccountId": context.account_id}
        values = {**existing.properties, **existing.attributes, **of_id}
        members, named = _shapes(context.client(self.service), method), {}
        for parameter, _, source in (declared.partition(":") for declared in self.key):
            forms = [
                f"{parameter}{end}" for end in ("", "s", "es", "Prefix") if f"{parameter}{end}" in members
            ]
            if forms and values.get(source):
                listed = members[forms[0]].type_name == "list"
                named[forms[0]] = [values[source]] if listed else values[source]
        return named

    def described(self, context: Context, existing: Existing) -> dict[str, Any] | None:
        """Return the resource as the service describes it; None if it does not exist."""
        client, method = context.client(self.service), self.reads.format(self.noun)
        answer = base.found(getattr(client, method), **self.request(context, method, existing))
        return None if answer is None else self.record(client, method, answer, existing.physical_id)

    def record(
        self, client: Any, method: str, answer: Properties, physical_id: str = ""
    ) -> dict[str, Any] | None:
        """Return the resource in a response, under property names. Most responses nest it in a member.

        If the member is a list, return the record with the physical id, or the first one if records have no
        id.
        """
        shapes = {k: s for k, s in _shapes(client, method, "output").items() if k.lower() not in _PAGES}
        record = {
            _pascal(name): _as_property(answer[name], shapes[name]) for name in shapes if name in answer
        }
        noun = self.noun.replace("_", "")
        own = [name for name in shapes if len(shapes) == 1 or name.lower().startswith(noun[:-1])]
        own = [name for name in own if getattr(shapes[name], "member", shapes[name]).type_name == "structure"]
        own = [name for name in own if name.lower() == noun] or own
        if len(own) != 1:
            return record
        records = record.get(_pascal(own[0]))
        if not isinstance(records, list):
            return records
        id_, member = physical_id.split("|")[-1], next((key for key in self.key if ":" not in key), "")
        return next((r for r in records if r.get(_pascal(member), id_) == id_ or not id_), None)

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return a record's properties; its tags are sorted."""
        kept: dict[str, Any] = {}
        for name in _names(context.region, self.type)[0]:
            member = _spelled(name, record)
            if member and name == "Tags":
                kept[name] = _in_order(record[member])
            elif member:
                is_document = _DOCUMENTS.search(name) and isinstance(record[member], str)
                kept[name] = base.document_of(record[member]) if is_document else record[member]
        return kept


def _emptied(client: Any, method: str, names: tuple[str, ...], properties: Properties) -> dict[str, Any]:
    members = _shapes(client, method)
    emptied = [member for name in names if name not in properties and (member := _spelled(name, members))]
    return {member: [] if members[member].type_name == "list" else "" for member in emptied}


def _in_order(tags: Any) -> Any:
    return tags if isinstance(tags, Mapping) else sorted(tags, key=lambda tag: str(next(iter(tag.values()))))
