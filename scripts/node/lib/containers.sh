# shellcheck shell=bash
# Pyxis, Slurm's plug-in for enroot containers, where the image has it: the line that makes Slurm load it. slurmd reads
# plug-ins from what it cached, so it reads them anew (awsome-distributed-ai #638).

# pyxis_plugin: the plug-in's file; it is built for one version of Slurm, so one that lies with Slurm comes first
pyxis_plugin() {
  local file
  for file in "$ROOT"/opt/slurm/lib/slurm/spank_pyxis.so "$ROOT"/opt/aws/pcs/scheduler/slurm-*/lib/slurm/spank_pyxis.so \
    "$ROOT"/usr/local/lib/slurm/spank_pyxis.so; do
    [[ ! -f $file ]] || { printf '%s\n' "$file" && return 0; }
  done
  return 1
}

# slurm_folders: where Slurm's own settings lie
slurm_folders() {
  local folder
  for folder in "$ROOT"/opt/slurm/etc "$ROOT"/etc/aws/pcs/scheduler/slurm-*; do
    [[ ! -d $folder ]] || printf '%s\n' "$folder"
  done
}

configure_pyxis() {
  local plugin folder changed=false
  installed enroot || return 0
  if ! plugin=$(pyxis_plugin); then
    warn "the image has enroot and no pyxis: srun has no --container-image"
    return 0
  fi
  while IFS= read -r folder; do
    grep --quiet --no-messages spank_pyxis "$folder"/plugstack.conf "$folder"/plugstack.conf.d/* && continue
    write_file "$folder/plugstack.conf.d/pyxis.conf" 0644 <<<"required ${plugin#"$ROOT"}" || true
    grep --quiet --no-messages '^include .*plugstack.conf.d' "$folder/plugstack.conf" ||
      echo "include ${folder#"$ROOT"}/plugstack.conf.d/*" >>"$folder/plugstack.conf"
    changed=true
  done < <(slurm_folders)
  $changed || return 0
  say "Slurm loads ${plugin#"$ROOT"}"
  if systemctl is-active --quiet slurmctld; then
    timeout 60 scontrol reconfigure || warn "slurmctld did not read its plug-ins anew"
  fi
  # a job that runs goes on: its steps are processes of their own
  systemctl try-restart slurmd.service || warn "slurmd could not be restarted with its plug-ins"
}
