"""Try every model of ONNX's own backend tests: does what ONNX Runtime runs open, and give the same numbers?

run:   python tests/backend_models.py [--only TEXT] [--sample 100] [--jobs 2] [--into docs/models.md] [--keep FILE]

Each model is opened as it is and with all inputs but the first stored in the file, in a process of its own: `mixbit
inspect`, `evaluate` in INT8 and INT4, and `export --to qdq`; then the preview is compared with the file, and both
exported plans, run by ONNX Runtime, with their previews. Fails if one that ONNX Runtime runs on its CPU is refused
or wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent / "helpers"))
sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from backend.cases import all_cases
from backend.run import faults, judged, summary
from model_table import put_into


def main() -> int:
    """Run; returns 1 if a model did not end well."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="only cases whose name contains this text")
    parser.add_argument("--sample", type=int, help="so many cases, drawn with a fixed seed")
    parser.add_argument("--jobs", type=int, default=2, help="models at a time")
    parser.add_argument("--seconds", type=int, default=240, help="time limit of a model, processor time")
    parser.add_argument("--into", type=Path, help="file whose table is replaced")
    parser.add_argument("--keep", type=Path, help="file for what came of each, one JSON object a line")
    chosen = parser.parse_args()
    cases = [case for case in all_cases() if chosen.only in case.name]
    if chosen.sample is not None:
        cases = Random(0).sample(cases, min(chosen.sample, len(cases)))
    found = []
    for each in judged(cases, jobs=chosen.jobs, seconds=chosen.seconds):
        found.append(each)
        if chosen.keep is not None:
            with chosen.keep.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(each)) + "\n")
    wrong = faults(found)
    sys.stdout.write(f"{wrong}\n{summary(found)}\n")
    if chosen.into is not None:
        put_into(chosen.into, "backend", summary(found))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
