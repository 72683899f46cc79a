"""Room `tuning`: sensitivity sweeps and search."""
