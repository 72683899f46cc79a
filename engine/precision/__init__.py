"""Room `precision`: schemes, plans, presets and plan files."""
