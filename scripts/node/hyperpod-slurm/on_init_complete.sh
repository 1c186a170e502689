#!/usr/bin/env bash
# Runs as root on every HyperPod node, after the service has configured Slurm and the mounts (extended mode).
# A non-zero exit keeps the node out of the cluster; the output goes to the node's lifecycle log stream.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/settings.env"

say() { printf '%s ultracluster: %s\n' "$(date --utc +%FT%TZ)" "$*"; }

fail() {
  say "error: $*" >&2
  exit 1
}

# wait_for SECONDS COMMAND...: true as soon as the command succeeds; ULTRACLUSTER_WAIT_S shortens every wait
wait_for() {
  local deadline=$((SECONDS + ${ULTRACLUSTER_WAIT_S:-$1}))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 5
  done
}

nvme_service_done() {
  [[ $(systemctl show dlami-nvme.service --property=ActiveState --value) == active ]] &&
    [[ $(systemctl show dlami-nvme.service --property=ExecMainStatus --value) == 0 ]]
}

# Caches go to the local NVMe volume that the AMI's own service prepares; a second RAID over its disks would
# destroy it, and writing before it is mounted fills the root volume (awsome-distributed-ai #427).
prepare_local_nvme() {
  if [[ $LOCAL_NVME_RAID != 0 ]] || ! systemctl cat dlami-nvme.service >/dev/null 2>&1; then
    say "no local NVMe volume is asked for or prepared by this image"
    return
  fi
  wait_for 120 nvme_service_done || fail "dlami-nvme.service did not finish within 120 s"
  if ! mountpoint --quiet /opt/dlami/nvme; then
    say "this node has no local NVMe disks"
    return
  fi
  install --directory --mode=1777 /opt/dlami/nvme/cache /opt/dlami/nvme/tmp
  say "local NVMe is ready at /opt/dlami/nvme"
}

check_lustre_mount() {
  [[ -n $LUSTRE_MOUNT_PATH ]] || return 0
  # the first access starts an automount
  wait_for 300 stat --file-system --format=%T "$LUSTRE_MOUNT_PATH" >/dev/null 2>&1 ||
    fail "$LUSTRE_MOUNT_PATH cannot be read"
  wait_for 60 mountpoint --quiet "$LUSTRE_MOUNT_PATH" || fail "$LUSTRE_MOUNT_PATH is not mounted"
  say "Lustre is mounted at $LUSTRE_MOUNT_PATH"
}

# Checkpoints are few large files: spread each over all servers. A layout holds for new files only.
stripe_checkpoints() {
  systemctl is-active --quiet slurmctld || return 0 # the controller does it once for the cluster
  local directory
  for directory in $LUSTRE_STRIPED_PATHS; do
    wait_for 60 test -d "$directory" || fail "$directory does not exist on the file system"
    lfs setstripe --stripe-count -1 --stripe-size 16M "$directory"
    say "$directory is striped over all servers"
  done
}

prepare_local_nvme
check_lustre_mount
stripe_checkpoints
say "node is ready"
