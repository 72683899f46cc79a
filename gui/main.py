"""The `mixbit` command: a window, or one of the engine's commands without any Qt."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


def main(argv: Sequence[str] | None = None) -> int:
    """Run `mixbit`.

    Nothing or the path of a model or project opens the window; anything else is a command of the engine.

    Args:
        argv: Arguments without the program's name; None = those of the process.

    Returns:
        Exit code.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _command(arguments) if arguments and not _is_file(arguments) else _window(arguments)
    except KeyboardInterrupt:  # while Python still imports
        sys.stderr.write("mixbit: stopped\n")
        return 130


def _command(arguments: Sequence[str]) -> int:
    with _ended_by_ctrl_c():
        from engine.cli import main as command

    return command(arguments)


@contextmanager
def _ended_by_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C end the process as it ends a program without Python.

    Native modules abort with a dump if a KeyboardInterrupt meets them while they are imported, and there is nothing to
    clean up yet.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # ignored, or somebody else's
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _window(arguments: Sequence[str]) -> int:
    from gui.display import library_problem, problem

    reason = problem()
    if reason:
        return _give_up(reason)
    try:
        from gui.plain_imports import restore

        restore()
        from gui.app import run
    except ImportError as error:
        if ".so" not in str(error):
            raise
        return _give_up(library_problem(error))

    return run(Path(arguments[0]) if arguments else None)


def _give_up(reason: str) -> int:
    sys.stderr.write(f"{reason}\n")
    return 1


def _is_file(arguments: Sequence[str]) -> bool:
    """Whether the arguments are one path, rather than a command or an option."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        return False
    name = arguments[0]
    path = Path(name)
    return path.suffix.lower() in (".onnx", ".mixbit") or "/" in name or os.sep in name or path.is_file()


if __name__ == "__main__":
    sys.exit(main())
