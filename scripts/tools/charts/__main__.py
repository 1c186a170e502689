"""`python -m scripts.tools.charts lock | vendor | push`: download of the pinned charts."""

from __future__ import annotations

import argparse
import re
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from urllib.error import URLError

from config.catalog.kubernetes.charts import Chart, read_charts
from config.profile.base import OCI_REGISTRY

from .fetch import digest_of, packed, unpack
from .helm import HelmError, helm, template
from .images import images_in
from .lock_file import LOCK, read_lock, write_lock

_KUBERNETES = "1.35"
# values without which a chart renders no objects
_NEEDED = {
    "karpenter": ("settings.clusterName=rendered",),
    "dra-driver-nvidia-gpu": ("gpuResourcesEnabledOverride=true",),
}


def main(arguments: Sequence[str] | None = None, lock: Path = LOCK) -> int:
    """Process the charts; return exit status 1 if one is missing or differs from its pin."""
    options = _parser().parse_args(arguments)
    charts = read_charts(read_lock(lock))
    unknown = sorted(set(options.charts) - set(charts))
    if unknown:
        print(f"error: no chart is named {', '.join(unknown)}", file=sys.stderr)
        print(f"hint: the charts are {', '.join(sorted(charts))}", file=sys.stderr)
        return 2
    if fault := _target_fault(options):
        print(f"error: {fault}", file=sys.stderr)
        return 2
    wanted = [chart for name, chart in charts.items() if not options.charts or name in options.charts]
    work: dict[str, Callable[[Chart, Path], str]] = {
        "lock": lambda chart, archive: _lock(chart, archive, lock),
        "vendor": lambda chart, archive: _vendor(chart, archive, Path(options.target)),
        "push": lambda chart, archive: _push(archive, options.target),
    }
    return _each(wanted, work[options.command])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scripts.tools.charts", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    lock = commands.add_parser("lock", help="write digests and images into the lock file")
    vendor = commands.add_parser(
        "vendor", help="fill a folder, for `charts: {kind: vendored, folder: FOLDER}`"
    )
    vendor.add_argument("target", metavar="FOLDER")
    push = commands.add_parser(
        "push", help="push to a registry, for `charts: {kind: registry, registry: HOST}`"
    )
    push.add_argument("target", metavar="HOST", help="host and path, without oci://; first log in with helm")
    for command in (lock, vendor, push):
        command.add_argument("charts", nargs="*", metavar="CHART", help="charts to process; default: all")
    return parser


def _target_fault(options: argparse.Namespace) -> str | None:
    """Return the reason why the command cannot use its target; None if it can use the target."""
    if options.command == "push" and not re.fullmatch(OCI_REGISTRY, options.target):
        return f"{options.target!r} is not a registry: use host and path, without oci://"
    if options.command == "vendor":
        folder = Path(options.target or "?")
        if not options.target or any(one.exists() and not one.is_dir() for one in (folder, *folder.parents)):
            return f"{options.target!r} is not a folder"
    return None


def _each(charts: Iterable[Chart], work: Callable[[Chart, Path], str]) -> int:
    failed = 0
    for chart in charts:
        with tempfile.TemporaryDirectory(prefix="chart-") as folder:
            try:
                print(f"{chart.name} {chart.version}: {work(chart, packed(chart, Path(folder)))}")
            except (HelmError, URLError, OSError, tarfile.TarError) as error:
                failed = 1
                print(f"error: {chart.name} {chart.version}: {error}", file=sys.stderr)
    return failed


def _lock(chart: Chart, archive: Path, lock: Path) -> str:
    rendered = template(
        archive,
        namespace=chart.namespace,
        kubernetes=_KUBERNETES,
        settings=_NEEDED.get(chart.name, ()),
    )
    document = read_lock(lock)
    row = document["rows"][chart.name]
    row["images"] = images_in(rendered)
    # a chart that is packaged here has another digest each time; its commit pins it
    row["digest"] = digest_of(archive) if chart.published else None
    write_lock(document, lock)
    return f"{row['digest'] or chart.commit or 'no digest'}, {len(row['images'])} images"


def _vendor(chart: Chart, archive: Path, target: Path) -> str:
    folder = target / chart.name
    if folder.exists() and not (folder / "Chart.yaml").is_file():
        raise FileExistsError(f"{folder} exists and is not a chart; the command would delete it")
    unpack(archive, folder)
    return f"in {folder}"


def _push(archive: Path, registry: str) -> str:
    helm("push", str(archive), f"oci://{registry}")
    return f"at oci://{registry}"


if __name__ == "__main__":
    sys.exit(main())
