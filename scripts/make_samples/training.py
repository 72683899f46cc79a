"""Settings under which the trained samples come out the same again.

needs: pip install torch
"""

from __future__ import annotations

import torch


def repeatable(seed: int) -> None:
    """Fix every source of chance. One thread: sums keep their order, and small nets train faster than with several."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
