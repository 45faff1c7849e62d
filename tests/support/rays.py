"""A Ray cluster of two nodes on this machine, for tests."""

import atexit
import contextlib
import os
import signal
from collections.abc import Iterator
from functools import cache

# Ray would look for this cluster at the machine's other address, where it does not listen; this keeps it to loopback.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
import ray
from ray.cluster_utils import Cluster

from support.hubs import release
from tengen.hub.ray import RayHub
from tengen.run.folder import RunDirectory

__all__ = ["ray", "ray_hub"]


@cache
def cluster_address() -> str:
    """Started once per process: that takes seconds."""
    handler = signal.getsignal(signal.SIGTERM)
    node = {"num_cpus": 1, "node_ip_address": "127.0.0.1", "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=node)
    cluster.add_node(num_cpus=1, node_ip_address="127.0.0.1")
    atexit.register(cluster.shutdown)
    signal.signal(signal.SIGTERM, handler)  # Ray has put its own there
    return str(cluster.address)


@contextlib.contextmanager
def ray_hub(run: RunDirectory) -> Iterator[RayHub]:
    hub = RayHub(run, 0, "cpu", address=cluster_address())
    try:
        hub.publish(release(run))
        yield hub
    finally:
        hub.close()
