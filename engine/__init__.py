"""Mixbit's engine: ONNX in, kernels, precisions, errors and simulated cost out. Imports no Qt."""
