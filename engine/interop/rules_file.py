"""Plain rules: a default precision and name patterns of the layers that keep a higher one.

Patterns are shell globs (`*`, `?`, `[...]`) on display names, case-sensitive. A layer that both lists match is FP16.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase, translate
from pathlib import Path
from typing import Literal

import msgspec

from engine.errors import ExportError, PlanError
from engine.files import decode_json, write_atomically
from engine.fusion.types import Kernel, Network
from engine.interop.handover import NO_EXTRAS, Extras, Handover, Written, hand_over
from engine.interop.kernel_index import Imported, KernelIndex
from engine.interop.order import Order
from engine.misshapen import form_words
from engine.precision.plan import Plan
from engine.precision.scheme import FP16, INT4, INT8, Scheme, family
from engine.progress import NEVER, CancelToken
from engine.text import Text, say

VERSION = 1
_SCHEMES: Mapping[str, Scheme] = {"int4": INT4, "int8": INT8, "fp16": FP16}
_FAMILIES: Mapping[str, Scheme] = {"INT4": INT4, "INT8": INT8, "FP16": FP16, "FP32": FP16}
_SPECIAL = re.compile(r"[*?\[]")
_MOST_MATCHES = 2_000_000
"""Names tried against patterns, about a second; a model with very many layers gets a few patterns less."""


class Rules(msgspec.Struct, forbid_unknown_fields=True):
    """The whole file."""

    format: Literal["mixbit-rules"]
    version: int
    default: Literal["int4", "int8", "fp16"]
    keep_int8: list[str] = []
    keep_fp16: list[str] = []
    model: str = ""

    def scheme(self, name: str) -> Scheme:
        """The scheme of a layer of that name."""
        if any(fnmatchcase(name, pattern) for pattern in self.keep_fp16):
            return FP16
        if any(fnmatchcase(name, pattern) for pattern in self.keep_int8):
            return INT8
        return _SCHEMES[self.default]


def check_rules(network: Network, plan: Plan, *, extras: Extras = NO_EXTRAS) -> Handover:
    """Rules know the three presets only."""
    return hand_over(network, plan, _rule)


check_rules_cpp = check_rules


def _rule(kernel: Kernel, asked: Scheme) -> tuple[Scheme, Text | None]:
    wide = not asked.weights.floating and asked.weights.bits > 8
    gets = FP16 if wide else _FAMILIES[family(asked)]
    if gets == asked:
        return asked, None
    return gets, say("Rules know INT4, INT8 and FP16 as their presets; use a plan file to keep every detail.")


def export_rules(order: Order) -> Written:
    """Write the rules as JSON.

    Raises:
        ExportError: The file can't be written.
    """
    network, plan, path = order.network, order.plan, order.path
    handover = check_rules(network, plan)
    rules = rules_of(network, handover.effective_plan, order.cancel)
    data = msgspec.json.format(msgspec.json.encode(rules), indent=2)
    _compare(decode_rules(data, str(path)), network, handover.effective_plan, path)
    write_atomically(path, data)
    return Written("rules", path, (path,), handover, (_checked(network),))


def export_rules_cpp(order: Order) -> Written:
    """Write the rules as a C++ header.

    Raises:
        ExportError: The file can't be written.
    """
    network, plan, path = order.network, order.plan, order.path
    handover = check_rules(network, plan)
    rules = rules_of(network, handover.effective_plan, order.cancel)
    text = _header(rules)
    _compare(_read_header(text), network, handover.effective_plan, path)
    write_atomically(path, text.encode())
    return Written("rules_cpp", path, (path,), handover, (_checked(network),))


def read_rules(path: Path, network: Network, base: Plan) -> Imported:
    """Read rules as a plan for every tunable layer.

    Raises:
        PlanError: Not a rule file, a newer version, or an unreadable file.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PlanError(say("{path} can't be read ({reason}).", path=path, reason=error.strerror)) from error
    return plan_of_rules(decode_rules(data, str(path)), network, base)


def plan_of_rules(rules: Rules, network: Network, base: Plan) -> Imported:
    """Apply rules; patterns that match nothing are listed."""
    schemes = {kernel.name: rules.scheme(kernel.name) for kernel in network.tunable}
    found = KernelIndex(network).plan(network, schemes, base, say("rule file"))
    idle = [
        pattern for pattern in (*rules.keep_fp16, *rules.keep_int8)
        if not any(fnmatchcase(kernel.name, pattern) for kernel in network.tunable)
    ]  # fmt: skip
    return Imported(found.plan, found.source, tuple(idle), found.untouched)


