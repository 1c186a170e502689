"""Template rules for the settings of HyperPod's EKS add-ons."""

from __future__ import annotations

import json
from collections.abc import Iterator

from config.rules.deployed import hyperpod as codes
from scripts.cloud.validation.rules.reading import text_at
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

_INFERENCE = "amazon-sagemaker-hyperpod-inference"
_NEEDED = ("executionRoleArn", "tlsCertificateS3Bucket", "hyperpodClusterArn")


@rule(codes.INFERENCE_NEEDS, "AWS::EKS::Addon")
def inference_has_what_it_needs(resource: Resource) -> Iterator[Violation]:
    """Check ConfigurationValues of the inference operator; texts with unresolved values are not checked."""
    declared = resource.properties.get("ConfigurationValues")
    text = text_at(resource.properties, "ConfigurationValues")
    if text_at(resource.properties, "AddonName") != _INFERENCE or (declared is not None and text is None):
        return
    try:
        settings = json.loads(text or "{}")
    except ValueError:
        return  # EKS reports it
    for name in _NEEDED:
        if not settings.get(name):
            yield Violation("ConfigurationValues", f"{name} is missing", f"add {name}")
