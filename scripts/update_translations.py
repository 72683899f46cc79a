"""Bring resources/translations up to date with the source: new strings in, vanished ones out, translations kept.

Reads `self.tr(...)`, `translate("Context", ...)`, `mark(...)` and the engine's `say(...)`, all with literal texts,
and the titles, notes and reasons of device profiles and operator tables, and what the fields of a profile mean.
Exit code 1 if a translation is missing, with --check also if a file would change.

--missing prints what has no translation, one "context TAB source TAB" a line; write the translations behind the last
TAB (a plural's forms with TABs between) and give the file back with --fill.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from engine.npu.fields import FIELDS  # noqa: E402

FOLDER = ROOT / "resources" / "translations"
LANGUAGES = {"en": "en_US", "zh_CN": "zh_CN"}


@dataclass(frozen=True)
class Message:
    """A text to translate; `plural` texts have %n in them."""

    context: str
    source: str
    comment: str = ""
    plural: bool = False


Translations = dict[tuple[str, str, str], tuple[str, ...]]


class Collector(ast.NodeVisitor):
    """Finds the messages of one file."""

    def __init__(self, path: Path) -> None:
        self.path, self.found, self.problems = path, list[Message](), list[str]()
        self._classes: list[str] = []
        self._aliases: dict[str, str] = {}
        """Functions of the file that only call translate, and the context they call it with."""

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Remember the class: it is the context of `self.tr`."""
        self._classes.append(node.name)
        self.generic_visit(node)
        self._classes.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Skip a function that only hands its argument on to translate: its calls count."""
        if _alias(node) is None:
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Take the call if it marks a text."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "tr" and isinstance(node.func, ast.Attribute):
            self._take(node, self._classes[-1] if self._classes else "", node.args)
        elif name == "translate" and len(node.args) >= 2 and isinstance(node.args[0], ast.Constant):
            self._take(node, str(node.args[0].value), node.args[1:])
        elif name == "mark" and node.args and isinstance(node.func, ast.Name):
            self._take(node, "Commands", node.args[:1])
        elif name == "say" and node.args:
            self._take(node, "engine", node.args[:1])
        elif name in self._aliases and node.args:
            self._take(node, self._aliases[name], node.args)
        self.generic_visit(node)

    def find(self, tree: ast.Module) -> None:
        """Look through a file; functions may be used in front of their definition."""
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and (context := _alias(node)) is not None:
                self._aliases[node.name] = context
        self.visit(tree)

    def _take(self, node: ast.Call, context: str, arguments: list[ast.expr]) -> None:
        texts = list(_literals(arguments[0]))
        if not texts:
            self.problems.append(f"{self.path.relative_to(ROOT)}:{node.lineno}: the text is not a literal")
        comment = arguments[1].value if len(arguments) > 1 and isinstance(arguments[1], ast.Constant) else ""
        for text in texts:
            if any(c.isalpha() for c in _without_fields(text)):
                self.found.append(Message(context, text, str(comment or ""), len(arguments) > 2))


def _alias(node: ast.FunctionDef) -> str | None:
    last = node.body[-1]
    call = last.value if isinstance(last, ast.Return) else None
    if not isinstance(call, ast.Call) or len(call.args) < 2 or len(node.args.args) != 1:
        return None
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    context, text = call.args[0], call.args[1]
    handed_on = isinstance(text, ast.Name) and text.id == node.args.args[0].arg
    if name == "translate" and isinstance(context, ast.Constant) and handed_on:
        return str(context.value)
    return None


def _literals(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)


def _without_fields(text: str) -> str:
    while "{" in text and "}" in text:
        start = text.index("{")
        text = text[:start] + text[text.index("}", start) + 1 :] if "}" in text[start:] else text[:start]
    return text


def collect() -> tuple[list[Message], list[str]]:
    """All messages of the project, each once, and what is wrong with the source."""
    messages: dict[Message, None] = {}
    problems: list[str] = []
    for path in sorted([*(ROOT / "gui").rglob("*.py"), *(ROOT / "engine").rglob("*.py")]):
        collector = Collector(path)
        collector.find(ast.parse(path.read_text(encoding="utf-8")))
        messages.update(dict.fromkeys(collector.found))
        problems += collector.problems
    messages.update(dict.fromkeys(Message("engine", text) for text in _data_texts()))
    return sorted(messages, key=lambda m: m.context), problems


def _data_texts() -> Iterator[str]:
    for path in sorted((ROOT / "resources" / "devices").glob("*.json")):
        device = json.loads(path.read_text(encoding="utf-8"))
        yield from (device["title"], device["note"])
        yield from (refusal["reason"] for refusal in device.get("refusals", ()))
    yield from (field.meaning for field in FIELDS)
    yield from (unit for unit in dict.fromkeys(field.unit for field in FIELDS) if _has_word(unit))
    table = json.loads((ROOT / "resources" / "operators" / "support.json").read_text(encoding="utf-8"))
    for operator in table["operators"].values():
        yield from (text for key, text in operator.items() if key.endswith("_reason"))


def _has_word(unit: str) -> bool:
    """Whether a unit is more than symbols: "cycles" and "B/cycle", not "MHz" or "us"."""
    return any(len(part) > 3 and part.islower() for part in unit.split("/"))


def read(path: Path) -> Translations:
    """Translations in a .ts file, the unfinished ones left out."""
    found: Translations = {}
    if not path.exists():
        return found
    for context in ElementTree.parse(path).getroot().iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            if translation is None or translation.get("type"):
                continue
            forms = tuple(f.text or "" for f in translation.iter("numerusform")) or (translation.text or "",)
            if all(forms):
                key = (context.findtext("name", ""), message.findtext("source", ""), message.findtext("comment", ""))
                found[key] = forms
    return found


def write(language: str, messages: list[Message], known: Translations) -> str:
    """Text of a .ts file."""
    lines = ['<?xml version="1.0" encoding="utf-8"?>', "<!DOCTYPE TS>"]
    lines.append(f'<TS version="2.1" language="{LANGUAGES[language]}" sourcelanguage="en_US">')
    context = None
    for message in messages:
        if language == "en" and not message.plural:
            continue
        if message.context != context:
            if context is not None:
                lines.append("</context>")
            context = message.context
            lines += ["<context>", f"    <name>{escape(context)}</name>"]
        lines += _message(message, known.get((message.context, message.source, message.comment), ()))
    lines += ["</context>", "</TS>", ""] if context is not None else ["</TS>", ""]
    return "\n".join(lines)


def _message(message: Message, forms: tuple[str, ...]) -> list[str]:
    lines = ['    <message numerus="yes">' if message.plural else "    <message>"]
    lines.append(f"        <source>{escape(message.source)}</source>")
    if message.comment:
        lines.append(f"        <comment>{escape(message.comment)}</comment>")
    kind = "" if forms else ' type="unfinished"'
    if message.plural:
        lines.append(f"        <translation{kind}>")
        lines += [f"            <numerusform>{escape(form)}</numerusform>" for form in forms or ("",)]
        lines.append("        </translation>")
    else:
        lines.append(f"        <translation{kind}>{escape(forms[0]) if forms else ''}</translation>")
    lines.append("    </message>")
    return lines


def fill(path: Path, known: Translations) -> Translations:
    """The known translations and those of a file with lines "context TAB source TAB translation [TAB second form]"."""
    found = dict(known)
    comments = {(m.context, m.source): m.comment for m in collect()[0]}
    for line in path.read_text(encoding="utf-8").splitlines():
        parts = [part.replace("\\n", "\n") for part in line.split("\t")]
        if len(parts) > 2 and all(parts[2:]) and (parts[0], parts[1]) in comments:
            found[parts[0], parts[1], comments[parts[0], parts[1]]] = tuple(parts[2:])
    return found


def unfinished(language: str) -> list[Message]:
    """Messages of the source without a translation."""
    known = read(FOLDER / f"mixbit_{language}.ts")
    return [
        message
        for message in collect()[0]
        if (message.plural or language != "en") and (message.context, message.source, message.comment) not in known
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if something is out of date")
    parser.add_argument("--missing", choices=sorted(LANGUAGES), help="print what has no translation and stop")
    parser.add_argument("--fill", type=Path, metavar="FILE", help="take translations from a filled --missing list")
    parser.add_argument("--language", choices=sorted(LANGUAGES), default="zh_CN", help="language of --fill")
    arguments = parser.parse_args()
    only_check = arguments.check
    if arguments.missing:
        for message in unfinished(arguments.missing):
            print(message.context, message.source.replace("\n", "\\n"), "", sep="\t")
        return 0
    messages, problems = collect()
    for problem in problems:
        print(problem, file=sys.stderr)
    stale = []
    for language in LANGUAGES:
        path = FOLDER / f"mixbit_{language}.ts"
        known = read(path)
        if arguments.fill and arguments.language == language:
            known = fill(arguments.fill, known)
        text = write(language, messages, known)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if not only_check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        missing = unfinished(language)
        print(f"{path.name}: {len(messages)} messages, {len(missing)} without translation")
        problems += [f"{m.context}: {m.source}" for m in missing]
    if only_check and stale:
        print("out of date: " + ", ".join(stale), file=sys.stderr)
    return 1 if problems or (only_check and stale) else 0


if __name__ == "__main__":
    sys.exit(main())
