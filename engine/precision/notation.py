"""Schemes as people write them: "bf16", "w3a16:group64", "W8A8 tensor dynamic". Reading and writing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.errors import PlanError
from engine.precision.scheme import (
    BF16,
    BRAIN,
    FP16,
    FP32,
    HALF,
    INT4,
    INT8,
    PRESETS,
    W4A8,
    W8A16,
    ActivationFormat,
    Scheme,
    WeightFormat,
    label,
    widths,
)
from engine.text import say

READY: tuple[Scheme, ...] = (
    FP16,
    BF16,
    replace(INT8, activations=ActivationFormat(16, symmetric=True)),
    W8A16,
    INT8,
    replace(INT8, weights=WeightFormat(8, granularity="tensor")),
    W4A8,
    INT4,
    replace(INT4, weights=replace(INT4.weights, group=128)),
    replace(INT4, weights=replace(INT4.weights, bits=3)),
    replace(INT4, weights=replace(INT4.weights, bits=2)),
)
"""Schemes that lists offer ready-made, from fine to coarse; all others can be written or put together."""
_FORMATS = re.compile(r"w(i16|b?16|[2348])a(i16|b?16|32|[48])")
_GROUP = re.compile(r"(?:group|g)(\d+)")
_WIDEST_GROUP = 4096


def code(scheme: Scheme) -> str:
    """A scheme in full, the same in every language: "FP16", "W4A16 group 32", "W8A8 tensor dynamic".

    Said is the grain, and what differs from the usual: weights of up to 4 bits are asymmetric, wider ones symmetric,
    integer activations asymmetric with static ranges. `read_scheme` understands all but the method, which comes last.
    """
    weights, activations = scheme.weights, scheme.activations
    words = [label(scheme.rounded) if weights.floating else widths(scheme)]
    if not weights.floating:
        words.append(f"group {weights.group}" if weights.granularity == "group" else weights.granularity)
        if weights.symmetric != usually_symmetric(weights.bits):
            words.append("symmetric" if weights.symmetric else "asymmetric")
    if not activations.floating:
        words += ["symmetric-activations"] * activations.symmetric + ["dynamic"] * (not activations.static)
    words += [scheme.method] * (scheme.method != "rtn") + ["corrected"] * scheme.corrected
    return " ".join(words)


def name_of(scheme: Scheme) -> str:
    """Short where that is enough: "INT8", "BF16"; for what is no preset in full."""
    return label(scheme) if scheme in PRESETS.values() else code(scheme)


def title_of(scheme: Scheme) -> str:
    """As `label`, but with the grain where widths alone would sound like a preset: "INT8 GPTQ", "W8A8 tensor"."""
    return label(scheme) if scheme.rounded in PRESETS.values() else code(scheme)


def read_schemes(text: str) -> tuple[Scheme, ...]:
    """Schemes with commas between, each once.

    Raises:
        PlanError: One of them is none.
    """
    names = [name for name in text.split(",") if name.strip()] or [""]
    return tuple(dict.fromkeys(read_scheme(name) for name in names))


def read_scheme(text: str, *, others: Sequence[str] = ()) -> Scheme:
    """A scheme as it is written: a preset's name, or widths and what is unusual, with ":" or blanks between.

    Args:
        text: "bf16", "w3a16:group64", "w8ai16:tensor:asymmetric:dynamic", in any case. Activations of 16
            bits are FP16, or integers (i16), or BF16 (b16).
        others: What else could have stood there, for the sentence about what is none of all.

    Raises:
        PlanError: It names no scheme.
    """
    words = re.sub(r"\bgroup[\s:]+(?=\d)", "group", text.strip().lower()).replace(":", " ").split()
    if not words:
        raise _unknown("''", others)
    scheme, rest = _start(words[0]), words[1:]
    if scheme is None:
        raise _unknown(text.strip(), others)
    for word in rest:
        changed = _with(scheme, word)
        if changed is None:
            raise PlanError(
                say(
                    "{word} in the scheme {text} can't be read; behind the widths may stand {words}.",
                    word=word,
                    text=text.strip(),
                    words="tensor, channel, groupN (1 to 4096), symmetric, asymmetric, symmetric-activations, dynamic",
                )
            )
        scheme = changed
    return scheme


def _unknown(text: str, others: Sequence[str]) -> PlanError:
    names = ", ".join((*PRESETS, *others))
    return PlanError(
        say(
            "There is no scheme named {name}; choose one of {names}, or write widths and grain, as in w3a16:group64.",
            name=text,
            names=names,
        )
    )


def _start(word: str) -> Scheme | None:
    if word in PRESETS:
        return PRESETS[word]
    found = _FORMATS.fullmatch(word)
    if found is None:
        return None
    weights = {"16": FP16.weights, "b16": BF16.weights}.get(found[1])
    if weights is None:
        bits = int(found[1].removeprefix("i"))
        weights = WeightFormat(bits) if usually_symmetric(bits) else replace(INT4.weights, bits=bits)
    activations = {"16": HALF, "b16": BRAIN, "32": FP32.activations}.get(found[2])
    activations = activations or ActivationFormat(int(found[2].removeprefix("i")))
    return Scheme(weights, activations)


def _with(scheme: Scheme, word: str) -> Scheme | None:
    """The scheme with one thing changed; None if the word changes nothing that it has."""
    weights, activations = scheme.weights, scheme.activations
    group = _GROUP.fullmatch(word)
    if word in ("symmetric-activations", "dynamic"):
        if activations.floating or (word == "dynamic" and activations.bits == 4):
            return None
        changed = replace(activations, static=False) if word == "dynamic" else replace(activations, symmetric=True)
        return replace(scheme, activations=changed)
    if weights.floating:
        return None
    if word == "tensor":
        return replace(scheme, weights=replace(weights, granularity="tensor", group=0))
    if word == "channel":
        return replace(scheme, weights=replace(weights, granularity="channel", group=0))
    if group is not None and 1 <= int(group[1]) <= _WIDEST_GROUP:
        return replace(scheme, weights=replace(weights, granularity="group", group=int(group[1])))
    if word in ("symmetric", "asymmetric"):
        return replace(scheme, weights=replace(weights, symmetric=word == "symmetric"))
    return None


def usually_symmetric(bits: int) -> bool:
    """Whether integer weights of that width are symmetric where nobody says else."""
    return bits > INT4.weights.bits
