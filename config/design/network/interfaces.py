"""The network interfaces of a node where the profile decides them: one table a type, by layout."""

from __future__ import annotations

from config.catalog import InstanceType, Interface, InterfaceType, Layout
from config.profile.capacity.groups import Group
from config.profile.orchestrator import AnyOrchestrator
from config.profile.slurm.pcs import Pcs

_WITH_EFA = "ip-saving"
_EVERY_CARD_EFA = "all-efa"
_SMALL_VCPUS = 30
_PODS_OF_SMALL_NODES = 110
_PODS_OF_LARGE_NODES = 250
_PRIMARY = Interface(network_card_index=0, device_index=0, interface_type=InterfaceType.INTERFACE)

PLAIN = Layout(
    name="none",
    interfaces=(_PRIMARY,),
    confidence="high",
    source=("EFAACC",),
    note="the primary interface alone, without EFA",
)
"""A node without EFA."""


def default_layout(instance: InstanceType) -> str:
    """The layout of a group that states none: EFA on GPU nodes that have it."""
    return _WITH_EFA if instance.max_efa and instance.is_gpu else "none"


def wants_plain_efa(orchestrator: AnyOrchestrator | None) -> bool:
    """True where EFA interfaces are of the kind `efa`, which takes an address: PCS, unless told else."""
    return isinstance(orchestrator, Pcs) and orchestrator.efa_interface == "efa"


def layout_of(group: Group, instance: InstanceType, orchestrator: AnyOrchestrator | None) -> Layout | None:
    """The layout of a group's nodes; None where the type has no table for what is asked (a rule says why)."""
    wanted = group.efa.layout if group.efa else default_layout(instance)
    if wanted == "none":
        return PLAIN
    if not instance.max_efa:
        return None
    if wanted not in instance.layouts:
        return None
    # an `efa` interface carries IP as well, so the table of all `efa` is the one with the most bandwidth too
    return instance.layouts.get(_EVERY_CARD_EFA if wants_plain_efa(orchestrator) else wanted)


def pod_interfaces(instance: InstanceType, layout: Layout) -> int:
    """Interfaces of card 0 that the VPC CNI can give pods: an `efa-only` one there takes a slot.

    The CNI attaches its interfaces to the default card alone (Karpenter's instance type limits do the same
    arithmetic; aws/karpenter-provider-aws:designs/efa-for-static-capacity.md).
    """
    taken = sum(
        i.network_card_index == 0 and i.interface_type is InterfaceType.EFA_ONLY for i in layout.interfaces
    )
    return instance.cards[0].max_interfaces - taken


def most_pods(instance: InstanceType, layout: Layout) -> int:
    """Pods that a node can run: what it has addresses for, and no more than EKS lets a managed node have.

    Addresses: interfaces x (addresses - 1) + 2 on the host's network (awslabs/amazon-eks-ami:nodeadm/doc/
    examples.md). The cap of managed node groups: https://docs.aws.amazon.com/eks/latest/userguide/
    choosing-instance-type.html.
    """
    cap = _PODS_OF_SMALL_NODES if instance.vcpus < _SMALL_VCPUS else _PODS_OF_LARGE_NODES
    return min(cap, pod_interfaces(instance, layout) * (instance.ipv4_per_interface - 1) + 2)


def addresses_with_pods(instance: InstanceType, layout: Layout, pods: int) -> int:
    """Addresses that one EKS node holds at most: its layout's, and the CNI's interfaces with all of theirs.

    The CNI keeps one interface more than pods need ready (WARM_ENI_TARGET is 1,
    https://github.com/aws/amazon-vpc-cni-k8s#warm_eni_target), each with every address that it can have.
    """
    each = instance.ipv4_per_interface
    used = -(-max(0, pods - 2) // (each - 1)) or 1
    on_card_0 = min(pod_interfaces(instance, layout), used + 1) * each
    beyond = sum(i.network_card_index > 0 and i.interface_type.has_address for i in layout.interfaces)
    return on_card_0 + beyond
