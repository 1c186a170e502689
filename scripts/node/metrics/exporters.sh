# shellcheck shell=bash
# Exporters of a node as systemd services. They listen on the node's loopback address only, and have few threads, a low
# weight and a memory limit, so that they do not slow jobs down.

# service NAME MEMORY_MIB OPTIONS COMMAND: true if the unit is new or changed
service() {
  local name=ultracluster-$1.service
  write_file "$ROOT/etc/systemd/system/$name" 0644 <<UNIT || return 1
[Unit]
Description=ultracluster: metrics ($1)
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=$4
$3
Environment=GOMAXPROCS=2 GOMEMLIMIT=$(($2 * 9 / 10))MiB
Restart=always
RestartSec=30
Nice=10
CPUWeight=10
IOSchedulingClass=idle
MemoryMax=${2}M
TasksMax=256
OOMScoreAdjust=500
NoNewPrivileges=true
ProtectHome=true
LogRateLimitIntervalSec=1min
LogRateLimitBurst=200

[Install]
WantedBy=multi-user.target
UNIT
}

# run_service NAME MEMORY_MIB OPTIONS COMMAND: write, enable and start the service; restart it if the unit changed, or
# if PROGRAM_IS_NEW is true
run_service() {
  local changed=${PROGRAM_IS_NEW:-false}
  ! service "$@" || changed=true
  if $changed; then
    systemctl daemon-reload
    systemctl enable "ultracluster-$1.service" || warn "$1 does not start at boot"
    systemctl restart "ultracluster-$1.service" || warn "$1 does not start"
  else
    systemctl is-active --quiet "ultracluster-$1.service" || systemctl start "ultracluster-$1.service" || warn "$1 does not start"
  fi
}

# end_service NAME: remove a service that runs on another node now
end_service() {
  [[ -f $ROOT/etc/systemd/system/ultracluster-$1.service ]] || return 0
  systemctl disable --now "ultracluster-$1.service" || true
  rm --force "$ROOT/etc/systemd/system/ultracluster-$1.service"
  systemctl daemon-reload
}

# with_program NAME PROGRAM COMMAND...: run the command if the program is installed; PROGRAM_IS_NEW is true if it is new
with_program() {
  local before PROGRAM_IS_NEW=false
  before=$(cat "$PROGRAMS/$2.from" 2>/dev/null || true)
  fetch_program "$1" "$2" || return 0
  [[ $before == "$(<"$PROGRAMS/$2.from")" ]] || PROGRAM_IS_NEW=true
  "${@:3}"
}

# Network file systems are excluded: queries from every node would add load, and a file system that does not answer
# would block the exporter. The InfiniBand collector is excluded because it does not have EFA counters (OBS-17).
node_exporter() {
  run_service node-exporter 256 DynamicUser=true "/opt/ultracluster/bin/node_exporter \\
  --web.listen-address=127.0.0.1:9100 \\
  --collector.disable-defaults \\
  --collector.cpu --collector.diskstats --collector.edac --collector.filesystem \\
  --collector.loadavg --collector.meminfo --collector.netdev --collector.netstat --collector.nvme \\
  --collector.pressure --collector.stat --collector.textfile --collector.time --collector.uname \\
  --collector.vmstat \\
  --no-collector.cpu.guest \\
  --collector.filesystem.fs-types-exclude=^(autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|efivarfs|fuse.*|fusectl|hugetlbfs|lustre|mqueue|nfs4?|nsfs|overlay|proc|pstore|ramfs|securityfs|squashfs|sysfs|tmpfs|tracefs)\$\$ \\
  --collector.netdev.device-exclude=^(lo|veth.*|docker.*|br-.*)\$\$ \\
  --collector.textfile.directory=/var/lib/node_exporter/textfile_collector"
}

# The exporter runs Slurm's commands, as a user that exists on every node. Collectors with one series per user or per
# node are disabled: they would create too many series, and node_exporter already has the series of each node.
slurm_exporter() {
  run_service slurm-exporter 256 "User=daemon
Environment=PATH=$PATH" "/opt/ultracluster/bin/slurm_exporter \\
  --web.listen-address=127.0.0.1:9341 --command.timeout=20s --no-collector.users --no-collector.accounts \\
  --no-collector.fairshare --no-collector.licenses --no-collector.node --no-collector.queue.user-label \\
  --no-collector.nodes.feature-set --web.disable-exporter-metrics"
}

fsx_exporter() {
  run_service fsx-exporter 256 "DynamicUser=true
Environment=AWS_REGION=$NODE_REGION" "/opt/ultracluster/bin/yace \\
  --config.file=/opt/ultracluster/fsx.yaml --listen-address=127.0.0.1:5000 --scraping-interval=300"
}
