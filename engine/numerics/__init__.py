"""Room `numerics`: running kernels as reference and quantized, and the errors between them."""
