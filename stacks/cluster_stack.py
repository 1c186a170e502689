"""One stack for one profile: constructs composed by layer."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from config.design.model import Design
from config.rules.waivers import METADATA, as_metadata
from stacks.attachment import publish, read_file_system, read_ground
from stacks.ground import FileSystem, Ground
from stacks.network import add_network
from stacks.observability import add_observability
from stacks.orchestration import add_hyperpod
from stacks.storage import add_storage
from stacks.validation import acknowledge_instance_types, acknowledge_waivers, acknowledge_zone_names


class ClusterStack(cdk.Stack):
    """Everything that one profile describes, as one CloudFormation stack named after the profile."""

    def __init__(self, app: cdk.App, design: Design, *, destroy_command: str) -> None:
        profile = design.profile
        super().__init__(
            app,
            profile.name,
            description=f"ultracluster: {design.summary}",
            env=cdk.Environment(region=profile.region, account=profile.account),
            termination_protection=not profile.disposable,
        )
        if profile.waive:
            self.add_metadata(METADATA, as_metadata(profile.waive))
        self._outputs: dict[str, str] = {}
        ground = self._network(design)
        storage = self._storage(design, ground)
        metrics_arn = self._observability(design)
        if design.hyperpod:
            layer = Construct(self, "Orchestration")
            cluster = add_hyperpod(layer, design, design.hyperpod, ground, storage, metrics_arn)
            acknowledge_instance_types(cluster)
            self._outputs |= {"ClusterName": design.hyperpod.cluster_name, "ClusterArn": cluster.cluster_arn}
        if design.publishes and design.attachment:
            publish(Construct(self, "Attachment"), design, design.attachment, ground, storage)
        acknowledge_waivers(self, profile.waive)
        for name, value in {**self._outputs, "DestroyCommand": destroy_command}.items():
            cdk.CfnOutput(self, name, value=value)

    def _network(self, design: Design) -> Ground:
        assert design.network is not None  # rule PRO023
        layer = Construct(self, "Network")
        if design.owns_network:
            acknowledge_zone_names(layer, design)
            return add_network(layer, design, design.network)
        assert design.attachment is not None
        return read_ground(design.attachment, design)

    def _storage(self, design: Design, ground: Ground) -> FileSystem | None:
        if design.lustre is None:
            return None
        layer = Construct(self, "Storage")
        if not design.owns_lustre:
            assert design.attachment is not None
            return read_file_system(design.attachment)
        lustre, storage = add_storage(layer, design, design.lustre, ground)
        self._outputs |= {"LustreFileSystemId": lustre.file_system_id, "LustreMountName": lustre.mount_name}
        return storage

    def _observability(self, design: Design) -> str | None:
        wanted = design.profile.observability
        if wanted is None:
            return None
        metrics, grafana = add_observability(Construct(self, "Observability"), design, wanted)
        if metrics:
            self._outputs["PrometheusEndpoint"] = metrics.prometheus_endpoint
        if grafana:
            self._outputs["GrafanaEndpoint"] = grafana.endpoint
        return metrics.workspace_arn if metrics else None
