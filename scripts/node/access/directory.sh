# shellcheck shell=bash
# User directory through sssd. The bundle has its configuration without the password, which the node reads from a
# secret.

# install_sssd: install sssd from the distribution, if the AMI does not have it; the node continues without sssd if the
# installation fails
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

# follow_directory: write sssd.conf, and restart sssd only if it changed
follow_directory() {
  local here=$SCRIPTS/access password changed=
  [[ -n $DIRECTORY_SECRET ]] || return 0
  install_sssd || {
    warn "sssd could not be installed: users of the directory cannot log in"
    return 1
  }
  password=$(aws secretsmanager get-secret-value --region "$NODE_REGION" --secret-id "$DIRECTORY_SECRET" --query SecretString --output text) || {
    warn "the secret of the directory could not be read"
    return 1
  }
  [[ $password != *$'\n'* && -n $password ]] || {
    warn "the secret of the directory is not one line: it must contain only the password"
    return 1
  }
  if [[ -f $here/directory-ca.pem ]]; then
    ! write_file "$ROOT/etc/sssd/ultracluster-ca.pem" 0644 <"$here/directory-ca.pem" || changed=yes
  fi
  # the password is not passed as an argument, which all users could read
  if { cat "$here/sssd.conf" && printf 'ldap_default_authtok = %s\n' "$password"; } | (umask 077 && write_file "$ROOT/etc/sssd/sssd.conf" 0600); then
    changed=yes
  fi
  if installed pam-auth-update; then
    pam-auth-update --enable mkhomedir sss || warn "home directories are not created at the first login of directory users"
  elif installed authselect; then
    authselect select sssd with-mkhomedir --force || warn "home directories are not created at the first login of directory users"
  fi
  systemctl enable sssd.service || warn "sssd does not start at boot"
  [[ -z $changed ]] || systemctl restart sssd.service
}
