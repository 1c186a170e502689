"""Lambda layer with kubectl and Helm for a Kubernetes version."""

from aws_cdk import aws_lambda as lambda_
from constructs import Construct

#: kubectl works with clusters that are one minor version older or newer than it is itself:
#: https://kubernetes.io/releases/version-skew-policy/#kubectl
_LAYERS = {"1.33": "v34", "1.34": "v34", "1.35": "v36", "1.36": "v36"}


def add_kubectl_layer(scope: Construct, construct_id: str, kubernetes_version: str) -> lambda_.ILayerVersion:
    """Add the layer whose kubectl is within one minor version of a cluster's version (`1.35`).

    The layer modules are imported here, because each adds more than 0.1 s to a synthesis and contains 37 MB.
    """
    layer = _LAYERS.get(kubernetes_version)
    if layer is None:
        raise ValueError(
            f"no layer has a kubectl for Kubernetes {kubernetes_version}; the supported versions are "
            f"{', '.join(_LAYERS)}"
        )
    if layer == "v34":
        from aws_cdk.lambda_layer_kubectl_v34 import KubectlV34Layer

        return KubectlV34Layer(scope, construct_id)
    from aws_cdk.lambda_layer_kubectl_v36 import KubectlV36Layer

    return KubectlV36Layer(scope, construct_id)
