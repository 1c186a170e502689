# shellcheck shell=bash
# Slurm accounts and associations, if Slurm has an accounting database: an account for each group, and an association of
# each user with the accounts of their groups. Limits, shares and accounts that others added are not changed.

EVERYBODY=everybody

# keeps_accounts: whether this node updates slurmdbd. On HyperPod the controller does it. On PCS every node does it,
# once for each list; existing entries are not added again.
keeps_accounts() {
  [[ -n $SLURM_ACCOUNTS ]] && installed sacctmgr || return 1
  [[ $SLURM_ACCOUNTS != controller ]] || systemctl is-active --quiet slurmctld || return 1
  [[ $(cat "$PEOPLE/told" 2>/dev/null) != "$(sha256sum <"$PEOPLE_LIST")" ]]
}

# associations: print ACCOUNT USER for each user of the list, the default account first
associations() {
  people_of user | awk -v everybody="$EVERYBODY" '{
    count = 0
    if ($3 != $1) {print $3, $1; count++}
    split($7, groups, ",")
    for (i = 1; i in groups; i++) if (groups[i] != "-" && groups[i] != $3) {print groups[i], $1; count++}
    if (!count) print everybody, $1
  }'
}

# follow_accounts: add missing entries, and block new jobs of users who were removed from the list
follow_accounts() {
  local known account user absent
  keeps_accounts || return 0
  known=$(sacctmgr --noheader --parsable2 show associations format=account,user) || {
    warn "slurmdbd does not answer: retrying in a few minutes"
    return 1
  }
  while read -r account user; do
    grep --quiet "^$account|$" <<<"$known" || {
      sacctmgr --immediate add account "$account" description="ultracluster" organization="ultracluster" || return 1
      known+=$'\n'"$account|"
    }
    grep --quiet "^$account|$user$" <<<"$known" || sacctmgr --immediate add user "$user" account="$account" || return 1
    # a user who is in the list again can submit jobs again
    if grep --quiet --line-regexp "$user" "$PEOPLE/held" 2>/dev/null; then
      sacctmgr --immediate modify user where name="$user" set maxsubmitjobs=-1 || return 1
      sed --in-place "/^$user$/d" "$PEOPLE/held"
    fi
  done < <(associations)
  while IFS='|' read -r _ user; do
    absent=$user
    [[ -n $absent ]] || continue
    grep --quiet --line-regexp "$absent" "$PEOPLE/seen" 2>/dev/null || continue
    ! people_of user | awk -v name="$absent" '$1 == name {found = 1} END {exit !found}' || continue
    ! grep --quiet --line-regexp "$absent" "$PEOPLE/held" 2>/dev/null || continue
    sacctmgr --immediate modify user where name="$absent" set maxsubmitjobs=0 && printf '%s\n' "$absent" >>"$PEOPLE/held"
  done <<<"$known"
  {
    cat "$PEOPLE/seen" 2>/dev/null || true
    people_of user | cut --delimiter=' ' --fields=1
  } | sort --unique | write_file "$PEOPLE/seen" 0600 || true
  sha256sum <"$PEOPLE_LIST" | write_file "$PEOPLE/told" 0600 || true
}
