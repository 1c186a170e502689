# shellcheck shell=bash
# Location of Docker's data.

# docker_settings FILE ROOT: print the daemon's settings with this data root, and all other keys unchanged; without
# ROOT, remove ultracluster's data root. Fails if the file is not valid JSON.
docker_settings() {
  python3 - "$1" "$2" <<'PYTHON'
import json, pathlib, sys

file, root = pathlib.Path(sys.argv[1]), sys.argv[2]
text = file.read_text() if file.exists() else ""
settings = json.loads(text) if text.strip() else {}
own = "/ultracluster-docker"
if root:
    settings["data-root"] = root + own
elif settings.get("data-root", "").endswith(own):
    del settings["data-root"]
print(json.dumps(settings, indent=2, sort_keys=True))
PYTHON
}

# configure_docker BASE: move Docker's data, if Docker is installed
configure_docker() {
  installed dockerd || installed docker || return 0
  local file=$ROOT/etc/docker/daemon.json settings changed=false
  [[ -n $1 || -f $file ]] || return 0
  if ! settings=$(docker_settings "$file" "${1#"$ROOT"}"); then
    warn "$file is not valid JSON: the location of Docker's data does not change"
    return 0
  fi
  if [[ -n $1 ]]; then
    install --directory --mode=0710 "$1/ultracluster-docker" || return 0
    install --directory --mode=0700 "$1/ultracluster-docker-tmp"
    ! write_file "$ROOT/etc/systemd/system/docker.service.d/ultracluster.conf" 0644 <<UNIT || changed=true
[Unit]
Wants=ultracluster-disks.service
After=ultracluster-disks.service

[Service]
Environment=DOCKER_TMPDIR=${1#"$ROOT"}/ultracluster-docker-tmp
UNIT
  fi
  ! write_file "$file" 0644 <<<"$settings" || changed=true
  $changed || return 0
  systemctl daemon-reload
  # a daemon that is not running reads its settings at its next start
  systemctl try-restart docker.service || warn "docker.service could not be restarted with its new data root"
}
