# shellcheck shell=bash
# systemd units for the steps of every boot; HyperPod and PCS run their scripts only at the first boot.

SCRIPTS=$ROOT/opt/ultracluster

# write_unit NAME: write standard input to a unit
write_unit() { write_file "$ROOT/etc/systemd/system/$1" 0644 || true; }

# boot_unit NAME WHAT ORDER [STEP...]: a unit for steps of boot.sh, which never stop the node from booting
boot_unit() {
  write_unit "ultracluster-$1.service" <<UNIT
[Unit]
Description=ultracluster: $2
$3

[Service]
Type=oneshot
RemainAfterExit=yes
$(printf 'ExecStart=-/bin/bash /opt/ultracluster/boot.sh %s\n' "$1" "${@:4}")

[Install]
WantedBy=multi-user.target
UNIT
}

# keep_scripts FOLDER: copy the bundle to a permanent folder
keep_scripts() {
  local name
  mkdir --parents "$SCRIPTS"
  for name in library.sh boot.sh settings.env; do
    cp --force "$1/$name" "$SCRIPTS/$name"
  done
  for name in prolog.sh epilog.sh; do
    [[ ! -f $1/$name ]] || install -D --mode=0755 "$1/$name" "$SCRIPTS/slurm/$name"
  done
  write_file "$ROOT/usr/local/sbin/ultracluster-storage-check" 0755 <<'PROGRAM' || true
#!/usr/bin/env bash
# Checks this node's file systems now and prints the result. The exit status is 1 if one failed.
exec /bin/bash /opt/ultracluster/boot.sh check
PROGRAM
}

# pod_units: pods mount file systems when they start, so a timer tunes new mounts
pod_units() {
  write_unit ultracluster-storage-tune.service <<'UNIT'
[Unit]
Description=ultracluster: tuning of file systems that pods mount

[Service]
Type=oneshot
TimeoutStartSec=10min
ExecStart=/bin/bash /opt/ultracluster/boot.sh tune
UNIT
  write_unit ultracluster-storage-tune.timer <<'UNIT'
[Unit]
Description=ultracluster: tuning of file systems that pods mount, every three minutes

[Timer]
OnBootSec=3min
OnUnitActiveSec=3min

[Install]
WantedBy=timers.target
UNIT
  systemctl enable --now ultracluster-storage-tune.timer || warn "file systems that pods mount are not tuned"
}

# slurm_units: slurmd starts after the GPUs are available, and a timer checks the node with or without jobs
slurm_units() {
  boot_unit gpus "GPUs are available before slurmd starts" "After=nvidia-persistenced.service nvidia-fabricmanager.service
Before=slurmd.service"
  write_unit ultracluster-health.service <<'UNIT'
[Unit]
Description=ultracluster: check of GPUs, EFA devices and file systems
After=ultracluster-mounts.service

[Service]
Type=oneshot
TimeoutStartSec=30min
ExecStart=/bin/bash /opt/ultracluster/boot.sh health
SuccessExitStatus=1
UNIT
  write_unit ultracluster-health.timer <<'UNIT'
[Unit]
Description=ultracluster: check of this node every five minutes

[Timer]
OnBootSec=2min
OnUnitActiveSec=5min
RandomizedDelaySec=1min

[Install]
WantedBy=timers.target
UNIT
  write_file "$ROOT/usr/local/sbin/ultracluster-node-check" 0755 <<'PROGRAM' || true
#!/usr/bin/env bash
# Checks this node's GPUs, EFA devices and file systems now and prints the result. The exit status is 1 if it cannot run
# jobs.
exec /bin/bash /opt/ultracluster/boot.sh job
PROGRAM
}

# install_units FOLDER
install_units() {
  keep_scripts "$1"
  boot_unit disks "directories on local disks" "After=dlami-nvme.service local-fs.target
Before=docker.service containerd.service kubelet.service slurmd.service"
  boot_unit lnet "Lustre network over EFA" "Wants=network-online.target remote-fs-pre.target
After=network-online.target $LNET_SERVICE
Before=remote-fs-pre.target kubelet.service"
  # slurmd starts even if a mount failed, so the node is drained before
  boot_unit mounts "mounts, tuning and check of file systems" "Wants=network-online.target
After=ultracluster-lnet.service network-online.target
Before=slurmd.service" check
  write_unit ultracluster-storage-check.service <<'UNIT'
[Unit]
Description=ultracluster: check of file systems and their use of EFA
After=ultracluster-mounts.service

[Service]
Type=oneshot
TimeoutStartSec=30min
ExecStart=/bin/bash /opt/ultracluster/boot.sh check
UNIT
  write_unit ultracluster-storage-check.timer <<'UNIT'
[Unit]
Description=ultracluster: check of file systems every hour

[Timer]
OnBootSec=5min
OnUnitActiveSec=1h
RandomizedDelaySec=10min

[Install]
WantedBy=timers.target
UNIT
  if [[ $CONTAINERS == kubernetes ]]; then pod_units; else slurm_units; fi
  systemctl daemon-reload
  systemctl enable ultracluster-disks.service ultracluster-lnet.service ultracluster-mounts.service || warn "units are not enabled"
  systemctl enable --now ultracluster-storage-check.timer || warn "storage is not checked every hour"
  [[ $CONTAINERS == kubernetes ]] || systemctl enable ultracluster-gpus.service || warn "slurmd does not wait for GPUs"
  [[ $CONTAINERS == kubernetes ]] || systemctl enable --now ultracluster-health.timer || warn "the node is not checked every five minutes"
}
