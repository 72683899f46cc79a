"""The one-line model builder is shared with the graph tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "graph"))
