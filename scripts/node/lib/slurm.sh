# shellcheck shell=bash
# What Slurm is told of a node, and what the nodes of HyperPod tell their own controller to run around jobs.

for folder in "$ROOT"/opt/slurm/bin "$ROOT"/opt/aws/pcs/scheduler/slurm-*/bin; do
  [[ ! -d $folder ]] || PATH=$PATH:$folder
done

# slurm_node: this machine's name in Slurm, where Slurm answers; in a prolog or epilog Slurm says it. All of the answer
# is read: a program whose reader is gone fails, and the node of a large cluster would have no name.
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

# many_are_out NODE: whether others are out of the cluster too, two at least and more than a tenth of it; then it is no
# single machine that is broken, and to reboot or replace them one by one would only stop what still runs
many_are_out() {
  timeout 30 scontrol --oneliner show node 2>/dev/null | awk -v own="NodeName=$1" '
    {all++} $1 != own && / Reason=(Action:|ultracluster )/ {out++} END {exit !(out > 1 && out * 10 > all)}'
}

REBOOTS=$STATE/reboot-asked
SIGHTINGS=$STATE/gpu-seen
CHECKS_BEFORE_REPAIR=3

boot_id() { cat "$ROOT/proc/sys/kernel/random/boot_id" 2>/dev/null || echo none; }

# enough_are_repaired NODE: whether as many others are being repaired as may be at one time
enough_are_repaired() {
  timeout 30 scontrol --oneliner show node 2>/dev/null | awk -v own="NodeName=$1" -v most="$REPAIRS_AT_ONCE" '
    $1 != own && (/ Reason=Action:/ || / State=[^ ]*REBOOT/) {out++} END {exit !(out + 0 >= most)}'
}

# ends_soon: whether the machines of this type are reserved for so short a time yet that a repair is not worth it
ends_soon() {
  local last
  last=$(lookup "$NO_REPAIR_AFTER" "$MACHINE_TYPE")
  [[ -n $last ]] && (($(printf '%(%s)T' -1) >= last))
}

# may_be_repaired NODE PROBLEM: the policy of repair (docs/repair.md)
may_be_repaired() { ! ends_soon && seen_often "$2" && ! many_are_out "$1" && ! enough_are_repaired "$1"; }

# seen_often PROBLEM: whether the last checks by the clock have all found just that, in this boot. One slow answer, or a
# fabric that is still coming up, is no reason to take a machine away.
seen_often() {
  local count=0 boot='' problem=''
  { read -r count boot problem <"$SIGHTINGS"; } 2>/dev/null || true
  [[ $boot == "$(boot_id)" && $problem == "$1" ]] || count=0
  write_file "$SIGHTINGS" 0644 <<<"$((count + 1)) $(boot_id) $1" || true
  ((count + 1 >= CHECKS_BEFORE_REPAIR))
}

# repair ACTION PROBLEM: how Slurm is told to have a broken node repaired. HyperPod goes by exactly these reasons of a
# failed node (sagemaker-hyperpod-resiliency-slurm). The same problem after a reboot of the same day wants another
# machine, which Slurm alone cannot have: there somebody has to.
repair() {
  local asked=0 boot='' problem=''
  { read -r asked boot problem <"$REBOOTS"; } 2>/dev/null || true
  if [[ $1 == replace || ($boot != "$(boot_id)" && $problem == "$2" && $(printf '%(%s)T' -1) -le $((asked + 86400))) ]]; then
    if [[ $REPAIR == hyperpod ]]; then echo "fail Action:Replace"; else echo "drain $GPU_REASON $2 (wants another machine)"; fi
  else
    write_file "$REBOOTS" 0644 <<<"$(printf '%(%s)T' -1) $(boot_id) $2" || true
    if [[ $REPAIR == hyperpod ]]; then echo "fail Action:Reboot"; else echo "reboot $GPU_REASON $2 (rebooted for it)"; fi
  fi
}

# wanted_state NODE REPAIRS: STATE REASON that the node should have in Slurm, or nothing where it is well; only where
# REPAIRS is true a machine is given up
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

# is_over REASON: whether nothing is wrong any more of what that reason of ours says. What is unknown lifts no drain,
# save one for no answer, since the file system has answered.
is_over() {
  if [[ $1 == "$GPU_REASON"* ]]; then
    [[ $(gpu_state) == ok* ]]
  else
    [[ $1 == "$DRAIN_REASON"* && ($(health_states) != *" unknown "* || $1 == *"$NO_ANSWER"*) ]]
  fi
}

# OUT is there from before Slurm is told that the node is out until it is told that it is back: so a node that is well
# asks nobody before a job
OUT=$STATE/out-of-slurm

# take_out NODE STATE REASON: a reboot is asked for when its last job has ended, and Slurm resumes the node after it
take_out() {
  if [[ $2 == reboot ]]; then
    timeout 30 scontrol reboot asap nextstate=resume "reason=$3" "$1"
  else
    timeout 30 scontrol update "nodename=$1" "state=$2" "reason=$3"
  fi
}

