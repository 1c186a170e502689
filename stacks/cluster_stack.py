"""CDK stack of one profile, composed by layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aws_cdk as cdk
from constructs import Construct

from config.design.model import Design
from config.design.slurm.pcs import PcsPlan
from config.design.storage.lustre import MAIN
from config.rules.waivers import METADATA, as_metadata
from stacks.access.account import boundary_of, choose_bootstrap
from stacks.access.people import add_sessions
from stacks.attachment import publish, read_network
from stacks.common import tags_of
from stacks.foundation import Foundation, NodeNetwork, SharedStorage, Workspaces
from stacks.money import add_money
from stacks.network import add_network
from stacks.nodes.images import add_images, registry_output
from stacks.nodes.metrics import add_write_url
from stacks.observability.layer import add_observability
from stacks.slurm.hyperpod import add_hyperpod
from stacks.slurm.pcs import add_pcs, login_command
from stacks.storage.layer import add_storage
from stacks.validation import acknowledge_instance_types, acknowledge_waivers, acknowledge_zone_names

if TYPE_CHECKING:
    from config.design.kubernetes.hyperpod import HyperPodEksPlan
    from config.design.kubernetes.plan import EksPlan


class ClusterStack(cdk.Stack):
    """All resources of one profile, in a CloudFormation stack with the profile's name."""

    def __init__(self, app: cdk.App, design: Design, *, destroy_command: str) -> None:
        profile = design.profile
        choose_bootstrap(app, profile)
        super().__init__(
            app,
            profile.name,
            description=f"ultracluster: {design.summary}",
            env=cdk.Environment(region=profile.region, account=profile.account),
            termination_protection=not profile.disposable,
            # tags of the stack; CloudFormation adds them to resources without explicit tags
            tags=tags_of(design.profile),
            permissions_boundary=boundary_of(profile),
        )
        if profile.waive:
            self.add_metadata(METADATA, as_metadata(profile.waive))
        self._outputs: dict[str, str] = {}
        node_network = self._network(design)
        storage = self._storage(design, node_network)
        if design.images:
            add_images(Construct(self, "Images"), design.profile, design.images)
            self._outputs["ImageRegistry"] = registry_output()
        workspaces = self._observability(design, node_network, storage)
        foundation = Foundation(
            design=design, node_network=node_network, storage=storage, workspaces=workspaces
        )
        self._orchestration(foundation)
        if sessions := add_sessions(self, design):
            self._outputs["SessionDocument"] = sessions.document_name
        if design.publishes and design.attachment:
            publish(Construct(self, "Attachment"), foundation, design.attachment)
        if profile.budget or profile.calendar:
            topic = add_money(Construct(self, "Money"), design)
            self._outputs |= {"CalendarTopic": topic} if topic else {}
        acknowledge_waivers(self, profile.waive)
        for name, value in {**self._outputs, "DestroyCommand": destroy_command}.items():
            cdk.CfnOutput(self, name, value=value)

    def _orchestration(self, on: Foundation) -> None:
        design = on.design
        if design.hyperpod:
            layer = Construct(self, "Orchestration")
            cluster = add_hyperpod(layer, on, design.hyperpod)
            acknowledge_instance_types(cluster)
            self._outputs |= {"ClusterName": design.hyperpod.cluster_name, "ClusterArn": cluster.cluster_arn}
        if design.pcs:
            self._pcs(on, design.pcs)
        if design.eks and design.hyperpod_eks:
            self._hyperpod_eks(on, design.hyperpod_eks, design.eks)
        elif design.eks:
            self._eks(on, design.eks)

    def _pcs(self, on: Foundation, plan: PcsPlan) -> None:
        cluster = add_pcs(Construct(self, "Orchestration"), on, plan)
        self._outputs |= {"ClusterName": plan.cluster_name, "ClusterId": cluster.cluster_id}
        if login := login_command(on.design):
            self._outputs["LoginCommand"] = login

    def _eks(self, on: Foundation, plan: EksPlan) -> None:
        # importing CDK's EKS modules is slow, and other control planes do not need them
        from stacks.kubernetes.eks import add_eks, kubeconfig_command

        layer = Construct(self, "Orchestration")
        add_eks(layer, on, plan)
        self._outputs |= {
            "ClusterName": plan.cluster_name,
            "KubeconfigCommand": kubeconfig_command(layer, on.design, plan),
        }

    def _hyperpod_eks(self, on: Foundation, plan: HyperPodEksPlan, eks: EksPlan) -> None:
        from stacks.kubernetes.eks import kubeconfig_command
        from stacks.kubernetes.hyperpod import add_hyperpod_eks

        layer = Construct(self, "Orchestration")
        cluster = add_hyperpod_eks(layer, on, plan, eks)
        acknowledge_instance_types(cluster)
        self._outputs |= {
            "ClusterName": plan.cluster_name,
            "ClusterArn": cluster.cluster_arn,
            "KubeconfigCommand": kubeconfig_command(layer, on.design, eks),
        }

    def _network(self, design: Design) -> NodeNetwork:
        assert design.network is not None  # rule PRO023
        layer = Construct(self, "Network")
        if design.owns_network:
            acknowledge_zone_names(layer, design)
            return add_network(layer, design.profile, design.network)
        assert design.attachment is not None
        return read_network(design.attachment, design)

    def _storage(self, design: Design, node_network: NodeNetwork) -> SharedStorage:
        storage = add_storage(Construct(self, "Storage"), design, node_network)
        own = {plan.name for plan in design.own_file_systems}
        for system in storage.file_systems:
            if system.plan.name in own:
                name = "" if system.plan.name == MAIN else system.plan.name.title().replace("-", "")
                self._outputs |= {
                    f"Lustre{name}FileSystemId": system.file_system_id,
                    f"Lustre{name}MountName": system.mount_name,
                }
        if storage.home and design.owns_home:
            self._outputs["HomeFileSystemId"] = storage.home.file_system_id
        if storage.express_bucket_name and design.owns_express:
            self._outputs["ExpressBucketName"] = storage.express_bucket_name
        return storage

    def _observability(self, design: Design, node_network: NodeNetwork, storage: SharedStorage) -> Workspaces:
        wanted = design.profile.observability
        if wanted is None:
            return Workspaces()
        made = add_observability(Construct(self, "Observability"), design, wanted, node_network, storage)
        metrics, grafana = made.metrics, made.grafana
        if metrics:
            self._outputs["PrometheusEndpoint"] = metrics.prometheus_endpoint
            add_write_url(metrics, design, metrics.prometheus_endpoint)
        if grafana:
            self._outputs["GrafanaEndpoint"] = grafana.endpoint
        for severity, topic in made.topics:
            self._outputs[f"AlertTopic{severity.title().replace('-', '')}"] = topic.topic_arn
        return Workspaces(
            metrics_arn=metrics.workspace_arn if metrics else None,
            metrics_endpoint=metrics.prometheus_endpoint if metrics else None,
            grafana_id=grafana.workspace_id if grafana else None,
            grafana_name=design.profile.name if grafana else None,
        )
