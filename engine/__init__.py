"""Mixbit's engine: ONNX in, kernels, precisions, errors and simulated cost out. Imports no Qt."""

import os

# The engine spreads its own work over threads. Those that numpy's library would add to each of them wait for each other
# while spinning: beside ONNX Runtime that takes several times as long, and the window's time too.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# From 1.31 on ONNX Runtime reports to its maker by itself, on Linux too: an event for each session with facts about the
# model, and a persistent number of this computer. Models here are confidential; only this, set before it is imported,
# keeps it from doing so.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
