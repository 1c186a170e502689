# shellcheck shell=bash
# The programs of collection, as their projects release them: pinned by version and, where it is locked, by the
# archive's SHA-256. Each line of METRICS_ARTEFACTS is NAME MACHINE FILE ADDRESS SHA256, with - for what nobody locked.

PROGRAMS=$ROOT/opt/ultracluster/bin

# get ADDRESS FILE: from a bucket or from the web
get() {
  if [[ $1 == s3://* ]]; then
    aws s3 cp --only-show-errors --region "$NODE_REGION" "$1" "$2"
  else
    curl --fail --location --silent --show-error --retry 4 --retry-connrefused --connect-timeout 20 --max-time 600 --output "$2" "$1"
  fi
}

# unpack ARCHIVE NAME: the one program of that name that is in it
unpack() {
  local folder=$1.unpacked found
  rm --recursive --force "$folder"
  mkdir --parents "$folder"
  tar --extract --gzip --file "$1" --directory "$folder" --no-same-owner || return 1
  found=$(find "$folder" -type f -name "$2" -print -quit)
  [[ -n $found ]] && install -D --mode=0755 "$found" "$PROGRAMS/$2"
}

# fetch_program NAME PROGRAM: true where the program is there as pinned; an archive that is another one than the locked
# is not tried again for an hour
fetch_program() {
  local name=$1 program=$2 row file address sha
  row=$(awk -v name="$name" -v machine="$(uname --machine)" '$1 == name && $2 == machine {print $3, $4, $5}' <<<"$METRICS_ARTEFACTS")
  [[ -n $row ]] || { warn "$name is not released for this machine" && return 1; }
  read -r file address sha <<<"$row"
  local mark=$PROGRAMS/$program.from refused=$STATE/refused-$name
  [[ ! -x $PROGRAMS/$program || $(cat "$mark" 2>/dev/null) != "$file $sha" ]] || return 0
  [[ $(find "$refused" -mmin -60 2>/dev/null) == "" ]] || return 1
  local work=$STATE/download archive
  archive=$work/$file
  mkdir --parents "$work" "$PROGRAMS"
  if ! get "$address" "$archive"; then
    warn "$address could not be read: $name is tried again"
    return 1
  fi
  if [[ $sha == - ]]; then
    say "nobody has locked what $file is: it is taken as it came"
  elif ! sha256sum --check --status <<<"$sha  $archive"; then
    warn "$address is not the $file that is locked: $name does not run"
    rm --force "$archive"
    touch "$refused"
    return 1
  fi
  unpack "$archive" "$program" || { warn "$file has no $program" && touch "$refused" && return 1; }
  rm --recursive --force "$work"
  write_file "$mark" 0644 <<<"$file $sha" || true
  say "$name is there: $file"
}
