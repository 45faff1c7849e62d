"""What is known exactly: perfect play of solved games, and positions whose every move has a known score."""
