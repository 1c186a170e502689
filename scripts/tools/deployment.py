"""Deploy one template to an embedded cloud in this process, without the CDK CLI."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scripts.cloud.assets import put_assets
from scripts.cloud.local import LocalCloud, local_cloud


def deploy(local: LocalCloud, template: str, region: str, name: str) -> str:
    """Create one stack; return its status."""
    local.bootstrap(region)
    status: str = local.deploy(region, name, template).status
    return status


def main(argv: list[str] | None = None) -> int:
    """Return exit status 1 if the stack is not created."""
    parser = argparse.ArgumentParser(prog="deployment", description=__doc__)
    parser.add_argument("template", type=Path, help="a synthesized template")
    parser.add_argument("region", help="Region of the template")
    options = parser.parse_args(argv)
    with local_cloud() as local:
        put_assets(local, options.region, options.template.parent)
        status = deploy(local, options.template.read_text(encoding="utf-8"), options.region, "bench")
    print(status)
    return 0 if status == "CREATE_COMPLETE" else 1


if __name__ == "__main__":
    sys.exit(main())