# tell_slurm [REPAIRS]: no new jobs on a node that is not well, and jobs again once it is. A node that somebody else took
# out stays so, and one that HyperPod is to repair is HyperPod's. A Slurm that does not answer is told another time.
tell_slurm() {
  local node reason wanted
  node=$(slurm_node) || return 0
  reason=$(slurm_reason "$node") || return 0
  wanted=$(wanted_state "$node" "${1:-false}") || return 0
  if [[ -n $wanted ]]; then
    write_file "$OUT" 0644 <<<"$wanted" || true
    # the reason follows what is wrong now, so that it says later whether it is over
    { [[ -z $reason ]] || is_ours "$reason"; } && [[ $reason != "${wanted#* }" ]] || return 0
    say "Slurm is told: ${wanted#* }"
    take_out "$node" "${wanted%% *}" "${wanted#* }" || warn "the node could not be taken out of Slurm"
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

# mount_answers: what nothing but a mount that hangs makes wrong; the transport is checked every hour
mount_answers() {
  [[ $5 != csi ]] || return 0
  timeout 15 stat --file-system --format=%T "$ROOT$4" 2>/dev/null | grep --quiet lustre ||
    report_health "$1" failed "$NO_ANSWER at $4"
}

# look_at_node: true where this node can run jobs
look_at_node() {
  local well=true
  check_gpus || well=false
  each_line "$LUSTRE_FILE_SYSTEMS" mount_answers
  [[ $(health_states) != *" failed "* ]] || well=false
  $well
}

# check_node: the same before and after a job. Slurm is asked only where something is wrong, or was: its commands hold up
# slurmctld, and whether the node is well does not hang on an answer.
check_node() {
  local well=true
  look_at_node || well=false
  if ! $well || [[ -f $OUT ]]; then
    tell_slurm || true
  fi
  $well
}

# keep_healthy: every few minutes, whether jobs run or not; true where the node is well
keep_healthy() {
  local well=true
  step configure_jobs
  # a file system that did not answer may do so again, and nobody should wait an hour for it
  [[ $(health_states) != *"$NO_ANSWER"* ]] || check_storage || true
  look_at_node || well=false
  [[ $(gpu_state) == failed\ * ]] || rm --force "$SIGHTINGS"
  tell_slurm true || true
  $well
}

# not SLURM_CONF, which Slurm gives its prolog, and by which its commands find the controller
CONTROLLER_CONF=$ROOT/opt/slurm/etc/slurm.conf

setting_of() { sed --quiet --regexp-extended "s/^[[:space:]]*$1[[:space:]]*=[[:space:]]*([^[:space:]#]*).*/\1/Ip" "$CONTROLLER_CONF" | tail --lines=1; }

# one_setting NAME VALUE: a line for slurm.conf, where it has no such setting
one_setting() {
  local found
  found=$(setting_of "$1")
  if [[ -z $found ]]; then
    echo "$1=$2"
  elif [[ $found != "$2" ]]; then
    warn "slurm.conf has $1=$found: $2 does not run" >&2
  fi
}

# job_settings: what runs before and after jobs. A job whose prolog fails is queued again, and not held.
job_settings() {
  one_setting Prolog /opt/ultracluster/slurm/prolog.sh
  one_setting Epilog /opt/ultracluster/slurm/epilog.sh
}

SIMPLE="[[:space:]]*SchedulerParameters[[:space:]]*=[[:space:]]*[A-Za-z0-9_=:.,-]*[A-Za-z0-9_]"

# not_held: slurm.conf with the scheduler's parameter that queues a job again whose prolog failed, and does not hold it;
# a line of any other form than a plain list stays as somebody wrote it
not_held() {
  if [[ ,$(setting_of SchedulerParameters), == *,nohold_on_prolog_fail,* ]]; then
    cat "$CONTROLLER_CONF"
  elif grep --quiet --extended-regexp --ignore-case "^${SIMPLE}[[:space:]]*(#.*)?\$" "$CONTROLLER_CONF"; then
    sed --regexp-extended "s/^($SIMPLE)([[:space:]]*(#.*)?)\$/\1,nohold_on_prolog_fail\2/I" "$CONTROLLER_CONF"
  else
    cat "$CONTROLLER_CONF"
    if grep --quiet --ignore-case '^[[:space:]]*SchedulerParameters' "$CONTROLLER_CONF"; then
      warn "slurm.conf has SchedulerParameters that are no plain list: jobs whose prolog failed are held" >&2
    else
      echo SchedulerParameters=nohold_on_prolog_fail
    fi
  fi
}

# replace_conf TEXT: with the owner and the mode that it had, wherever a link to it leads
replace_conf() {
  local file new
  file=$(readlink --canonicalize "$CONTROLLER_CONF") || return 1
  new=$file.ultracluster
  printf '%s\n' "$1" >"$new" && chown --reference="$file" "$new" && chmod --reference="$file" "$new" && mv --force "$new" "$file"
}

RECONFIGURE=$STATE/reconfigure

# configure_jobs: on HyperPod's controller, whose service writes slurm.conf and has no field for these; it may write the
# file anew, so this is done again and again, and until slurmctld has taken it
configure_jobs() {
  [[ $SLURM_CONF_OWNER == controller && -f $CONTROLLER_CONF ]] && systemctl is-active --quiet slurmctld || return 0
  local text added
  text=$(not_held)
  added=$(job_settings)
  [[ -z $added ]] || text+=$'\n'$added
  if [[ $text != "$(<"$CONTROLLER_CONF")" ]]; then
    write_file "$RECONFIGURE" 0644 <<<"slurm.conf" || true
    replace_conf "$text" || { warn "slurm.conf could not be written" && return 0; }
    say "slurm.conf runs the prolog and the epilog"
  fi
  [[ -f $RECONFIGURE ]] || return 0
  if timeout 60 scontrol reconfigure; then
    rm --force "$RECONFIGURE"
  else
    warn "slurmctld did not take its new settings: they are offered again in five minutes"
  fi
}
