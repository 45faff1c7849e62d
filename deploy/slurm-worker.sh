#!/bin/sh
# HTTP workers as a Slurm job array: they dial out to a hub elsewhere, so compute nodes need no open port.
#   sbatch --array=1-64 deploy/slurm-worker.sh https://hub.example:8470 garage.token [CERTIFICATE]
# Slurm ends a job with SIGTERM: the worker sends what is finished. What it could not send lies in the spool, which should
# be on a disk that outlives the job. A quarter of --mem is for what the hub asks for, the rest for the program.
#SBATCH --job-name=tengen-worker
#SBATCH --cpus-per-task=4
#SBATCH --mem=2G
#SBATCH --time=08:00:00
#SBATCH --signal=B:TERM@60
#SBATCH --requeue
set -eu
url=$1 token=$2 certificate=${3:-}
exec tengen worker "$url" --token-file "$token" ${certificate:+--certificate "$certificate"} \
  --threads "${SLURM_CPUS_PER_TASK:-0}" --spool "${TENGEN_SPOOL:-$HOME/.cache/tengen/slurm}"
