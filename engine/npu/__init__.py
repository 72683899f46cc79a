"""Room `npu`: devices, timing, memory, energy and heat of a simulated NPU."""
