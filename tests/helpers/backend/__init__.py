"""ONNX's own backend tests, opened, measured and exported one by one: see tests/backend_models.py."""
