"""The app: a server on this machine and a page in the browser, to play, analyse, review, and watch training.

The server keeps no game. The page owns its games and sends game, start and moves with every request, so a reload or a
server that was killed loses nothing. Only searches live here, each as long as the WebSocket that asked for it.
"""
