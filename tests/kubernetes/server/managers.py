"""Controller managers of charts, which run beside the API server as their Deployments run them in pods."""

from __future__ import annotations

import base64
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from tests.kubernetes.server.client import wait
from tests.kubernetes.server.control_plane import ControlPlane

Object = dict[str, Any]

MANAGERS = ("kueue", "jobset", "lws", "kubeflow-trainer")
"""Charts whose managers run; the program and the chart have the same name."""

_SECRET, _CERTIFICATES = "kueue-webhook-server-cert", ("ca.crt", "ca.key", "tls.crt", "tls.key")
"""Kueue checks and replaces the certificates of this Secret, and has no option without it."""


@dataclass(slots=True)
class Managers:
    """The running managers of a control plane; each has three ports: webhooks, health, and its own API."""

    plane: ControlPlane
    running: list[str] = field(default_factory=list)

    def prepared(self, one: Object, chart: str) -> Object:
        """Return an object of the chart, its webhooks and certificates for a manager without a service."""
        if one["kind"].endswith("WebhookConfiguration"):
            return self._reachable(one, chart)
        if one["kind"] == "Secret" and one["metadata"]["name"] == _SECRET:
            return {**one, "data": {name: self._encoded(name) for name in _CERTIFICATES}}
        return one

    def _encoded(self, name: str) -> str:
        return base64.b64encode((self.plane.folder / name).read_bytes()).decode()

    def _reachable(self, one: Object, chart: str) -> Object:
        found = copy.deepcopy(one)
        for webhook in found["webhooks"]:
            path = webhook["clientConfig"]["service"]["path"]
            address = f"https://127.0.0.1:{self._port(chart)}{path}"
            webhook["clientConfig"] = {"url": address, "caBundle": self._encoded("ca.crt")}
        return found

    def start(self, chart: str, namespace: str, objects: Sequence[Object]) -> None:
        """Run a manager with its arguments, configuration and service account until it is ready."""
        (deployment,) = (one for one in objects if one["kind"] == "Deployment")
        pod = deployment["spec"]["template"]["spec"]
        (manager,) = (one for one in pod["containers"] if "--config=" in str(one.get("args")))
        content = self._content(chart, objects)
        file = self.plane.folder / f"{chart}.yaml"
        file.write_text(yaml.safe_dump(content))
        # Kueue's visibility API is an aggregated one, which needs a service
        arguments = [
            f"{one},VisibilityOnDemand=false" if one.startswith("--feature-gates=") else one
            for one in manager["args"]
            if not one.startswith("--config=")
        ]
        token = self.plane.token_of(pod["serviceAccountName"], namespace)
        environment = {
            "KUBECONFIG": str(self.plane.kubeconfig(token, chart)),
            # where controller-runtime looks for the certificates of webhooks
            "TMPDIR": str(self.plane.folder),
        }
        self.plane.run(chart, f"--config={file}", *arguments, environment=environment)
        self.running.append(chart)
        health, webhooks = self._port(chart) + 1, self._port(chart)
        wait(lambda: self.plane.answers(health, "/readyz", chart), f"{chart} is ready")
        wait(lambda: self.plane.listens(webhooks, chart), f"the webhooks of {chart} are served")

    def stop(self) -> None:
        """Kill all managers."""
        while self.running:
            self.plane.kill(self.running.pop())

    def _port(self, chart: str) -> int:
        return self.plane.port(3 * MANAGERS.index(chart))

    def _content(self, chart: str, objects: Sequence[Object]) -> Mapping[str, Any]:
        (text,) = (
            one["data"]["controller_manager_config.yaml"]
            for one in objects
            if one["kind"] == "ConfigMap" and "controller_manager_config.yaml" in one.get("data", {})
        )
        content: dict[str, Any] = yaml.safe_load(text)
        port = self._port(chart)
        everywhere: dict[str, dict[str, Any]] = {
            "leaderElection": {"leaderElect": False},
            "metrics": {"bindAddress": "0"},
            "webhook": {"port": port, "host": "127.0.0.1"},
            "health": {"healthProbeBindAddress": f"127.0.0.1:{port + 1}"},
        }
        # the certificates of the control plane instead of the managers' own
        somewhere: dict[str, dict[str, Any]] = {
            "internalCertManagement": {"enable": chart == "kueue"},
            "certManagement": {"enable": False},
            "statusServer": {"port": port + 2},
        }
        if "internalCertManagement" in content:
            everywhere["webhook"]["certDir"] = str(self.plane.folder)
        own = everywhere | {name: value for name, value in somewhere.items() if name in content}
        return content | {name: {**content.get(name, {}), **value} for name, value in own.items()}
