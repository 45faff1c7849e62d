"""The app as people use it: a real browser on a real server."""
