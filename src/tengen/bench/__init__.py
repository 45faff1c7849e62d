"""What `tengen bench` measures: speeds beside other programs, claims about the search, and one integer for all of it.

measure.py has the clockwork; rules.py, search.py, claims.py and network.py what is measured; peers.py other programs.
"""
