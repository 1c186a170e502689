# shellcheck shell=bash
# Under which name and group a node's series are kept: exporters name hosts each in their own way, so theirs are not
# used (NVIDIA/dcgm-exporter #655).

NAME_FILE=$STATE/metrics-node
RESOURCES=$ROOT/opt/ml/config/resource_config.json

host_name() { uname --nodename | cut --delimiter=. --fields=1; }

booted_s() { cut --delimiter=. --fields=1 "$ROOT/proc/uptime" 2>/dev/null || echo 0; }

# metrics_node: the node's name in Slurm. Slurm is asked once in a boot; a machine that Slurm does not know ten minutes
# after boot (HyperPod's controller) has its own name.
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

# group_by_address: the group of HyperPod that this machine's address is in; its file may be older than the machine
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

# metrics_group NODE: the profile's group of this machine. PCS names nodes after its own group, and numbers them; where
# neither service says, it is the one group of that type of machine.
metrics_group() {
  local found
  found=$(lookup "$METRICS_GROUPS" "${1%-*}")
  [[ -n $found || ! -f $RESOURCES ]] || found=$(group_by_address || true)
  [[ -n $found ]] || found=$(lookup "$METRICS_GROUP_OF_TYPE" "$MACHINE_TYPE")
  printf '%s\n' "${found:-unknown}"
}

# reads_the_cluster NODE: whether sources that are the whole cluster's are read here, and nowhere else (OBS-20)
reads_the_cluster() {
  if [[ $METRICS_CLUSTER_NODE == controller ]]; then
    systemctl is-active --quiet slurmctld
  else
    [[ -n $METRICS_CLUSTER_NODE && $1 == "$METRICS_CLUSTER_NODE" ]]
  fi
}
