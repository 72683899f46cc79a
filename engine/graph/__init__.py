"""Room `graph`: an ONNX file in, a checked Graph with concrete shapes out."""
