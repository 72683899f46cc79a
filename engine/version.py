"""The version of Mixbit."""

VERSION = "0.1.0"
