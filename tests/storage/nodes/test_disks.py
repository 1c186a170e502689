"""Local disks and container data: the scripts are run by bash on a node of stand-ins."""

from __future__ import annotations

import json
import stat

import pytest

from tests.nodes.fixtures import MakeNode
from tests.nodes.node import PLAIN, Node, bundle, needs_bash

pytestmark = needs_bash
DAEMON = "etc/docker/daemon.json"
ENROOT = "etc/enroot/enroot.conf"
NVME = "opt/dlami/nvme"


def mode(node: Node, path: str) -> int:
    return stat.S_IMODE((node.root / path).stat().st_mode)


def data_root(node: Node) -> str | None:
    file = node.root / DAEMON
    found: str | None = json.loads(file.read_text()).get("data-root") if file.exists() else None
    return found


def test_storage_22_a_gpu_node_waits_for_its_nvme_and_uses_it(ready: Node) -> None:
    run = ready.runs()
    assert (run.returncode, run.stderr) == (0, "")
    assert "warning" not in run.stdout
    assert [mode(ready, f"{NVME}/{name}") for name in ("cache", "tmp")] == [0o1777, 0o1777]
    assert "local NVMe is ready" in run.stdout
    assert run.stdout.splitlines()[-1].endswith("node is ready")


@pytest.mark.long
def test_the_log_that_the_service_sends_on_has_all_that_was_said(ready: Node) -> None:
    run = ready.runs()
    assert ready.text("var/log/provision/provisioning.log") == run.stdout


@pytest.mark.long
def test_storage_22_a_node_waits_while_the_nvme_service_is_still_starting(ready: Node) -> None:
    ready.has("nvme-active", "activating")
    ready.has("on-sleep", 'echo active >"$NODE/nvme-active"')
    library = ready.scripts / "library.sh"
    library.write_text(library.read_text().replace("${ULTRACLUSTER_WAIT_S:-$1}", "30"))
    run = ready.runs()
    assert run.returncode == 0
    assert "local NVMe is ready" in run.stdout
    assert ready.calls("sleep") == ["sleep 5"]


@pytest.mark.long
@pytest.mark.parametrize("state", ["inactive", "failed", "active"])
def test_a_cpu_node_without_nvme_is_ready_whatever_the_service_says(make: MakeNode, state: str) -> None:
    node = make(machine="m5.4xlarge")
    node.has("nvme-active", state)
    node.mounts("/fsx")
    run = node.runs()
    assert (run.returncode, run.stderr) == (0, "")
    assert "warning" not in run.stdout
    assert not (node.root / "opt" / "dlami").exists()


@pytest.mark.long
@pytest.mark.parametrize(("state", "status"), [("failed", 1), ("activating", 0), ("active", 1)])
def test_storage_22_a_node_whose_nvme_service_fails_joins_with_a_warning(
    make: MakeNode, state: str, status: int
) -> None:
    # a controller that stays out fails the creation of the whole cluster
    node = make(bundle(file_systems=[PLAIN]))
    node.has_disks(active=state, status=status)
    node.mounts("/fsx")
    run = node.runs()
    assert run.returncode == 0
    assert "warning: dlami-nvme.service has not mounted" in run.stdout
    assert not (node.root / NVME).exists()


@pytest.mark.parametrize(
    ("mounted", "base"),
    [
        (("/opt/dlami/nvme", "/opt/sagemaker"), "/opt/dlami/nvme"),
        (("/opt/sagemaker",), "/opt/sagemaker"),
        ((), None),
    ],
)
def test_storage_22_docker_and_enroot_follow_one_order_of_disks(
    make: MakeNode, mounted: tuple[str, ...], base: str | None
) -> None:
    node = make(bundle(file_systems=[]))
    node.has_disks()
    for path in mounted:
        node.mounts(path, "xfs")
    node.file(
        ENROOT,
        "#ENROOT_TEMP_PATH        ${TMPDIR:-/tmp}\n"
        "ENROOT_RUNTIME_PATH      /tmp/enroot\nENROOT_MOUNT_HOME no\n",
    )
    run = node.runs()
    assert (run.returncode, run.stderr) == (0, "")
    assert data_root(node) == (base and f"{base}/ultracluster-docker")
    lines = node.text(ENROOT).splitlines()
    if base is None:
        assert "ENROOT_RUNTIME_PATH      /tmp/enroot" in lines
        return
    assert lines == [
        "ENROOT_MOUNT_HOME no",
        f"ENROOT_RUNTIME_PATH {base}/enroot/run/user-$(id -u)",
        f"ENROOT_CACHE_PATH {base}/enroot/cache/user-$(id -u)",
        f"ENROOT_DATA_PATH {base}/enroot/data/user-$(id -u)",
        f"ENROOT_TEMP_PATH {base}/tmp",
    ]
    assert "After=ultracluster-disks.service" in node.text(
        "etc/systemd/system/docker.service.d/ultracluster.conf"
    )


@pytest.mark.long
def test_hyperpod_39_every_user_can_write_where_enroot_does(ready: Node) -> None:
    ready.file(ENROOT, "")
    ready.runs()
    places = ("tmp", "enroot/cache", "enroot/data", "enroot/run")
    assert {mode(ready, f"{NVME}/{place}") for place in places} == {0o1777}
    assert mode(ready, f"{NVME}/ultracluster-docker") == 0o710


