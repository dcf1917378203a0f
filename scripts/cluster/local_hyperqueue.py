"""Runs a command in tasks 0 … TASKS-1 of a HyperQueue of this machine: a server and two workers of one core.

    python local_hyperqueue.py TASKS COMMAND …

It submits what `hq submit --array 0-(TASKS-1) -- COMMAND …` does, and ends with 1 where a task failed.
"""

import sys

from hyperqueue import Job
from hyperqueue.cluster import LocalCluster, WorkerConfig


def main(tasks: int, command: list[str]) -> int:
    with LocalCluster(worker_config=WorkerConfig(cores=1)) as cluster:
        cluster.start_worker(WorkerConfig(cores=1))
        job = Job(name="mbsbench", max_fails=None)
        for _ in range(tasks):
            job.program(command, stdout=None, stderr=None)
        client = cluster.client()
        return 0 if client.wait_for_jobs([client.submit(job)]) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
