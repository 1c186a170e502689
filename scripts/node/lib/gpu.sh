# shellcheck shell=bash
# Check of a node's GPUs, NVLinks and EFA devices, fast enough for every job. DCGM's deep tests are not: a prolog with
# them exceeded Slurm's limits and hung (aws-parallelcluster #6777).

GPU_HEALTH=$HEALTH/gpu.json
# shellcheck disable=SC2034 # slurm.sh reads it
GPU_REASON="ultracluster gpu:"
NVIDIA_SMI_S=20

# gpu_devices: number of GPU device files
gpu_devices() { compgen -G "$ROOT/dev/nvidia[0-9]*" | wc --lines || true; }

gpus_wanted() { lookup "$GPU_COUNTS" "$MACHINE_TYPE"; }

gpus_are_there() { (($(gpu_devices) >= $1)); }

# wait_for_gpus: wait, because slurmd never offers GPUs that are not available when it starts (aws-parallelcluster
# #5295)
wait_for_gpus() {
  local wanted
  wanted=$(gpus_wanted)
  [[ -n $wanted ]] || return 0
  wait_for 300 gpus_are_there "$wanted" || warn "$(gpu_devices) of $wanted GPU devices found"
}

smi() { timeout --kill-after=5 "$NVIDIA_SMI_S" nvidia-smi "$@" 2>/dev/null; }

# Every problem is a line ACTION TEXT. The action is from the repair policy (docs/repair.md): reboot, which resets GPUs
# and drivers, replace, or look if the cause may be outside the node.
cure() { lookup "$CURES" "$1" | grep . || echo look; }

count_problem() {
  local found
  found=$(gpu_devices)
  ((found >= $1)) || echo "$(cure gpu-missing) $found of $1 GPU devices found"
}

# memory_problems WANTED: number of GPUs that the driver finds, and memory rows that failed to remap or need a reset
# (https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/)
memory_problems() {
  local answer status=0
  answer=$(smi --query-gpu=index,remapped_rows.pending,remapped_rows.failure --format=csv,noheader,nounits) || status=$?
  if ((status)); then
    echo "$(cure driver-silent) nvidia-smi does not answer (status $status)"
  else
    awk -F ', ' -v wanted="$1" -v failure="$(cure row-remap-failure)" -v pending="$(cure row-remap-pending)" -v missing="$(cure gpu-missing)" '
      {seen++}
      $3 ~ /^(Yes|1)$/ {print failure " GPU " $1 ": a memory row could not be remapped"}
      $2 ~ /^(Yes|1)$/ {print pending " GPU " $1 ": a remapped row needs a reset"}
      END {if (seen < wanted) print missing " the driver finds " seen + 0 " of " wanted " GPUs"}' <<<"$answer"
  fi
}

# advice_problems: recovery actions that the driver recommends; older drivers do not have this field
advice_problems() {
  smi --query-gpu=index,gpu_recovery_action --format=csv,noheader,nounits |
    awk -F ', ' -v cure="$(cure recovery-action)" 'NF == 2 && $2 != "None" && $2 !~ /N\/A/ {print cure " GPU " $1 ": the driver recommends: " $2}' || true
}

# nvlink_problems: GPUs that are not in the NVLink fabric, and links that are down
nvlink_problems() {
  [[ " $NVLINK_TYPES " == *" $MACHINE_TYPE "* ]] || return 0
  smi --query-gpu=index,fabric.state,fabric.status --format=csv,noheader,nounits |
    awk -F ', ' -v cure="$(cure nvlink-fabric)" 'NF == 3 && $2 !~ /N\/A/ && ($2 != "Completed" || $3 != "Success") {print cure " GPU " $1 ": the NVLink fabric is " tolower($2) ", " tolower($3)}' || true
  smi nvlink --status |
    awk -v cure="$(cure nvlink-down)" '$1 == "GPU" {gpu = $2; sub(":", "", gpu)} $1 == "Link" && /inactive/ {down[gpu]++} END {for (gpu in down) print cure " GPU " gpu ": " down[gpu] " NVLinks are inactive"}' |
    sort || true
}

efa_is_active() { grep --quiet ACTIVE "$ROOT/sys/class/infiniband/$1"/ports/*/state 2>/dev/null; }

efa_problems() {
  local wanted found device
  wanted=$(lookup "$EFA_DEVICES_WANTED" "$MACHINE_TYPE")
  [[ -n $wanted ]] || return 0
  found=$(wc --words <<<"$EFA_DEVICES")
  ((found >= wanted)) || echo "$(cure efa-missing) $found of $wanted EFA devices found"
  for device in $EFA_DEVICES; do
    efa_is_active "$device" || echo "$(cure efa-missing) the port of EFA device $device is not active"
  done
}

node_problems() {
  local wanted
  wanted=$(gpus_wanted)
  if [[ -n $wanted ]]; then
    count_problem "$wanted"
    if installed nvidia-smi; then
      memory_problems "$wanted"
      advice_problems
      nvlink_problems
    else
      echo "look the AMI has no NVIDIA driver: nvidia-smi is missing"
    fi
  fi
  efa_problems
}

# check_gpus: true if no problem is found; problems that need a replacement are reported first
check_gpus() {
  local problems first
  problems=$(node_problems | sort --key=1,1.3 --reverse --stable)
  first=${problems%%$'\n'*}
  report_gpus "${first%% *}" "${first#* }"
  write_gpu_metrics "$problems"
  [[ -z $problems ]]
}

report_gpus() {
  local state=failed reason=${2//[\"\\]/}
  [[ -n $1 ]] || state=ok
  write_file "$GPU_HEALTH" 0644 <<JSON || true
{"check": "gpu", "state": "$state", "action": "$1", "reason": "$reason", "boot": "$(boot_id)", "time": "$(now)"}
JSON
  [[ $state == ok ]] || warn "$reason"
}

# gpu_state: STATE ACTION REASON of the last check, if it was after this boot
gpu_state() {
  ! grep --quiet --no-messages --fixed-strings "\"boot\": \"$(boot_id)\"" "$GPU_HEALTH" || sed --regexp-extended 's/.*"state": "([^"]*)", "action": "([^"]*)", "reason": "([^"]*)".*/\1 \2 \3/' "$GPU_HEALTH"
}

write_gpu_metrics() {
  local wanted
  wanted=$(gpus_wanted)
  [[ -n $wanted ]] || return 0
  write_file "$ROOT/var/lib/node_exporter/textfile_collector/ultracluster_gpu.prom" 0644 <<METRICS || true
# HELP ultracluster_gpus Number of GPU devices, present and expected.
# TYPE ultracluster_gpus gauge
ultracluster_gpus{kind="present"} $(gpu_devices)
ultracluster_gpus{kind="wanted"} $wanted
# HELP ultracluster_efa_devices Number of EFA devices, present and expected.
# TYPE ultracluster_efa_devices gauge
ultracluster_efa_devices{kind="present"} $(wc --words <<<"$EFA_DEVICES")
ultracluster_efa_devices{kind="wanted"} $(lookup "$EFA_DEVICES_WANTED" "$MACHINE_TYPE" | grep . || echo 0)
# HELP ultracluster_gpu_problems Number of problems with GPUs, NVLinks and EFA devices in the last check.
# TYPE ultracluster_gpu_problems gauge
ultracluster_gpu_problems $(grep --count . <<<"$1" || true)
# HELP ultracluster_gpu_check_time_seconds Time of the last check of GPUs and EFA devices.
# TYPE ultracluster_gpu_check_time_seconds gauge
ultracluster_gpu_check_time_seconds $(printf '%(%s)T' -1)
METRICS
}
