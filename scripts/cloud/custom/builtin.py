"""Registration of modelled providers: the CDK's providers, and our providers that need internet access."""

from __future__ import annotations

from . import git_chart
from .cdk import (
    auto_delete_objects,
    aws_custom_resource,
    default_security_group,
    kubectl_provider,
    provider_framework,
)
from .providers import register


def register_all() -> None:
    """Register all modelled providers."""
    for module in (auto_delete_objects, default_security_group, provider_framework):
        register(module.IDENTITY, module.BEHAVIOUR)
    register(git_chart.IDENTITY, git_chart.behave)
    register(kubectl_provider.IDENTITY, kubectl_provider.behave)
    for identity in aws_custom_resource.IDENTITIES:
        register(identity, aws_custom_resource.behave)
