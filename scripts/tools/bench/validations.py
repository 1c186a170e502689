"""Validation of 1,000 different profiles in one process; some of them are invalid."""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from config.cluster import load_cluster
from config.profile.source.reference import built_in_names
from scripts.tools.fuzz.stored import stored

COUNT = 1000
_SEED = 20261128
_TYPES = (
    "p5.48xlarge",
    "p5en.48xlarge",
    "p6-b200.48xlarge",
    "p6-b300.48xlarge",
    "p4d.24xlarge",
    "m5.4xlarge",
)
_SIZES = (9600, 19200, 38400, 76800, 10000)


def varied(count: int) -> Iterator[dict[str, Any]]:
    """Yield profiles that extend built-in profiles: other groups, sizes, CIDR blocks and control planes."""
    chance = random.Random(_SEED)
    for number in range(count):
        groups = [
            _group(f"train-{i}", chance.choice(_TYPES), chance.randint(1, 64))
            for i in range(chance.randint(1, 8))
        ]
        head = {**_group("controller", "m5.4xlarge", 1), "role": "controller"}
        yield {
            "extends": chance.choice([name for name in built_in_names() if not name.startswith("p6-b200-")]),
            "name": f"profile-{number}",
            "network": {"vpc_cidr": f"10.{chance.randint(0, 255)}.0.0/{chance.choice((16, 18, 20))}"},
            "storage": {"lustre": {"capacity_gib": chance.choice(_SIZES)}},
            "compute": {"groups": [head, *groups]},
            "orchestrator": {"kind": chance.choice(("hyperpod-slurm", "hyperpod-eks", "eks", "pcs"))},
        }


def _group(name: str, instance_type: str, count: int) -> dict[str, Any]:
    return {"name": name, "role": "compute", "instance_type": instance_type, "count": count}


def main(argv: list[str] | None = None) -> int:
    """Validate generated profiles, or the cases in a folder; print the number of valid profiles."""
    parser = argparse.ArgumentParser(prog="validations", description=__doc__)
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        help="folder with cases of `python -m scripts.tools.fuzz.corpus` (default: generate profiles)",
    )
    options = parser.parse_args(argv)
    if options.folder is not None:
        statuses = [case.load(files).exit_status for case, files in stored(options.folder)]
        print(f"{statuses.count(0)} of {len(statuses)} are valid")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        fine = 0
        for number, profile in enumerate(varied(COUNT)):
            file = Path(folder) / f"{number}.yaml"
            file.write_text(json.dumps(profile), encoding="utf-8")  # JSON is valid YAML
            fine += load_cluster(file.name, base=Path(folder)).exit_status == 0
    print(f"{fine} of {COUNT} are valid")
    return 0


if __name__ == "__main__":
    sys.exit(main())
