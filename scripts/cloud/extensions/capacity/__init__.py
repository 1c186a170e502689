"""Extensions of moto for capacity: placement groups, reservations, training plans and quotas."""

from . import placement_groups, reservations, resource_groups, service_quotas

EXTENSIONS = (placement_groups, reservations, resource_groups, service_quotas)
