"""Wrong usage, told in one sentence with what was probably meant; arguments in an order that people try are taken."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

_EVERYWHERE = ("--json", "--quiet")
"""Options of all commands; they may also stand in front of the command."""
_OTHER_WORDS = {
    "eval": "evaluate", "run": "evaluate", "test": "evaluate", "info": "inspect", "show": "inspect",
    "layers": "inspect",
    "quantize": "export", "quantise": "export", "convert": "export", "save": "export", "profile": "simulate",
    "latency": "simulate", "benchmark": "simulate", "sensitivity": "sweep", "tune": "search", "preflight": "check",
    "diff": "compare",
}  # fmt: skip
"""What other tools call it."""
_MODELS = (".onnx", ".mixbit")


class Parser(argparse.ArgumentParser):
    """Says what is wrong without a screen of options in front of it, and takes no option for another that it begins."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(2, f"{self.prog}: {message}\n{self.prog} --help lists what there is.\n")


class FolderPath(type(Path())):  # type: ignore[misc] # the class that Path makes here: PosixPath or WindowsPath
    """A path that was written with a separator behind it: a folder is meant, whether it is there or not."""


def out_path(text: str) -> Path:
    """Where to write; a separator at the end is not forgotten."""
    return FolderPath(text) if text.endswith(("/", os.sep)) else Path(text)


def in_order(arguments: Sequence[str]) -> list[str]:
    """The arguments with the command in front of options that every command has."""
    front = 0
    while front < len(arguments) and arguments[front] in _EVERYWHERE:
        front += 1
    return [*arguments[front : front + 1], *arguments[:front], *arguments[front + 1 :]]


def unknown_command(arguments: Sequence[str], commands: Sequence[str]) -> str:
    """What is wrong with a first word that is no command; empty where it is one, or an option."""
    if not arguments or arguments[0] in commands or arguments[0].startswith("-"):
        return ""
    word = arguments[0]
    later = [each for each in arguments[1:] if each in commands]
    if later:
        return f"the command comes first: mixbit {later[0]} {_quoted(word)} …"
    if Path(word).suffix.lower() in _MODELS:
        name = _quoted(word)
        return f"a command comes first, as in: mixbit evaluate {name} …; mixbit {name} alone opens the window"
    if Path(word).is_dir():
        return f"{word} is a folder: mixbit opens an .onnx file or a .mixbit project"
    near = _OTHER_WORDS.get(word.lower()) or next(iter(get_close_matches(word.lower(), commands, 1)), "")
    meant = f"; did you mean {near}?" if near else f": choose one of {', '.join(commands)}"
    return f"there is no command {word}{meant}"


def preset_or_file(text: str) -> str:
    """What to say of a preset's name that is the name of a file; empty where it is none."""
    if Path(text).suffix.lower() == ".json" or Path(text).is_file():
        return f"{text} is a file: write --plan {_quoted(text)}"
    return ""


def _quoted(text: str) -> str:
    return f'"{text}"' if " " in text else text
