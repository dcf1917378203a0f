#!/bin/sh
# Makes the runs of experiments in PARTS tasks of HyperQueue, which keep them in one STORE that all workers see:
#     scripts/cluster/hyperqueue.sh PARTS STORE [FILE…|PAPER]
# The same script is what each task starts. Submitted again, it makes what is missing.
set -eu
parts=$1 store=$2
if [ -z "${HQ_TASK_ID:-}" ]; then
    exec hq submit --name mbsbench --array "0-$((parts - 1))" --wait -- "$0" "$@"
fi
shift 2
exec "${MBSBENCH:-mbsbench}" shard "$((HQ_TASK_ID + 1))/$parts" --jobs 1 --cache "$store" "$@"
