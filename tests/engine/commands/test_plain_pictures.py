"""Folders of pictures with nothing beside them, read for calibration and for evaluation by the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from PIL import Image

from engine.cli import main


def test_what_is_assumed_of_both_folders_is_said_once(cnn_path: Path, tmp_path: Path, capsys) -> None:
    rng = np.random.default_rng(8)
    for folder in ("calib", "eval"):
        (tmp_path / folder).mkdir()
        for number in range(3):
            pixels = rng.integers(0, 256, (16, 16, 3), np.uint8)
            Image.fromarray(pixels).save(tmp_path / folder / f"{number}.png")
    places = ["--calib", str(tmp_path / "calib"), "--data", str(tmp_path / "eval")]
    assert main(["evaluate", str(cnn_path), "--preset", "int8", *places, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["synthetic_data"] is False
    assert sum("preprocess.json" in note for note in found["notes"]) == 1, found["notes"]
