# shellcheck shell=bash
# What has to be done again at every boot, as systemd units: the scripts of a service run once in a node's life.

SCRIPTS=$ROOT/opt/ultracluster

# write_unit NAME: the text comes on standard input
write_unit() { write_file "$ROOT/etc/systemd/system/$1" 0644 || true; }

# boot_unit NAME WHAT ORDER [STEP...]: a step of boot.sh, and others after it, that never keep the node from booting
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

# keep_scripts FOLDER: the bundle where reboots find it
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
# Checks this node's file systems now, and says what it found; 1 where one failed.
exec /bin/bash /opt/ultracluster/boot.sh check
PROGRAM
}

# pod_units: pods mount when they come, and a mount has to be tuned after it is there
pod_units() {
  write_unit ultracluster-storage-tune.service <<'UNIT'
[Unit]
Description=ultracluster: values of mounts that came with pods

[Service]
Type=oneshot
TimeoutStartSec=10min
ExecStart=/bin/bash /opt/ultracluster/boot.sh tune
UNIT
  write_unit ultracluster-storage-tune.timer <<'UNIT'
[Unit]
Description=ultracluster: mounts of pods are tuned every few minutes

[Timer]
OnBootSec=3min
OnUnitActiveSec=3min

[Install]
WantedBy=timers.target
UNIT
  systemctl enable --now ultracluster-storage-tune.timer || warn "mounts of pods are not tuned"
}

# slurm_units: slurmd starts when the GPUs are there, and a node is looked at whether jobs run on it or not
slurm_units() {
  boot_unit gpus "GPUs are there before slurmd" "After=nvidia-persistenced.service nvidia-fabricmanager.service
Before=slurmd.service"
  write_unit ultracluster-health.service <<'UNIT'
[Unit]
Description=ultracluster: whether this node can run jobs
After=ultracluster-mounts.service

[Service]
Type=oneshot
TimeoutStartSec=30min
ExecStart=/bin/bash /opt/ultracluster/boot.sh health
SuccessExitStatus=1
UNIT
  write_unit ultracluster-health.timer <<'UNIT'
[Unit]
Description=ultracluster: nodes are checked every five minutes

[Timer]
OnBootSec=2min
OnUnitActiveSec=5min
RandomizedDelaySec=1min

[Install]
WantedBy=timers.target
UNIT
  write_file "$ROOT/usr/local/sbin/ultracluster-node-check" 0755 <<'PROGRAM' || true
#!/usr/bin/env bash
# Checks this node's GPUs, EFA devices and file systems now, and says what it found; 1 where it cannot run jobs.
exec /bin/bash /opt/ultracluster/boot.sh job
PROGRAM
}

# install_units FOLDER
install_units() {
  keep_scripts "$1"
  boot_unit disks "directories on local disks" "After=dlami-nvme.service local-fs.target
Before=docker.service containerd.service kubelet.service slurmd.service"
  boot_unit lnet "Lustre's network over EFA" "Wants=network-online.target remote-fs-pre.target
After=network-online.target $LNET_SERVICE
Before=remote-fs-pre.target kubelet.service"
  # slurmd starts whatever came of the mounts, so the node is drained before where one did not answer
  boot_unit mounts "file systems, their tuning and their check" "Wants=network-online.target
After=ultracluster-lnet.service network-online.target
Before=slurmd.service" check
  write_unit ultracluster-storage-check.service <<'UNIT'
[Unit]
Description=ultracluster: whether file systems answer, over EFA where they should
After=ultracluster-mounts.service

[Service]
Type=oneshot
TimeoutStartSec=30min
ExecStart=/bin/bash /opt/ultracluster/boot.sh check
UNIT
  write_unit ultracluster-storage-check.timer <<'UNIT'
[Unit]
Description=ultracluster: storage is checked every hour

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
