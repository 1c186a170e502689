# shellcheck shell=bash
# Lustre network (LNet) over EFA. Only bulk data uses EFA, and a client without EFA uses TCP without an error. The
# Lustre modules read the distribution of cores to interfaces when they load: if they load too early, only few
# interfaces attach.

LNET_SERVICE=configure-efa-fsx-lustre-client.service
LNET_PROGRAM=/usr/local/sbin/configure-efa-fsx-lustre-client.py
LNET_SETUP=/etc/eks/configure-efa-fsx-lustre-client/setup.sh

lustre_is_loaded() { [[ -d $ROOT/sys/module/lustre ]]; }

# lnet_attached: number of EFA interfaces of LNet
lnet_attached() { lnetctl net show --net efa 2>/dev/null | grep --count '@efa' || true; }

has_efa_file_system() { [[ $'\n'$LUSTRE_FILE_SYSTEMS == *$'\n'*' efa '* ]]; }

# lnet_wanted: number of interfaces that this node should have; 0 without an EFA file system. For an instance type in
# the table, the number does not depend on the devices, because a node without the driver has no device. Other types
# have the number of AWS's program (https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html).
lnet_wanted() {
  local devices stated
  devices=$(wc --words <<<"$EFA_DEVICES")
  stated=$(lookup "$LUSTRE_EFA_INTERFACES" "$MACHINE_TYPE")
  if ! has_efa_file_system; then
    echo 0
  else
    echo "${stated:-$((devices > 1 ? 2 : devices))}"
  fi
}

no_efa_device() { echo "the node has no EFA device, but $MACHINE_TYPE should have $LNET_WANTED for Lustre (check with lsmod that the driver efa is loaded)"; }

# lnet_for_gds: whether GPUDirect Storage is requested and possible
lnet_for_gds() {
  [[ " $LUSTRE_GDS_TYPES " == *" $MACHINE_TYPE "* ]] || return 1
  [[ -d $ROOT/proc/driver/nvidia-fs ]] || {
    warn "the nvidia-fs driver is not loaded: GPUDirect Storage is not available"
    return 1
  }
}

# spread COUNT: select this many lines of standard input, or all, evenly distributed over the network cards
spread() { sort --version-sort | awk -v want="$1" '{line[NR] = $0} END {if (want > NR) want = NR; for (i = 0; i < want; i++) print line[int(i * NR / want) + 1]}'; }

# run_lnet_service: run AWS's program, as a service or from its package. Its exit status is ignored, because it can fail
# after it has added the interfaces; the interfaces are counted instead.
run_lnet_service() {
  local arguments=()
  ! lnet_for_gds || arguments=(--optimized-for-gds)
  if systemctl cat "$LNET_SERVICE" >/dev/null 2>&1; then
    lnet_service_settings "${arguments[@]}"
    systemctl enable "$LNET_SERVICE" || true
    systemctl restart "$LNET_SERVICE" || true
  elif [[ -x $ROOT$LNET_SETUP ]]; then
    "$ROOT$LNET_SETUP" "${arguments[@]}" || true
    lnet_service_settings
  fi
}

# lnet_service_settings [OPTION]: add retries to the unit, because it requests instance metadata once, and at boot the
# request can fail (awsome-distributed-ai PR #1204)
lnet_service_settings() {
  local change=${1:+"ExecStart=
ExecStart=/usr/bin/python3 $LNET_PROGRAM $1"}
  write_file "$ROOT/etc/systemd/system/$LNET_SERVICE.d/ultracluster.conf" 0644 <<UNIT || return 0
[Unit]
StartLimitIntervalSec=600
StartLimitBurst=20

[Service]
Restart=on-failure
RestartSec=10
$change
UNIT
  systemctl daemon-reload
}

# add_lnet_interfaces COUNT: add the interfaces with lnetctl, if the AMI has no such service; Lustre is loaded last
# (https://docs.aws.amazon.com/eks/latest/userguide/fsx-csi-tuning-efa.html)
add_lnet_interfaces() {
  local primary device
  primary=$(ip -oneline -4 route show default | awk '{for (i = 1; i < NF; i++) if ($i == "dev") {print $(i + 1); exit}}')
  modprobe lnet || return 0
  modprobe kefalnd "ipif_name=$primary" || return 0
  modprobe ksocklnd || return 0
  lnetctl lnet configure || true
  if ! lnetctl net show --net tcp 2>/dev/null | grep --quiet '@tcp'; then
    lnetctl net add --net tcp --if "$primary" || true
  fi
  while read -r -u 4 device; do
    lnetctl net add --net efa --if "$device" --peer-credits 32 || warn "$device could not be added to LNet"
  done 4< <(spread "$1" <<<"$EFA_DEVICES")
  lnetctl set discovery 1 || true
  lnetctl udsp add --src efa --priority 0 || true
  modprobe lustre || true
}

# unload_lustre: unload the modules, so that they load again with their options; a node that has just booted has no jobs
unload_lustre() {
  lustre_is_loaded || return 0
  say "Lustre was loaded before LNet had EFA interfaces: reloading its modules"
  if ! umount --all --types lustre || ! lustre_rmmod; then
    warn "Lustre is in use: LNet may have too few EFA interfaces until the next reboot"
  fi
}

lustre_mounts() { awk '$3 == "lustre" {print $1, $2}' "$ROOT/proc/mounts" 2>/dev/null || true; }

# remount_lustre DEVICE PATH: mount the file system again, unless its automount has already done so
remount_lustre() {
  lustre_answers "$2" || mount -t lustre -o "$LUSTRE_MOUNT_OPTIONS" "$1" "$2" || warn "$2 could not be mounted again"
}

# install_client: install the Lustre tools from the AMI's package repository, if the AMI does not have them. Amazon
# Linux 2023 locks the repository to the AMI's release, so that the same AMI gets the same package
# (https://docs.aws.amazon.com/linux/al2023/ug/deterministic-upgrades.html)
install_client() {
  [[ -n $LUSTRE_PACKAGE ]] && installed dnf || return 0
  local attempt
  for attempt in 1 2 3; do
    ! dnf install --assumeyes --quiet "$LUSTRE_PACKAGE" || return 0
    sleep $((attempt * 10))
  done
  warn "$LUSTRE_PACKAGE could not be installed"
}

# configure_lnet: add EFA interfaces to LNet, if the node and a file system have EFA
configure_lnet() {
  local attached mounts
  ((LNET_WANTED > 0)) || return 0
  if [[ -z $EFA_DEVICES ]]; then
    warn "$(no_efa_device)"
    return 0
  fi
  installed lnetctl || install_client
  if ! installed lnetctl; then
    warn "lnetctl is not installed: Lustre uses TCP on this node (install the package lustre-client)"
    return 0
  fi
  if (($(lnet_attached) == 0)); then
    mounts=$(lustre_mounts)
    unload_lustre
    run_lnet_service
    (($(lnet_attached) > 0)) || add_lnet_interfaces "$LNET_WANTED"
    each_line "$mounts" remount_lustre
  fi
  attached=$(lnet_attached)
  say "LNet has $attached of $LNET_WANTED EFA interfaces"
}
