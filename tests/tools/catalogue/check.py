"""Checks of the data files: what the loader takes on trust. Run by the tests, not on each start."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from typing import get_args

from config.catalog.capacity.control_planes import (
    CapacityBlockTerms,
    ControlPlane,
    ServiceEndpoint,
    TrainingPlanTerms,
)
from config.catalog.files import INSTANCE_FILES, Documents, Row, interfaces, read, rows
from config.catalog.hardware import Architecture, CapacityKind, Gpu, InstanceType, UltraServer
from config.catalog.kubernetes.charts import Chart
from config.catalog.kubernetes.components import KubernetesComponents
from config.catalog.kubernetes.eks import EksAddon, EksFacts
from config.catalog.kubernetes.hyperpod_eks import AddonFacts, HealthAgent, HyperPodEksFacts
from config.catalog.load import cards_of
from config.catalog.network.layouts import layout_faults
from config.catalog.network.regions import Region, Zone
from config.catalog.observability.metrics import Exporter
from config.catalog.registries import Registries, Upstream
from config.catalog.slurm.pcs import PcsFacts
from config.catalog.storage.lustre_speeds import LustreSpeed
from config.catalog.storage.openzfs import SECTIONS, OpenZfs
from config.catalog.storage.s3_express import S3Express
from config.catalog.workload.checkpoints import BucketRates, Checkpointless, Failures, Tiered
from tests.tools.catalogue.charts import chart_faults
from tests.tools.catalogue.durations import duration_faults
from tests.tools.catalogue.metrics import metric_faults
from tests.tools.catalogue.prices import listed_twice, price_faults, quota_faults
from tests.tools.catalogue.slurm_settings import slurm_faults

# a public page, a file of a public repository (owner/name:path@commit), or arithmetic
SOURCE = re.compile(r"https://\S+|[\w.-]+/[\w.-]+:\S+|arithmetic ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something wrong in a data file, and exactly where."""

    file: str
    row: str
    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}.json: {self.row}: {self.field}: {self.message}"


def check(docs: Documents | None = None) -> list[Fault]:
    """Return every fault of the data files, or of the given documents; an empty list when all is well."""
    data = read() if docs is None else docs
    parts: tuple[Callable[[Documents], Iterator[Fault]], ...] = (
        _sources,
        _gpus,
        _instances,
        _ultraservers,
        _regions,
        _control_planes,
        _reservations,
        _endpoints,
        _prices,
        _money,
        _lustre,
        _lustre_speeds,
        _openzfs,
        _s3_express,
        _pcs,
        _hyperpod_eks,
        _eks,
        _kubernetes_components,
        _registries,
        _slurm_settings,
        _checkpoints,
        _fit,
        _charts,
        _metrics,
        _xids,
        _durations,
        _conflicts,
    )
    return [fault for part in parts for fault in part(data)]


def _known_places(docs: Documents) -> set[str]:
    regions = docs["regions"]["rows"]
    zones = (zone["name"] for row in regions.values() for zone in row.get("zones", ()))
    return {*regions, *(zone for zone in zones if zone)}


def _keys(docs: Documents, file: str, row: str, field: str, keys: Iterable[str]) -> Iterator[Fault]:
    """Check one list of source keys: not empty, and each one known."""
    listed = list(keys)
    if not listed:
        yield Fault(file=file, row=row, field=field, message="has no source")
    for key in listed:
        if key not in docs["sources"]["sources"]:
            yield Fault(file=file, row=row, field=field, message=f"source {key} is not in sources.json")


def _field_sources(docs: Documents, file: str, name: str, row: Row, known: set[str]) -> Iterator[Fault]:
    """Check a row's map from field to source keys."""
    if "*" not in row["sources"]:
        yield Fault(file=file, row=name, field="sources", message="no source for the whole row (*)")
    for field, keys in row["sources"].items():
        if field != "*" and field not in known:
            yield Fault(file=file, row=name, field=f"sources.{field}", message="is not a field of the row")
        yield from _keys(docs, file, name, f"sources.{field}", keys)


