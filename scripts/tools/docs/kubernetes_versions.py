"""Table of the programs and charts of the tests with a real Kubernetes: their versions and the product's."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog.kubernetes.charts import charts
from config.profile.kubernetes.base import Kubernetes
from scripts.tools.docs.markdown import table
from scripts.tools.kubernetes.programs import MODULES, module_charts, module_version

_REASONS = {
    "kubernetes": "Kueue 0.19 requires this minor version of the Kubernetes modules",
    "lws": "0.10.0 was not available as a Go module when the versions were locked",
}


def versions_table() -> str:
    """Return the table; ValueError if a version differs without a reason, or a reason has no difference."""
    return table(
        ("program or chart", "the product installs", "the tests run", "reason for another version"), _rows()
    )


def _rows() -> Iterator[tuple[str, str, str, str]]:
    default = str(Kubernetes.model_fields["kubernetes_version"].default)
    installed = {"kubernetes": default} | {name: chart.version for name, chart in charts().items()}
    built = {name: module_version(module) for name, module in MODULES.items()}
    built |= {name: chart.version for name, chart in module_charts().items()}
    for name, version in sorted(built.items()):
        wanted = installed.get(name, "").removeprefix("v")
        same = not wanted or version.removeprefix("v").startswith(wanted)
        if same is (name in _REASONS):
            raise ValueError(f"the reason of {name} is {'not needed' if same else 'missing'}")
        yield f"`{name}`", wanted or "-", version.removeprefix("v"), _REASONS.get(name, "-")
