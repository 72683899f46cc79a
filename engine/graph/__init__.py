"""Room `graph`: an ONNX file in, a checked Graph with concrete shapes out."""

from engine.graph.feeds import synthetic_feeds
from engine.graph.inputs import read_inputs
from engine.graph.load import load
from engine.graph.types import Array, Graph, ModelInput, Node, StoredFormat, TensorInfo

__all__ = [
    "Array",
    "Graph",
    "ModelInput",
    "Node",
    "StoredFormat",
    "TensorInfo",
    "load",
    "read_inputs",
    "synthetic_feeds",
]
