"""Search: the agent, the naive reference that it is compared with, and pictures of trees."""
