# shellcheck shell=bash
# Faults of GPUs (XIDs) and of NVSwitches (SXIDs) as the kernel's log has them: DCGM does not deliver all (NVIDIA/DCGM
# #235). Each call reads what came since the last one. What is counted lies in /run, which is empty after a boot, beside
# the place in the log, so that neither is without the other.

XIDS=$ROOT/run/ultracluster/xids

# log_since CURSOR: faults that the kernel has logged in this boot, and the place in the log behind them; false where the
# log was not read to its end
log_since() {
  timeout 60 journalctl --dmesg --boot --quiet --no-pager --output=cat --show-cursor ${1:+--after-cursor="$1"} 2>/dev/null |
    awk '/Xid \(PCI:|^-- cursor: /'
}

# counted: what was counted before, then the new lines of the log, as what is counted now
counted() {
  awk '
    function add(kind, text, part) {
      split(text, part, /[()]/)
      sub(/^PCI:/, "", part[2])
      gsub(/[^0-9]/, "", part[3])
      count[kind " " part[2] " " part[3]]++
    }
    /^-- cursor: / {cursor = $3; next}
    /^counted / {count[$2 " " $3 " " $4] = $5; next}
    match($0, /NVRM: Xid \(PCI:[0-9A-Fa-f:.]+\): [0-9]+/) {add("xid", substr($0, RSTART, RLENGTH))}
    match($0, /SXid \(PCI:[0-9A-Fa-f:.]+\): [0-9]+/) {add("sxid", substr($0, RSTART, RLENGTH))}
    END {
      for (key in count) print "counted", key, count[key]
      if (cursor != "") print "-- cursor: " cursor
    }'
}

# xid_series KIND: kernel_xids or kernel_sxids, by device
xid_series() {
  awk -v kind="$1" '
    $1 == "counted" && $2 == kind {
      if (!seen++) print "# TYPE ultracluster_kernel_" kind "s_total counter"
      printf "ultracluster_kernel_%ss_total{pci=\"%s\",%s=\"%s\"} %d\n", kind, $3, kind, $4, $5
    }' "$XIDS"
}

write_kernel_xids() {
  local before='' cursor='' new
  [[ -n $(gpus_wanted) ]] && installed journalctl || return 0
  before=$(cat "$XIDS" 2>/dev/null || true)
  cursor=$(sed --quiet 's/^-- cursor: //p' <<<"$before")
  # what is read by half would be counted again
  new=$(log_since "$cursor") || return 0
  printf '%s\n' "$before" "$new" | counted | LC_ALL=C sort | write_file "$XIDS" 0644 || true
  [[ -f $XIDS ]] || return 0
  { xid_series xid && xid_series sxid; } | write_textfile ultracluster_xids
}
