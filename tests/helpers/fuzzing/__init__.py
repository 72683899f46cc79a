"""Damaged and hostile model files, each opened in a process of its own: see `tests/fuzz_models.py`."""
