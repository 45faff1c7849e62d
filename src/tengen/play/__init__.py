"""Players by name, paired matches, ratings and the scorecard."""