def _shape(file: str, name: str, row: Row, model: type, computed: set[str]) -> Iterator[Fault]:
    """Check that a row has every field of its type and no other."""
    optional = {"also", "note", "notes", "zones"}
    expected = {field.name for field in fields(model)} - computed
    for field in sorted(expected - set(row) - optional):
        yield Fault(file=file, row=name, field=field, message="is missing")
    for field in sorted(set(row) - expected):
        yield Fault(file=file, row=name, field=field, message="is not a known field")


def _sources(docs: Documents) -> Iterator[Fault]:
    for key, text in docs["sources"]["sources"].items():
        if not SOURCE.match(text):
            message = f"neither a public address nor a repository file: {text}"
            yield Fault(file="sources", row=key, field="text", message=message)


def _gpus(docs: Documents) -> Iterator[Fault]:
    for name, row in docs["gpus"]["rows"].items():
        yield from _shape("gpus", name, row, Gpu, {"key"})
        yield from _keys(docs, "gpus", name, "sources", row.get("sources", ()))
        if row.get("architecture") not in get_args(Architecture):
            message = f"{row.get('architecture')} is none of {', '.join(get_args(Architecture))}"
            yield Fault(file="gpus", row=name, field="architecture", message=message)


def _instances(docs: Documents) -> Iterator[Fault]:
    for file in INSTANCE_FILES:
        for name, row in rows(docs[file]):
            faults = list(_shape(file, name, row, InstanceType, {"name", "prices"}))
            yield from faults or _instance(docs, file, name, row)


def _instance(docs: Documents, file: str, name: str, row: Row) -> Iterator[Fault]:
    yield from _field_sources(docs, file, name, row, set(row))
    if row["gpu"] and row["gpu"]["ref"] not in docs["gpus"]["rows"]:
        yield Fault(file=file, row=name, field="gpu.ref", message=f"{row['gpu']['ref']} is not in gpus.json")
    for field in ("capacity_block_regions", "on_demand_regions"):
        for place in sorted(set(row[field]) - _known_places(docs)):
            yield Fault(file=file, row=name, field=field, message=f"{place} is not in regions.json")
    cards = cards_of(row)
    total = sum(card.max_interfaces for card in cards)
    if total != row["max_interfaces"]:
        message = f"the cards take {total} interfaces, the type {row['max_interfaces']}"
        yield Fault(file=file, row=name, field="cards", message=message)
    if "ip-saving" not in row["layouts"]:
        yield Fault(file=file, row=name, field="layouts", message="ip-saving is missing")
    if ("max-ena" in row["layouts"]) == ("max-ena" in row["layouts_absent"]):
        message = "max-ena must be either a layout or absent with a reason"
        yield Fault(file=file, row=name, field="layouts_absent", message=message)
    for key, layout in row["layouts"].items():
        field = f"layouts.{key}"
        yield from _keys(docs, file, name, f"{field}.source", layout["source"])
        for message in layout_faults(cards, interfaces(layout["interfaces"]), row["max_efa"]):
            yield Fault(file=file, row=name, field=field, message=message)


def _ultraservers(docs: Documents) -> Iterator[Fault]:
    file = "ultraservers"
    known = {name for instances in INSTANCE_FILES for name in docs[instances]["rows"]}
    for name, row in rows(docs[file]):
        yield from _shape(file, name, row, UltraServer, {"name", "prices"})
        yield from _field_sources(docs, file, name, row, set(row))
        if row["instance_type"] not in known:
            message = f"{row['instance_type']} is not an instance type of the catalogue"
            yield Fault(file=file, row=name, field="instance_type", message=message)
        if row["zone"] not in _known_places(docs):
            yield Fault(file=file, row=name, field="zone", message=f"{row['zone']} is not in regions.json")
    for name, row in docs[file]["unlaid"].items():
        yield from _keys(docs, file, name, "sources", row["sources"])
        if name in known:
            yield Fault(file=file, row=name, field="unlaid", message="has a layout in the catalogue")


