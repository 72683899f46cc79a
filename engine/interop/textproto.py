"""Text form of protobuf messages (`name: value`, `name { ... }`), without a schema.

Several toolchains keep their configuration in it. What is written here is read back by `parse` before it is put in
place; that the fields exist and have the right types is the business of the tests, which hold the schemas.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np


class Word(str):
    """A value of an enumeration: written without quotes."""

    __slots__ = ()


Value: TypeAlias = "bool | int | float | str | Message"
Message: TypeAlias = Sequence[tuple[str, Value]]
"""Fields in the order in which they are written; a repeated field is there several times."""

_TOKENS = re.compile(
    r"""(?P<space>\s+|\#[^\n]*)
    |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<sign>[{}:<>\[\],;])
    |(?P<plain>[^\s{}:<>\[\],;"'\#]+)""",
    re.VERBOSE,
)
_ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", "a": b"\a", "b": b"\b", "f": b"\f", "v": b"\v"}
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
_DEEPEST = 64


def text_proto(message: Message, indent: int = 0) -> str:
    """Write a message, one field a line."""
    space = "  " * indent
    lines = []
    for name, value in message:
        if isinstance(value, (bool, int, float, str)):
            lines.append(f"{space}{name}: {_scalar(value)}\n")
        else:
            lines.append(f"{space}{name} {{\n{text_proto(value, indent + 1)}{space}}}\n")
    return "".join(lines)


def _scalar(value: bool | int | float | str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Word):
        return str(value)
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
        return f'"{escaped}"'
    if isinstance(value, float):
        return str(np.float32(value))
    return str(value)


def parse(text: str) -> list[tuple[str, Value]]:
    """Read a message.

    Numbers become int or float, `true` and `false` bool, other bare words `Word`, and lists in brackets repeated
    fields.

    Raises:
        ValueError: If the text is no message; it says in which line.
    """
    tokens = list(_tokens(text))
    message, at = _fields(tokens, 0, "", 0)
    assert at == len(tokens)
    return message


Token = tuple[str, str, int]
"""Kind, text, line."""


def _tokens(text: str) -> Iterator[Token]:
    at, line = 0, 1
    while at < len(text):
        match = _TOKENS.match(text, at)
        if match is None:
            raise ValueError(f"line {line}: {text[at : at + 20]!r} is not understood")
        kind = str(match.lastgroup)
        if kind != "space":
            yield kind, match.group(), line
        line += match.group().count("\n")
        at = match.end()


def _fields(tokens: Sequence[Token], at: int, closing: str, depth: int) -> tuple[list[tuple[str, Value]], int]:
    if depth > _DEEPEST:
        raise ValueError(f"line {tokens[at - 1][2]}: more than {_DEEPEST} messages inside of each other")
    fields: list[tuple[str, Value]] = []
    while at < len(tokens):
        kind, name, line = tokens[at]
        if name == closing and kind == "sign":
            return fields, at + 1
        if kind == "sign" and name in ",;":
            at += 1
            continue
        if kind != "plain":
            raise ValueError(f"line {line}: a field name is missing in front of {name}")
        at += 1
        colon = _is(tokens, at, ":")
        at += colon
        if _is(tokens, at, "{") or _is(tokens, at, "<"):
            inner, at = _fields(tokens, at + 1, "}" if tokens[at][1] == "{" else ">", depth + 1)
            fields.append((name, inner))
        elif colon and _is(tokens, at, "["):
            at += 1
            while not _is(tokens, at, "]"):
                if _is(tokens, at, ","):
                    at += 1
                    continue
                if _is(tokens, at, "{"):
                    inner, at = _fields(tokens, at + 1, "}", depth + 1)
                    fields.append((name, inner))
                    continue
                value, at = _value(tokens, at)
                fields.append((name, value))
            at += 1
        elif colon:
            value, at = _value(tokens, at)
            fields.append((name, value))
        else:
            raise ValueError(f"line {line}: field {name} has no value")
    if closing:
        raise ValueError(f"the text ends before a {closing}")
    return fields, at


def _is(tokens: Sequence[Token], at: int, sign: str) -> bool:
    return at < len(tokens) and tokens[at][:2] == ("sign", sign)


def _value(tokens: Sequence[Token], at: int) -> tuple[bool | int | float | str, int]:
    if at >= len(tokens):
        raise ValueError("the text ends before a value")
    kind, text, line = tokens[at]
    if kind == "text":
        parts = []
        while at < len(tokens) and tokens[at][0] == "text":
            parts.append(_unescaped(tokens[at][1][1:-1]))
            at += 1
        return b"".join(parts).decode("utf-8", "replace"), at
    if kind != "plain":
        raise ValueError(f"line {line}: a value is missing in front of {text}")
    return _plain(text), at + 1


def _plain(text: str) -> bool | int | float | str:
    if text in ("true", "false"):
        return text == "true"
    for read in (lambda: int(text, 0), lambda: float(text.removesuffix("f"))):
        try:
            return read()
        except ValueError:
            continue
    return Word(text)


def _unescaped(text: str) -> bytes:
    out, at = bytearray(), 0
    for match in _ESCAPE.finditer(text):
        out += text[at : match.start()].encode()
        code = match.group(1)
        if code[0] == "x" and len(code) > 1:
            out.append(int(code[1:], 16))
        elif code[0] in "01234567":
            out.append(int(code, 8) & 0xFF)
        else:
            out += _ESCAPES.get(code, code.encode())
        at = match.end()
    return bytes(out + text[at:].encode())
