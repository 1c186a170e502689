# shellcheck shell=bash
# Configuration of Slurm to load pyxis, its plugin for enroot containers, if the AMI has it. slurmd caches its plugins,
# so it is restarted (awsome-distributed-ai #638).

# pyxis_plugin: the plugin's file; it is built for one Slurm version, so a file in Slurm's own folder is preferred
pyxis_plugin() {
  local file
  for file in "$ROOT"/opt/slurm/lib/slurm/spank_pyxis.so "$ROOT"/opt/aws/pcs/scheduler/slurm-*/lib/slurm/spank_pyxis.so \
    "$ROOT"/usr/local/lib/slurm/spank_pyxis.so; do
    [[ ! -f $file ]] || { printf '%s\n' "$file" && return 0; }
  done
  return 1
}

# slurm_folders: the folders with Slurm's settings
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
    warn "the AMI has enroot but not pyxis: srun does not support --container-image"
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
    timeout 60 scontrol reconfigure || warn "slurmctld did not reload its plugins"
  fi
  # running jobs are not affected: their steps are separate processes
  systemctl try-restart slurmd.service || warn "slurmd could not be restarted with its plugins"
}
