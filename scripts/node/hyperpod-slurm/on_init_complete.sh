#!/usr/bin/env bash
# Runs as root on every HyperPod node, after the service has configured Slurm and the mounts (extended mode).
# A non-zero exit keeps the node out of the cluster, and a controller that stays out fails the whole creation: so
# only a file system that is not there is fatal, and everything that merely makes a node faster is a warning.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/settings.env"

# what the service sends to CloudWatch (stream LifecycleConfig/<group>/<instance>) is this file
log=${ULTRACLUSTER_LOG:-/var/log/provision/provisioning.log}
if mkdir --parents "$(dirname -- "$log")" && touch "$log"; then
  exec > >(tee --append "$log") 2>&1
fi

say() { printf '%s ultracluster: %s\n' "$(date --utc +%FT%TZ)" "$*"; }
warn() { say "warning: $*"; }

fail() {
  say "error: $*"
  sync
  sleep "${ULTRACLUSTER_WAIT_S:-60}" # the agent reads the log once more before the node is gone
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
  [[ $LOCAL_NVME_RAID == 0 ]] || return 0
  if ! compgen -G "${ULTRACLUSTER_DISKS:-/dev/disk/by-id}/*NVMe_Instance_Storage*" >/dev/null; then
    say "this node has no local NVMe disks"
    return 0
  fi
  if ! wait_for 120 nvme_service_done || ! mountpoint --quiet /opt/dlami/nvme; then
    warn "dlami-nvme.service has not mounted /opt/dlami/nvme: caches stay on the root volume"
    return 0
  fi
  if install --directory --mode=1777 /opt/dlami/nvme/cache /opt/dlami/nvme/tmp; then
    say "local NVMe is ready at /opt/dlami/nvme"
  else
    warn "/opt/dlami/nvme cannot be written"
  fi
}

# the first access starts an automount, and an access to a file system that does not answer never ends
lustre_answers() {
  [[ $(timeout 30 stat --file-system --format=%T "$LUSTRE_MOUNT_PATH" 2>/dev/null) == lustre ]]
}

check_lustre_mount() {
  [[ -n $LUSTRE_MOUNT_PATH ]] || return 0
  wait_for 300 lustre_answers || fail "no Lustre file system answers at $LUSTRE_MOUNT_PATH"
  say "Lustre is mounted at $LUSTRE_MOUNT_PATH"
}

# Checkpoints are few large files: the larger the file, the more servers share it. A layout holds for new files
# only, and is given once for the cluster, by its controller.
stripe_checkpoints() {
  systemctl is-active --quiet slurmctld || return 0
  local directory
  for directory in $LUSTRE_STRIPED_PATHS; do
    mkdir --parents "$directory" || warn "$directory could not be made"
    lfs setstripe -E 100M -c 1 -E 10G -c 8 -E -1 -c -1 "$directory" || warn "$directory keeps the default striping"
    say "$directory: $(lfs getstripe --directory "$directory" 2>/dev/null | head -n 1)"
  done
}

prepare_local_nvme
check_lustre_mount
stripe_checkpoints
say "node is ready"
