"""A sentence stays one line of bounded length, whatever names are in a file."""

from pathlib import Path

from engine.errors import ModelError
from engine.text import one_line, say


def test_names_never_break_a_sentence():
    sentence = str(say("{file}: node {node} fails.", file=Path("a\nb"), node="x\r\t\x1b[31m\u2028\u202e"))
    assert sentence == "a\\nb: node x\\r\\t\\x1b[31m\\u2028\\u202e fails."
    assert str(ModelError(say("{inner}", inner=say("{name}", name="two\nlines")))) == "two\\nlines"


def test_long_names_keep_both_ends():
    shown = one_line("a" * 5000 + "end")
    assert len(shown) == 400
    assert shown.startswith("aaa")
    assert shown.endswith("aend")


def test_other_fields_stay_what_they_are():
    assert str(say("{need:.1f} GB, {count} nodes, {name}", need=1.25, count=10**6, name="卷积 é 😀")) == (
        "1.2 GB, 1000000 nodes, 卷积 é 😀"
    )


def test_one_thing_is_not_several():
    template = "{count} {count:kernel is|kernels are} slow"
    assert [str(say(template, count=n)) for n in (0, 1, 2)] == ["0 kernels are slow", "1 kernel is slow",
                                                                "2 kernels are slow"]  # fmt: skip
    assert str(say("{count:,} of {all:03d}", count=12345, all=7)) == "12,345 of 007"
    assert str(say("{yes}", yes=True)) == "True"


def test_the_same_sentence_twice_is_one():
    notes = [say("{count} files", count=1), say("{count} files", count=2), say("{count} files", count=1)]
    assert [str(note) for note in dict.fromkeys(notes)] == ["1 files", "2 files"]
