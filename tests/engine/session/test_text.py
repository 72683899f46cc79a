"""Sentences and errors."""

from engine.errors import DataError
from engine.text import say


def test_a_text_keeps_its_template_for_translation():
    text = say("{path} holds no sample; at least one is needed.", path="a.npz")
    assert str(text) == "a.npz holds no sample; at least one is needed."
    assert text.template.startswith("{path}")
    assert str(DataError(text)) == str(text)
