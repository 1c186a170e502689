"""A real Slurm reads all settings that PCS supports, and accepts all values that `validate` accepts."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from config.catalog.slurm.pcs import SettingsOf
from config.catalog.slurm.slurm_values import SlurmValue, slurm_values
from tests.slurm.real.slurm_cluster import _PATH
from tests.slurm.real.translation import OLDER
from tests.tables import each_row

FILES: tuple[SettingsOf, ...] = ("cluster", "group", "queue")
ALL = [(file, name) for file in FILES for name in slurm_values().values[file] if name not in OLDER]
ODD = ("", "soon", "-5", "4G", "1.5", "yes", "99999999999", "a,b", "1:2:3:4", "FORCE:0", "UNLIMITED", "none")
YOUNGER = {
    "ForceRequeueOnFail", "RunInJob", "PRIORITY", "NONDRAINED_IDLE", "REBOOT_ONLY", "START_ONLY",
    "OOMKillStep", "SlurmdSpecOverride", "CR_NO_DIST_TOPO_BLOCK", "ENFORCE_BINDING_GRES", "LL_SHARED_GRES",
    "MULTIPLE_SHARING_GRES_PJ", "ONE_TASK_PER_SHARING_GRES",
}  # fmt: skip
"""Keywords that were added after Slurm 22.05."""
TOGETHER = {"PreemptMode": "PreemptType=preempt/partition_prio", "PreemptType": "PreemptMode=REQUEUE"}
ALONE = {"OFF", "GANG", "preempt/none"}
"""Values without the second setting of preemption."""


def refusal(folder: Path, file: str, name: str, value: str) -> str:
    """Return Slurm's error for a value, empty if it accepts it; all commands first read slurm.conf."""
    declared = f"{name}={value}"
    lines = ["ClusterName=test", "SlurmctldHost=localhost"]
    lines += [declared, "" if value in ALONE else TOGETHER.get(name, "")] if file == "cluster" else []
    lines += [f"NodeName=n1 {declared if file == 'group' else ''}"]
    lines += [f"PartitionName=p Nodes=n1 {declared if file == 'queue' else ''}"]
    conf = folder / "slurm.conf"
    conf.write_text("\n".join(lines) + "\n")
    ran = subprocess.run(
        ["scontrol", "show", "hostnames", "n1"],
        env={"PATH": _PATH, "SLURM_CONF": str(conf), "LC_ALL": "C", "HOME": os.devnull},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    return ran.stderr if ran.returncode else ""


def examples(value: SlurmValue) -> list[str]:
    """Return valid values of a type."""
    keywords = [word.partition("[")[0] for word in value.keywords if word not in YOUNGER]
    if value.kind == "number":
        return [str(value.minimum), *([str(value.maximum)] if value.maximum is not None else []), *keywords]
    plain = {
        "text": ["a"], "path": ["/opt/a.sh"], "flag": ["YES", "no", "1"], "codes": ["1-9,18"],
        "weights": ["CPU=1.0"], "ports": ["60001-63000"],
        "time": ["30", "30:00", "12:00:00", "1-12", "1-12:00", "1-12:00:00"],
    }  # fmt: skip
    return [*plain.get(value.kind, []), *keywords]


@pytest.mark.long
@each_row("file, name", ALL)
def test_slurm_refuses_no_value_that_validate_takes(file: SettingsOf, name: str, tmp_path: Path) -> None:
    value = slurm_values().values[file][name]
    for text in examples(value):
        assert value.hint_for(text) is None
        if text not in ("SUSPEND", "WITHIN"):  # they require a second keyword
            assert refusal(tmp_path, file, name, text) == ""
    for text in filter(None, ODD):
        if refusal(tmp_path, file, name, text) and value.kind != "text":
            assert value.hint_for(text) is not None, text


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PreemptMode", "SUSPEND", "requires GANG"),
        ("SchedulerParameters", "a, b", "Parse error"),
        ("MinJobAge", "soon", "not a valid number"),
        ("PrologFlags", "alloc,never", "Invalid PrologFlag"),
    ],
)
def test_what_validate_refuses_keeps_slurm_from_starting(
    name: str, value: str, said: str, tmp_path: Path
) -> None:
    assert said in refusal(tmp_path, "cluster", name, value)


@pytest.mark.parametrize(("name", "value"), [("PreemptMode", "REQUEUE"), ("PreemptType", "preempt/qos")])
def test_one_half_of_preemption_keeps_slurm_from_starting(
    name: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert refusal(tmp_path, "cluster", name, value) == ""
    monkeypatch.delitem(TOGETHER, name)
    assert "PreemptType and PreemptMode values incompatible" in refusal(tmp_path, "cluster", name, value)


def test_of_two_default_queues_the_last_one_is_it(tmp_path: Path) -> None:
    """Slurm does not report this; PCS037 does."""
    assert refusal(tmp_path, "queue", "Default", "YES\nPartitionName=q Nodes=n1 Default=YES") == ""
