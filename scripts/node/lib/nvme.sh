# shellcheck shell=bash
# Local NVMe: the volume that the image's own service makes, and what lies on it. A second RAID over its disks would
# destroy it, and writing before it is mounted fills the root volume (awsome-distributed-ai #427). A reboot may have
# formatted it anew, so the directories are made at every boot.

NVME=$ROOT/opt/dlami/nvme
EBS=$ROOT/opt/sagemaker

nvme_service_done() {
  [[ $(systemctl show dlami-nvme.service --property=ActiveState --value) == active ]] &&
    [[ $(systemctl show dlami-nvme.service --property=ExecMainStatus --value) == 0 ]]
}

nvme_has_disks() { compgen -G "$ROOT/dev/disk/by-id/*NVMe_Instance_Storage*" >/dev/null; }

# prepare_nvme: true where the volume is there; every failure is a slower node, not a missing one
prepare_nvme() {
  [[ $LOCAL_NVME == dlami-nvme ]] || return 1
  if ! nvme_has_disks; then
    say "this node has no local NVMe disks"
    return 1
  fi
  if ! wait_for 120 nvme_service_done || ! mountpoint --quiet "$NVME"; then
    warn "dlami-nvme.service has not mounted $NVME: caches stay elsewhere"
    return 1
  fi
  if ! install --directory --mode=1777 "$NVME/cache" "$NVME/tmp"; then
    warn "$NVME cannot be written"
    return 1
  fi
  say "local NVMe is ready at $NVME"
}

# container_base: where container data goes, in one order for every runtime (STORAGE-22): local NVMe, then the
# secondary EBS volume, then nowhere, which leaves every runtime where its package put it
container_base() {
  if [[ $1 == ready ]]; then
    printf '%s\n' "$NVME"
  elif mountpoint --quiet "$EBS"; then
    printf '%s\n' "$EBS"
  fi
}

# at_boot_disks: the volume, and container data on the best one; local disks that another program owns are left to it
at_boot_disks() {
  local nvme=absent base
  [[ $LOCAL_NVME != other ]] || return 0
  ! prepare_nvme || nvme=ready
  [[ $NVME_CONTAINERS == true ]] || nvme=left
  base=$(container_base "$nvme")
  say "container data goes to ${base:-the root volume}"
  if [[ $CONTAINERS == kubernetes ]]; then
    bind_kubernetes "$base"
  else
    configure_docker "$base"
    configure_enroot "$base"
  fi
}
