"""Other people's engines as players: each game has a process of its own, which is asked by the engine's protocol.

process    a child process, its lines and its end
gtp gomocup nboard    a position as a protocol tells it, and the move that is answered
limits     what an engine is told and allowed
named      the user's own engines.toml
opponent   the player
"""
