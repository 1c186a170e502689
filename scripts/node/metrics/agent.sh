# shellcheck shell=bash
# Prometheus agent: it reads the exporters of its own node and sends the samples. It stores up to two hours on disk
# while the receiver does not answer; older samples would be rejected.

AGENT_FOLDER=/var/lib/ultracluster-prometheus
AGENT_ROOM_MIB=2048
AGENT_CONFIG=$ROOT/opt/ultracluster/prometheus-agent.yml
AGENT_SECRET=$ROOT/opt/ultracluster/remote-write-password

# write_url: the remote write URL, from the bundle or from an SSM parameter if the workspace is created with the
# cluster. The parameter's value is cached for half an hour, and longer if it cannot be read, so that thousands of nodes
# do not read it at every run
write_url() {
  local file=$STATE/remote-write-url url
  if [[ -n $METRICS_WRITE_URL ]]; then
    printf '%s\n' "$METRICS_WRITE_URL"
    return 0
  fi
  if [[ -z $(find "$file" -mmin -30 2>/dev/null) ]] && url=$(parameter "$METRICS_WRITE_PARAMETER") &&
    [[ $url =~ ^https?://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~/-]*)?$ ]]; then
    write_file "$file" 0644 <<<"$url" || touch "$file"
  fi
  cat "$file" 2>/dev/null
}

# read_secret: print the user name, and write the password to a file for the service only; on a full disk the file does
# not change
read_secret() {
  local text
  text=$(aws secretsmanager get-secret-value --region "$NODE_REGION" --secret-id "$METRICS_SECRET" --query SecretString --output text) || return 1
  python3 - "$AGENT_SECRET" 3<<<"$text" <<'PYTHON'
import json, os, re, sys

found = json.load(os.fdopen(3))
if not re.fullmatch(r"[A-Za-z0-9._@:+/=-]+", found["username"]):
    sys.exit(1)
new = sys.argv[1] + ".new"
with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
    file.write(found["password"])
os.replace(new, sys.argv[1])
print(found["username"])
PYTHON
}

# slurmctld: its first address in Slurm's configuration
slurmctld() {
  timeout 30 scontrol show config 2>/dev/null | awk '
    $1 ~ /^SlurmctldHost(\[0\])?$/ {host = $3; if (match(host, /\([^)]*\)/)) host = substr(host, RSTART + 1, RLENGTH - 2)}
    $1 == "SlurmctldPort" {port = $3; sub(/-.*/, "", port)}
    END {if (host != "") print host ":" (port == "" ? 6817 : port)}' | grep .
}

# file_systems: a regular expression for the ids of the cluster's file systems; all ids if one is not known yet
file_systems() {
  local name id ids=''
  for name in $METRICS_FILE_SYSTEMS; do
    id=$(parameter "$name") && id=${id%%.*} && [[ $id =~ ^fs-[0-9a-f]+$ ]] || { echo '.+' && return 0; }
    ids+="|$id"
  done
  ids=${ids#|}
  printf '%s\n' "${ids:-.+}"
}

# agent_config NODE GROUP URL USER CONTROLLER FILE_SYSTEMS: the bundle's configuration with the values of this node,
# without scrape jobs for other nodes; the end of each job's line has its nodes
agent_config() {
  local gpu='#' cluster='#'
  [[ -z $(lookup "$DCGM_ARCHITECTURES" "$MACHINE_TYPE") ]] || gpu=keep
  ! reads_the_cluster "$1" || cluster=keep
  [[ $METRICS_SLURM != native || -n $5 ]] || cluster='#'
  awk -v gpu="$gpu" -v cluster="$cluster" -v node="$1" -v group="$2" -v type="$MACHINE_TYPE" -v url="$3" -v user="$4" -v controller="$5" -v ids="$6" '
    / # nodes with GPUs$/ && gpu == "#" {next}
    / # one node$/ && cluster == "#" {next}
    {
      gsub(/@NODE@/, node)
      gsub(/@GROUP@/, group)
      gsub(/@INSTANCE_TYPE@/, type)
      gsub(/@URL@/, url)
      gsub(/@USER@/, user)
      gsub(/@CONTROLLER@/, controller)
      gsub(/@FILE_SYSTEMS@/, ids)
      print
    }' "$ROOT/opt/ultracluster/prometheus.yml"
}

# configure_agent NODE: true if the configuration changed, or the password, which the service reads at its start
configure_agent() {
  local url user='' controller='' ids='' before same=1
  url=$(write_url) || { warn "parameter $METRICS_WRITE_PARAMETER does not have a remote write URL" && return 2; }
  if [[ -n $METRICS_SECRET ]]; then
    before=$(cksum "$AGENT_SECRET" 2>/dev/null || true)
    user=$(read_secret) || { warn "secret $METRICS_SECRET does not have a valid user name and password" && return 2; }
    [[ $before == "$(cksum "$AGENT_SECRET")" ]] || same=0
  fi
  if [[ $METRICS_SLURM == native ]] && reads_the_cluster "$1"; then
    controller=$(slurmctld) || warn "the address of slurmctld is not known: retrying later"
  fi
  ! reads_the_cluster "$1" || ids=$(file_systems)
  agent_config "$1" "$(metrics_group "$1")" "$url" "$user" "$controller" "$ids" | write_file "$AGENT_CONFIG" 0644 || return "$same"
}

# bound_room: samples that cannot be sent must not fill the root volume. The folder of a service with a dynamic user is
# a link: only the path with a final slash is the linked folder
bound_room() {
  local room
  room=$(du --summarize --block-size=1M "$ROOT$AGENT_FOLDER/" 2>/dev/null | cut --fields=1)
  ((${room:-0} > AGENT_ROOM_MIB)) || return 0
  warn "$AGENT_FOLDER has $room MiB, more than $AGENT_ROOM_MIB: unsent samples are deleted"
  systemctl stop ultracluster-prometheus.service || true
  find "$ROOT$AGENT_FOLDER/" -mindepth 1 -delete
}

prometheus_agent() {
  local secret='' status=0
  bound_room
  configure_agent "$1" || status=$?
  ((status < 2)) || return 0
  # shellcheck disable=SC2034 # run_service reads it
  ((status)) || local PROGRAM_IS_NEW=true
  [[ -z $METRICS_SECRET ]] || secret="
LoadCredential=password:/opt/ultracluster/remote-write-password"
  run_service prometheus 1024 "DynamicUser=true
StateDirectory=ultracluster-prometheus$secret" "/opt/ultracluster/bin/prometheus --agent \\
  --config.file=/opt/ultracluster/prometheus-agent.yml --storage.agent.path=$AGENT_FOLDER \\
  --storage.agent.wal-truncate-frequency=30m --storage.agent.retention.min-time=5m \\
  --storage.agent.retention.max-time=2h --web.listen-address=127.0.0.1:9095 --log.level=warn"
}

# keep_metrics: start the services of this node that do not run
keep_metrics() {
  local node
  mkdir --parents "$TEXTFILES"
  step with_program node-exporter node_exporter node_exporter
  step dcgm_exporter
  node=$(metrics_node) || { say "this node is not in Slurm yet: metrics are sent when it is" && return 0; }
  if reads_the_cluster "$node"; then
    [[ $METRICS_SLURM != exporter ]] || step with_program slurm-exporter slurm_exporter slurm_exporter
    [[ ! -f $ROOT/opt/ultracluster/fsx.yaml ]] || step with_program yace yace fsx_exporter
  else
    end_service slurm-exporter
    end_service fsx-exporter
  fi
  step with_program prometheus prometheus prometheus_agent "$node"
}
