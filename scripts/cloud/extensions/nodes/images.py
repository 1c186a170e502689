"""Image ids in Systems Manager parameters that AWS publishes for PCS and that moto lacks."""

from __future__ import annotations

from functools import lru_cache

from moto.core.utils import utcnow
from moto.ssm.models import Parameter, ParameterDict

from config.catalog import catalog
from config.design.names import fingerprint
from scripts.cloud.extensions.patch import adds

_ARCHITECTURES = ("x86_64", "arm64")


@lru_cache(maxsize=1)
def image_parameters() -> dict[str, str]:
    """Return the parameters by name, each with an image id."""
    pattern = catalog().pcs.image_parameter
    names = [pattern.format(arch=arch) for arch in _ARCHITECTURES]
    return {name: f"ami-{fingerprint(name, 17)}" for name in names}


_load = ParameterDict._check_loading_status


@adds(ParameterDict, "_check_loading_status")
def _check_loading_status(parameters: ParameterDict, key: str) -> None:
    _load(parameters, key)
    name = str(key or "")
    image = image_parameters().get(name)
    if image is not None and not dict.__contains__(parameters, name):
        dict.__setitem__(parameters, name, [_parameter(parameters.account_id, name, image)])


def _parameter(account_id: str, name: str, image: str) -> Parameter:
    return Parameter(  # type: ignore[abstract]  # as moto itself makes it
        account_id=account_id,
        name=name,
        value=image,
        parameter_type="String",
        description=None,
        allowed_pattern=None,
        keyid=None,
        last_modified_date=utcnow(),
        version=1,
        data_type="aws:ec2:image",
    )
