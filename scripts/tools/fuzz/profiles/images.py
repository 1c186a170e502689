"""Container images for a profile."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from config.catalog.registries import registries
from scripts.tools.fuzz.values.typical import ACCOUNT, KEYS, TYPICAL

Data = dict[str, Any]


def draw_images(draw: DrawFn, region: str) -> Data:
    """Return repositories and caches for this Region; empty for three of four profiles."""
    if draw(st.integers(0, 3)):
        return {}
    names = draw(st.lists(st.sampled_from(["train", "team/eval", "serve"]), unique=True, max_size=3))
    images: Data = {"repositories": [_repository(draw, name) for name in names]}
    if region not in registries().regions_without_caches:
        images["caches"] = _caches(draw, region)
    if region in KEYS and draw(st.integers(0, 2)) == 0:
        images["key_arn"] = KEYS[region]
    return {"images": images}


def _repository(draw: DrawFn, name: str) -> Data:
    if draw(st.integers(0, 4)) == 0:
        return {"name": name, "existing": f"platform/{name}"}
    data: Data = {"name": name}
    if draw(st.booleans()):
        data["moving_tags"] = draw(TYPICAL["moving_tags"])
    elif draw(st.booleans()):
        data["immutable_tags"] = draw(st.booleans())
    if draw(st.booleans()):
        data["expire_untagged_days"] = draw(st.sampled_from([0, 1, 14, 90]))
    if draw(st.integers(0, 3)) == 0:
        data["keep_images"] = draw(st.integers(1, 100))
    return data


def _caches(draw: DrawFn, region: str) -> list[Data]:
    chosen = draw(st.lists(st.sampled_from(sorted(registries().upstreams)), unique=True, max_size=3))
    return [_cache(draw, name, region) for name in chosen]


def _cache(draw: DrawFn, name: str, region: str) -> Data:
    upstream = registries().upstreams[name]
    # the profile name and the registry name together can be too long for a prefix
    data: Data = {"upstream": name, "prefix": f"own/{upstream.short}"}
    if upstream.url is None:
        data["host"] = f"mine.{upstream.host}"
    if draw(st.integers(0, 4)) == 0:
        return {**data, "existing": True}
    if upstream.secret:
        partition = "aws-us-gov" if region.startswith("us-gov") else "aws"
        secret = f"{registries().secret_name}{upstream.short}-AbCdEf"
        data["secret_arn"] = f"arn:{partition}:secretsmanager:{region}:{ACCOUNT}:secret:{secret}"
    if draw(st.integers(0, 2)) == 0:
        data.pop("prefix")
    return data
