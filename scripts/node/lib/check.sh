# shellcheck shell=bash
# Check that traffic uses EFA: bulk data is written and read without the page cache, and the messages from the object
# servers of this file system over EFA must increase by as much, but not over TCP. There is no other sign of a fallback
# to TCP.

PROBE_MIB=64

# LNet transfers bulk data in messages of at most 1 MiB, and counts messages of a peer's interface, not bytes. A server
# requests written data (GET) and sends read data (PUT), so a client receives one message for each MiB in both cases.
# Sent messages are less reliable: with RDMA, the response to a GET is not counted. (lustre-release:
# lnet/lnet/lib-msg.c, LNET_MTU in lnet-types.h, PTLRPC_BULK_OPS_COUNT in lustre_net.h.) A quarter is the margin for
# messages over TCP while an interface recovers.
PROBE_MESSAGES=$((PROBE_MIB * 3 / 4))

# servers_of PLACE: the LNet addresses of the object servers of the file system at this mount point; MPI, NCCL and other
# file systems do not use these addresses (lustre-release: conn_uuid_show)
servers_of() {
  local name
  name=$(lustre_mounts | awk -v place="$1" '$2 == place && sub("^.*:/", "", $1) {sub("/.*", "", $1); print $1; exit}')
  [[ -z $name ]] || lctl get_param -n "osc.$name-OST*.ost_conn_uuid" 2>/dev/null | grep '@' | sort --unique || true
}

# received: number of messages from these servers (SERVERS) over EFA and over other networks; if the servers are not
# known, messages of all EFA interfaces. A server has one entry for each of its interfaces (lnetctl peer show -v).
received() {
  if [[ -z $SERVERS ]]; then
    lnetctl net show -v --net efa 2>/dev/null | awk '$1 == "recv_count:" {sum += $2} END {printf "%.0f 0\n", sum}'
    return
  fi
  lnetctl peer show -v 2>/dev/null | awk -v servers="$SERVERS" '
    function add() {if (ours) {efa += own_efa; other += own_other}; ours = own_efa = own_other = 0}
    BEGIN {count = split(servers, list); for (i = 1; i <= count; i++) wanted[list[i]] = 1}
    $2 == "primary" {add(); ours = $4 in wanted}
    $2 == "nid:" {over_efa = $3 ~ /@efa/; if ($3 in wanted) ours = 1}
    $1 == "recv_count:" {if (over_efa) own_efa += $2; else own_other += $2}
    END {add(); printf "%.0f %.0f\n", efa, other}'
}

# in_time SECONDS COMMAND...: run with a timeout, because an access to a failed file system does not return
in_time() { timeout --kill-after=10 "$@"; }

# probe DIRECTORY [COMMAND...]: write and read 64 MiB, like HyperPod's own script. OVER_EFA is the number of messages
# over EFA during the write or the read, whichever is less; OVER_TCP is the number over other networks, whichever is
# more. COMMAND is a prefix that runs programs as another user.
probe() {
  local file start between end status=0
  file=$1/.ultracluster-check-$(uname --nodename)
  shift
  read -r -a start <<<"$(received)"
  in_time 120 "$@" dd if=/dev/zero of="$file" bs=1M count="$PROBE_MIB" oflag=direct status=none || status=1
  read -r -a between <<<"$(received)"
  ((status)) || in_time 120 "$@" dd if="$file" of=/dev/null bs=1M iflag=direct status=none || status=1
  read -r -a end <<<"$(received)"
  local efa=$((between[0] - start[0])) tcp=$((between[1] - start[1]))
  OVER_EFA=$((efa < end[0] - between[0] ? efa : end[0] - between[0]))
  OVER_TCP=$((tcp > end[1] - between[1] ? tcp : end[1] - between[1]))
  in_time 30 "$@" rm --force "$file" || true
  return "$status"
}

# nobody by id, because its group name differs between distributions
NOBODY=(setpriv --reuid=65534 --regid=65534 --clear-groups)

striped_place() { [[ $4 != "$1" ]] || printf '%s\n' "$2${3#"$1"}"; }

# places_of_nobody PATH PLACE: directories in which nobody may be allowed to write; PATH is mounted at PLACE
places_of_nobody() {
  printf '%s\n' "$2" "$2/.ultracluster-check"
  each_line "$LUSTRE_STRIPED_PATHS" striped_place "$1" "$2"
}

# probe_somewhere PATH PLACE: probe as root; if root is squashed, as nobody in the first directory that is writable for
# it
probe_somewhere() {
  local place
  ! probe "$2" || return 0
  while IFS= read -r -u 4 place; do
    if in_time 30 "${NOBODY[@]}" test -d "$place" -a -w "$place" && probe "$place" "${NOBODY[@]}"; then
      return 0
    fi
  done 4< <(places_of_nobody "$1" "$2")
  return 1
}

# csi_mount NAME: the mount point of this file system for a pod; - if a Lustre file system with another volume name is
# mounted. Volumes are named NAMESPACE-NAME; a volume belongs to the file system with the longest name that it ends
# with.
csi_mount() {
  lustre_mounts | awk -v wanted="$1" -v names="$(awk '{printf "%s ", $1}' <<<"$LUSTRE_FILE_SYSTEMS")" '
    BEGIN {count = split(names, name)}
    {found = ""
     if (match($2, "/kubernetes[.]io~csi/[^/]+/mount$")) {
       volume = substr($2, RSTART + 19, RLENGTH - 25)
       for (i = 1; i <= count; i++) {
         end = "-" name[i]
         if (length(name[i]) > length(found) && length(volume) > length(end) &&
             substr(volume, length(volume) - length(end) + 1) == end) found = name[i]
       }
     }
     if (found == wanted && place == "") place = $2
     if (found == "") other = "-"}
    END {print place != "" ? place : other}'
}

check_file_system() {
  local name=$1 transport=$3 place=$ROOT$4
  if [[ $5 == csi ]]; then
    place=$(csi_mount "$name")
    if [[ -z $place ]]; then
      forget_health "$name"
      return 0
    elif [[ $place == - ]]; then
      report_health "$name" unknown "a Lustre file system is mounted through a volume with another name"
      return 0
    fi
  fi
  if ! lustre_answers "$place"; then
    report_health "$name" failed "$NO_ANSWER at $4"
  elif [[ $transport == efa ]] && ((LNET_WANTED > 0)); then
    check_transport "$name" "$4" "$place"
  else
    report_health "$name" ok ""
  fi
}

check_transport() {
  local name=$1 attached
  if [[ -z $EFA_DEVICES ]]; then
    report_health "$name" failed "$(no_efa_device)"
    return 0
  fi
  attached=$(lnet_attached)
  SERVERS=$(servers_of "$3")
  if ! probe_somewhere "$2" "$3"; then
    report_health "$name" unknown "neither root nor nobody could write and read 64 MB"
  elif ((OVER_EFA < PROBE_MESSAGES)); then
    report_health "$name" failed "traffic uses TCP, not EFA ($attached of $LNET_WANTED interfaces)"
  elif ((OVER_TCP >= PROBE_MESSAGES)); then
    report_health "$name" unknown "received $OVER_EFA messages over EFA and $OVER_TCP over TCP: a job may use the file system"
  elif ((attached < LNET_WANTED)); then
    report_health "$name" degraded "LNet has $attached of $LNET_WANTED EFA interfaces"
  else
    report_health "$name" ok ""
  fi
}

# check_storage: true if no file system failed
check_storage() {
  each_line "$LUSTRE_FILE_SYSTEMS" check_file_system
  forget_others
  write_metrics
  tell_slurm
  [[ $(health_states) != *" failed "* ]]
}
