"""The window: draws and edits what the engine knows, and computes nothing itself."""
