"""The command line: the same engine without a window. No Qt is imported here."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import msgspec

from engine.cli.arguments import COMMANDS, parser
from engine.cli.interrupt import interruptible
from engine.cli.usage import in_order, unknown_command
from engine.errors import MixbitError
from engine.text import Text, say

__all__ = ["COMMANDS", "main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        0; 1 for a clear refusal (one sentence on standard error) and for checks that find something; 2 for wrong usage;
        130 after Ctrl-C.
    """
    for stream in (sys.stdout, sys.stderr):  # a name that the terminal's encoding lacks is shown escaped
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    words = in_order(sys.argv[1:] if argv is None else argv)
    commands = parser()
    wrong = unknown_command(words, COMMANDS)
    if wrong:
        commands.error(wrong)
    arguments = commands.parse_args(words)
    return interruptible(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    try:
        found = arguments.run(arguments)
    except MixbitError as error:
        return _refuse(error)
    except MemoryError:
        return _refuse(say("There is not enough memory for this; take fewer samples, smaller shapes or fewer workers."))
    except OSError as error:
        return _refuse(_words(error))
    return _give(arguments, found) or int(arguments.code(found))


def _refuse(reason: object) -> int:
    print(f"mixbit: {reason}", file=sys.stderr)
    return 1


def _give(arguments: argparse.Namespace, found: Mapping[str, Any]) -> int:
    """Print what was found; 1 if standard output can't take it."""
    try:
        if arguments.json:
            _print_json(found)
        else:
            arguments.show(found)
        if sys.stdout is not None:  # None where it was closed before the start
            sys.stdout.flush()
    except BrokenPipeError:  # whoever read has seen enough
        _silence()
    except OSError as error:
        _silence()
        return _refuse(say("What was found can't be printed ({reason}).", reason=error.strerror or str(error)))
    return 0


def _silence() -> None:
    """Let Python find nothing to complain about when it flushes at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _print_json(found: Mapping[str, Any]) -> None:
    """JSON is UTF-8 whatever the terminal's encoding is."""
    data = msgspec.json.encode(_plain(found)) + b"\n"
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
    else:
        print(data.decode(), end="")  # somebody else's stream, or none


def _words(error: OSError) -> Text:
    reason = error.strerror or str(error)
    if error.filename is None:
        return say("The system refuses to go on ({reason}).", reason=reason)
    return say("{path} can't be used ({reason}).", path=os.fsdecode(error.filename), reason=reason)


def _plain(value: Any) -> Any:
    """What JSON can hold: no infinity (a figure that is infinite or undefined becomes null), no bytes of file names."""
    if isinstance(value, dict):
        return {_plain(key): _plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return value
