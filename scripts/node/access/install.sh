# shellcheck shell=bash
# Installation of the account updates.

# install_access FOLDER: update the accounts now, before a job needs them, and then every five minutes
install_access() {
  local name
  for name in access.sh access-library.sh access-settings.env sssd.conf directory-ca.pem; do
    [[ ! -f $1/$name ]] || install -D --mode=0644 "$1/$name" "$SCRIPTS/access/$name"
  done
  cp --force "$1/library.sh" "$1/settings.env" "$SCRIPTS/access/"
  write_file "$ROOT/usr/local/sbin/ultracluster-access" 0755 <<'PROGRAM' || true
#!/usr/bin/env bash
# Updates the accounts on this node from the cluster's user list; `show` prints the users.
exec /bin/bash /opt/ultracluster/access/access.sh "$@"
PROGRAM
  write_unit ultracluster-access.service <<'UNIT'
[Unit]
Description=ultracluster: user accounts from the cluster's user list
Wants=network-online.target
After=network-online.target ultracluster-mounts.service

[Service]
Type=oneshot
TimeoutStartSec=15min
ExecStart=/bin/bash /opt/ultracluster/access/access.sh apply
SuccessExitStatus=1
UNIT
  write_unit ultracluster-access.timer <<'UNIT'
[Unit]
Description=ultracluster: update of user accounts every five minutes

[Timer]
OnBootSec=1min
OnUnitActiveSec=5min
RandomizedDelaySec=1min

[Install]
WantedBy=timers.target
UNIT
  systemctl daemon-reload
  systemctl enable --now ultracluster-access.timer || warn "changes of the user list are not applied to this node"
  follow_people || warn "not all accounts could be updated from the user list"
}
