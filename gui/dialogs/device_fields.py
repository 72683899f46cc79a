"""The values of a device profile as an editable table: value, unit, origin, allowed range, meaning."""

from __future__ import annotations

from typing import Any, cast

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from engine.errors import DeviceError
from engine.npu.device import Device, Origin
from engine.npu.editing import ORIGINS, Edit, parse_value, range_text, value_text
from engine.npu.fields import FIELDS, Field
from gui.i18n import data_text
from gui.i18n import text as translated
from gui.theme import theme_manager

translate = QCoreApplication.translate
Index = QModelIndex | QPersistentModelIndex
KEY, VALUE, UNIT, ORIGIN, RANGE, MEANING = range(6)
Role = Qt.ItemDataRole


def origin_word(origin: str) -> str:
    """Where a value comes from."""
    return {
        "vendor": translate("DeviceEditor", "vendor"),
        "measured": translate("DeviceEditor", "measured"),
        "fitted": translate("DeviceEditor", "fitted"),
        "assumed": translate("DeviceEditor", "assumed"),
    }.get(origin, origin)


class FieldModel(QAbstractTableModel):
    """One row per field. A refused value stays in its cell, marked, until it is right."""

    edited = Signal()

    def __init__(self, device: Device) -> None:
        super().__init__()
        self._device = device
        self._edits: dict[str, Edit] = {}
        self._problems: dict[str, str] = {}

    @property
    def edits(self) -> dict[str, Edit]:
        """What has been changed, by field."""
        return dict(self._edits)

    @property
    def problem(self) -> str:
        """The first refusal, '' if every single value is possible."""
        return next(iter(self._problems.values()), "")

    def reset(self, keys: set[str] | None = None) -> None:
        """Take edits back: of some fields, or all."""
        for key in set(self._edits) if keys is None else keys & set(self._edits):
            del self._edits[key]
            self._problems.pop(key, None)
        self.dataChanged.emit(self.index(0, 0), self.index(len(FIELDS) - 1, MEANING))
        self.edited.emit()

    def field(self, row: int) -> Field:
        """The field of a row."""
        return FIELDS[row]

    def rowCount(self, parent: Index | None = None) -> int:
        """Fields."""
        return 0 if parent is not None and parent.isValid() else len(FIELDS)

    def columnCount(self, parent: Index | None = None) -> int:
        """Field, value, unit, origin, range, meaning."""
        return 0 if parent is not None and parent.isValid() else 6

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Values and origins can be edited."""
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() in (VALUE, ORIGIN) else flags

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """Texts, what is edited bold, what is refused in red with the reason as tooltip."""
        if not index.isValid():
            return None
        field, column = FIELDS[index.row()], index.column()
        if role in (Role.DisplayRole, Role.EditRole, Role.AccessibleTextRole):
            return self._text(field, column, role == Role.EditRole)
        if role == Role.ToolTipRole:
            return self._problems.get(field.key) or self._note(field)
        if role == Role.FontRole and column in (VALUE, ORIGIN) and field.key in self._edits:
            bold = QFont()
            bold.setBold(True)
            return bold
        if role == Role.ForegroundRole:
            theme = theme_manager.theme
            if column == VALUE and field.key in self._problems:
                return theme.bad
            return theme.muted if column in (UNIT, RANGE, MEANING) else theme.text
        return None

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        """Take a value or an origin; a value that was typed counts as assumed until its origin is said."""
        if role != Role.EditRole or index.column() not in (VALUE, ORIGIN):
            return False
        field = FIELDS[index.row()]
        known = self._device.values[field.key]
        before = self._edits.get(field.key, Edit(value_text(known.value), known.origin, known.note))
        if index.column() == ORIGIN:
            edit = Edit(before.text, cast(Origin, value), before.note)
        elif str(value).strip() == before.text:
            return False
        else:
            edit = Edit(str(value).strip(), "assumed")
        self._take(field, edit)
        self.dataChanged.emit(self.index(index.row(), 0), self.index(index.row(), MEANING))
        self.edited.emit()
        return True

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        """Column titles."""
        if orientation is not Qt.Orientation.Horizontal or role != Role.DisplayRole:
            return None
        return (
            translate("DeviceEditor", "Field"),
            translate("DeviceEditor", "Value"),
            translate("DeviceEditor", "Unit"),
            translate("DeviceEditor", "Origin"),
            translate("DeviceEditor", "Allowed"),
            translate("DeviceEditor", "Meaning"),
        )[section]

    def _take(self, field: Field, edit: Edit) -> None:
        known = self._device.values[field.key]
        if (edit.text, edit.origin) == (value_text(known.value), known.origin):
            self._edits.pop(field.key, None)
            self._problems.pop(field.key, None)
            return
        self._edits[field.key] = edit
        try:
            parse_value(self._device.name, field.key, edit.text)
        except DeviceError as error:
            self._problems[field.key] = translated(error.text)
        else:
            self._problems.pop(field.key, None)

    def _text(self, field: Field, column: int, editing: bool) -> str:
        known, edit = self._device.values[field.key], self._edits.get(field.key)
        if column == VALUE:
            return edit.text if edit is not None else value_text(known.value)
        if column == ORIGIN:
            origin = edit.origin if edit is not None else known.origin
            return origin if editing else origin_word(origin)
        return (field.key, "", data_text(field.unit), "", range_text(field), data_text(field.meaning))[column]

    def _note(self, field: Field) -> str:
        known = self._device.values[field.key]
        words = [data_text(field.meaning), data_text(known.note)]
        if field.key in self._edits:
            was = f"{value_text(known.value)} {field.unit}".strip()
            words.append(
                translate("DeviceEditor", "was {value}, {origin}").format(value=was, origin=origin_word(known.origin))
            )
        return "\n".join(part for part in words if part)


class FieldFilter(QSortFilterProxyModel):
    """Rows whose field or meaning holds all words, or only those that were edited."""

    def __init__(self, model: FieldModel) -> None:
        super().__init__()
        self._words: list[str] = []
        self._edited = False
        self._model = model
        self.setSourceModel(model)

    def look_for(self, words: str, edited: bool) -> None:
        """Filter anew."""
        self._words, self._edited = words.lower().split(), edited
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        """Called by Qt."""
        field = self._model.field(row)
        if self._edited and field.key not in self._model.edits:
            return False
        hay = f"{field.key} {field.meaning} {data_text(field.meaning)} {field.unit}".lower()
        return all(word in hay for word in self._words)


class FieldDelegate(QStyledItemDelegate):
    """A list to choose from where there are choices, else a line."""

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """Called by Qt."""
        choices = self._choices(index)
        if not choices:
            return super().createEditor(parent, option, index)
        box = QComboBox(parent)
        for choice in choices:
            box.addItem(origin_word(choice) if index.column() == ORIGIN else choice, choice)
        box.activated.connect(lambda _: self._done(box))
        return box

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Called by Qt."""
        if isinstance(editor, QComboBox):
            editor.setCurrentIndex(editor.findData(index.data(Role.EditRole)))
        else:
            super().setEditorData(editor, index)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Called by Qt."""
        if isinstance(editor, QComboBox):
            model.setData(index, editor.currentData(), Role.EditRole)
        else:
            super().setModelData(editor, model, index)

    def _done(self, box: QComboBox) -> None:
        self.commitData.emit(box)
        self.closeEditor.emit(box)

    @staticmethod
    def _choices(index: Index) -> tuple[str, ...]:
        if index.column() == ORIGIN:
            return ORIGINS
        key = index.sibling(index.row(), KEY).data()
        field = next(field for field in FIELDS if field.key == key)
        return field.choices if field.shape == "text" else ("0", "1") if field.shape == "flag" else ()
