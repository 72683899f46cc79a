"""The list of usual pixel normalisations in Analyze > Data."""

import pytest
from PySide6.QtCore import Qt

from engine.interop.pictures import ImageOptions
from engine.interop.samples import SYNTHETIC
from gui.dialogs.data_source import SourceEditor
from gui.dialogs.pixel_norm import ends, norm_of, norms_for


@pytest.fixture
def editor(qtbot, session):
    made = SourceEditor(session.network.graph.inputs, SYNTHETIC, session.jobs)
    qtbot.addWidget(made)
    return made


def _pick(qtbot, combo, key):
    """Choose an entry by keys, as people do."""
    combo.setFocus()
    while combo.currentData() != key:
        down = combo.findData(key) > combo.currentIndex()
        qtbot.keyClick(combo, Qt.Key.Key_Down if down else Qt.Key.Key_Up)


def test_usual_normalisations_fill_mean_and_std(editor, qtbot):
    form = editor.images["input"]
    form.take(ImageOptions())
    assert form.norm.currentData() == "unit"
    wanted = {
        "imagenet": (1 / 255, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225), "-2.12 to 2.64"),
        "signed": (1 / 255, (0.5, 0.5, 0.5), (0.5, 0.5, 0.5), "-1 to 1"),
        "bytes": (1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), "0 to 255"),
        "unit": (1 / 255, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), "0 to 1"),
    }
    for key, (scale, mean, std, words) in wanted.items():
        _pick(qtbot, form.norm, key)
        made = form.options()
        assert (made.scale, made.mean, made.std) == (scale, mean, std)
        assert form.formula.text().replace("−", "-").endswith(words), form.formula.text()
        assert form.norm.currentData() == key


@pytest.mark.parametrize(
    ("options", "key"),
    [
        (ImageOptions(scale=1 / 127.5, mean=(1.0,), std=(1.0,)), "signed"),
        (ImageOptions(scale=1.0, mean=(127.5,) * 3, std=(127.5,) * 3), "signed"),
        (ImageOptions(scale=1.0, mean=(123.675, 116.28, 103.53), std=(58.395, 57.12, 57.375)), "imagenet"),
        (ImageOptions(mean=(0.406, 0.456, 0.485), std=(0.225, 0.224, 0.229), channels="BGR"), "imagenet"),
        (ImageOptions(mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225), channels="BGR"), "own"),
        (ImageOptions(mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225), channels="GRAY"), "own"),
        (ImageOptions(scale=1.0, mean=(0.0,), std=(255.0,), channels="GRAY"), "unit"),
        (ImageOptions(mean=(0.5, 0.5), std=(0.5, 0.5)), "own"),
        (ImageOptions(scale=0.25), "own"),
    ],
)
def test_a_normalisation_is_recognised_by_what_it_does(editor, options, key):
    form = editor.images["input"]
    form.take(options)
    assert form.norm.currentData() == key
    assert (form.options().mean, form.options().std) == (options.mean, options.std), "nothing is rewritten"


def test_a_normalisation_follows_what_is_typed_and_the_order_of_channels(editor, qtbot):
    form = editor.images["input"]
    form.take(ImageOptions())
    form.mean.setText("0.5")
    assert form.norm.currentData() == "own"
    form.std.setText("0.5")
    assert form.norm.currentData() == "signed"
    form.std.setText("a")
    assert (form.norm.currentData(), form.formula.text()) == ("own", "")
    _pick(qtbot, form.norm, "imagenet")
    _pick(qtbot, form.channels, "BGR")
    assert form.options().mean == (0.406, 0.456, 0.485), "the mean of red goes where red goes"
    assert form.norm.currentData() == "imagenet"
    form.mean.setText("0.1, 0.2, 0.3")
    _pick(qtbot, form.channels, "RGB")
    assert form.options().mean == (0.1, 0.2, 0.3), "what was typed stays"


def test_integer_inputs_take_pixels_as_they_are():
    whole = norms_for(whole=True)
    assert [norm.key for norm in whole] == ["bytes"]
    assert norm_of(ImageOptions(), "RGB", whole=True).key == "bytes", "the engine divides nothing then"
    assert ends(ImageOptions(), whole=True) == (0, 255)
