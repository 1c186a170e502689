# shellcheck shell=bash
# Local NVMe: the volume that a service of the AMI creates, and its directories. A second RAID on the same disks would
# destroy it, and writing before it is mounted fills the root volume (awsome-distributed-ai #427). A reboot can format
# it again, so the directories are created at every boot.

NVME=$ROOT/opt/dlami/nvme
EBS=$ROOT/opt/sagemaker

nvme_service_done() {
  [[ $(systemctl show dlami-nvme.service --property=ActiveState --value) == active ]] &&
    [[ $(systemctl show dlami-nvme.service --property=ExecMainStatus --value) == 0 ]]
}

nvme_has_disks() { compgen -G "$ROOT/dev/disk/by-id/*NVMe_Instance_Storage*" >/dev/null; }

# prepare_nvme: true if the volume is mounted; a failure only makes the node slower
prepare_nvme() {
  [[ $LOCAL_NVME == dlami-nvme ]] || return 1
  if ! nvme_has_disks; then
    say "this node has no local NVMe disks"
    return 1
  fi
  if ! wait_for 120 nvme_service_done || ! mountpoint --quiet "$NVME"; then
    warn "dlami-nvme.service has not mounted $NVME: caches are not on local NVMe"
    return 1
  fi
  if ! install --directory --mode=1777 "$NVME/cache" "$NVME/tmp"; then
    warn "$NVME is not writable"
    return 1
  fi
  say "local NVMe is ready at $NVME"
}

# container_base: the volume for container data, in the same order for every runtime (STORAGE-22): local NVMe, or the
# second EBS volume, or none, so that every runtime keeps its default location
container_base() {
  if [[ $1 == ready ]]; then
    printf '%s\n' "$NVME"
  elif mountpoint --quiet "$EBS"; then
    printf '%s\n' "$EBS"
  fi
}

# at_boot_disks: prepare local NVMe and move container data to the best volume; disks of other programs are not changed
at_boot_disks() {
  local nvme=absent base
  [[ $LOCAL_NVME != other ]] || return 0
  ! prepare_nvme || nvme=ready
  [[ $NVME_CONTAINERS == true ]] || nvme=left
  base=$(container_base "$nvme")
  say "container data is on ${base:-the root volume}"
  if [[ $CONTAINERS == kubernetes ]]; then
    bind_kubernetes "$base"
  else
    configure_docker "$base"
    configure_enroot "$base"
  fi
}
