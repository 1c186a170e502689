"""Constructs for EC2 node groups with EFA and for reminders before reservations end."""

from ultracluster.capacity.efa_node_group import (
    EfaNodeGroup,
    EfaNodeGroupProps,
    InterfaceType,
    Market,
    NodeInterface,
)
from ultracluster.capacity.reminders import Reminder, Reminders, RemindersProps, allow_reminders

__all__ = [
    "EfaNodeGroup",
    "EfaNodeGroupProps",
    "InterfaceType",
    "Market",
    "NodeInterface",
    "Reminder",
    "Reminders",
    "RemindersProps",
    "allow_reminders",
]
