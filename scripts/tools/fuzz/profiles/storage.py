"""Storage in a zone: file systems, home directories, buckets and local disks."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from config.catalog import catalog
from scripts.tools.fuzz.profiles.lustre import draw_existing_lustre, draw_lustre, lustre_kinds
from scripts.tools.fuzz.profiles.place import Place
from scripts.tools.fuzz.values.schema_values import of_key, of_model
from scripts.tools.fuzz.values.typical import FILE_SYSTEMS, KEYS, SECURITY_GROUPS, TYPICAL

Data = dict[str, Any]
_WITH_PODS = ("eks", "hyperpod-eks")


def draw_storage(
    draw: DrawFn, place: Place, network: Data, *, nvme: bool = False, control_plane: str = ""
) -> Data:
    """Return storage tiers that can be combined; most profiles have few tiers."""
    data: Data = {}
    if draw(st.integers(0, 4)):
        data["lustre"] = _one(draw, place, network)
    if draw(st.integers(0, 5)) == 0:
        data["additional_lustre"] = _more(draw, place, network)
    if draw(st.integers(0, 3)) == 0:
        data["home"] = _home(draw, place, network)
    data |= _object_storage(draw, place, control_plane)
    if nvme and draw(st.booleans()):
        data["local_nvme"] = {"raid": 0} | (
            {"containers": draw(st.booleans())} if draw(st.booleans()) else {}
        )
    return data


def _one(draw: DrawFn, place: Place, network: Data) -> Data:
    kinds = lustre_kinds(place)
    newest = [kind for kind in kinds if kind.deployment == "persistent-2" and kind.storage == "ssd"]
    if network["kind"] == "existing" and draw(st.integers(0, 2)) == 0:
        made = draw_existing_lustre(draw, place, network, draw(st.sampled_from(kinds)))
    else:
        usual: bool = draw(st.booleans())
        made = draw_lustre(draw, place, kinds=newest if newest and usual else kinds)
    if draw(st.booleans()):
        made["mount_path"] = draw(st.sampled_from(["/fsx", "/shared", "/mnt/fsx"]))
    return made


def _more(draw: DrawFn, place: Place, network: Data) -> list[Data]:
    """Return one or two more file systems, each with its own name and path, without data repositories."""
    systems = []
    for name in draw(st.sampled_from([("scratch",), ("scratch", "archive")])):
        if network["kind"] == "existing" and draw(st.booleans()):
            kind = draw(st.sampled_from(lustre_kinds(place)))
            system = draw_existing_lustre(draw, place, network, kind)
        else:
            system = draw_lustre(draw, place, kinds=lustre_kinds(place), with_repositories=False)
        systems.append({"name": name, "mount_path": f"/data/{name}", **system})
    return systems


def _home(draw: DrawFn, place: Place, network: Data) -> Data:
    if network["kind"] == "existing" and draw(st.integers(0, 2)) == 0:
        return {
            "kind": "existing",
            "file_system_id": draw(st.sampled_from(FILE_SYSTEMS)),
            "security_group_id": draw(st.sampled_from(SECURITY_GROUPS)),
            **({place.key: place.zone} if draw(st.booleans()) else {}),
        }
    facts = catalog().openzfs
    types = [
        name
        for name in ("SINGLE_AZ_1", "SINGLE_AZ_2", "SINGLE_AZ_HA_1", "SINGLE_AZ_HA_2")
        if facts.offered(place.region, facts.deployments[name].deployment_type) is not False
    ]
    kind = draw(st.sampled_from(types))
    data = {
        "kind": "new",
        "users": draw(TYPICAL["NewHome.users"]),
        "deployment": kind.lower().replace("_", "-"),
    }
    optional = {
        "gib_per_user": TYPICAL["gib_per_user"],
        "throughput_mbps": st.sampled_from(facts.deployments[kind].throughputs_mbps),
        "compression": of_key("NewHome", "compression"),
        "backups": of_model("Backups"),
        "weekly_maintenance_start": st.sampled_from(["7:04:00", "3:12:30"]),
        "key_arn": st.just(KEYS[place.region]),
        "mount_path": st.sampled_from(["/home", "/users"]),
    }
    return data | draw(st.fixed_dictionaries({}, optional=optional))


def _object_storage(draw: DrawFn, place: Place, control_plane: str) -> Data:
    data: Data = {}
    if place.by_id and catalog().s3_express.offered(place.zone) and draw(st.integers(0, 2)) == 0:
        data["s3_express"] = {"retention_days": 30} if draw(st.booleans()) else {}
    if control_plane in _WITH_PODS and draw(st.integers(0, 2)) == 0:
        names = ["datasets", "models"][: draw(st.integers(1, 2))]
        buckets = ["my-bucket", "our.datasets-2027", *(["s3-express"] if "s3_express" in data else [])]
        data["mountpoints"] = [
            {**draw(of_model("Mountpoint")), "name": name, "bucket": draw(st.sampled_from(buckets))}
            for name in names
        ]
    if draw(st.integers(0, 7)) == 0:
        data["buckets"] = draw(of_model("Buckets"))
    return data
