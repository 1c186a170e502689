# shellcheck shell=bash
# Job ids of GPUs for the DCGM exporter: a file for each GPU with one job per line, in the folder of HyperPod's own
# prolog. Errors here must not delay a job or drain a node.

JOBS_OF_GPUS=$ROOT/run/slurm/dcgm-job-mapping

# gpus_of_job: print the GPU indexes, one per line; MIG devices and other names are ignored
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

# locked COMMAND...: run with a lock, because several jobs can start and end on a node at the same time
locked() { (flock --wait 5 9 && "$@") 9>"$JOBS_OF_GPUS.lock"; }

# put FILE: write standard input; the temporary file is outside the folder, because the exporter reads all files in it
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

# add_job: remove the job first, because a job that starts again can have other GPUs
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
  { mkdir --parents "$JOBS_OF_GPUS" && locked add_job; } || warn "GPU metrics do not have the id of job $SLURM_JOB_ID"
}

job_ends() {
  [[ ${SLURM_JOB_ID:-} =~ ^[0-9]+$ && -d $JOBS_OF_GPUS ]] || return 0
  locked forget_job || warn "GPU metrics still have the id of job $SLURM_JOB_ID"
}
