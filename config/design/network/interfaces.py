"""Network interfaces of a node with a launch template, by instance type and layout."""

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
    note="only the primary interface, without EFA",
)
"""Layout of a node without EFA."""


def default_layout(instance: InstanceType) -> str:
    """Return the default layout: EFA on GPU types that support it."""
    return _WITH_EFA if instance.max_efa and instance.is_gpu else "none"


def wants_plain_efa(orchestrator: AnyOrchestrator | None) -> bool:
    """Return True if EFA interfaces have the type `efa`, which uses an IP address; the default of PCS."""
    return isinstance(orchestrator, Pcs) and orchestrator.efa_interface == "efa"


def layout_of(group: Group, instance: InstanceType, orchestrator: AnyOrchestrator | None) -> Layout | None:
    """Return the layout of a group's nodes; None if the type does not have it (a rule reports why)."""
    wanted = group.efa.layout if group.efa else default_layout(instance)
    if wanted == "none":
        return PLAIN
    if not instance.max_efa:
        return None
    if wanted not in instance.layouts:
        return None
    # an `efa` interface also carries IP: the layout with `efa` on all cards also has the most ENA bandwidth
    return instance.layouts.get(_EVERY_CARD_EFA if wants_plain_efa(orchestrator) else wanted)


def pod_interfaces(instance: InstanceType, layout: Layout) -> int:
    """Return how many interfaces of card 0 the VPC CNI can use for pods: all that are not `efa-only`.

    The CNI attaches interfaces only to the default card. Karpenter calculates its instance type limits in the
    same way (aws/karpenter-provider-aws:designs/efa-for-static-capacity.md).
    """
    taken = sum(
        i.network_card_index == 0 and i.interface_type is InterfaceType.EFA_ONLY for i in layout.interfaces
    )
    return instance.cards[0].max_interfaces - taken


def most_pods(instance: InstanceType, layout: Layout) -> int:
    """Return the maximum number of pods on a node; its addresses and a limit of EKS determine the number.

    Addresses: interfaces x (addresses - 1) + 2 on the host's network (awslabs/amazon-eks-ami:nodeadm/doc/
    examples.md). The cap of managed node groups: https://docs.aws.amazon.com/eks/latest/userguide/
    choosing-instance-type.html.
    """
    cap = _PODS_OF_SMALL_NODES if instance.vcpus < _SMALL_VCPUS else _PODS_OF_LARGE_NODES
    return min(cap, pod_interfaces(instance, layout) * (instance.ipv4_per_interface - 1) + 2)


def addresses_with_pods(instance: InstanceType, layout: Layout, pods: int) -> int:
    """Return the maximum number of addresses of one EKS node: those of its layout and those for pods.

    The CNI keeps one more interface ready than the pods need (WARM_ENI_TARGET is 1,
    https://github.com/aws/amazon-vpc-cni-k8s#warm_eni_target). Each interface has all its addresses assigned.
    """
    each = instance.ipv4_per_interface
    used = -(-max(0, pods - 2) // (each - 1)) or 1
    on_card_0 = min(pod_interfaces(instance, layout), used + 1) * each
    beyond = sum(i.network_card_index > 0 and i.interface_type.has_address for i in layout.interfaces)
    return on_card_0 + beyond
