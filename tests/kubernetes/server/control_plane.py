"""A Kubernetes control plane without AWS: etcd, API server, controllers, scheduler, and KWOK as its nodes."""

from __future__ import annotations

import json
import secrets
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import urllib3
import yaml

from tests.kubernetes.server.certificates import write_certificates
from tests.kubernetes.server.client import Client, wait
from tests.slurm.real.daemons import Daemons, free_ports

STAGES = Path(__file__).with_name("stages.yaml")
_PORTS = 18
# controllers that a control plane without a cloud, volumes and services does not need
_WITHOUT = (
    "cloud-node-lifecycle-controller",
    "node-route-controller",
    "service-lb-controller",
    "node-ipam-controller",
    # it writes a role again that a test has deleted meanwhile
    "clusterrole-aggregation-controller",
)
# seldom, since thousands of nodes share two cores; a lost node reports itself, see stages.yaml
_LEASE_S = 200
_UNREADY_S = 240
_EVICTED_S = 3


class ControlPlane:
    """The running programs; `client` has all rights, `defined` names the custom resources."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs, self.folder = programs, folder
        folder.mkdir(parents=True, exist_ok=True)
        write_certificates(folder)
        # a manager's webhooks have the same certificate; its TMPDIR is this folder
        (folder / "k8s-webhook-server").mkdir()
        (folder / "k8s-webhook-server" / "serving-certs").symlink_to(folder)
        self._ports = free_ports(_PORTS)
        self._daemons = Daemons(folder, {"HOME": str(folder), "PATH": "/usr/bin:/bin"})
        self._token = secrets.token_hex(16)
        self.defined: set[str] = set()
        self.client = Client(self.url, folder / "ca.crt", self._token)

    @property
    def url(self) -> str:
        """The address of the API server."""
        return f"https://127.0.0.1:{self._ports + 2}"

    def start(self) -> None:
        """Start all programs; return when the API server answers and has its namespaces."""
        try:
            self._etcd()
            self._api_server()
            self._controllers()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Kill all programs."""
        self._daemons.stop()

    def printed(self, program: str) -> str:
        """Return what a program printed."""
        return self._daemons.printed(program)

    def run(self, program: str, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        """Start a program of the cache."""
        binary = str(self.programs / program)
        self._daemons.start(program, binary, *arguments, environment=environment)

    def kill(self, program: str) -> None:
        """Kill a program if it runs."""
        if self._daemons.runs(program):
            self._daemons.kill(program)

    def answers(self, port: int, path: str, program: str) -> bool:
        """Return whether a program answers with 200; fail with its output if it has ended."""
        self._require(program)
        try:
            return (
                urllib3.request("GET", f"http://127.0.0.1:{port}{path}", timeout=2, retries=False).status
                == 200
            )
        except urllib3.exceptions.HTTPError:
            return False

    def listens(self, port: int, program: str) -> bool:
        """Return whether a program listens on a port; fail with its output if it has ended."""
        self._require(program)
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    def _require(self, program: str) -> None:
        status = self._daemons.ended(program)
        assert status is None, f"{program} ended with {status}: {self.printed(program)[-3000:]}"

    def _etcd(self) -> None:
        client, peer = (f"http://127.0.0.1:{self._ports + i}" for i in (0, 1))
        self.run(
            "etcd",
            f"--data-dir={self.folder / 'etcd'}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
            "--unsafe-no-fsync",
            "--log-level=error",
        )

    def _api_server(self) -> None:
        folder = self.folder
        rows = [f"{self._token},admin,admin,system:masters"]
        (folder / "tokens.csv").write_text("\n".join(rows))
        self.run(
            "kube-apiserver",
            f"--etcd-servers=http://127.0.0.1:{self._ports}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--secure-port={self._ports + 2}",
            f"--tls-cert-file={folder / 'tls.crt'}",
            f"--tls-private-key-file={folder / 'tls.key'}",
            f"--token-auth-file={folder / 'tokens.csv'}",
            "--authorization-mode=Node,RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={folder / 'sa.pub'}",
            f"--service-account-signing-key-file={folder / 'sa.key'}",
            "--service-cluster-ip-range=10.100.0.0/16",
            "--allow-privileged=true",
            "--endpoint-reconciler-type=none",
            # pods leave a lost node after so many seconds; 300 by default
            f"--default-not-ready-toleration-seconds={_EVICTED_S}",
            f"--default-unreachable-toleration-seconds={_EVICTED_S}",
            "--v=0",
        )
        wait(self._answers, "the API server is ready")

    def _answers(self) -> bool:
        for program in ("etcd", "kube-apiserver"):
            self._require(program)
        return bool(self.client.get("v1", "Namespace", "default"))

    def _controllers(self) -> None:
        folder, config = self.folder, self.kubeconfig(self._token)
        common = (f"--kubeconfig={config}", "--leader-elect=false", "--bind-address=127.0.0.1")
        tls = (f"--tls-cert-file={folder / 'tls.crt'}", f"--tls-private-key-file={folder / 'tls.key'}")
        self.run(
            "kube-controller-manager",
            *common,
            *tls,
            f"--secure-port={self._ports + 3}",
            f"--service-account-private-key-file={folder / 'sa.key'}",
            f"--root-ca-file={folder / 'ca.crt'}",
            "--use-service-account-credentials=false",
            f"--node-monitor-grace-period={_UNREADY_S}s",
            "--node-monitor-period=2s",
            f"--controllers=*,{','.join(f'-{name}' for name in _WITHOUT)}",
            "--kube-api-qps=500",
            "--kube-api-burst=1000",
            "--concurrent-job-syncs=20",
        )
        self.run(
            "kube-scheduler",
            *tls,
            f"--secure-port={self._ports + 4}",
            f"--config={self._scheduler(config)}",
            "--bind-address=127.0.0.1",
        )
        self.run("kwok", f"--kubeconfig={config}", "--manage-all-nodes=true", f"--config={STAGES}",
                 "--node-ip=10.0.0.1", f"--node-lease-duration-seconds={_LEASE_S}",
                 f"--server-address=127.0.0.1:{self._ports + 5}")  # fmt: skip
        wait(lambda: self.client.get("v1", "ServiceAccount", "default", "default"), "the controllers work")

    def _scheduler(self, kubeconfig: Path) -> Path:
        path = self.folder / "scheduler.yaml"
        content = {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "leaderElection": {"leaderElect": False},
            "clientConnection": {"kubeconfig": str(kubeconfig), "qps": 500, "burst": 1000},
        }
        path.write_text(yaml.safe_dump(content))
        return path

    def kubeconfig(self, token: str, name: str = "admin") -> Path:
        """Write a kubeconfig file for a token; return its path."""
        path = self.folder / f"{name}.kubeconfig"
        content: Mapping[str, Any] = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "tests",
            "clusters": [
                {
                    "name": "tests",
                    "cluster": {"server": self.url, "certificate-authority": str(self.folder / "ca.crt")},
                }
            ],
            "users": [{"name": name, "user": {"token": token}}],
            "contexts": [{"name": "tests", "context": {"cluster": "tests", "user": name}}],
        }
        path.write_text(json.dumps(content))
        return path

    def token_of(self, account: str, namespace: str) -> str:
        """Return a token of a service account."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        token: str = self.client.request("POST", path, asked)["status"]["token"]
        return token

    def port(self, index: int) -> int:
        """Return one of the free ports for other programs: 0 to 11."""
        return self._ports + 6 + index
