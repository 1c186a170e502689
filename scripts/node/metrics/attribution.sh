# shellcheck shell=bash
# Which job has which GPU, where DCGM's exporter looks: a file for each GPU with a job a line, in the folder that
# HyperPod's own prolog uses too. What fails here is no reason to hold a job up, let alone to take a node out.

JOBS_OF_GPUS=$ROOT/run/slurm/dcgm-job-mapping

# gpus_of_job: by their numbers, one a line; parts of GPUs (MIG) and other names are left out
gpus_of_job() {
  local word
  for word in ${SLURM_JOB_GPUS:-${CUDA_VISIBLE_DEVICES:-}}; do
    if [[ $word =~ ^([0-9]{1,3})-([0-9]{1,3})$ ]]; then
      seq "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
    elif [[ $word =~ ^[0-9]{1,3}$ ]]; then
      printf '%s\n' "$word"
    fi
  done
}

# locked COMMAND...: several jobs start and end on a node at once
locked() { (flock --wait 5 9 && "$@") 9>"$JOBS_OF_GPUS.lock"; }

# put FILE: what comes on standard input; nothing else lies in the folder meanwhile, since the exporter reads all of it
put() { cat >"$JOBS_OF_GPUS.new" && mv --force "$JOBS_OF_GPUS.new" "$1"; }

forget_job() {
  local file rest
  for file in "$JOBS_OF_GPUS"/*; do
    [[ -f $file ]] || continue
    rest=$(grep --invert-match --line-regexp --fixed-strings -e "$SLURM_JOB_ID" "$file" || true)
    if [[ -n $rest ]]; then
      put "$file" <<<"$rest"
    else
      rm --force "$file"
    fi
  done
}

# a job that starts again is forgotten first: it may have other GPUs now
add_job() {
  local gpu file
  forget_job
  while IFS= read -r gpu; do
    file=$JOBS_OF_GPUS/$gpu
    { cat "$file" 2>/dev/null || true; printf '%s\n' "$SLURM_JOB_ID"; } | put "$file"
  done < <(IFS=, && gpus_of_job)
}

job_starts() {
  [[ ${SLURM_JOB_ID:-} =~ ^[0-9]+$ ]] || return 0
  { mkdir --parents "$JOBS_OF_GPUS" && locked add_job; } || warn "GPU metrics do not carry job $SLURM_JOB_ID"
}

job_ends() {
  [[ ${SLURM_JOB_ID:-} =~ ^[0-9]+$ && -d $JOBS_OF_GPUS ]] || return 0
  locked forget_job || warn "GPU metrics still carry job $SLURM_JOB_ID"
}
