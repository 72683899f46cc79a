"""Open thousands of damaged model files and say what came of them; fails if one crashes, hangs or takes too much.

run:   python tests/fuzz_models.py [--files 2000] [--start 0] [--jobs 2] [--keep FOLDER] [--only NUMBER] [MODEL ...]

Each file is a small model (or one of the MODELs given) with bits flipped, pieces cut out, dimensions swapped, nodes in
circles or sizes beyond reason. Each is opened in a process of its own that may take 10 s of processor time and the
memory limit that it was told, and must end with the model opened or refused by one sentence.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import onnx

sys.path.insert(0, str(Path(__file__).parent / "helpers"))

from fuzzing.run import FINE, Limits, fuzz, summary
from fuzzing.seeds import seed_models


def main() -> int:
    """Run; returns 1 if a file did not end well."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", type=Path, help="sound models to damage (default: small ones)")
    parser.add_argument("--files", type=int, default=2000, help="how many files")
    parser.add_argument("--start", type=int, default=0, help="another number gives other files")
    parser.add_argument("--only", type=int, help="the number of the one file to try")
    parser.add_argument("--jobs", type=int, default=2, help="files at a time")
    parser.add_argument("--seconds", type=float, default=10.0, help="time limit of a file, processor time")
    parser.add_argument("--memory", type=float, default=0.25, help="memory limit of a file, GB")
    parser.add_argument("--keep", type=Path, help="folder for the files that did not end well")
    arguments = parser.parse_args()
    seeds = {path.name: onnx.load(path) for path in arguments.models} or seed_models()
    numbers = range(arguments.files) if arguments.only is None else [arguments.only]
    limits = Limits(arguments.seconds, int(arguments.memory * 2**30))
    if arguments.keep is not None:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        found = list(
            fuzz(
                seeds, numbers, Path(folder), start=arguments.start, limits=limits, jobs=arguments.jobs,
                keep=arguments.keep,
            )
        )  # fmt: skip
    sys.stdout.write(summary(found) + "\n")
    return 0 if all(each.outcome in FINE for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