@pytest.mark.long
def test_what_docker_was_configured_with_before_it_still_knows(ready: Node) -> None:
    own = {
        "default-runtime": "nvidia",
        "runtimes": {"nvidia": {"path": "nvidia-container-runtime", "args": []}},
    }
    ready.file(DAEMON, json.dumps(own))
    ready.runs()
    assert json.loads(ready.text(DAEMON)) == {**own, "data-root": "/opt/dlami/nvme/ultracluster-docker"}
    assert ready.calls("systemctl").count("systemctl try-restart docker.service") == 1


@pytest.mark.long
def test_docker_settings_that_nobody_can_read_are_left_alone(ready: Node) -> None:
    ready.file(DAEMON, '{"debug": true\n{"data-root": "/elsewhere"}\n')
    run = ready.runs()
    assert run.returncode == 0
    assert "is not valid JSON" in run.stdout
    assert ready.text(DAEMON) == '{"debug": true\n{"data-root": "/elsewhere"}\n'


@pytest.mark.long
def test_containers_stay_off_local_disks_where_the_profile_says_so(make: MakeNode) -> None:
    node = make(bundle(file_systems=[], containers_on_nvme=False))
    node.has_disks()
    node.mounts("/opt/dlami/nvme", "xfs")
    node.mounts("/opt/sagemaker", "xfs")
    node.runs()
    assert (node.root / NVME / "cache").is_dir()
    assert data_root(node) == "/opt/sagemaker/ultracluster-docker"


@pytest.mark.long
def test_a_node_without_docker_and_enroot_gets_no_files_of_theirs(ready: Node) -> None:
    for program in ("docker", "dockerd"):
        ready.lacks(f"bin/{program}")
    ready.runs()
    assert not [name for name in ready.files() if "docker" in name or "enroot" in name]


@pytest.mark.long
def test_a_second_run_changes_nothing(ready: Node) -> None:
    ready.file(ENROOT, "ENROOT_MOUNT_HOME no\n")
    ready.runs()
    before = ready.files()
    ready.lacks("calls")
    run = ready.runs()
    assert (run.returncode, run.stderr) == (0, "")
    assert ready.files() == before
    assert "systemctl try-restart docker.service" not in ready.calls("systemctl")


@pytest.mark.long
def test_a_reboot_that_formatted_the_nvme_finds_its_directories_again(ready: Node) -> None:
    ready.file(ENROOT, "")
    ready.runs()
    ready.reboots(forgets_nvme=True)
    run = ready.runs("boot.sh", "disks")
    assert (run.returncode, run.stderr) == (0, "")
    for place in ("cache", "tmp", "enroot/data", "ultracluster-docker"):
        assert (ready.root / NVME / place).is_dir()


@pytest.mark.long
def test_a_reboot_without_the_nvme_takes_containers_off_it(ready: Node) -> None:
    ready.file(ENROOT, "ENROOT_MOUNT_HOME no\nENROOT_CACHE_PATH /fast/cache\n")
    ready.runs()
    assert "/opt/dlami/nvme" in ready.text(ENROOT)
    ready.has("nvme-active", "failed")
    ready.file("proc/mounts", "")
    run = ready.runs("boot.sh", "disks")
    assert run.returncode == 0
    assert data_root(ready) is None
    assert ready.text(ENROOT) == "ENROOT_MOUNT_HOME no\n"


@pytest.mark.long
def test_containerd_and_kubelet_are_bound_over_their_places_and_survive_a_formatted_disk(
    make: MakeNode,
) -> None:
    node = make(bundle("hyperpod-eks"))
    node.has_disks()
    node.mounts("/opt/dlami/nvme", "xfs")
    node.file("var/lib/containerd/pause-image", "baked")
    node.file("var/lib/kubelet/config", "baked")
    node.has("running-containerd.service")
    run = node.runs()
    assert (run.returncode, run.stderr) == (0, "")
    bound = [
        "mount --bind /opt/dlami/nvme/ultracluster-kubernetes/containerd /var/lib/containerd",
        "mount --bind /opt/dlami/nvme/ultracluster-kubernetes/kubelet /var/lib/kubelet",
    ]
    assert node.calls("mount") == bound
    assert "systemctl stop containerd.service" in node.calls("systemctl")
    assert (node.folder / "running-containerd.service").exists()
    node.reboots(forgets_nvme=True)
    assert node.runs("boot.sh", "disks").returncode == 0
    assert node.calls("mount") == bound
    assert node.text("opt/dlami/nvme/ultracluster-kubernetes/containerd/pause-image") == "baked"


@pytest.mark.long
def test_bound_places_are_not_bound_twice(make: MakeNode) -> None:
    node = make(bundle("hyperpod-eks"))
    node.has_disks()
    node.mounts("/opt/dlami/nvme", "xfs")
    node.runs()
    node.lacks("calls")
    node.runs()
    assert node.calls("mount") == []


@pytest.mark.long
def test_disks_that_nodeadm_owns_are_not_touched(make: MakeNode) -> None:
    node = make(bundle("eks"))
    node.has_disks()
    node.mounts("/opt/dlami/nvme", "xfs")
    run = node.runs()
    assert (run.returncode, run.stderr) == (0, "")
    assert node.runs("boot.sh", "disks").returncode == 0
    assert list((node.root / NVME).iterdir()) == []
    assert data_root(node) is None
