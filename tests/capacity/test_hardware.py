"""Values of the catalogue, compared with a second copy of the facts."""

from datetime import date

import pytest

from config.catalog import catalog
from tests.tables import each_row

# vCPU, cores, memory GiB, GPU, GPU count, GPU GiB each, cards, EFA maximum, interfaces, addresses,
# Gbps of the API, Gbps of EFA
GPU_TYPES = {
    "p4d.24xlarge": (96, 48, 1152, "A100-40", 8, 40, 4, 4, 60, 50, 400, 400),
    "p4de.24xlarge": (96, 48, 1152, "A100-80", 8, 80, 4, 4, 60, 50, 400, 400),
    "p5.4xlarge": (16, 8, 256, "H100", 1, 80, 1, 1, 4, 30, 100, 100),
    "p5.48xlarge": (192, 96, 2048, "H100", 8, 80, 32, 32, 64, 50, 3200, 3200),
    "p5e.48xlarge": (192, 96, 2048, "H200", 8, 141, 32, 32, 64, 50, 3200, 3200),
    "p5en.48xlarge": (192, 96, 2048, "H200", 8, 141, 16, 16, 64, 50, 3200, 3200),
    "p6-b200.48xlarge": (192, 96, 2048, "B200", 8, 179, 8, 8, 32, 50, 3200, 3200),
    "p6-b300.48xlarge": (192, 96, 4096, "B300", 8, 268, 17, 16, 68, 50, 6400, 6400),
    "p6e-gb200.36xlarge": (144, 144, 960, "GB200", 4, 185, 17, 16, 39, 50, 3200, 1600),
    "g6.xlarge": (4, 2, 16, "L4", 1, 22888 / 1024, 1, 0, 4, 15, 2.5, 0),
    "g6.2xlarge": (8, 4, 32, "L4", 1, 22888 / 1024, 1, 0, 4, 15, 5, 0),
    "g6.4xlarge": (16, 8, 64, "L4", 1, 22888 / 1024, 1, 0, 8, 30, 10, 0),
    "g6.8xlarge": (32, 16, 128, "L4", 1, 22888 / 1024, 1, 1, 8, 30, 25, 25),
    "g6.12xlarge": (48, 24, 192, "L4", 4, 22888 / 1024, 1, 1, 8, 30, 40, 40),
    "g6.16xlarge": (64, 32, 256, "L4", 1, 22888 / 1024, 1, 1, 15, 50, 25, 25),
    "g6.24xlarge": (96, 48, 384, "L4", 4, 22888 / 1024, 1, 1, 15, 50, 50, 50),
    "g6.48xlarge": (192, 96, 768, "L4", 8, 22888 / 1024, 1, 1, 15, 50, 100, 100),
    "g6e.xlarge": (4, 2, 32, "L40S", 1, 45776 / 1024, 1, 0, 4, 15, 2.5, 0),
    "g6e.2xlarge": (8, 4, 64, "L40S", 1, 45776 / 1024, 1, 0, 4, 15, 5, 0),
    "g6e.4xlarge": (16, 8, 128, "L40S", 1, 45776 / 1024, 1, 0, 8, 30, 20, 0),
    "g6e.8xlarge": (32, 16, 256, "L40S", 1, 45776 / 1024, 1, 1, 8, 30, 25, 25),
    "g6e.12xlarge": (48, 24, 384, "L40S", 4, 45776 / 1024, 1, 1, 10, 30, 100, 100),
    "g6e.16xlarge": (64, 32, 512, "L40S", 1, 45776 / 1024, 1, 1, 15, 50, 35, 35),
    "g6e.24xlarge": (96, 48, 768, "L40S", 4, 45776 / 1024, 2, 2, 20, 50, 200, 200),
    "g6e.48xlarge": (192, 96, 1536, "L40S", 8, 45776 / 1024, 4, 4, 40, 50, 400, 400),
}
# vCPU, memory GiB, baseline Gbps, EBS Gbps, interfaces, addresses, EFA maximum, USD an hour in us-east-1
CPU_TYPES = {
    "m5.large": (2, 8, 0.75, 4.75, 3, 10, 0, 0.096),
    "m5.xlarge": (4, 16, 1.25, 4.75, 4, 15, 0, 0.192),
    "m5.2xlarge": (8, 32, 2.5, 4.75, 4, 15, 0, 0.384),
    "m5.4xlarge": (16, 64, 5.0, 4.75, 8, 30, 0, 0.768),
    "m5.8xlarge": (32, 128, 10.0, 6.8, 8, 30, 0, 1.536),
    "m5.12xlarge": (48, 192, 12.0, 9.5, 8, 30, 0, 2.304),
    "m5.24xlarge": (96, 384, 25.0, 19.0, 15, 50, 0, 4.608),
    "c5.xlarge": (4, 8, 1.25, 4.75, 4, 15, 0, 0.17),
    "c5.2xlarge": (8, 16, 2.5, 4.75, 4, 15, 0, 0.34),
    "c5.4xlarge": (16, 32, 5.0, 4.75, 8, 30, 0, 0.68),
    "c5.9xlarge": (36, 72, 12.0, 9.5, 8, 30, 0, 1.53),
    "c5.18xlarge": (72, 144, 25.0, 19.0, 15, 50, 0, 3.06),
    "m7i.large": (2, 8, 0.781, 10.0, 3, 10, 0, 0.1008),
    "m7i.xlarge": (4, 16, 1.562, 10.0, 4, 15, 0, 0.2016),
    "m7i.2xlarge": (8, 32, 3.125, 10.0, 4, 15, 0, 0.4032),
    "m7i.4xlarge": (16, 64, 6.25, 10.0, 8, 30, 0, 0.8064),
    "m7i.8xlarge": (32, 128, 12.5, 10.0, 8, 30, 0, 1.6128),
    "m7i.16xlarge": (64, 256, 25.0, 20.0, 15, 50, 0, 3.2256),
    "m6i.large": (2, 8, 0.781, 10.0, 3, 10, 0, 0.096),
    "m6i.xlarge": (4, 16, 1.562, 10.0, 4, 15, 0, 0.192),
    "m6i.2xlarge": (8, 32, 3.125, 10.0, 4, 15, 0, 0.384),
    "m6i.4xlarge": (16, 64, 6.25, 10.0, 8, 30, 0, 0.768),
    "m6i.8xlarge": (32, 128, 12.5, 10.0, 8, 30, 0, 1.536),
    "m7i.48xlarge": (192, 768, 50.0, 40.0, 15, 50, 1, 9.6768),
    "c7i.4xlarge": (16, 32, 6.25, 10.0, 8, 30, 0, 0.714),
}


