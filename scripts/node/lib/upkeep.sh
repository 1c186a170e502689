# shellcheck shell=bash
# Maintenance over months: rotation of logs, which could fill the root volume, and upgrades that must not restart
# services of running jobs.

# The daemons reopen their logs at SIGUSR2 (slurm.conf: "logging"). Logs that another file rotates are not changed.
LOGS="/var/log/ultracluster.log -
/var/log/slurm/slurmctld.log slurmctld
/var/log/slurm/slurmd.log slurmd
/var/log/slurm/slurmdbd.log slurmdbd
/var/log/slurmctld.log slurmctld
/var/log/slurmd.log slurmd
/var/log/slurmdbd.log slurmdbd"

log_is_rotated() {
  local file
  for file in "$ROOT"/etc/logrotate.d/*; do
    [[ ${file##*/} == ultracluster || ! -f $file ]] || ! grep --quiet --fixed-strings -e "$1" -e "${1%/*}/*" "$file" || return 0
  done
  return 1
}

# rotation_of LOG DAEMON
rotation_of() {
  ! log_is_rotated "$1" || return 0
  printf '%s {\n  daily\n  rotate 7\n  maxsize 100M\n  missingok\n  notifempty\n  compress\n  delaycompress\n  nocreate\n' "$1"
  if [[ $2 == - ]]; then
    printf '  copytruncate\n}\n'
  else
    printf '  postrotate\n    pkill --exact --signal USR2 %s || true\n  endscript\n}\n' "$2"
  fi
}

# rotate_logs: configure logrotate, if the node has it
rotate_logs() {
  [[ -d $ROOT/etc/logrotate.d ]] || return 0
  each_line "$LOGS" rotation_of | write_file "$ROOT/etc/logrotate.d/ultracluster" 0644 || true
}

# keep_services: needrestart restarts services after an upgrade; a restart of slurmd, munge or the GPU fabric would stop
# running jobs
keep_services() {
  [[ -d $ROOT/etc/needrestart ]] || return 0
  write_file "$ROOT/etc/needrestart/conf.d/90-ultracluster.conf" 0644 <<'PERL' || true
$nrconf{kernelhints} = 0;
$nrconf{override_rc}->{qr(^slurm)} = 0;
$nrconf{override_rc}->{qr(^munge)} = 0;
$nrconf{override_rc}->{qr(^nvidia-)} = 0;
$nrconf{override_rc}->{qr(^(docker|containerd)\.service$)} = 0;
PERL
}