def decode_rules(data: bytes, path: str) -> Rules:
    """Decode and check a rule file; errors as in `read_rules`."""
    try:
        rules = decode_json(data, Rules)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PlanError(say("{path} is not a rule file: {reason}.", path=path, reason=form_words(error))) from error
    if rules.version > VERSION:
        raise PlanError(
            say(
                "{path} was written by a newer Mixbit (version {got}, this one reads up to {want}); update Mixbit.",
                path=path,
                got=rules.version,
                want=VERSION,
            )
        )
    return rules


def rules_of(network: Network, plan: Plan, cancel: CancelToken = NEVER) -> Rules:
    """Rules with the lowest precision as the default and as few patterns as are easily found."""
    groups: dict[str, list[str]] = {"INT4": [], "INT8": [], "FP16": []}
    for kernel in network.tunable:
        groups[family(plan[kernel.id])].append(kernel.name)
    default: Literal["int4", "int8", "fp16"] = "int4" if groups["INT4"] else "int8" if groups["INT8"] else "fp16"
    keep_int8 = [] if default == "int8" else _patterns(groups["INT8"], (*groups["INT4"], *groups["FP16"]), cancel)
    keep_fp16 = [] if default == "fp16" else _patterns(groups["FP16"], (*groups["INT4"], *groups["INT8"]), cancel)
    return Rules("mixbit-rules", VERSION, default, keep_int8, keep_fp16, network.graph.path.name)


def _patterns(names: Sequence[str], others: Iterable[str], cancel: CancelToken) -> list[str]:
    """Globs that match all of `names` and none of `others`; those that match most come first."""
    if not names:
        return []
    makers: dict[str, int] = {}
    for name in names:
        for candidate in _candidates(name):
            makers[candidate] = makers.get(candidate, 0) + 1
    likely = sorted((c for c, count in makers.items() if count > 1), key=lambda c: (-makers[c], len(c), c))
    left, found = dict.fromkeys(names), []
    rest = tuple(others)
    for candidate in likely[: _MOST_MATCHES // (len(names) + len(rest))]:
        cancel.check()
        match = re.compile(translate(candidate)).match
        covered = [name for name in left if match(name)]
        if len(covered) > 1 and not any(match(name) for name in rest):
            found.append(candidate)
            for name in covered:
                del left[name]
    return found + [_escaped(name) for name in left]


def _candidates(name: str) -> Iterable[str]:
    """A name with its numbers open, and its beginnings and endings at each dot."""
    escaped = _escaped(name)
    yield re.sub(r"\d+", "*", escaped)
    parts = escaped.split(".")
    for at in range(1, len(parts)):
        yield "*." + ".".join(parts[at:])
        yield ".".join(parts[:at]) + ".*"


def _escaped(name: str) -> str:
    return _SPECIAL.sub(lambda match: f"[{match.group()}]", name)


def _header(rules: Rules) -> str:
    return "\n".join(
        [
            "// Precision rules, written by Mixbit. Patterns are shell globs on layer names.",
            "// A layer that both lists match keeps FP16.",
            "#pragma once",
            "",
            "#include <string>",
            "#include <vector>",
            "",
            "struct QuantConfig {",
            "    std::string default_precision;",
            "    std::vector<std::string> keep_int8;",
            "    std::vector<std::string> keep_fp16;",
            "};",
            "",
            "inline const QuantConfig kQuantConfig{",
            f"    {_quoted(rules.default)},",
            f"    {{{', '.join(map(_quoted, rules.keep_int8))}}},",
            f"    {{{', '.join(map(_quoted, rules.keep_fp16))}}},",
            "};",
            "",
        ]
    )


def _quoted(text: str) -> str:
    """A C++ literal; JSON's escapes are a subset of C++'s."""
    return msgspec.json.encode(text).decode()


def _read_header(text: str) -> Rules:
    """The rules back out of the header's three values."""
    body = text.partition("kQuantConfig{")[2]
    default, keep_int8, keep_fp16 = (
        msgspec.json.decode("[" + line.strip().rstrip(",").strip("{}") + "]", type=list[str])
        for line in body.strip().splitlines()[:3]
    )
    return msgspec.convert(
        {"format": "mixbit-rules", "version": VERSION, "default": default[0], "keep_int8": keep_int8,
         "keep_fp16": keep_fp16}, Rules,
    )  # fmt: skip


def _compare(rules: Rules, network: Network, plan: Plan, path: Path) -> None:
    for kernel in network.tunable:
        if rules.scheme(kernel.name) != plan[kernel.id]:
            raise ExportError(
                say("{path}: the rules don't give layer {layer} its precision back; nothing was written.",
                    path=path, layer=kernel.name)
            )  # fmt: skip


def _checked(network: Network) -> Text:
    return say("Read back: every one of {count} {count:layer|layers} has its precision.", count=len(network.tunable))
