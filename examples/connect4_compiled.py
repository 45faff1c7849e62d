"""The rules of connect4.py, compiled: one decorator. The name stays, and so do networks, records and runs.

    tengen check examples/connect4_compiled.py
    tengen train examples/connect4_compiled.py --minutes 10

In a file of your own, write @compiled above the class itself. It needs Numba: pip install 'tengen[jit]'.
"""

from connect4 import Connect4

from tengen.games import compiled


@compiled
class CompiledConnect4(Connect4):
    """Numba makes native code of start, legal, apply, outcome and planes when the game is registered."""
