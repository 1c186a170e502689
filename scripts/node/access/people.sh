# shellcheck shell=bash
# User accounts. The user list is in S3, and an SSM parameter has its location and SHA-256: a changed list changes the
# parameter, not the scripts, so nodes are not replaced for a new user. Each line of the list is `group NAME GID`, `user
# NAME UID GROUP GID SHELL SUDO GROUPS` or `key NAME KEY...`.

PEOPLE=$STATE/access
PEOPLE_LIST=$PEOPLE/people.txt
MANAGED=$PEOPLE/managed
MANAGED_GROUPS=$PEOPLE/managed-groups
KEYS=$ROOT/etc/ssh/ultracluster-keys
# root folder of the accounts that useradd creates, for tests
ACCOUNTS=${ULTRACLUSTER_ACCOUNTS:-$ROOT}

# people_of KIND: print the fields of each line of this type, without the type
people_of() { awk -v kind="$1" '$1 == kind {sub(/^[^ ]+ /, ""); print}' "$PEOPLE_LIST"; }

# fetch_people: download and verify the list; if this fails, the existing list remains
fetch_people() {
  local value uri digest new=$PEOPLE_LIST.$BASHPID
  value=$(parameter "$ACCESS_PARAMETER") || return 1
  uri=${value% *} digest=${value##* }
  [[ $uri == s3://* && $digest =~ ^[0-9a-f]{64}$ ]] || {
    warn "parameter $ACCESS_PARAMETER has '$value', which is not the location of a user list"
    return 1
  }
  mkdir --parents "$PEOPLE"
  [[ ! -f $PEOPLE_LIST || $(sha256sum <"$PEOPLE_LIST") != "$digest  -" ]] || return 0
  if aws s3 cp --only-show-errors --region "$NODE_REGION" "$uri" "$new" && [[ $(sha256sum <"$new") == "$digest  -" ]]; then
    chmod 0600 "$new" && mv --force "$new" "$PEOPLE_LIST"
  else
    rm --force "$new"
    warn "$uri could not be read, or does not have the checksum in the parameter"
    return 1
  fi
}

# id_of DATABASE NAME, name_of DATABASE ID: query the node's own files and the directory
id_of() { getent "$1" "$2" | cut --delimiter=: --fields=3; }
name_of() { getent "$1" "$2" | cut --delimiter=: --fields=1; }

# ours DATABASE NAME ID: true if the name has this id, or if both are free. Files belong to ids, so the id of another
# name is never changed or shared
ours() {
  local id name
  id=$(id_of "$1" "$2") name=$(name_of "$1" "$3")
  if [[ -n $id && $id != "$3" ]]; then
    warn "$2 has $1 id $id on this node and $3 in the list: it is not changed"
    return 1
  elif [[ -n $name && $name != "$2" ]]; then
    warn "$1 id $3 belongs to $name on this node: $2 is not created"
    return 1
  fi
}

# listed_in FILE NAME: whether a file of names contains NAME
listed_in() { grep --quiet --line-regexp --fixed-strings -- "$2" "$1" 2>/dev/null; }

# theirs DATABASE KIND FILE: the listed names whose account or group on this node was created from the list: the account
# has the listed id, or FILE contains its name. All other accounts belong to the node, so users cannot log in to them or
# change them
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

# make_user NAME UID GROUP GID SHELL SUDO GROUPS: an account without a password, for SSH keys and sessions only
make_user() {
  local name=$1 uid=$2 group=$3 gid=$4 shell=$5 home=$HOME_FOLDER/$1
  ours passwd "$name" "$uid" && make_group "$group" "$gid" || return 1
  if [[ -z $(id_of passwd "$name") ]]; then
    useradd --no-create-home --uid "$uid" --gid "$gid" --home-dir "$home" --shell "$shell" "$name" || return 1
    say "created the account of $name, uid $uid"
  elif [[ $(getent passwd "$name" | cut --delimiter=: --fields=4,6,7) != "$gid:$home:$shell" ]]; then
    usermod --gid "$gid" --home "$home" --shell "$shell" "$name" || return 1
  fi
  # '*' matches no password, but does not lock the account: a locked account could not log in with a key
  grep --quiet "^$name:\*:" "$ACCOUNTS/etc/shadow" 2>/dev/null || usermod --password '*' --expiredate '' "$name" || return 1
  make_home "$name" "$uid" "$gid"
}

# make_directory PATH UID GID MODE: the node whose mkdir succeeds creates it. An existing directory is not changed,
# unless root owns it because a node stopped before it set the owner
make_directory() {
  local owner
  if mkdir "$ROOT$1" 2>/dev/null; then
    MADE=yes
  else
    MADE=
    owner=$(stat --format=%u "$ROOT$1" 2>/dev/null) || {
      warn "$1 could not be created"
      return 1
    }
    [[ $owner != "$2" ]] || return 0
    [[ $owner == 0 && $2 != 0 ]] || {
      warn "$1 belongs to uid $owner, not to $2: it is not changed"
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
      # files in this directory belong to the group, whoever creates them
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
    warn "$1 belongs to gid $group, not to $2: it is not changed"
    return 1
  }
  chown "0:$2" "$ROOT$1" && chmod 2770 "$ROOT$1"
}

# fill_group NAME: set exactly the members in the list; the caller skips groups of the node
fill_group() {
  local members
  members=$(people_of user | awk -v group="$1" '{split($7, all, ","); for (i in all) if (all[i] == group) print $1}' | sort | paste --serial --delimiters=,)
  [[ $(getent group "$1" | cut --delimiter=: --fields=4 | tr , '\n' | sort | paste --serial --delimiters=,) == "$members" ]] || gpasswd --members "$members" "$1"
}

# write_keys: write the keys of the list to files of root, so that a key that is removed from the list is removed from
# the nodes. Accounts of the node do not get keys, because users could log in to them
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
    systemctl reload ssh.service 2>/dev/null || systemctl reload sshd.service || warn "sshd could not reload its configuration"
  fi
}

# write_sudoers: check the file before it is used, because a wrong file disables sudo for all users
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
    warn "visudo rejects the sudo rules of the list: they are not changed"
  fi
}

# lock_absent: lock users who were removed from the list; files and ids do not change, and Slurm handles running jobs.
# Users who could not be locked, for example because another program locks the account files, are in NOT_LOCKED for the
# next run
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
        warn "the account of $name, who is no longer in the list, could not be locked: retrying in a few minutes"
        NOT_LOCKED+=$name$'\n'
        continue
      }
      say "locked the account of $name, who is no longer in the list; files are retained"
    fi
  done <"$MANAGED"
}

# follow_people: update all accounts; an error in one account does not affect the others
follow_people() {
  local name gid words status=0
  step follow_directory
  [[ -n $ACCESS_PARAMETER ]] || return 0
  fetch_people || [[ -f $PEOPLE_LIST ]] || {
    warn "the user list does not exist yet"
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
  # release the lock, so that processes that start later do not inherit it
  exec 9>&-
  return "$status"
}

# show_people: print each account of the list, and whether the node has it
show_people() {
  local name uid
  [[ -f $PEOPLE_LIST ]] || {
    echo "no user list"
    return 1
  }
  while read -r name uid _; do
    printf '%-32s %-10s %s\n' "$name" "$uid" "$([[ $(id_of passwd "$name") == "$uid" ]] && echo there || echo missing)"
  done < <(people_of user)
}
