#!/bin/sh
# Makes the runs of experiments in the jobs of an array, which keep them in one STORE that all nodes see:
#     sbatch --array=1-PARTS scripts/cluster/slurm.sh STORE [FILE…|PAPER]
# Submitted again, it makes what is missing.
#SBATCH --job-name=mbsbench
#SBATCH --ntasks=1
set -eu
store=$1
shift
exec "${MBSBENCH:-mbsbench}" shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
    --jobs "${SLURM_CPUS_PER_TASK:-1}" --cache "$store" "$@"
