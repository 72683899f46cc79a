"""Shared by the tests of exports: one small network with everything that an export wants."""

from __future__ import annotations

import pytest
from export_cases import Case, case_of
from small_models import small_cnn


@pytest.fixture(scope="session")
def case(tmp_path_factory) -> Case:
    """`small_cnn` with a mixed plan: stem INT4, depthwise INT8, pointwise FP16, head INT8."""
    return case_of(small_cnn(tmp_path_factory.mktemp("models") / "small_cnn.onnx"))
