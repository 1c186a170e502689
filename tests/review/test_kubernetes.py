"""Edits of a profile with Kubernetes: what an API server takes passes a review, the rest is told in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.cluster import load_cluster
from scripts.cli.review import review_templates
from scripts.cloud.template.document import Template
from tests.conftest import synthesize_into

pytestmark = pytest.mark.synth

TOKENS = {"name": "tokens", "bucket": "all-tokens"}


def profile(**more: Any) -> dict[str, Any]:
    """A cluster of EKS with a file system, a bucket as a volume, and two teams."""
    system = {"name": "system", "role": "system", "instance_type": "m6i.xlarge", "count": 2}
    train = {"name": "train", "role": "compute", "instance_type": "p5en.48xlarge", "count": 4}
    return {
        "extends": "p6-b200",
        "name": "edited",
        "compute": {"groups": [system, train | more.pop("train", {})]},
        "storage": {
            "lustre": {"capacity_gib": more.pop("capacity_gib", 38400)},
            "mountpoints": [TOKENS | more.pop("tokens", {})],
        },
        "orchestrator": {
            "kind": "eks",
            "scheduler": more.pop("scheduler", "kueue"),
            "scheduling": {
                "teams": [{"name": "vision", "namespace": "images"} | more.pop("team", {})],
                "priorities": [{"name": "urgent", "value": more.pop("urgent", 50)}],
            },
            **more,
        },
    }


@pytest.fixture(scope="module")
def synthesized_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Template]:
    folder, made = tmp_path_factory.mktemp("edited"), dict[str, Template]()

    def synthesize(**more: Any) -> Template:
        text = yaml.safe_dump(profile(**more), sort_keys=False)
        if text not in made:
            (folder / "profile.yaml").write_text(text, encoding="utf-8")
            cluster = load_cluster(str(folder / "profile.yaml"))
            assert cluster.design is not None, [one.message for one in cluster.diagnostics]
            out = folder / f"out-{len(made)}"
            synthesize_into(out, cluster)
            made[text] = Template.parse(Path(out / "edited.template.json").read_text(encoding="utf-8"))
        return made[text]

    return synthesize


TAKEN: dict[str, dict[str, Any]] = {
    "a_larger_file_system": {"capacity_gib": 76800},
    "machines_of_another_family": {"train": {"instance_type": "p6-b200.48xlarge"}},
    "another_prefix_of_a_bucket": {"tokens": {"prefix": "v2"}},
    "a_team_of_another_name_and_namespace": {"team": {"name": "sight", "namespace": "sight"}},
}


@pytest.mark.long
@pytest.mark.parametrize("edit", TAKEN.values(), ids=TAKEN)
def test_what_a_cluster_takes_is_no_refused_change(
    synthesized_once: Callable[..., Template], edit: dict[str, Any]
) -> None:
    review = review_templates(synthesized_once(), synthesized_once(**edit), region="us-west-2")
    assert review.changes
    assert [found.message for found in review.diagnostics if found.code == "REV010"] == []


REFUSED: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "another_bucket": ({}, {"tokens": {"bucket": "more-tokens"}}, "PersistentVolume images-tokens"),
    "a_bucket_that_is_written": ({}, {"tokens": {"read_only": False}}, "PersistentVolumeClaim tokens"),
    "a_team_of_another_name": ({}, {"team": {"name": "sight"}}, "LocalQueue default"),
    "a_priority_of_another_value": (
        {"scheduler": "volcano"},
        {"scheduler": "volcano", "urgent": 90},
        "PriorityClass urgent",
    ),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize(("before", "after", "reported"), REFUSED.values(), ids=REFUSED)
def test_what_a_cluster_refuses_is_reported_with_a_way_out(
    synthesized_once: Callable[..., Template], before: dict[str, Any], after: dict[str, Any], reported: str
) -> None:
    review = review_templates(synthesized_once(**before), synthesized_once(**after), region="us-west-2")
    found = [one for one in review.diagnostics if one.code == "REV010"]
    assert [reported in one.message for one in found] == [True]
    assert found[0].hint
