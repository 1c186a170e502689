"""Instance types of the catalogue in the format of EC2's DescribeInstanceTypes, for types that moto lacks."""

from __future__ import annotations

from typing import Any

from config.catalog import InstanceType

_USAGE_CLASSES = ("on-demand", "spot", "capacity-block")


def instance_type_record(instance: InstanceType) -> dict[str, Any]:
    """Return the properties of a type that ParallelCluster reads; the values are those of the catalogue."""
    return {
        "InstanceType": instance.name,
        "SupportedUsageClasses": [kind for kind in _USAGE_CLASSES if kind in instance.capacity_kinds],
        "ProcessorInfo": {"SupportedArchitectures": [instance.arch]},
        "VCpuInfo": {
            "DefaultVCpus": instance.vcpus,
            "DefaultCores": instance.cores,
            "DefaultThreadsPerCore": instance.threads_per_core,
        },
        "MemoryInfo": {"SizeInMiB": instance.memory_gib * 1024},
        "InstanceStorageSupported": instance.local_nvme is not None,
        "EbsInfo": {"EbsOptimizedSupport": "default"},
        "NetworkInfo": {
            "MaximumNetworkInterfaces": instance.max_interfaces,
            "MaximumNetworkCards": len(instance.cards),
            "NetworkCards": [
                {
                    "NetworkCardIndex": card.index,
                    "MaximumNetworkInterfaces": card.max_interfaces,
                    "InterfaceTypes": sorted(kind.value for kind in card.supports),
                }
                for card in instance.cards
            ],
            "Ipv4AddressesPerInterface": instance.ipv4_per_interface,
            "EfaSupported": instance.max_efa > 0,
            **({"EfaInfo": {"MaximumEfaInterfaces": instance.max_efa}} if instance.max_efa else {}),
        },
        "GpuInfo": {"Gpus": _gpus(instance)},
    }


def _gpus(instance: InstanceType) -> list[dict[str, Any]]:
    if instance.gpu is None:
        return []
    return [{"Name": instance.gpu.gpu.model, "Manufacturer": "NVIDIA", "Count": instance.gpu.count}]
