"""The export dialog: which targets it offers, what it says of them before anything is written, what it asks for."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit
from shiboken6 import isValid

from engine.errors import ExportError
from engine.interop.targets import TARGETS, Target, target
from engine.jobs import Job
from engine.npu import latency_us
from engine.precision.scheme import INT4, INT8, ActivationFormat, Scheme
from engine.quant.sizes import plan_bytes
from engine.session.changes import What
from engine.text import say
from gui import format as form
from gui.dialogs.export import ExportDialog
from gui.dialogs.export_changes import grouped, words
from gui.dialogs.export_targets import proposed_name
from gui.i18n import set_language
from gui.settings import Settings
from gui.window import Window


@pytest.fixture
def dialog(qtbot, session) -> ExportDialog:
    """The dialog on a plan with INT4 kernels, its first answer there."""
    window = Window(Settings(None), confirm=False)
    qtbot.addWidget(window)
    window.show()
    window.set_session(session)
    made = ExportDialog(session, window.actions_, window)
    made.open()
    settled(qtbot, made)
    yield made
    if isValid(made):
        made.reject()


def settled(qtbot, dialog: ExportDialog) -> None:
    qtbot.waitUntil(lambda: not dialog.checking, timeout=10_000)


def choose(qtbot, dialog: ExportDialog, name: str) -> Target:
    place = dialog.targets.place(name).center()
    qtbot.mouseClick(dialog.targets.viewport(), Qt.MouseButton.LeftButton, pos=place)
    settled(qtbot, dialog)
    assert dialog.kind == name
    return target(name)


def shown(dialog: ExportDialog) -> list[str]:
    view = dialog.handover.changes
    return [view.topLevelItem(i).text(0) for i in range(view.topLevelItemCount())]


def test_every_target_can_be_reached_by_the_keyboard(qtbot, dialog):
    reached = [dialog.kind]
    for _ in range(len(TARGETS) - 1):
        qtbot.keyClick(dialog.targets, Qt.Key.Key_Down)
        reached.append(dialog.kind)
    assert sorted(reached) == sorted(t.name for t in TARGETS)
    assert dialog.targets.hasFocus()
    settled(qtbot, dialog)


def test_no_two_files_get_the_same_name_and_none_that_of_the_model():
    names = [proposed_name(t, "net") for t in TARGETS]
    assert len(set(names)) == len(names)
    assert "net.onnx" not in names


def test_a_plan_that_a_target_can_say_is_as_planned(qtbot, dialog):
    choose(qtbot, dialog, "csv")
    assert "As planned" in dialog.handover.verdict.accessibleName()
    assert not dialog.handover.latency_row[0].isVisible()
    assert shown(dialog) == []


def test_changes_are_listed_with_their_price(qtbot, dialog, session):
    handover = choose(qtbot, dialog, "atc").check(session.network, session.plan)
    assert handover.changes
    count = f"{len(handover.changes)} of {len(session.network.tunable)}"
    assert count in dialog.handover.verdict.accessibleName()
    view = dialog.handover.changes
    kernels = [view.topLevelItem(i).child(k).text(0) for i in range(view.topLevelItemCount())
               for k in range(view.topLevelItem(i).childCount())]  # fmt: skip
    assert sorted(kernels) == sorted(change.name for change in handover.changes)
    assert all(any(str(change.reason) in line for line in shown(dialog)) for change in handover.changes)
    assert all(str(note) in shown(dialog) for note in handover.notes)
    sizes = [plan_bytes(session.network, p).total for p in (session.plan, handover.effective_plan)]
    assert dialog.handover.bytes_row[1].text() == " → ".join(form.bytes_(size) for size in sizes)
    times = [latency_us(session.network, p, session.device) for p in (session.plan, handover.effective_plan)]
    assert dialog.handover.latency_row[1].text() == " → ".join(form.run_latency(us) for us in times)
    assert dialog.handover.latency_row[1].isVisible()


def test_a_group_folds_and_unfolds_by_click_and_key(qtbot, dialog):
    choose(qtbot, dialog, "atc")
    view = dialog.handover.changes
    top = view.topLevelItem(0)
    was = top.isExpanded()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualItemRect(top).center())
    assert top.isExpanded() is not was
    qtbot.keyClick(view, Qt.Key.Key_Left if top.isExpanded() else Qt.Key.Key_Right)
    assert top.isExpanded() is was


def test_options_are_checked_anew_remembered_and_passed_on(qtbot, dialog, session):
    choose(qtbot, dialog, "mindspore_lite")
    field = dialog.options.fields["mode"]
    assert isinstance(field, QComboBox)
    before = shown(dialog)
    assert [field.itemData(i) for i in range(field.count())] == ["auto", "weight4", "weight8", "full8"]
    field.setCurrentIndex(2)
    settled(qtbot, dialog)
    assert shown(dialog) != before
    choose(qtbot, dialog, "atc")
    line = dialog.options.fields["soc_version"]
    assert isinstance(line, QLineEdit)
    line.setText("Ascend310B1")
    line.editingFinished.emit()
    choose(qtbot, dialog, "mindspore_lite")
    assert dialog.options.values() == {"mode": "weight8"}
    choose(qtbot, dialog, "atc")
    dialog.export.click()
    name, kind, path, options = session.calls[-1]
    assert (name, kind, options) == ("export", "atc", {"soc_version": "Ascend310B1"})
    assert path.name.endswith("_atc")


def test_a_target_that_needs_ranges_waits_for_them(qtbot, dialog, session):
    ranges, session.ranges = session.ranges, None
    choose(qtbot, dialog, "qdq")
    session.emit(What.DATA)
    assert not dialog.export.isEnabled()
    assert "Calibration" in str(dialog.handover.refusal)
    choose(qtbot, dialog, "plan")
    assert dialog.export.isEnabled()
    choose(qtbot, dialog, "qdq")
    assert not dialog.export.isEnabled()
    session.ranges = ranges
    session.emit(What.DATA)
    settled(qtbot, dialog)
    assert dialog.export.isEnabled()
    assert dialog.handover.refusal is None


def test_a_refusal_stands_in_its_place_as_one_sentence(qtbot, dialog, monkeypatch):
    def refuse(self, network, plan, extras=None):
        raise ExportError(say("{target} takes no such model; choose another target.", target=self.title))

    monkeypatch.setattr(Target, "check", refuse)
    choose(qtbot, dialog, "nncf")
    assert "NNCF script takes no such model" in dialog.handover.verdict.accessibleName()
    assert not dialog.export.isEnabled()
    monkeypatch.undo()
    choose(qtbot, dialog, "aimet")
    assert dialog.export.isEnabled()


def test_a_folder_is_put_where_browsing_says(qtbot, dialog, monkeypatch, tmp_path):
    choose(qtbot, dialog, "tensorrt")
    name = Path(dialog.path.text()).name
    monkeypatch.setattr("gui.dialogs.export.QFileDialog.getExistingDirectory", lambda *a: str(tmp_path))
    dialog._browse()
    assert Path(dialog.path.text()) == tmp_path / name
    choose(qtbot, dialog, "csv")
    assert Path(dialog.path.text()).parent == tmp_path


def test_a_closed_dialog_waits_for_nothing(qtbot, dialog, session):
    listeners = session.listeners
    dialog._check()
    dialog.reject()
    assert session.listeners == listeners - 1
    qtbot.waitUntil(lambda: not session.jobs.active, timeout=5000)


def test_changes_of_one_kind_stand_together(session):
    changes = target("atc").check(session.network, session.plan).changes
    groups = grouped(changes)
    assert sum(len(group.names) for group in groups) == len(changes)
    assert len({(g.asked, g.gets, g.reason) for g in groups}) == len(groups)


def test_schemes_that_look_alike_are_written_out():
    assert words(INT4, INT8) == "W4A16 group 32"
    other = Scheme(INT8.weights, ActivationFormat(8, symmetric=True))
    assert "asym" in words(INT8, other)
    assert "asym" not in words(other, INT8)


def test_no_value_of_an_option_is_shown_raw():
    from engine.interop.targets import TARGETS
    from gui.dialogs.option_words import option_word

    names = ("platform", "soc_version")  # what a vendor calls its chips stays
    for language in ("en", "zh"):
        set_language(language)
        for each in TARGETS:
            for option in each.options:
                words = [option_word(option.name, value) for value in option.choices]
                assert len(set(words)) == len(words)
                if option.name not in names:
                    assert not set(words) & set(option.choices)
    set_language("en")


def test_an_export_that_fails_keeps_the_dialog_and_its_path(qtbot, dialog, session, monkeypatch, tmp_path):
    asked = {}

    def export(kind, path, options, *, wrote, failed):
        asked.update(wrote=wrote, failed=failed)
        return Job(7, say("Exporting"), "engine", state="running")

    monkeypatch.setattr(session, "export", export, raising=False)
    choose(qtbot, dialog, "csv")
    place = str(tmp_path / "gone" / "net.csv")
    dialog.path.setText(place)
    dialog.export.click()
    assert dialog.isVisible()
    assert not dialog.export.isEnabled()
    asked["failed"](say("{path} can't be written.", path="net.csv"))
    assert dialog.isVisible()
    assert dialog.problem.text() == "net.csv can't be written."
    assert dialog.path.text() == place
    assert dialog.export.isEnabled()
    dialog.export.click()
    assert not dialog.problem.isVisible()
    asked["wrote"]()
    assert not isValid(dialog) or not dialog.isVisible()


def test_titles_of_targets_are_whole(dialog):
    view = dialog.targets
    for row in range(view.count()):
        item = view.item(row)
        assert view.fontMetrics().horizontalAdvance(item.text()) + 8 <= view.viewport().width(), item.text()