def _regions(docs: Documents) -> Iterator[Fault]:
    for name, row in rows(docs["regions"]):
        yield from _shape("regions", name, row, Region, {"name"})
        yield from _field_sources(docs, "regions", name, row, set(row))
        for zone in row.get("zones", ()):
            called = zone["name"] or zone["zone_id"]
            yield from _shape("regions", f"{name}: {called}", zone, Zone, {"region"})
            yield from _field_sources(docs, "regions", f"{name}: {called}", zone, set(zone))


def _control_planes(docs: Documents) -> Iterator[Fault]:
    file = "orchestrators"
    for name, row in rows(docs[file]):
        yield from _shape(file, name, row, ControlPlane, {"name"})
        yield from _field_sources(docs, file, name, row, set(row))
        reported = {*row["capacity_kinds"], *row["capacity_refused"]}
        for kind in sorted(set(get_args(CapacityKind)) - reported):
            message = f"{kind} is neither taken nor refused with a reason"
            yield Fault(file=file, row=name, field="capacity_refused", message=message)
        for kind in sorted(set(row["capacity_kinds"]) & set(row["capacity_refused"])):
            yield Fault(file=file, row=name, field="capacity_refused", message=f"{kind} is taken too")


def _reservations(docs: Documents) -> Iterator[Fault]:
    file, document = "reservations", docs["reservations"]
    block, plan = document["capacity_block"], document["training_plan"]
    yield from _shape(file, "capacity_block", block, CapacityBlockTerms, set())
    yield from _shape(file, "training_plan", plan, TrainingPlanTerms, set())
    known = {"capacity_block", "training_plan", *block, *plan}
    yield from _field_sources(docs, file, "file", document, known)


def _endpoints(docs: Documents) -> Iterator[Fault]:
    file = "endpoints"
    for name, row in rows(docs[file]):
        yield from _shape(file, name, row, ServiceEndpoint, {"name"})
        yield from _field_sources(docs, file, name, row, set(row))
        for plane in sorted(set(row["control_planes"]) - set(docs["orchestrators"]["rows"])):
            message = f"{plane} is no control plane"
            yield Fault(file=file, row=name, field="control_planes", message=message)


def _prices(docs: Documents) -> Iterator[Fault]:
    units = docs["ultraservers"]["rows"]
    known = {*units, *(name for file in INSTANCE_FILES for name in docs[file]["rows"])}
    for number, sheet in enumerate(docs["prices"]["sheets"]):
        row = f"sheets[{number}]"
        yield from _keys(docs, "prices", row, "source", [sheet["source"]])
        for name in sorted(set(sheet["usd_per_hour"]) - known):
            message = f"{name} is not in the catalogue"
            yield Fault(file="prices", row=row, field="usd_per_hour", message=message)
        for place in sorted(set(sheet["regions"]) - _known_places(docs)):
            message = f"{place} is not in regions.json"
            yield Fault(file="prices", row=row, field="regions", message=message)


def _money(docs: Documents) -> Iterator[Fault]:
    for row, field, message in (*price_faults(docs), *listed_twice(docs)):
        yield Fault(file="service-prices", row=row, field=field, message=message)
    for row, field, message in quota_faults(docs):
        yield Fault(file="service-quotas", row=row, field=field, message=message)


def _lustre(docs: Documents) -> Iterator[Fault]:
    document = docs["lustre"]
    groups = ("capacity", "metadata", "limits", "gpudirect")
    known = {"kinds", "tiering", "tiers", "client_ceilings", *(name for g in groups for name in document[g])}
    yield from _field_sources(docs, "lustre", "file", document, known)
    for name, row in document["tiers"].items():
        yield from _keys(docs, "lustre", f"tiers.{name}", "sources", row["sources"])
    for row in document["kinds"]:
        yield from _keys(docs, "lustre", f"kinds.{row['deployment']}", "sources", row["sources"])


