# shellcheck shell=bash
# Name and group of a node in its series. Exporters use different host names, so these are not used
# (NVIDIA/dcgm-exporter #655).

NAME_FILE=$STATE/metrics-node
RESOURCES=$ROOT/opt/ml/config/resource_config.json

host_name() { uname --nodename | cut --delimiter=. --fields=1; }

booted_s() { cut --delimiter=. --fields=1 "$ROOT/proc/uptime" 2>/dev/null || echo 0; }

# metrics_node: the node's name in Slurm, which is queried once after each boot. A node that is not in Slurm ten minutes
# after boot (HyperPod's controller) uses its host name.
metrics_node() {
  local boot='' name=''
  { read -r boot name <"$NAME_FILE"; } 2>/dev/null || true
  if [[ $boot != "$(boot_id)" || -z $name ]]; then
    if name=$(slurm_node); then
      write_file "$NAME_FILE" 0644 <<<"$(boot_id) $name" || true
    elif (($(booted_s) >= 600)) || systemctl is-active --quiet slurmctld; then
      name=$(host_name)
    else
      return 1
    fi
  fi
  printf '%s\n' "$name"
}

# group_by_address: the HyperPod group with this node's address; the file can be older than the node
group_by_address() {
  python3 - "$RESOURCES" "$(host_name)" <<'PYTHON' 2>/dev/null
import json, pathlib, sys

groups = json.loads(pathlib.Path(sys.argv[1]).read_text())["InstanceGroups"]
address = sys.argv[2].removeprefix("ip-").replace("-", ".")
for group in groups:
    if any(machine.get("CustomerIpAddress") == address for machine in group.get("Instances") or ()):
        print(group["Name"])
PYTHON
}

# metrics_group NODE: the profile's group of this node. PCS node names contain their group. If neither service has the
# group, it is the only group of this instance type.
metrics_group() {
  local found
  found=$(lookup "$METRICS_GROUPS" "${1%-*}")
  [[ -n $found || ! -f $RESOURCES ]] || found=$(group_by_address || true)
  [[ -n $found ]] || found=$(lookup "$METRICS_GROUP_OF_TYPE" "$MACHINE_TYPE")
  printf '%s\n' "${found:-unknown}"
}

# reads_the_cluster NODE: whether this node, and no other, reads the metrics of the whole cluster (OBS-20)
reads_the_cluster() {
  if [[ $METRICS_CLUSTER_NODE == controller ]]; then
    systemctl is-active --quiet slurmctld
  else
    [[ -n $METRICS_CLUSTER_NODE && $1 == "$METRICS_CLUSTER_NODE" ]]
  fi
}
