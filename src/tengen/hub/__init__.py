"""Who plays for a learner, and how the games get to it: in its own process, over HTTP, or on a Ray cluster.

The loop in `tengen.train.loop` sees `Hub` of `protocol.py` and cannot tell which one it has.
"""
