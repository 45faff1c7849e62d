"""What `tengen bench` measures: speeds beside other programs, claims about the search, and one integer for all of it.

measure.py has the clockwork; rules.py, search.py, network.py and claims.py what is measured; peers.py the other programs.
"""
