"""Mixbit's engine: ONNX in, kernels, precisions, errors and simulated cost out. Imports no Qt."""

import os

# The engine spreads its own work over threads. Those that numpy's library would add to each of them wait for each other
# while spinning: beside ONNX Runtime that takes several times as long, and the window's time too.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
