# shellcheck shell=bash
# The accounts of people. Their list lies in S3, and one parameter says where and with which SHA-256: another list is
# another value, and no other script, so nobody's nodes are replaced for a new colleague. Each line of it is `group NAME
# GID`, `user NAME UID GROUP GID SHELL SUDO GROUPS` or `key NAME KEY...`.

PEOPLE=$STATE/access
PEOPLE_LIST=$PEOPLE/people.txt
MANAGED=$PEOPLE/managed
MANAGED_GROUPS=$PEOPLE/managed-groups
KEYS=$ROOT/etc/ssh/ultracluster-keys
# where accounts that useradd makes are, for tests
ACCOUNTS=${ULTRACLUSTER_ACCOUNTS:-$ROOT}

# people_of KIND: the words of each line of that kind, without the kind
people_of() { awk -v kind="$1" '$1 == kind {sub(/^[^ ]+ /, ""); print}' "$PEOPLE_LIST"; }

# fetch_people: the list that the parameter names, checked; the one that is there stays where it cannot be had
fetch_people() {
  local value uri digest new=$PEOPLE_LIST.$BASHPID
  value=$(parameter "$ACCESS_PARAMETER") || return 1
  uri=${value% *} digest=${value##* }
  [[ $uri == s3://* && $digest =~ ^[0-9a-f]{64}$ ]] || {
    warn "parameter $ACCESS_PARAMETER has '$value', which names no list of people"
    return 1
  }
  mkdir --parents "$PEOPLE"
  [[ ! -f $PEOPLE_LIST || $(sha256sum <"$PEOPLE_LIST") != "$digest  -" ]] || return 0
  if aws s3 cp --only-show-errors --region "$NODE_REGION" "$uri" "$new" && [[ $(sha256sum <"$new") == "$digest  -" ]]; then
    chmod 0600 "$new" && mv --force "$new" "$PEOPLE_LIST"
  else
    rm --force "$new"
    warn "$uri could not be read, or is not the list that the parameter names"
    return 1
  fi
}

# id_of DATABASE NAME, name_of DATABASE ID: what the node knows, from its own files or from a directory
id_of() { getent "$1" "$2" | cut --delimiter=: --fields=3; }
name_of() { getent "$1" "$2" | cut --delimiter=: --fields=1; }

# ours DATABASE NAME ID: true where the name has that id, or neither is taken and it can be made; files belong to ids,
# so an id that is another's is never changed and never shared
ours() {
  local id name
  id=$(id_of "$1" "$2") name=$(name_of "$1" "$3")
  if [[ -n $id && $id != "$3" ]]; then
    warn "$2 has $1 id $id on this node and $3 in the list: left as it is"
    return 1
  elif [[ -n $name && $name != "$2" ]]; then
    warn "$1 id $3 is $name's on this node: $2 is not made"
    return 1
  fi
}

# listed_in FILE NAME: whether a file of names has that one
listed_in() { grep --quiet --line-regexp --fixed-strings -- "$2" "$1" 2>/dev/null; }

# theirs DATABASE KIND FILE: the names of the list whose account or group on this node is the list's: it has the id that
# the list says, or had it when FILE was written. All others are the node's own, which people neither come in by nor change
theirs() {
  local name id there
  while read -r name id _; do
    there=$(id_of "$1" "$name")
    [[ -n $there ]] || continue
    if [[ $there == "$id" ]] || listed_in "$3" "$name"; then printf '%s\n' "$name"; fi
  done < <(people_of "$2")
}

# make_group NAME GID
make_group() {
  ours group "$1" "$2" || return 1
  [[ -n $(id_of group "$1") ]] || groupadd --gid "$2" "$1" || return 1
}

# make_user NAME UID GROUP GID SHELL SUDO GROUPS: an account without a password, which comes by key or session alone
make_user() {
  local name=$1 uid=$2 group=$3 gid=$4 shell=$5 home=$HOME_FOLDER/$1
  ours passwd "$name" "$uid" && make_group "$group" "$gid" || return 1
  if [[ -z $(id_of passwd "$name") ]]; then
    useradd --no-create-home --uid "$uid" --gid "$gid" --home-dir "$home" --shell "$shell" "$name" || return 1
    say "made the account of $name, uid $uid"
  elif [[ $(getent passwd "$name" | cut --delimiter=: --fields=4,6,7) != "$gid:$home:$shell" ]]; then
    usermod --gid "$gid" --home "$home" --shell "$shell" "$name" || return 1
  fi
  # '*' is no password that anybody has, and no lock: a locked account may not come by key either
  grep --quiet "^$name:\*:" "$ACCOUNTS/etc/shadow" 2>/dev/null || usermod --password '*' --expiredate '' "$name" || return 1
  make_home "$name" "$uid" "$gid"
}

# make_directory PATH UID GID MODE: by the one node whose mkdir succeeds; what is there is its owner's, but for one that
# a node made and did not live to give away
make_directory() {
  local owner
  if mkdir "$ROOT$1" 2>/dev/null; then
    MADE=yes
  else
    MADE=
    owner=$(stat --format=%u "$ROOT$1" 2>/dev/null) || {
      warn "$1 could not be made"
      return 1
    }
    [[ $owner != "$2" ]] || return 0
    [[ $owner == 0 && $2 != 0 ]] || {
      warn "$1 is uid $owner's, and not $2's: left as it is"
      return 1
    }
  fi
  chown "$2:$3" "$ROOT$1" && chmod "$4" "$ROOT$1"
}

# make_home NAME UID GID
make_home() {
  [[ -d $ROOT$HOME_FOLDER ]] || mkdir --parents "$ROOT$HOME_FOLDER" || return 1
  make_directory "$HOME_FOLDER/$1" "$2" "$3" 0700 || return 1
  [[ -n $MADE && -d $ROOT/etc/skel ]] || return 0
  cp --recursive --no-clobber --no-target-directory "$ROOT/etc/skel" "$ROOT$HOME_FOLDER/$1" && chown --recursive "$2:$3" "$ROOT$HOME_FOLDER/$1"
}

# make_shared PER PATH: a directory for each user or group below a path of a shared file system
make_shared() {
  local name id gid
  mkdir --parents "$ROOT$2" || return 1
  if [[ $1 == user ]]; then
    while read -r name id _ gid _; do
      make_directory "$2/$name" "$id" "$gid" 0700 || true
    done < <(people_of user)
  else
    while read -r name gid; do
      # the group owns what is made in there, whoever makes it
      make_group_directory "$2/$name" "$gid" || true
    done < <(people_of group)
  fi
}

# make_group_directory PATH GID
make_group_directory() {
  local group
  mkdir "$ROOT$1" 2>/dev/null || group=$(stat --format=%g "$ROOT$1") || return 1
  [[ ${group:-0} != "$2" ]] || return 0
  [[ ${group:-0} == 0 ]] || {
    warn "$1 is gid $group's, and not $2's: left as it is"
    return 1
  }
  chown "0:$2" "$ROOT$1" && chmod 2770 "$ROOT$1"
}

# fill_group NAME: exactly the members that the list has; groups of the node's own are left alone
fill_group() {
  local members
  members=$(people_of user | awk -v group="$1" '{split($7, all, ","); for (i in all) if (all[i] == group) print $1}' | sort | paste --serial --delimiters=,)
  [[ $(getent group "$1" | cut --delimiter=: --fields=4 | tr , '\n' | sort | paste --serial --delimiters=,) == "$members" ]] || gpasswd --members "$members" "$1"
}

# write_keys: root's own files beside those of users, so that a key that leaves the list leaves the nodes; true where a
# user has any; an account of the node's own gets none, since who has one comes in as it
write_keys() {
  local name file
  while read -r name _; do
    file=$KEYS/$name
    if listed_in "$MANAGED" "$name" && people_of key | awk -v name="$name" '$1 == name {found = 1} END {exit !found}'; then
      people_of key | awk -v name="$name" '$1 == name {sub(/^[^ ]+ /, ""); print}' | write_file "$file" 0644 || true
    else
      rm --force "$file"
    fi
  done < <(people_of user)
  [[ -d $ROOT/etc/ssh/sshd_config.d ]] || return 0
  if write_file "$ROOT/etc/ssh/sshd_config.d/10-ultracluster.conf" 0644 <<'CONF'; then
AuthorizedKeysFile .ssh/authorized_keys /etc/ssh/ultracluster-keys/%u
PasswordAuthentication no
CONF
    systemctl reload ssh.service 2>/dev/null || systemctl reload sshd.service || warn "sshd did not read its configuration again"
  fi
}

# write_sudoers: checked before it counts, since a wrong file takes sudo from everybody
write_sudoers() {
  local file=$ROOT/etc/sudoers.d/ultracluster-people new=$PEOPLE/sudoers
  mkdir --parents "$ROOT/etc/sudoers.d"
  people_of user | awk -v managed="$MANAGED" 'FILENAME == managed {managed_names[$1]; next}
    $6 == "sudo" && ($1 in managed_names) {print $1 " ALL=(ALL:ALL) NOPASSWD: ALL"}' "$MANAGED" - >"$new"
  if [[ ! -s $new ]]; then
    rm --force "$file"
  elif visudo --check --quiet --file="$new"; then
    write_file "$file" 0440 <"$new" || true
  else
    warn "the list's sudo rules are refused by visudo: left as they were"
  fi
}

# lock_absent: who has left keeps files and id, and comes in no more; jobs that run are left to Slurm. Whoever could not
# be locked, such as while another program has the accounts' files, is in NOT_LOCKED for the next run
lock_absent() {
  local name
  NOT_LOCKED=
  [[ -f $MANAGED ]] || return 0
  while read -r name; do
    [[ -n $name ]] || continue
    ! people_of user | awk -v name="$name" '$1 == name {found = 1} END {exit !found}' || continue
    rm --force "$KEYS/$name"
    if [[ -n $(id_of passwd "$name") ]]; then
      usermod --lock --expiredate 1 --shell /usr/sbin/nologin "$name" || {
        warn "the account of $name, who is in the list no more, could not be locked: tried again in a few minutes"
        NOT_LOCKED+=$name$'\n'
        continue
      }
      say "locked the account of $name, who is in the list no more; files stay"
    fi
  done <"$MANAGED"
}

# follow_people: what is wrong with one account keeps nobody else from theirs
follow_people() {
  local name gid words status=0
  step follow_directory
  [[ -n $ACCESS_PARAMETER ]] || return 0
  fetch_people || [[ -f $PEOPLE_LIST ]] || {
    warn "there is no list of people yet"
    return 1
  }
  exec 9>"$PEOPLE/lock"
  flock 9
  while read -r name gid; do
    make_group "$name" "$gid" || status=1
  done < <(people_of group)
  while read -r -a words; do
    make_user "${words[@]}" || status=1
  done < <(people_of user)
  theirs group group "$MANAGED_GROUPS" | write_file "$MANAGED_GROUPS" 0600 || true
  while read -r name _; do
    ! listed_in "$MANAGED_GROUPS" "$name" || fill_group "$name" || status=1
  done < <(people_of group)
  lock_absent
  [[ -z $NOT_LOCKED ]] || status=1
  { theirs passwd user "$MANAGED" && printf '%s' "$NOT_LOCKED"; } | write_file "$MANAGED" 0600 || true
  write_keys
  write_sudoers
  each_line "$SHARED_DIRECTORIES" make_shared || status=1
  step follow_accounts
  # what goes on after this, such as the rest of a node's boot and all that it starts, keeps nobody waiting
  exec 9>&-
  return "$status"
}

# show_people: each account of the list, and whether the node has it so
show_people() {
  local name uid
  [[ -f $PEOPLE_LIST ]] || {
    echo "no list of people"
    return 1
  }
  while read -r name uid _; do
    printf '%-32s %-10s %s\n' "$name" "$uid" "$([[ $(id_of passwd "$name") == "$uid" ]] && echo there || echo missing)"
  done < <(people_of user)
}