def _lustre_speeds(docs: Documents) -> Iterator[Fault]:
    file, document = "lustre-speeds", docs["lustre-speeds"]
    yield from _field_sources(docs, file, "file", document, {"rows", *document["tiering"]})
    known = {
        (kind["deployment"], kind["storage"], int(tier))
        for kind in docs["lustre"]["kinds"]
        for tier in kind["capacity_steps_gib"]
    }
    for row in document["rows"]:
        name = f"{row['deployment']} on {row['storage']} at {row['tier']}"
        yield from _shape(file, name, row, LustreSpeed, set())
        if (row["deployment"], row["storage"], row["tier"]) not in known:
            yield Fault(file=file, row=name, field="tier", message="is no tier of lustre.json")


def _openzfs(docs: Documents) -> Iterator[Fault]:
    file, document = "openzfs", docs["openzfs"]
    flat = {name for section in SECTIONS for name in document[section]}
    known = {*flat, "deployments", "regions", "regions_partly_read", "types_everywhere", "ceilings", "ports"}
    yield from _shape(file, "file", dict.fromkeys(known), OpenZfs, {"sources"})
    yield from _field_sources(docs, file, "file", document, known)
    for name, row in document["deployments"].items():
        yield from _keys(docs, file, f"deployments.{name}", "sources", row["sources"])
        if row["speeds"] not in document["speeds"]:
            message = f"{row['speeds']} is no table of speeds"
            yield Fault(file=file, row=f"deployments.{name}", field="speeds", message=message)
    listed = {
        "regions": document["regions"],
        "regions_partly_read": document["regions_partly_read"],
        **{f"ceilings[{number}]": row["regions"] for number, row in enumerate(document["ceilings"])},
    }
    for where, regions in listed.items():
        yield from _regions_known(docs, file, where, regions)
    for name, types in document["regions"].items():
        for unknown in sorted(set(types) - set(document["deployments"])):
            message = f"{unknown} is no deployment type"
            yield Fault(file=file, row=f"regions.{name}", field="deployments", message=message)


def _s3_express(docs: Documents) -> Iterator[Fault]:
    file, document = "s3-express", docs["s3-express"]
    known = {"zones", *document["buckets"]}
    yield from _shape(file, "file", dict.fromkeys(known), S3Express, {"sources"})
    yield from _field_sources(docs, file, "file", document, known)
    yield from _regions_known(docs, file, "zones", document["zones"])
    for region, zones in document["zones"].items():
        for zone in zones:
            if not re.fullmatch(r"[a-z]+\d-az\d", zone):
                message = f"{zone} is not the id of an availability zone"
                yield Fault(file=file, row=region, field="zones", message=message)


def _pcs(docs: Documents) -> Iterator[Fault]:
    file, document = "pcs", docs["pcs"]
    known = {"sizes", "settings", "since", "fixed_in", *document["limits"]}
    yield from _shape(file, "file", dict.fromkeys(known), PcsFacts, {"sources"})
    yield from _field_sources(docs, file, "file", document, known)
    versions = docs["orchestrators"]["rows"]["pcs"]["versions"]
    for version, release in document["fixed_in"].items():
        if version not in versions or not release.startswith(f"{version}."):
            yield Fault(file=file, row="fixed_in", field=version, message=f"{release} is no release of it")
    for kind, since in document["since"].items():
        names = set(" ".join(document["settings"][kind]).split())
        for name, version in since.items():
            if name.partition("=")[0] not in names:
                yield Fault(file=file, row=f"since.{kind}", field=name, message="is no setting of the list")
            if version not in versions:
                message = f"{version} is no version of orchestrators.json"
                yield Fault(file=file, row=f"since.{kind}", field=name, message=message)


