#!/usr/bin/env bash
# Slurm reservations before Capacity Blocks and training plans end, one for each line of the calendar, so that a job
# starts only if it can end in time. `install FOLDER` copies this file and runs it at every boot. `hold` creates missing
# reservations, changes those with other dates, and deletes those that are not in the calendar.
set -euo pipefail

ROOT=${ULTRACLUSTER_ROOT:-}
PLACE=$ROOT/opt/ultracluster/calendar
PREFIX=ultracluster-end- # reservations of spare nodes have the prefix ultracluster-spare-
export TZ=UTC # for the dates of the calendar and of Slurm's output

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/calendar-settings.env"

say() { printf '%s calendar: %s\n' "$(date --iso-8601=seconds)" "$*"; }
ask() { timeout 30 scontrol "$@"; }

# told NAME KEY: print a field of a reservation, if it exists
told() { ask --oneliner show reservation "$1" 2>/dev/null | tr ' ' '\n' | sed --quiet "s/^$2=//p"; }

seconds() { date --date="$1Z" +%s; }

# reserve NAME PARTITION START END: Slurm rejects a start in the past, so such a reservation starts now
reserve() {
  local start=$3
  (($(seconds "$start") > $(date +%s))) || start=now
  ask create reservation "reservationname=$1" user=root "starttime=$start" "endtime=$4" \
    "partitionname=$2" nodes=ALL flags=maint,ignore_jobs,part_nodes
}

# keep NAME PARTITION START END
keep() {
  local now began
  now=$(date +%s)
  (($(seconds "$4") > now)) || return 0
  began=$(told "$1" StartTime)
  if [[ -z $began ]]; then
    reserve "$@" >/dev/null && say "jobs on $2 must end before $3 UTC"
  elif [[ $began != "$3" || $(told "$1" EndTime) != "$4" ]]; then
    # a reservation starts late if the node starts late; it is correct if its end is correct
    (($(seconds "$began") <= now && $(seconds "$3") <= now)) && [[ $(told "$1" EndTime) == "$4" ]] && return 0
    ask delete "reservationname=$1" && reserve "$@" >/dev/null && say "jobs on $2 must now end before $3 UTC"
  fi
}

# reached: whether this node manages the reservations: the controller, if it is a node of the cluster
reached() {
  local at
  at=$(ask ping 2>/dev/null | sed --quiet 's/^Slurmctld(primary[^)]*) at \([^ ]*\) is UP.*/\1/p')
  [[ -n $at ]] || return 2
  [[ $CALENDAR_ON == any || ${at%%.*} == "$(uname --nodename | cut --delimiter=. --fields=1)" ]]
}

# hold: exit status 1 if it must run again
hold() {
  local name partition start end wanted=" " failed=0
  reached || return $(($? - 1))
  while read -r name partition start end; do
    [[ -n $name ]] || continue
    wanted+="$name "
    keep "$name" "$partition" "$start" "$end" || { say "$name could not be created" && failed=1; }
  done <<<"$CALENDAR_HOLDS"
  while read -r name; do
    [[ $wanted != *" $name "* ]] || continue
    ask delete "reservationname=$name" && say "deleted $name" || failed=1
  done < <(ask --oneliner show reservation 2>/dev/null | sed --quiet "s/^ReservationName=\(${PREFIX}[^ ]*\).*/\1/p")
  return "$failed"
}

install_calendar() {
  mkdir --parents "$PLACE" "$ROOT/etc/systemd/system"
  install --mode=0755 "$1/calendar.sh" "$PLACE/calendar.sh"
  install --mode=0644 "$1/calendar-settings.env" "$PLACE/calendar-settings.env"
  # at every boot until it succeeds, and not later: nodes with an older calendar must not undo a newer one
  cat >"$ROOT/etc/systemd/system/ultracluster-calendar.service" <<'UNIT'
[Unit]
Description=ultracluster: Slurm reservations before capacity ends
Wants=network-online.target
After=network-online.target slurmctld.service slurmd.service

[Service]
Type=oneshot
ExecStart=/bin/bash /opt/ultracluster/calendar/calendar.sh hold
Restart=on-failure
RestartSec=60

[Install]
WantedBy=multi-user.target
UNIT
  systemctl daemon-reload
  systemctl enable --now --no-block ultracluster-calendar.service
}

case ${1:-} in
  install) install_calendar "$2" ;;
  hold) hold ;;
  *)
    echo "usage: calendar.sh install FOLDER|hold" >&2
    exit 2
    ;;
esac
