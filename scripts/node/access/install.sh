# shellcheck shell=bash
# What keeps a node's accounts as the list says.

# install_access FOLDER: at once, so that a job finds its user, and then every few minutes
install_access() {
  local name
  for name in access.sh access-library.sh access-settings.env sssd.conf directory-ca.pem; do
    [[ ! -f $1/$name ]] || install -D --mode=0644 "$1/$name" "$SCRIPTS/access/$name"
  done
  cp --force "$1/library.sh" "$1/settings.env" "$SCRIPTS/access/"
  write_file "$ROOT/usr/local/sbin/ultracluster-access" 0755 <<'PROGRAM' || true
#!/usr/bin/env bash
# Makes the accounts of this node what the cluster's list says, now; `show` says which there are.
exec /bin/bash /opt/ultracluster/access/access.sh "$@"
PROGRAM
  write_unit ultracluster-access.service <<'UNIT'
[Unit]
Description=ultracluster: accounts of people as the cluster's list says
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
Description=ultracluster: a changed list of people is there within minutes

[Timer]
OnBootSec=1min
OnUnitActiveSec=5min
RandomizedDelaySec=1min

[Install]
WantedBy=timers.target
UNIT
  systemctl daemon-reload
  systemctl enable --now ultracluster-access.timer || warn "changes of the list of people do not reach this node"
  follow_people || warn "not all accounts are as the list says"
}
