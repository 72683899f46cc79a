"""The command line: the same engine without a window. No Qt is imported here."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from math import isfinite
from typing import Any

import msgspec

from engine.cli.arguments import COMMANDS, parser
from engine.cli.interrupt import interruptible
from engine.errors import MixbitError

__all__ = ["COMMANDS", "main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        0; 1 for a clear refusal (one sentence on standard error) and for checks that find something; 2 for wrong usage;
        130 after Ctrl-C.
    """
    arguments = parser().parse_args(argv)
    return interruptible(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    try:
        found = arguments.run(arguments)
        if arguments.json:
            print(msgspec.json.encode(_plain(found)).decode())
        else:
            arguments.show(found)
        sys.stdout.flush()
        return int(arguments.code(found))
    except MixbitError as error:
        print(f"mixbit: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # whoever read has seen enough; Python must not complain about it when it ends
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    return 0


def _plain(value: Any) -> Any:
    """JSON has no infinity: a figure that is infinite or undefined becomes null."""
    if isinstance(value, dict):
        return {key: _plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value
