"""The table of `compare`: every column keeps its decimals."""

from __future__ import annotations

import re

import numpy as np
import pytest

from engine.cli import main

FORMS = {"sqnr_db": r"[0-9]+\.[0-9]{2}", "cosine": r"[01]\.[0-9]{6}", "mse": r"[0-9]\.[0-9]{4}e[-+][0-9]{2}"}


@pytest.mark.parametrize("metric", FORMS)
def test_figures_of_a_column_have_the_same_decimals(metric, tmp_path, capsys):
    rng = np.random.default_rng(3)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    for name, noise in (("first", 0.5), ("second", 0.01), ("third", 1e-5)):
        values = rng.normal(size=64).astype(np.float32)
        np.save(tmp_path / "a" / f"{name}.npy", values)
        np.save(tmp_path / "b" / f"{name}.npy", values + np.float32(noise))
    assert main(["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--metrics", metric]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    cells = [row.split()[-1] for row in rows[:3]]
    assert {len(row) for row in rows[:3]} == {len(head)}  # figures stand to the right
    assert all(re.fullmatch(FORMS[metric], cell) for cell in cells), cells
