"""Requests to the Kubernetes API of an EKS cluster, in an AWS account or in the embedded cloud.

The client only needs HTTP: EKS returns the address and the certificate authority, and the token is a signed
request to STS, as in `aws eks get-token`
(https://docs.aws.amazon.com/eks/latest/userguide/cluster-auth.html).
"""

from __future__ import annotations

import base64
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from scripts.cloud.process import Cloud

_TIMEOUT_S = 20
_TOKEN_S = 60


class UnreachableError(Exception):
    """The API cannot be reached or rejects the caller; the message contains the reason."""


class KubernetesApi(Protocol):
    """The API of one cluster."""

    def request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, Any]:
        """Send a request, and return the status and the object of the response; PATCH sends a merge patch."""


class HttpsApi:
    """The API at its HTTPS address.

    `sts` is a client in the cluster's Region; `cluster` is the cluster as DescribeCluster returns it.
    """

    def __init__(self, sts: Any, cluster: Mapping[str, Any]) -> None:
        self._sts, self._name, self._endpoint = sts, cluster["name"], cluster["endpoint"]
        authority = base64.b64decode(cluster["certificateAuthority"]["data"]).decode()
        self._context = ssl.create_default_context(cadata=authority)
        sts.meta.events.register("before-sign.sts.GetCallerIdentity", self._name_cluster)

    def _name_cluster(self, request: Any, **_: Any) -> None:
        request.headers["x-k8s-aws-id"] = self._name

    def _token(self) -> str:
        url: str = self._sts.generate_presigned_url(
            "get_caller_identity", ExpiresIn=_TOKEN_S, HttpMethod="GET"
        )
        return f"k8s-aws-v1.{base64.urlsafe_b64encode(url.encode()).decode().rstrip('=')}"

    def request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, Any]:
        """See KubernetesApi."""
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        asked = urllib.request.Request(
            f"{self._endpoint}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._token()}", "Content-Type": kind},
        )
        try:
            with urllib.request.urlopen(asked, timeout=_TIMEOUT_S, context=self._context) as answer:
                return answer.status, json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as error:
            with error:  # closes the connection
                if error.code in (401, 403):
                    raise UnreachableError(
                        f"the Kubernetes API of {self._name} rejects your identity: {error}"
                    ) from None
                return error.code, _object(error.read())
        except OSError as error:  # URLError, timeouts, and TLS errors
            raise UnreachableError(
                f"the Kubernetes API of {self._name} cannot be reached from here: {error}"
            ) from None


class CloudApi:
    """The API in the process of the embedded cloud."""

    def __init__(self, cloud: Cloud, region: str, cluster: str) -> None:
        self._cloud, self._region, self._cluster = cloud, region, cluster

    def request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, Any]:
        """See KubernetesApi."""
        answer = self._cloud.simulation(
            "kubernetes",
            account=self._cloud.account,
            region=self._region,
            cluster=self._cluster,
            method=method,
            path=path,
            body=body,
        )
        if "unreachable" in answer:
            raise UnreachableError(answer["unreachable"])
        return answer["status"], answer["body"]


def _object(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {"message": text.decode(errors="replace")[:200]}