def test_the_catalogue_holds_exactly_the_types_of_the_facts() -> None:
    assert set(catalog().instances) == {*GPU_TYPES, *CPU_TYPES}


@each_row("name", GPU_TYPES)
def test_gpu_types_have_the_figures_of_the_facts(name: str) -> None:
    machine = catalog().instances[name]
    assert machine.gpu is not None
    assert machine.is_gpu
    assert GPU_TYPES[name] == (
        machine.vcpus,
        machine.cores,
        machine.memory_gib,
        machine.gpu.gpu.key,
        machine.gpu.count,
        machine.gpu.memory_gib_each,
        len(machine.cards),
        machine.max_efa,
        machine.max_interfaces,
        machine.ipv4_per_interface,
        machine.network_gbps,
        machine.efa_gbps,
    )


@each_row("name", CPU_TYPES)
def test_cpu_types_have_the_figures_of_the_facts(name: str) -> None:
    machine = catalog().instances[name]
    price = machine.price("on-demand", "us-east-1")
    assert not machine.is_gpu
    assert price is not None
    assert CPU_TYPES[name] == (
        machine.vcpus,
        machine.memory_gib,
        machine.network_gbps,
        machine.ebs_gbps,
        machine.max_interfaces,
        machine.ipv4_per_interface,
        machine.max_efa,
        price.usd_per_hour,
    )
    assert machine.hyperpod_name == (None if name == "c7i.4xlarge" else f"ml.{name}")


@pytest.mark.parametrize(
    ("name", "on_demand", "block"),
    [
        ("p4d.24xlarge", 21.957642, 11.80),
        ("p4de.24xlarge", 27.44705, 17.712),
        ("p5.4xlarge", 6.88, 5.191),
        ("p5.48xlarge", 55.04, 41.528),
        ("p5e.48xlarge", None, 47.76),
        ("p5en.48xlarge", 63.296, 54.92),
        ("p6-b200.48xlarge", 113.9328, 98.84),
        ("p6-b300.48xlarge", 142.416, 112.32),
        ("p6e-gb200.36xlarge", None, None),
        ("g6.xlarge", 0.8048, None),
        ("g6e.48xlarge", 30.13118, None),
    ],
)
def test_prices_of_us_east_1_are_those_of_the_facts(
    name: str, on_demand: float | None, block: float | None
) -> None:
    machine = catalog().instances[name]
    found = [machine.price(kind, "us-east-1") for kind in ("on-demand", "capacity-block")]
    assert [price and price.usd_per_hour for price in found] == [on_demand, block]


def test_a_price_is_never_borrowed_from_another_region_or_kind() -> None:
    machine = catalog().instances["p6-b200.48xlarge"]
    assert machine.price("on-demand", "ap-south-1") is None
    assert machine.price("spot", "us-east-1") is None
    govcloud = machine.price("on-demand", "us-gov-west-1")
    assert govcloud is not None
    assert (govcloud.usd_per_hour, govcloud.as_of) == (136.71936, date(2026, 7, 20))


def test_a_price_given_as_a_range_keeps_both_ends() -> None:
    price = catalog().instances["p5.4xlarge"].price("capacity-block", "us-west-2")
    assert price is not None
    assert (price.usd_per_hour_min, price.usd_per_hour) == (4.72, 5.191)


