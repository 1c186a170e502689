# shellcheck shell=bash
# A directory of people that sssd asks: its configuration is ours but for the password, which the node fetches itself.

# install_sssd: images have it or get it from their own distribution; without either the node goes on without
install_sssd() {
  ! installed sssd || return 0
  say "installing sssd"
  if installed apt-get; then
    DEBIAN_FRONTEND=noninteractive apt-get --quiet --yes -o DPkg::Lock::Timeout=300 update &&
      DEBIAN_FRONTEND=noninteractive apt-get --quiet --yes -o DPkg::Lock::Timeout=300 install sssd-ldap libnss-sss libpam-sss
  else
    dnf --assumeyes install sssd-ldap
  fi
}

# follow_directory: sssd.conf as it should be; sssd is started again only where it changed
follow_directory() {
  local here=$SCRIPTS/access password changed=
  [[ -n $DIRECTORY_SECRET ]] || return 0
  install_sssd || {
    warn "sssd is not there and could not be installed: nobody of the directory can log in"
    return 1
  }
  password=$(aws secretsmanager get-secret-value --region "$NODE_REGION" --secret-id "$DIRECTORY_SECRET" --query SecretString --output text) || {
    warn "the secret of the directory could not be read"
    return 1
  }
  [[ $password != *$'\n'* && -n $password ]] || {
    warn "the secret of the directory is not one line: its text is the password and nothing else"
    return 1
  }
  if [[ -f $here/directory-ca.pem ]]; then
    ! write_file "$ROOT/etc/sssd/ultracluster-ca.pem" 0644 <"$here/directory-ca.pem" || changed=yes
  fi
  # without a copy of the password in the arguments of a program, which everybody sees
  if { cat "$here/sssd.conf" && printf 'ldap_default_authtok = %s\n' "$password"; } | (umask 077 && write_file "$ROOT/etc/sssd/sssd.conf" 0600); then
    changed=yes
  fi
  if installed pam-auth-update; then
    pam-auth-update --enable mkhomedir sss || warn "homes of people of the directory are not made at their first login"
  elif installed authselect; then
    authselect select sssd with-mkhomedir --force || warn "homes of people of the directory are not made at their first login"
  fi
  systemctl enable sssd.service || warn "sssd does not start at boot"
  [[ -z $changed ]] || systemctl restart sssd.service
}
