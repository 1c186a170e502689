# shellcheck shell=bash
# State of a node in Slurm, and the prolog and epilog settings of HyperPod's controller.

for folder in "$ROOT"/opt/slurm/bin "$ROOT"/opt/aws/pcs/scheduler/slurm-*/bin; do
  [[ ! -d $folder ]] || PATH=$PATH:$folder
done

# slurm_node: the name of this node in Slurm; in a prolog or epilog it is in the environment. awk reads all of the
# output: otherwise scontrol would fail in a large cluster, and the node would have no name.
slurm_node() {
  installed scontrol || return 1
  [[ -z ${SLURMD_NODENAME:-} ]] || { printf '%s\n' "$SLURMD_NODENAME" && return 0; }
  timeout 30 scontrol --oneliner show node 2>/dev/null | awk -v host="$(uname --nodename | cut --delimiter=. --fields=1)" '
    {name = ""; own = 0
     for (i = 1; i <= NF; i++) {
       if ($i ~ /^NodeName=/) name = substr($i, 10)
       if ($i == "NodeName=" host || $i == "NodeHostName=" host) own = 1
     }
     if (own && mine == "") mine = name}
    END {print mine}' | grep .
}

slurm_reason() { timeout 30 scontrol --oneliner show node "$1" 2>/dev/null | sed --quiet --regexp-extended 's/.* Reason=([^[]*) \[.*/\1/p'; }

# many_are_out NODE: whether at least two other nodes, and more than a tenth of the cluster, are out of service. The
# cause is then probably not a single node, and repairs would only stop running jobs.
many_are_out() {
  timeout 30 scontrol --oneliner show node 2>/dev/null | awk -v own="NodeName=$1" '
    {all++} $1 != own && / Reason=(Action:|ultracluster )/ {out++} END {exit !(out > 1 && out * 10 > all)}'
}

REBOOTS=$STATE/reboot-asked
SIGHTINGS=$STATE/gpu-seen
CHECKS_BEFORE_REPAIR=3

boot_id() { cat "$ROOT/proc/sys/kernel/random/boot_id" 2>/dev/null || echo none; }

# enough_are_repaired NODE: whether the maximum number of other nodes is already being repaired
enough_are_repaired() {
  timeout 30 scontrol --oneliner show node 2>/dev/null | awk -v own="NodeName=$1" -v most="$REPAIRS_AT_ONCE" '
    $1 != own && (/ Reason=Action:/ || / State=[^ ]*REBOOT/) {out++} END {exit !(out + 0 >= most)}'
}

# ends_soon: whether the reservation of this instance type ends too soon for a repair
ends_soon() {
  local last
  last=$(lookup "$NO_REPAIR_AFTER" "$MACHINE_TYPE")
  [[ -n $last ]] && (($(printf '%(%s)T' -1) >= last))
}

# may_be_repaired NODE PROBLEM: check the repair policy (docs/repair.md)
may_be_repaired() { ! ends_soon && seen_often "$2" && ! many_are_out "$1" && ! enough_are_repaired "$1"; }

# seen_often PROBLEM: whether the last scheduled checks since this boot all found this problem. A single slow response,
# or a fabric that is still starting, must not cause a repair.
seen_often() {
  local count=0 boot='' problem=''
  { read -r count boot problem <"$SIGHTINGS"; } 2>/dev/null || true
  [[ $boot == "$(boot_id)" && $problem == "$1" ]] || count=0
  write_file "$SIGHTINGS" 0644 <<<"$((count + 1)) $(boot_id) $1" || true
  ((count + 1 >= CHECKS_BEFORE_REPAIR))
}

# repair ACTION PROBLEM: the Slurm state and reason that request a repair. HyperPod reads exactly these reasons of a
# failed node (sagemaker-hyperpod-resiliency-slurm). The same problem within a day after a reboot needs a replacement,
# which Slurm without HyperPod cannot request: an administrator must replace the node.
repair() {
  local asked=0 boot='' problem=''
  { read -r asked boot problem <"$REBOOTS"; } 2>/dev/null || true
  if [[ $1 == replace || ($boot != "$(boot_id)" && $problem == "$2" && $(printf '%(%s)T' -1) -le $((asked + 86400))) ]]; then
    if [[ $REPAIR == hyperpod ]]; then echo "fail Action:Replace"; else echo "drain $GPU_REASON $2 (needs replacement)"; fi
  else
    write_file "$REBOOTS" 0644 <<<"$(printf '%(%s)T' -1) $(boot_id) $2" || true
    if [[ $REPAIR == hyperpod ]]; then echo "fail Action:Reboot"; else echo "reboot $GPU_REASON $2 (rebooted)"; fi
  fi
}

