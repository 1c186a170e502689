"""Groups of machines: how they are bought, reserved, rotated and kept spare: what moto lacks of them."""

from . import placement_groups, reservations, resource_groups, service_quotas

EXTENSIONS = (placement_groups, reservations, resource_groups, service_quotas)