def _hyperpod_eks(docs: Documents) -> Iterator[Fault]:
    file, document = "hyperpod-eks", docs["hyperpod-eks"]
    known = {"addons", "breaks", "health_agent", *document["limits"]}
    yield from _shape(file, "file", dict.fromkeys(known), HyperPodEksFacts, {"sources"})
    yield from _field_sources(docs, file, "file", document, known)
    yield from _shape(file, "health_agent", document["health_agent"], HealthAgent, set())
    yield from _regions_known(docs, file, "health_agent", document["health_agent"]["regions"])
    yield from _regions_known(docs, file, "governance_regions", document["limits"]["governance_regions"])
    for name, row in document["addons"].items():
        yield from _shape(file, name, row, AddonFacts, {"name"})
        yield from _keys(docs, file, name, "sources", row["sources"])
    for name in sorted(set(document["breaks"]) - set(document["addons"])):
        yield Fault(file=file, row="breaks", field=name, message="is no add-on of the list")


def _eks(docs: Documents) -> Iterator[Fault]:
    file, document = "eks", docs["eks"]
    own = {"addons", "image_releases", "cpu_ami_types", *document["limits"]}
    yield from _shape(file, "file", dict.fromkeys(own), EksFacts, {"sources"})
    yield from _field_sources(docs, file, "file", document, own)
    planes = docs["orchestrators"]["rows"]
    known = {version for plane in ("eks", "hyperpod-eks") for version in planes[plane]["versions"]}
    tables = {f"image_releases.{family}": row for family, row in document["image_releases"].items()}
    for name, row in document["addons"].items():
        yield from _shape(file, name, row, EksAddon, {"name"})
        yield from _field_sources(docs, file, name, row, {"versions", "least"})
        tables[name] = row["versions"]
    for name, versions in tables.items():
        for version in sorted(set(versions) - known):
            message = f"{version} is no version of orchestrators.json"
            yield Fault(file=file, row=name, field="versions", message=message)


def _kubernetes_components(docs: Documents) -> Iterator[Fault]:
    file, document = "kubernetes-components", docs["kubernetes-components"]
    known = {"from_kubernetes", "needs_dra", "efa_plugin_types", "karpenter_refused_families"}
    yield from _shape(file, "file", dict.fromkeys(known), KubernetesComponents, {"sources"})
    yield from _field_sources(docs, file, "file", document, known)
    for source in INSTANCE_FILES:
        for name, row in rows(docs[source]):
            if row["max_efa"] and name not in document["efa_plugin_types"]:
                message = f"{name} has EFA, and the device plugin does not know it"
                yield Fault(file=file, row="file", field="efa_plugin_types", message=message)


def _registries(docs: Documents) -> Iterator[Fault]:
    file, document = "registries", docs["registries"]
    known = {field.name for field in fields(Registries)} - {"sources", "notes"}
    yield from _shape(
        file, "file", {k: v for k, v in document.items() if k in known}, Registries, {"sources"}
    )
    yield from _field_sources(docs, file, "file", document, known)
    yield from _regions_known(docs, file, "regions_without_caches", _listed(docs, document))
    for name, row in document["upstreams"].items():
        yield from _shape(file, name, row, Upstream, {"name"})


def _listed(docs: Documents, document: Row) -> list[str]:
    """Regions without caches of which the catalogue knows anything at all."""
    return [name for name in document["regions_without_caches"] if name in docs["regions"]["rows"]]


def _slurm_settings(docs: Documents) -> Iterator[Fault]:
    file, document = "slurm-settings", docs["slurm-settings"]
    for row, name, message in slurm_faults(document, docs["pcs"]["settings"]):
        yield Fault(file=file, row=row, field=name, message=message)
    for name, keys in document["sources"].items():
        yield from _keys(docs, file, "file", f"sources.{name}", keys)


