# shellcheck shell=bash
# Installation of the metrics scripts and their timers.

METRICS_FILES="metrics.sh metrics-library.sh metrics-settings.env prometheus.yml fsx.yaml"

# install_collection FOLDER: a service downloads the programs, so that the node does not wait for them
install_collection() {
  local name file
  for name in $METRICS_FILES; do
    [[ ! -f $1/$name ]] || cp --force "$1/$name" "$SCRIPTS/$name"
  done
  for file in "$1"/dcgm-*.csv; do
    [[ ! -f $file ]] || cp --force "$file" "$SCRIPTS/${file##*/}"
  done
  metrics_unit files "metrics files for node_exporter" "OnBootSec=30s
OnUnitActiveSec=${METRICS_INTERVAL_S}s
AccuracySec=1s"
  [[ $METRICS_AGENT != true ]] || metrics_unit keep "exporters and Prometheus agent" "OnBootSec=1min
OnUnitActiveSec=5min
RandomizedDelaySec=30s"
  systemctl daemon-reload
  systemctl enable --now ultracluster-metrics-files.timer || warn "metrics of EFA and of the kernel log are not written"
  [[ $METRICS_AGENT == true ]] || return 0
  systemctl enable --now ultracluster-metrics-keep.timer || warn "exporters do not run"
  systemctl start --no-block ultracluster-metrics-keep.service || warn "exporters are started later"
}

# metrics_unit STEP WORDS TIMER: the service logs only warnings, because it runs many times per hour
metrics_unit() {
  write_unit "ultracluster-metrics-$1.service" <<UNIT
[Unit]
Description=ultracluster: $2
After=network-online.target

[Service]
Type=oneshot
TimeoutStartSec=30min
ExecStart=-/bin/bash /opt/ultracluster/metrics.sh $1
Nice=10
CPUWeight=10
IOSchedulingClass=idle
MemoryMax=512M
SyslogLevel=notice
LogLevelMax=notice
UNIT
  write_unit "ultracluster-metrics-$1.timer" <<UNIT
[Unit]
Description=ultracluster: $2

[Timer]
$3

[Install]
WantedBy=timers.target
UNIT
}
