"""EC2 can launch every layout of every instance type.

Written out here rather than through ``config.catalog.network.layouts``, so that a fault there does not
hide one here.
"""

from collections import Counter

import pytest

from config.catalog import InstanceType, InterfaceType, Layout, catalog
from tests.tables import each_row

TYPES = list(catalog().instances.values())
LAYOUTS = [(machine, layout) for machine in TYPES for layout in machine.layouts.values()]
EFA = {InterfaceType.EFA, InterfaceType.EFA_ONLY}

every_type = each_row("machine", TYPES)
every_layout = each_row("machine, layout", LAYOUTS)


def efa_per_card(layout: Layout) -> Counter[int]:
    return Counter(i.network_card_index for i in layout.interfaces if i.interface_type in EFA)


@every_layout
def test_every_interface_is_on_a_card_that_exists_and_takes_its_kind(
    machine: InstanceType, layout: Layout
) -> None:
    cards = {card.index: card for card in machine.cards}
    for interface in layout.interfaces:
        assert interface.network_card_index in cards
        assert interface.interface_type in cards[interface.network_card_index].supports


@every_layout
def test_no_card_carries_more_interfaces_than_it_takes(machine: InstanceType, layout: Layout) -> None:
    used = Counter(i.network_card_index for i in layout.interfaces)
    assert all(used[card.index] <= card.max_interfaces for card in machine.cards)


@every_layout
def test_ec2_03_eks_01_device_index_is_0_or_1_and_never_grows_with_the_card(
    machine: InstanceType, layout: Layout
) -> None:
    cards = {card.index: card for card in machine.cards}
    for interface in layout.interfaces:
        assert interface.device_index in (0, 1)
        assert interface.device_index < cards[interface.network_card_index].max_interfaces


@every_layout
def test_slurm_13_each_efa_has_a_network_card_of_its_own(machine: InstanceType, layout: Layout) -> None:
    assert max(efa_per_card(layout).values(), default=0) <= 1
    assert layout.efa_count == sum(efa_per_card(layout).values()) <= machine.max_efa


@every_layout
def test_the_primary_interface_is_card_0_device_0_and_has_an_address(
    machine: InstanceType, layout: Layout
) -> None:
    places = [(i.network_card_index, i.device_index) for i in layout.interfaces]
    assert len(places) == len(set(places))
    assert places[0] == (0, 0)
    assert layout.interfaces[0].interface_type is not InterfaceType.EFA_ONLY


def ena_gbps_of(machine: InstanceType, layout: Layout) -> float | None:
    """Return the IP bandwidth of a layout, limited by the instance; None if a value is not known."""
    used = {i.network_card_index for i in layout.interfaces if i.interface_type.has_address}
    figures = [card.ena_gbps_max for card in machine.cards if card.index in used]
    known = [figure for figure in figures if figure is not None]
    if len(known) < len(figures):
        return None
    return sum(known) if machine.ena_gbps is None else min(sum(known), machine.ena_gbps)


@every_layout
def test_the_cards_give_the_bandwidth_that_the_source_states(machine: InstanceType, layout: Layout) -> None:
    if layout.efa_gbps is not None:
        assert machine.efa_gbps_of(layout) == layout.efa_gbps
    if layout.ena_gbps is not None:
        assert ena_gbps_of(machine, layout) == layout.ena_gbps


@every_layout
def test_every_layout_says_how_sure_it_is_and_why(machine: InstanceType, layout: Layout) -> None:
    assert layout.confidence in ("high", "medium")
    assert layout.source


@every_type
def test_the_cards_add_up_to_the_maximum_of_the_api(machine: InstanceType) -> None:
    assert [card.index for card in machine.cards] == list(range(len(machine.cards)))
    assert sum(card.max_interfaces for card in machine.cards) == machine.max_interfaces
    assert sum(bool(card.supports & EFA) for card in machine.cards) == machine.max_efa


