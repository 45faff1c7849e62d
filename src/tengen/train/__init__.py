"""Training: games into a network, the loop around that, and strength measured on the way."""
