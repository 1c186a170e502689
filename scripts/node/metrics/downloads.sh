# shellcheck shell=bash
# Release archives of the exporters and the agent, pinned by version and, if it is locked, by the archive's SHA-256.
# Each line of METRICS_ARTEFACTS is NAME MACHINE FILE ADDRESS SHA256, with - for an archive without a checksum.

PROGRAMS=$ROOT/opt/ultracluster/bin

# get ADDRESS FILE: download from a bucket or over https
get() {
  if [[ $1 == s3://* ]]; then
    aws s3 cp --only-show-errors --region "$NODE_REGION" "$1" "$2"
  else
    curl --fail --location --silent --show-error --retry 4 --retry-connrefused --connect-timeout 20 --max-time 600 --output "$2" "$1"
  fi
}

# unpack ARCHIVE NAME: install the program with this name from the archive
unpack() {
  local folder=$1.unpacked found
  rm --recursive --force "$folder"
  mkdir --parents "$folder"
  tar --extract --gzip --file "$1" --directory "$folder" --no-same-owner || return 1
  found=$(find "$folder" -type f -name "$2" -print -quit)
  [[ -n $found ]] && install -D --mode=0755 "$found" "$PROGRAMS/$2"
}

# fetch_program NAME PROGRAM: true if the pinned program is installed; an archive with another checksum is not tried
# again for an hour
fetch_program() {
  local name=$1 program=$2 row file address sha
  row=$(awk -v name="$name" -v machine="$(uname --machine)" '$1 == name && $2 == machine {print $3, $4, $5}' <<<"$METRICS_ARTEFACTS")
  [[ -n $row ]] || { warn "$name is not released for this CPU architecture" && return 1; }
  read -r file address sha <<<"$row"
  local mark=$PROGRAMS/$program.from refused=$STATE/refused-$name
  [[ ! -x $PROGRAMS/$program || $(cat "$mark" 2>/dev/null) != "$file $sha" ]] || return 0
  [[ $(find "$refused" -mmin -60 2>/dev/null) == "" ]] || return 1
  local work=$STATE/download archive
  archive=$work/$file
  mkdir --parents "$work" "$PROGRAMS"
  if ! get "$address" "$archive"; then
    warn "$address could not be downloaded: retrying $name later"
    return 1
  fi
  if [[ $sha == - ]]; then
    say "$file has no locked checksum: it is installed without verification"
  elif ! sha256sum --check --status <<<"$sha  $archive"; then
    warn "$address does not have the locked checksum of $file: $name does not run"
    rm --force "$archive"
    touch "$refused"
    return 1
  fi
  unpack "$archive" "$program" || { warn "$file does not contain $program" && touch "$refused" && return 1; }
  rm --recursive --force "$work"
  write_file "$mark" 0644 <<<"$file $sha" || true
  say "installed $name: $file"
}