def _xids(docs: Documents) -> Iterator[Fault]:
    file, document = "xids", docs["xids"]
    for name, keys in document["sources"].items():
        yield from _keys(docs, file, "file", f"sources.{name}", keys)
    for code in sorted(
        set(document["decode"]) ^ {c for c, row in document["rows"].items() if "decoded" in row}
    ):
        yield Fault(
            file=file, row=code, field="decode", message="is decoded in one place and not in the other"
        )


def _durations(docs: Documents) -> Iterator[Fault]:
    file, document = "durations", docs["durations"]
    for row, field, message in duration_faults(document):
        yield Fault(file=file, row=row, field=field, message=message)
    for name, row in document["rows"].items():
        yield from _keys(docs, file, name, "sources", row["sources"])
    for row in document["waits"]:
        yield from _keys(docs, file, f"{row['of']} on {row['on']}", "sources", row["sources"])
    for number, row in enumerate(document["notes"]):
        yield from _keys(docs, file, f"notes[{number}]", "sources", row["sources"])


def _regions_known(docs: Documents, file: str, row: str, regions: Iterable[str]) -> Iterator[Fault]:
    for region in sorted(set(regions) - set(docs["regions"]["rows"])):
        yield Fault(file=file, row=row, field="regions", message=f"{region} is not in regions.json")


_CHECKPOINTS: dict[str, type] = {
    "failures": Failures,
    "s3": BucketRates,
    "tiered": Tiered,
    "checkpointless": Checkpointless,
}


def _checkpoints(docs: Documents) -> Iterator[Fault]:
    file, document = "checkpoints", docs["checkpoints"]
    for name, model in _CHECKPOINTS.items():
        yield from _shape(file, name, document[name], model, set())
    for row in document["measured"]:
        yield from _keys(docs, file, row["model"], "source", [row["source"]])
    known = {
        *_CHECKPOINTS,
        "bytes_per_parameter",
        "measured",
        *document["capacity"],
        *document["tiered"],
        *document["checkpointless"],
    }
    yield from _field_sources(docs, file, "file", document, known)
    for name, keys in document["formulas"].items():
        yield from _keys(docs, file, "formulas", name, keys)


def _fit(docs: Documents) -> Iterator[Fault]:
    document = docs["fit"]
    yield from _field_sources(docs, "fit", "file", document, {"reached"})
    for name, keys in document["formulas"].items():
        yield from _keys(docs, "fit", "formulas", name, keys)
    for row in document["published"]:
        yield from _keys(docs, "fit", row["what"], "source", [row["source"]])


def _charts(docs: Documents) -> Iterator[Fault]:
    found = docs["charts"]["rows"]
    for name, row in found.items():
        faults = list(_shape("charts", name, row, Chart, {"name"}))
        yield from faults
        if not faults:
            yield from _field_sources(docs, "charts", name, row, set(row))
            for field, message in chart_faults(name, row, frozenset(found)):
                yield Fault(file="charts", row=name, field=field, message=message)


def _metrics(docs: Documents) -> Iterator[Fault]:
    file, document = "metrics", docs["metrics"]
    for name, row in document["exporters"].items():
        yield from _shape(file, name, row, Exporter, {"name"})
        yield from _keys(docs, file, name, "sources", row["sources"])
        for key, metric in document["rows"].get(name, {}).items():
            if "sources" in metric:
                yield from _keys(docs, file, f"{name}.{key}", "sources", metric["sources"])
    for name, keys in docs["dcgm-fields"]["sources"].items():
        yield from _keys(docs, "dcgm-fields", "file", f"sources.{name}", keys)
    for row, field, message in metric_faults(document, docs["dcgm-fields"]):
        yield Fault(file=file, row=row, field=field, message=message)


def _conflicts(docs: Documents) -> Iterator[Fault]:
    for number, row in enumerate(docs["conflicts"]["rows"]):
        where = f"rows[{number}] {row['subject']}"
        if len(row["values"]) < 2:
            yield Fault(file="conflicts", row=where, field="values", message="fewer than two claims")
        yield from _keys(docs, "conflicts", where, "values", [claim["source"] for claim in row["values"]])
