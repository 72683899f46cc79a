"""The options of an export target: a choice or a line of text each."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QWidget

from engine.interop.targets import Target
from gui.dialogs.option_words import option_word
from gui.i18n import text as translated
from gui.widgets.themed import label


class OptionsForm(QWidget):
    """Shows one target's options at a time; what was chosen for the others is remembered."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kept: dict[tuple[str, str], str] = {}
        self._target = ""
        self.fields: dict[str, QComboBox | QLineEdit] = {}
        """By option name."""
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnMinimumWidth(0, 96)
        self._grid.setColumnStretch(2, 1)

    def show_target(self, target: Target) -> None:
        """Make fields for a target's options."""
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self._target, self.fields = target.name, {}
        for row, option in enumerate(target.options):
            value = self._kept.get((target.name, option.name), option.default)
            field = self._choice(option.name, option.choices, value) if option.choices else self._line(value)
            title = label(translated(option.title), "caption")
            title.setBuddy(field)
            field.setAccessibleName(translated(option.title))
            field.setMinimumWidth(180)
            self._grid.addWidget(title, row, 0)
            self._grid.addWidget(field, row, 1)
            self.fields[option.name] = field
        self.setVisible(bool(target.options))

    def values(self) -> dict[str, str]:
        """What is chosen, by option name; a line left empty takes the target's default."""
        found = {name: _value(field) for name, field in self.fields.items()}
        return {name: value for name, value in found.items() if value}

    def _choice(self, name: str, choices: tuple[str, ...], value: str) -> QComboBox:
        field = QComboBox()
        for choice in choices:
            field.addItem(option_word(name, choice), choice)
        field.setCurrentIndex(max(0, field.findData(value)))
        field.currentIndexChanged.connect(self._on_change)
        return field

    def _line(self, value: str) -> QLineEdit:
        field = QLineEdit(value)
        field.editingFinished.connect(self._on_change)
        return field

    def _on_change(self) -> None:
        before = dict(self._kept)
        self._kept.update({(self._target, name): _value(field) for name, field in self.fields.items()})
        if self._kept != before:
            self.changed.emit()


def _value(field: QComboBox | QLineEdit) -> str:
    return str(field.currentData()) if isinstance(field, QComboBox) else field.text().strip()
