"""Networks: their shape, their weights, and the file that plays. All that needs torch is in this folder.

`shape` needs no torch; `model` is the network, `checkpoint` keeps what is trained, `export` writes what plays.
"""