@every_type
def test_ip_saving_uses_all_useful_efa_bandwidth_and_one_address(machine: InstanceType) -> None:
    layout = machine.layouts["ip-saving"]
    assert layout.addresses == 1
    assert machine.efa_gbps_of(layout) == machine.efa_gbps


@every_type
def test_max_ena_is_there_or_its_absence_has_a_reason(machine: InstanceType) -> None:
    assert ("max-ena" in machine.layouts) != bool(machine.layouts_absent.get("max-ena"))
    if "max-ena" in machine.layouts:
        most = ena_gbps_of(machine, machine.layouts["max-ena"])
        assert machine.ena_gbps in (None, most)
        assert machine.layouts["max-ena"].efa_count == machine.layouts["ip-saving"].efa_count


@pytest.mark.parametrize("name", ["p6-b300.48xlarge", "p6e-gb200.36xlarge"])
def test_slurm_01_card_0_of_p6_b300_and_gb200_takes_no_efa(name: str) -> None:
    machine = catalog().instances[name]
    assert machine.cards[0].supports == {InterfaceType.INTERFACE}
    for layout in machine.layouts.values():
        assert [i.interface_type for i in layout.interfaces if i.network_card_index == 0] == ["interface"]


def test_slurm_01_all_16_efa_of_p6_b300_are_on_cards_1_to_16() -> None:
    for layout in catalog().instances["p6-b300.48xlarge"].layouts.values():
        assert sorted(efa_per_card(layout)) == list(range(1, 17))


def test_slurm_02_odd_cards_of_gb200_take_one_efa_only_at_device_0() -> None:
    machine = catalog().instances["p6e-gb200.36xlarge"]
    for card in machine.cards[1::2]:
        assert card.supports == {InterfaceType.EFA_ONLY}
        assert card.max_interfaces == 1
    for card in machine.cards[2::2]:
        assert card.supports == set(InterfaceType)
        assert card.max_interfaces == 2


def test_slurm_02_gb200_uses_4_cards_of_400_or_8_of_200() -> None:
    layouts = catalog().instances["p6e-gb200.36xlarge"].layouts
    assert sorted(efa_per_card(layouts["ip-saving"])) == [1, 5, 9, 13]
    assert sorted(efa_per_card(layouts["efa-8x200"])) == [1, 3, 5, 7, 9, 11, 13, 15]
    assert set(layouts) == {"ip-saving", "efa-8x200"}


def test_slurm_02_gb200_pairs_share_cards_that_exist() -> None:
    cards = catalog().instances["p6e-gb200.36xlarge"].cards
    assert Counter(card.nic_pair for card in cards[1:]) == {(n, n + 1): 2 for n in range(1, 17, 2)}
    assert Counter(card.gpu_pair for card in cards if card.gpu_pair) == {(n, n + 2): 2 for n in (1, 5, 9, 13)}


def test_eks_02_the_primary_is_a_plain_interface_except_in_the_all_efa_layout() -> None:
    for machine in TYPES:
        for layout in machine.layouts.values():
            plain = layout.interfaces[0].interface_type is InterfaceType.INTERFACE
            assert plain or layout.name == "all-efa"


def test_ec2_15_types_without_a_public_layout_are_named_with_their_reason_and_not_offered() -> None:
    unlaid = catalog().unlaid
    assert {"p6e-gb300.36xlarge", "p6e-gb300r.36xlarge", "p6e-gb200.72xlarge"} <= set(unlaid)
    assert not set(unlaid) & set(catalog().instances)
    assert all(row.reason and row.sources for row in unlaid.values())


def test_ec2_09_p6_shows_two_rdma_devices_that_are_not_efa() -> None:
    shown = {t.name: t.non_efa_rdma_devices for t in TYPES if t.non_efa_rdma_devices}
    assert shown == {"p6-b200.48xlarge": 2, "p6-b300.48xlarge": 2}
