# shellcheck shell=bash
# Faults of GPUs (XIDs) and NVSwitches (SXIDs) in the kernel log, because DCGM does not report all of them (NVIDIA/DCGM
# #235). Each call reads the new lines of the log. The counts and the position in the log are in one file in /run, which
# is empty after a boot.

XIDS=$ROOT/run/ultracluster/xids

# log_since CURSOR: print the faults in the kernel log since this boot, and the position after them; false if the log
# was not read to its end
log_since() {
  timeout 60 journalctl --dmesg --boot --quiet --no-pager --output=cat --show-cursor ${1:+--after-cursor="$1"} 2>/dev/null |
    awk '/Xid \(PCI:|^-- cursor: /'
}

# counted: read the previous counts and the new lines of the log, and print the new counts
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
  # a part of the log would be counted again
  new=$(log_since "$cursor") || return 0
  printf '%s\n' "$before" "$new" | counted | LC_ALL=C sort | write_file "$XIDS" 0644 || true
  [[ -f $XIDS ]] || return 0
  { xid_series xid && xid_series sxid; } | write_textfile ultracluster_xids
}
