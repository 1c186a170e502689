"""Groups of machines."""

from ultracluster.compute.efa_node_group import (
    EfaNodeGroup,
    EfaNodeGroupProps,
    InterfaceType,
    Market,
    NodeInterface,
)

__all__ = ["EfaNodeGroup", "EfaNodeGroupProps", "InterfaceType", "Market", "NodeInterface"]
