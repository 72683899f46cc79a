"""Docks: each shows one side of the session and listens to it."""
