"""docs/command-line.md names every command and every option."""

import argparse
import re
from pathlib import Path

import pytest

from engine.cli.arguments import parser

PAGE = (Path(__file__).parents[3] / "docs" / "command-line.md").read_text(encoding="utf-8")
COMMANDS = next(a for a in parser()._actions if isinstance(a, argparse._SubParsersAction)).choices
WITH_MODEL = {name for name, command in COMMANDS.items() if any(a.dest == "model" for a in command._actions)}


def documented(command):
    """Options that the table of options gives to a command."""
    found = set()
    for line in PAGE.split("## JSON")[0].splitlines():
        cells = re.split(r"(?<!\\)\|", line)
        if len(cells) < 4:
            continue
        owners = {owner.strip() for owner in cells[2].split(",")}
        if command in owners or "all" in owners or ("all with a model" in owners and command in WITH_MODEL):
            found |= set(re.findall(r"--[a-z0-9-]+", cells[1]))
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_the_table_of_options_is_that_of_the_parser(command):
    options = {option for action in COMMANDS[command]._actions for option in action.option_strings}
    assert options - {"-h", "--help"} == documented(command)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_json_of_every_command_is_described(command):
    assert re.search(rf"^    {command} +\{{", PAGE.split("## JSON")[1], re.MULTILINE)
