# shellcheck shell=bash
# What is wrong with a node's storage, for people and for Prometheus.

HEALTH=$STATE/health
# shellcheck disable=SC2034 # what tells Slurm reads it
DRAIN_REASON="ultracluster storage:"
# shellcheck disable=SC2034 # and the check
NO_ANSWER="no Lustre file system answers"

# report_health NAME STATE REASON: ok, degraded (slower, but as it should be otherwise), failed or unknown
report_health() {
  local reason=${3//[\"\\]/}
  write_file "$HEALTH/lustre-$1.json" 0644 <<JSON || true
{"check": "lustre", "file_system": "$1", "state": "$2", "reason": "$reason", "time": "$(now)"}
JSON
  case $2 in
    ok) say "file system $1 is well" ;;
    *) warn "file system $1: $reason" ;;
  esac
}

# forget_health NAME: what is not there has no state
forget_health() { rm --force "$HEALTH/lustre-$1.json"; }

# forget_others: states of file systems that the cluster has no more
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
# HELP ultracluster_lustre_healthy 1: the file system answers, over EFA where it should; 0: it does not; -1: unknown.
# TYPE ultracluster_lustre_healthy gauge
$(each_line "$(health_states)" metric_line)
# HELP ultracluster_lustre_efa_interfaces EFA interfaces that LNet has, and should have.
# TYPE ultracluster_lustre_efa_interfaces gauge
ultracluster_lustre_efa_interfaces{kind="attached"} $(lnet_attached)
ultracluster_lustre_efa_interfaces{kind="wanted"} $LNET_WANTED
# HELP ultracluster_storage_check_time_seconds When storage was checked last.
# TYPE ultracluster_storage_check_time_seconds gauge
ultracluster_storage_check_time_seconds $(printf '%(%s)T' -1)
METRICS
}