@pytest.mark.parametrize(
    ("key", "bf16", "fp8", "fp4", "hbm", "nvlink"),
    [
        ("A100-40", 312, None, None, 1.555, 600),
        ("A100-80", 312, None, None, 2.039, 600),
        ("H100", 989.5, 1979, None, 3.35, 900),
        ("H200", 989.5, 1979, None, 4.8, 900),
        ("B200", 2250, 4500, 9000, 8.0, 1800),
        ("B300", 2250, 4500, 13500, 8.0, 1800),
        ("GB200", 2500, 5000, 10000, 8.0, 1800),
        ("GB300", 2500, 5000, 15000, 8.0, 1800),
        ("L4", None, None, None, None, None),
        ("L40S", None, None, None, None, None),
    ],
)
def test_gpu_peaks_are_dense_and_unsourced_ones_stay_unknown(
    key: str,
    bf16: float | None,
    fp8: float | None,
    fp4: float | None,
    hbm: float | None,
    nvlink: float | None,
) -> None:
    gpu = catalog().gpus[key]
    found = (gpu.bf16_tflops, gpu.fp8_tflops, gpu.fp4_tflops, gpu.hbm_tb_per_s, gpu.nvlink_gb_per_s_per_gpu)
    assert found == (bf16, fp8, fp4, hbm, nvlink)


def test_nvlink_of_a_machine_is_its_gpus_together() -> None:
    for machine in catalog().instances.values():
        if machine.nvlink_aggregate_tb_per_s is not None:
            assert machine.gpu is not None
            each = machine.gpu.gpu.nvlink_gb_per_s_per_gpu or 0
            assert machine.nvlink_aggregate_tb_per_s == pytest.approx(machine.gpu.count * each / 1000)
            assert machine.nvlink_domain_gpus == machine.gpu.count


def test_training_plans_take_the_nine_p_types_and_no_other() -> None:
    planned = {t.name for t in catalog().instances.values() if "training-plan" in t.capacity_kinds}
    assert planned == {name for name in GPU_TYPES if name.startswith("p")}


def test_what_no_source_settles_about_capacity_is_marked_uncertain() -> None:
    p5e = catalog().instances["p5e.48xlarge"]
    assert p5e.capacity_kinds_uncertain == {"on-demand", "odcr"}
    for machine in catalog().instances.values():
        assert not machine.capacity_kinds & machine.capacity_kinds_uncertain


def test_gb200_is_sold_only_as_ultraservers_in_one_local_zone() -> None:
    machine = catalog().instances["p6e-gb200.36xlarge"]
    assert machine.capacity_kinds == {"capacity-block", "training-plan"}
    assert machine.ultraserver_only
    assert not machine.cluster_placement_group
    assert machine.capacity_block_regions == ("us-east-1-dfw-2a",)
    assert (machine.arch, machine.threads_per_core) == ("arm64", 1)


@pytest.mark.parametrize(("size", "instances", "usd"), [(36, 9, 380.952), (72, 18, 761.904)])
def test_an_ultraserver_is_whole_machines(size: int, instances: int, usd: float) -> None:
    unit = catalog().ultraservers[f"u-p6e-gb200x{size}"]
    machine = catalog().instances[unit.instance_type]
    assert machine.gpu is not None
    assert (unit.instances, unit.gpus, unit.nvlink_domain_gpus) == (instances, size, size)
    assert unit.gpus == unit.instances * machine.gpu.count
    assert unit.vcpus == unit.instances * machine.vcpus
    assert unit.memory_gib == unit.instances * machine.memory_gib
    assert unit.efa_gbps == unit.instances * machine.efa_gbps
    price = unit.price("capacity-block", "us-east-1-dfw-2a")
    assert price is not None
    assert price.usd_per_hour == usd


def test_lustre_clients_get_the_interfaces_of_the_aws_script() -> None:
    found = {
        t.name: t.lustre_client_efa_interfaces for t in catalog().instances.values() if t.name.startswith("p")
    }
    assert found == {
        "p4d.24xlarge": None,
        "p4de.24xlarge": None,
        "p5.4xlarge": 1,
        "p5.48xlarge": 8,
        "p5e.48xlarge": 8,
        "p5en.48xlarge": 8,
        "p6-b200.48xlarge": 8,
        "p6-b300.48xlarge": 16,
        "p6e-gb200.36xlarge": 8,
    }
    direct = {t.name for t in catalog().instances.values() if t.gpudirect_storage}
    assert direct == {"p5.48xlarge", "p5e.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge"}


def test_network_layers_differ_by_family() -> None:
    layers = {t.name: t.network_layers for t in catalog().instances.values() if t.network_layers is not None}
    assert layers == {
        "p5.4xlarge": 0,
        "p5.48xlarge": 3,
        "p5e.48xlarge": 3,
        "p5en.48xlarge": 3,
        "p6-b200.48xlarge": 4,
        "p6-b300.48xlarge": 4,
        "p6e-gb200.36xlarge": 3,
    }
