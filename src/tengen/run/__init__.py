"""A run on disk: its settings, its folder, what it tells, and how it goes. No torch."""
