"""A profile that can't be used, chosen in the window with real events: one sentence, and the old one stays active."""

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QPushButton

from engine.npu import load_device
from engine.npu.profiles import folder
from engine.session import Session
from gui.dialogs.device import DeviceDialog
from gui.settings import Settings
from gui.window import Window


@pytest.fixture
def opened():
    made = Session()
    yield made
    made.close()


def spoiled(change):
    document = json.loads((folder() / "kirinx90.json").read_text(encoding="utf-8"))
    change(document)
    return json.dumps(document)


BAD = {
    "no JSON": ("{", "not valid JSON"),
    "no values": (spoiled(lambda d: d.pop("values")), "field values is missing"),
    "a field missing": (spoiled(lambda d: d["values"].pop("core.clock")), "field core.clock (MHz) is missing"),
    "impossible": (spoiled(lambda d: d["values"]["core.clock"].update(value=-3)), "field core.clock is -3"),
    "fits no tile": (spoiled(lambda d: d["values"]["buffer.l0a"].update(value=0.25)), "field buffer.l0a"),
    "unknown field": (spoiled(lambda d: d.update(colour=1)), "field colour is not known"),
}


@pytest.mark.parametrize("kind", BAD)
def test_the_old_profile_stays_active(qtbot, opened, tmp_path, monkeypatch, kind):
    text, sentence = BAD[kind]
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    window = Window(Settings(tmp_path / "settings"), confirm=False)
    qtbot.addWidget(window)
    window.set_session(opened)
    window.show()
    opened.set_device("ascend310p3")
    before = opened.device
    dialog = DeviceDialog(opened, window.actions_, window)
    dialog.open()
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    (button,) = (b for b in dialog.findChildren(QPushButton) if b.text() == "From a file…")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window._error is not None
    shown = window._error.message.text()
    assert "bad.json" in shown
    assert sentence in shown
    assert opened.device is before
    assert dialog.isVisible()
    window._error.reject()
    dialog.reject()
    path.write_text(spoiled(lambda d: d.update(name="mine")), encoding="utf-8")
    opened.set_device(path)
    assert (opened.device.name, opened.device.content) == ("mine", load_device(path).content)
