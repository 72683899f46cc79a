"""Room `interop`: one file per foreign format, in and out."""
