"""Room `quant`: number formats, packing, observers, calibration and weight methods."""
