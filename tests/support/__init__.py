"""What several tests need: positions, recorded games, small networks, servers and workers, good and bad."""
