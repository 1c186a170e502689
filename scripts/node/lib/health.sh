# shellcheck shell=bash
# State of a node's file systems, as files for users and for Prometheus.

HEALTH=$STATE/health
# shellcheck disable=SC2034 # slurm.sh reads it
DRAIN_REASON="ultracluster storage:"
# shellcheck disable=SC2034 # check.sh reads it
NO_ANSWER="no Lustre file system answers"

# report_health NAME STATE REASON: write the state: ok, degraded (works, but slower), failed or unknown
report_health() {
  local reason=${3//[\"\\]/}
  write_file "$HEALTH/lustre-$1.json" 0644 <<JSON || true
{"check": "lustre", "file_system": "$1", "state": "$2", "reason": "$reason", "time": "$(now)"}
JSON
  case $2 in
    ok) say "file system $1 is healthy" ;;
    *) warn "file system $1: $reason" ;;
  esac
}

# forget_health NAME: remove the state of a file system that is not mounted
forget_health() { rm --force "$HEALTH/lustre-$1.json"; }

# forget_others: remove the states of file systems that the cluster no longer has
forget_others() {
  local file name
  for file in "$HEALTH"/lustre-*.json; do
    name=${file##*/lustre-}
    name=${name%.json}
    [[ $'\n'$LUSTRE_FILE_SYSTEMS == *$'\n'"$name "* ]] || forget_health "$name"
  done
}

health_states() {
  local file
  for file in "$HEALTH"/lustre-*.json; do
    [[ ! -f $file ]] || sed --regexp-extended 's/.*"file_system": "([^"]*)", "state": "([^"]*)", "reason": "([^"]*)".*/\1 \2 \3/' "$file"
  done
}

metric_line() {
  local value=0
  case $2 in
    ok) value=1 ;;
    unknown) value=-1 ;;
  esac
  printf 'ultracluster_lustre_healthy{file_system="%s",state="%s"} %d\n' "$1" "$2" "$value"
}

# write_metrics: for the textfile collector of node_exporter
write_metrics() {
  write_file "$ROOT/var/lib/node_exporter/textfile_collector/ultracluster_storage.prom" 0644 <<METRICS || true
# HELP ultracluster_lustre_healthy 1: the file system answers, over EFA if it should; 0: it does not; -1: unknown.
# TYPE ultracluster_lustre_healthy gauge
$(each_line "$(health_states)" metric_line)
# HELP ultracluster_lustre_efa_interfaces Number of EFA interfaces of LNet, attached and expected.
# TYPE ultracluster_lustre_efa_interfaces gauge
ultracluster_lustre_efa_interfaces{kind="attached"} $(lnet_attached)
ultracluster_lustre_efa_interfaces{kind="wanted"} $LNET_WANTED
# HELP ultracluster_storage_check_time_seconds Time of the last storage check.
# TYPE ultracluster_storage_check_time_seconds gauge
ultracluster_storage_check_time_seconds $(printf '%(%s)T' -1)
METRICS
}