# wanted_state NODE REPAIRS: the STATE REASON that the node should have in Slurm, or nothing if it is healthy; a repair
# is requested only if REPAIRS is true
wanted_state() {
  local storage gpu
  gpu=$(gpu_state)
  storage=$(health_states | sed --quiet --regexp-extended 's/^([^ ]*) failed (.*)/\1: \2/p' | head --lines=1)
  if [[ $gpu == failed\ * ]]; then
    gpu=${gpu#failed }
    if [[ $2 == true && $REPAIR != none && $gpu != look\ * ]] && may_be_repaired "$1" "${gpu#* }"; then
      repair "${gpu%% *}" "${gpu#* }"
    else
      echo "drain $GPU_REASON ${gpu#* }"
    fi
  elif [[ -n $storage ]]; then
    echo "drain $DRAIN_REASON $storage"
  fi
}

is_ours() { [[ $1 == "$DRAIN_REASON"* || $1 == "$GPU_REASON"* ]]; }

# is_over REASON: whether the problem in ultracluster's reason is solved. The state `unknown` does not end a drain,
# unless the reason of the drain is that the file system did not answer.
is_over() {
  if [[ $1 == "$GPU_REASON"* ]]; then
    [[ $(gpu_state) == ok* ]]
  else
    [[ $1 == "$DRAIN_REASON"* && ($(health_states) != *" unknown "* || $1 == *"$NO_ANSWER"*) ]]
  fi
}

# OUT exists from before the node is drained until after it is resumed, so that a healthy node does not query Slurm
# before a job
OUT=$STATE/out-of-slurm

# take_out NODE STATE REASON: set the state; Slurm reboots a node after its last job has ended, and resumes it
take_out() {
  if [[ $2 == reboot ]]; then
    timeout 30 scontrol reboot asap nextstate=resume "reason=$3" "$1"
  else
    timeout 30 scontrol update "nodename=$1" "state=$2" "reason=$3"
  fi
}

# tell_slurm [REPAIRS]: drain an unhealthy node, and resume it when it is healthy. Nodes that another user drained, and
# nodes that HyperPod repairs, are not changed. If Slurm does not answer, the next check tries again.
tell_slurm() {
  local node reason wanted
  node=$(slurm_node) || return 0
  reason=$(slurm_reason "$node") || return 0
  wanted=$(wanted_state "$node" "${1:-false}") || return 0
  if [[ -n $wanted ]]; then
    write_file "$OUT" 0644 <<<"$wanted" || true
    # the reason is updated to the current problem, so that is_over can check it later
    { [[ -z $reason ]] || is_ours "$reason"; } && [[ $reason != "${wanted#* }" ]] || return 0
    say "the node is taken out of service in Slurm: ${wanted#* }"
    take_out "$node" "${wanted%% *}" "${wanted#* }" || warn "the node could not be taken out of service in Slurm"
  elif ! is_ours "$reason"; then
    rm --force "$OUT"
  elif is_over "$reason"; then
    if timeout 30 scontrol update "nodename=$node" state=resume; then
      rm --force "$OUT"
    else
      warn "the node could not be resumed"
    fi
  fi
}

# mount_answers: check only that the mount does not hang; the transport is checked every hour
mount_answers() {
  [[ $5 != csi ]] || return 0
  timeout 15 stat --file-system --format=%T "$ROOT$4" 2>/dev/null | grep --quiet lustre ||
    report_health "$1" failed "$NO_ANSWER at $4"
}

# look_at_node: true if this node can run jobs
look_at_node() {
  local well=true
  check_gpus || well=false
  each_line "$LUSTRE_FILE_SYSTEMS" mount_answers
  [[ $(health_states) != *" failed "* ]] || well=false
  $well
}

# check_node: the check before and after a job. It queries Slurm only if there is or was a problem, because Slurm's
# commands add load to slurmctld, and the result must not depend on its response.
check_node() {
  local well=true
  look_at_node || well=false
  if ! $well || [[ -f $OUT ]]; then
    tell_slurm || true
  fi
  $well
}

# keep_healthy: the check every five minutes, with or without jobs; true if the node is healthy
keep_healthy() {
  local well=true
  step configure_jobs
  # a file system that did not answer is checked again now, not after an hour
  [[ $(health_states) != *"$NO_ANSWER"* ]] || check_storage || true
  look_at_node || well=false
  [[ $(gpu_state) == failed\ * ]] || rm --force "$SIGHTINGS"
  tell_slurm true || true
  $well
}

# the variable is not named SLURM_CONF, because Slurm sets SLURM_CONF for its prolog, and its commands read SLURM_CONF
CONTROLLER_CONF=$ROOT/opt/slurm/etc/slurm.conf

setting_of() { sed --quiet --regexp-extended "s/^[[:space:]]*$1[[:space:]]*=[[:space:]]*([^[:space:]#]*).*/\1/Ip" "$CONTROLLER_CONF" | tail --lines=1; }

# one_setting NAME VALUE: print a line for slurm.conf, if it does not have this setting
one_setting() {
  local found
  found=$(setting_of "$1")
  if [[ -z $found ]]; then
    echo "$1=$2"
  elif [[ $found != "$2" ]]; then
    warn "slurm.conf has $1=$found: $2 does not run" >&2
  fi
}

# job_settings: prolog and epilog. A job whose prolog fails is queued again, and not held.
job_settings() {
  one_setting Prolog /opt/ultracluster/slurm/prolog.sh
  one_setting Epilog /opt/ultracluster/slurm/epilog.sh
}

SIMPLE="[[:space:]]*SchedulerParameters[[:space:]]*=[[:space:]]*[A-Za-z0-9_=:.,-]*[A-Za-z0-9_]"

# not_held: print slurm.conf with the scheduler parameter that queues a job again after its prolog failed; a line that
# is not a plain list is not changed
not_held() {
  if [[ ,$(setting_of SchedulerParameters), == *,nohold_on_prolog_fail,* ]]; then
    cat "$CONTROLLER_CONF"
  elif grep --quiet --extended-regexp --ignore-case "^${SIMPLE}[[:space:]]*(#.*)?\$" "$CONTROLLER_CONF"; then
    sed --regexp-extended "s/^($SIMPLE)([[:space:]]*(#.*)?)\$/\1,nohold_on_prolog_fail\2/I" "$CONTROLLER_CONF"
  else
    cat "$CONTROLLER_CONF"
    if grep --quiet --ignore-case '^[[:space:]]*SchedulerParameters' "$CONTROLLER_CONF"; then
      warn "SchedulerParameters in slurm.conf is not a plain list: jobs are held if their prolog fails" >&2
    else
      echo SchedulerParameters=nohold_on_prolog_fail
    fi
  fi
}

# replace_conf TEXT: replace slurm.conf, or the target of its link, with the same owner and mode
replace_conf() {
  local file new
  file=$(readlink --canonicalize "$CONTROLLER_CONF") || return 1
  new=$file.ultracluster
  printf '%s\n' "$1" >"$new" && chown --reference="$file" "$new" && chmod --reference="$file" "$new" && mv --force "$new" "$file"
}

RECONFIGURE=$STATE/reconfigure

# configure_jobs: add prolog and epilog to slurm.conf on HyperPod's controller. HyperPod has no field for them, and can
# write the file again, so this runs every five minutes, and until slurmctld has loaded the settings.
configure_jobs() {
  [[ $SLURM_CONF_OWNER == controller && -f $CONTROLLER_CONF ]] && systemctl is-active --quiet slurmctld || return 0
  local text added
  text=$(not_held)
  added=$(job_settings)
  [[ -z $added ]] || text+=$'\n'$added
  if [[ $text != "$(<"$CONTROLLER_CONF")" ]]; then
    write_file "$RECONFIGURE" 0644 <<<"slurm.conf" || true
    replace_conf "$text" || { warn "slurm.conf could not be written" && return 0; }
    say "added prolog and epilog to slurm.conf"
  fi
  [[ -f $RECONFIGURE ]] || return 0
  if timeout 60 scontrol reconfigure; then
    rm --force "$RECONFIGURE"
  else
    warn "slurmctld did not load its new settings: retrying in five minutes"
  fi
}
