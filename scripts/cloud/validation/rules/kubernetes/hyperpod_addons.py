"""What HyperPod's add-ons on EKS are told, and cannot do without."""

from __future__ import annotations

import json
from collections.abc import Iterator

from config.rules.deployed import hyperpod as codes
from scripts.cloud.validation.rules.reading import text_at
from scripts.cloud.validation.rules.registry import Refusal, Resource, rule

_INFERENCE = "amazon-sagemaker-hyperpod-inference"
_NEEDED = ("executionRoleArn", "tlsCertificateS3Bucket", "hyperpodClusterArn")


@rule(codes.INFERENCE_NEEDS, "AWS::EKS::Addon")
def inference_has_what_it_needs(resource: Resource) -> Iterator[Refusal]:
    """ConfigurationValues of the inference operator; a text that is not known yet is not read."""
    stated = resource.properties.get("ConfigurationValues")
    text = text_at(resource.properties, "ConfigurationValues")
    if text_at(resource.properties, "AddonName") != _INFERENCE or (stated is not None and text is None):
        return
    try:
        settings = json.loads(text or "{}")
    except ValueError:
        return  # EKS says so itself
    for name in _NEEDED:
        if not settings.get(name):
            yield Refusal("ConfigurationValues", f"no {name}", f"add {name}")
