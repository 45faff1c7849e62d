"""Networks as they are trained. All that needs torch is in this folder.

`model` is the network, `checkpoint` keeps what is trained, `export` writes what plays.
"""
