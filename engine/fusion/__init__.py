"""Room `fusion`: a Graph in, Kernels out."""
