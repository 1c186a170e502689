#!/usr/bin/env bash
# Holds nodes back before their machines go: a reservation of Slurm for each line of the calendar, so that no job starts
# that could not end. `install FOLDER` keeps this file and runs it at every boot; `hold` makes the reservations what the
# calendar says: what is missing is made, what has other dates is changed, what the calendar does not have goes.
set -euo pipefail

ROOT=${ULTRACLUSTER_ROOT:-}
PLACE=$ROOT/opt/ultracluster/calendar
PREFIX=ultracluster-end- # those of spare nodes are ultracluster-spare-
export TZ=UTC # dates of the calendar and of Slurm's answers

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
source "$here/calendar-settings.env"

say() { printf '%s calendar: %s\n' "$(date --iso-8601=seconds)" "$*"; }
ask() { timeout 30 scontrol "$@"; }

# told NAME KEY: a field of a reservation; nothing where there is none
told() { ask --oneliner show reservation "$1" 2>/dev/null | tr ' ' '\n' | sed --quiet "s/^$2=//p"; }

seconds() { date --date="$1Z" +%s; }

# reserve NAME PARTITION START END: Slurm takes no start that is past, so what should have begun begins now
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
    reserve "$@" >/dev/null && say "no job starts on $2 that runs after $3 UTC"
  elif [[ $began != "$3" || $(told "$1" EndTime) != "$4" ]]; then
    # one that began late, because the node did, is right as long as its end is
    (($(seconds "$began") <= now && $(seconds "$3") <= now)) && [[ $(told "$1" EndTime) == "$4" ]] && return 0
    ask delete "reservationname=$1" && reserve "$@" >/dev/null && say "$2 is held from $3 UTC on now"
  fi
}

# reached: whether this is a node to do so: the controller itself where it is one of the cluster's own
reached() {
  local at
  at=$(ask ping 2>/dev/null | sed --quiet 's/^Slurmctld(primary[^)]*) at \([^ ]*\) is UP.*/\1/p')
  [[ -n $at ]] || return 2
  [[ $CALENDAR_ON == any || ${at%%.*} == "$(uname --nodename | cut --delimiter=. --fields=1)" ]]
}

# hold: 1 where something is to be done another time
hold() {
  local name partition start end wanted=" " failed=0
  reached || return $(($? - 1))
  while read -r name partition start end; do
    [[ -n $name ]] || continue
    wanted+="$name "
    keep "$name" "$partition" "$start" "$end" || { say "$name could not be made" && failed=1; }
  done <<<"$CALENDAR_HOLDS"
  while read -r name; do
    [[ $wanted != *" $name "* ]] || continue
    ask delete "reservationname=$name" && say "$name is taken back" || failed=1
  done < <(ask --oneliner show reservation 2>/dev/null | sed --quiet "s/^ReservationName=\(${PREFIX}[^ ]*\).*/\1/p")
  return "$failed"
}

install_calendar() {
  mkdir --parents "$PLACE" "$ROOT/etc/systemd/system"
  install --mode=0755 "$1/calendar.sh" "$PLACE/calendar.sh"
  install --mode=0644 "$1/calendar-settings.env" "$PLACE/calendar-settings.env"
  # at every boot until it has succeeded: nodes of an older calendar never speak up again after those of a newer one
  cat >"$ROOT/etc/systemd/system/ultracluster-calendar.service" <<'UNIT'
[Unit]
Description=ultracluster: no job starts that could not end before the machines go
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
