"""Small models of every awkward kind that is met in the wild, made in memory."""

from __future__ import annotations

from model_kinds.borders import BORDERS
from model_kinds.build import ModelKind
from model_kinds.files import FILES
from model_kinds.graphs import GRAPHS
from model_kinds.layers import LAYERS
from model_kinds.names import NAMES
from model_kinds.quantized import QUANTIZED
from model_kinds.values import VALUES
from model_kinds.weights import WEIGHTS

KINDS: tuple[ModelKind, ...] = (*NAMES, *WEIGHTS, *LAYERS, *VALUES, *GRAPHS, *BORDERS, *QUANTIZED, *FILES)

__all__ = ["KINDS", "ModelKind"]
