# shellcheck shell=bash
# Accounts and associations of Slurm, where it keeps any: an account for each group, and each user in those of their
# groups. What somebody else added there stays: limits, shares and further accounts are not ours.

EVERYBODY=everybody

# keeps_accounts: whether this node tells slurmdbd of the list. HyperPod has one controller; under PCS every node can,
# and whoever comes first does: what is there is not added again, and each asks once for each list.
keeps_accounts() {
  [[ -n $SLURM_ACCOUNTS ]] && installed sacctmgr || return 1
  [[ $SLURM_ACCOUNTS != controller ]] || systemctl is-active --quiet slurmctld || return 1
  [[ $(cat "$PEOPLE/told" 2>/dev/null) != "$(sha256sum <"$PEOPLE_LIST")" ]]
}

# associations: ACCOUNT USER for each user of the list, their default account first
associations() {
  people_of user | awk -v everybody="$EVERYBODY" '{
    count = 0
    if ($3 != $1) {print $3, $1; count++}
    split($7, groups, ",")
    for (i = 1; i in groups; i++) if (groups[i] != "-" && groups[i] != $3) {print groups[i], $1; count++}
    if (!count) print everybody, $1
  }'
}

# follow_accounts: adds what is missing, and holds back the jobs of who has left
follow_accounts() {
  local known account user absent
  keeps_accounts || return 0
  known=$(sacctmgr --noheader --parsable2 show associations format=account,user) || {
    warn "slurmdbd does not answer: accounts are looked at again in a few minutes"
    return 1
  }
  while read -r account user; do
    grep --quiet "^$account|$" <<<"$known" || {
      sacctmgr --immediate add account "$account" description="ultracluster" organization="ultracluster" || return 1
      known+=$'\n'"$account|"
    }
    grep --quiet "^$account|$user$" <<<"$known" || sacctmgr --immediate add user "$user" account="$account" || return 1
    # who is back may work again
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
