"""How a page of the manual looks: room between lines, tables that fit the page, keys that stand out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtGui import (
    QBrush,
    QFontMetricsF,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrame,
    QTextLength,
    QTextTable,
    QTextTableCellFormat,
    QTextTableFormat,
)

from gui.theme import Theme

MARGIN = 22
"""Px around the text."""
PADDING = 6
"""Px around the text of a cell."""
_INDENT = 22
_SPARE = 12
"""Px that borders take."""
_LINE = 130
"""Percent of the font's height."""
_WORDS = re.compile(r"[^\s\u3000-\u9fff\uff00-\uffef]+")
"""What has to stay on one line; Chinese breaks anywhere."""
_PROPORTIONAL = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value


def style_page(document: QTextDocument, theme: Theme, width: float) -> None:
    """Give a page that was read from Markdown room, and its tables lines in the colours of the theme.

    Args:
        document: the page.
        theme: colours.
        width: px that the page has.
    """
    document.setDocumentMargin(MARGIN)
    document.setIndentWidth(_INDENT)
    whole = QTextCursor(document)
    whole.beginEditBlock()  # laid out once, not after every change
    for block in _blocks(document):
        _space(block)
        _mark_code(block, theme)
    for table in _tables(document.rootFrame()):
        _style_table(table, theme, width - 2 * MARGIN - _SPARE)
    whole.endEditBlock()


@dataclass(frozen=True, slots=True)
class Column:
    """Widths in px of what a column holds."""

    word: float
    """Longest word: never less than this."""
    cell: float
    """Longest cell in one line: never more than this."""
    all: float
    """All cells one behind the other."""


def shares(columns: Sequence[Column], room: float) -> list[float]:
    """Widths that fill at most `room` px: short columns in one line, long ones by how much they hold."""
    widths = [column.cell for column in columns]
    if sum(widths) <= room:
        return widths
    fixed = {i: column.cell for i, column in enumerate(columns) if column.cell <= room / len(columns)}
    while True:
        left = room - sum(fixed.values())
        long = [i for i in range(len(columns)) if i not in fixed]
        total = sum(columns[i].all for i in long)
        wanted = {i: left * columns[i].all / total for i in long}
        tight = [i for i in long if wanted[i] < columns[i].word]
        if not tight:
            return [fixed[i] if i in fixed else wanted[i] for i in range(len(columns))]
        fixed |= {i: columns[i].word for i in tight}


def _space(block: QTextBlock) -> None:
    cursor = QTextCursor(block)
    form = block.blockFormat()
    form.setLineHeight(_LINE, _PROPORTIONAL)
    inside = cursor.currentTable() is not None
    heading = form.headingLevel() > 0
    form.setTopMargin(0 if inside else 14 if heading else 2)
    form.setBottomMargin(0 if inside else 6 if heading else 4 if block.textList() is not None else 9)
    cursor.setBlockFormat(form)


def _mark_code(block: QTextBlock, theme: Theme) -> None:
    """Keys and names in the text get a ground of their own."""
    for start, end in _code(block):
        cursor = QTextCursor(block)
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        form = QTextCharFormat()
        form.setBackground(QBrush(theme.hover))
        cursor.mergeCharFormat(form)


def _code(block: QTextBlock) -> list[tuple[int, int]]:
    found, part = [], block.begin()
    while not part.atEnd():
        fragment = part.fragment()
        if fragment.charFormat().fontFixedPitch():
            found.append((fragment.position(), fragment.position() + fragment.length()))
        part += 1
    return found


def _style_table(table: QTextTable, theme: Theme, room: float) -> None:
    form = table.format().toTableFormat()
    form.setBorder(0)
    form.setBorderCollapse(True)
    form.setCellPadding(0)
    form.setCellSpacing(0)
    form.setTopMargin(4)
    form.setBottomMargin(12)
    columns = [_measure(table, column) for column in range(table.columns())]
    fixed = QTextLength.Type.FixedLength
    form.setColumnWidthConstraints([QTextLength(fixed, width) for width in shares(columns, room)])
    table.setFormat(QTextTableFormat(form))
    for row in range(table.rows()):
        for column in range(table.columns()):
            cell = table.cellAt(row, column)
            look = QTextTableCellFormat(cell.format().toTableCellFormat())
            look.setPadding(PADDING)
            look.setBottomBorder(1)
            look.setBottomBorderStyle(QTextTableFormat.BorderStyle.BorderStyle_Solid)
            look.setBottomBorderBrush(QBrush(theme.strong if row == 0 else theme.border))
            cell.setFormat(look)


def _measure(table: QTextTable, column: int) -> Column:
    """Take the widths of a column."""
    cells, words = [], []
    for row in range(table.rows()):
        block = table.cellAt(row, column).firstCursorPosition().block()
        font = block.charFormat().font()
        font.setBold(font.bold() or row == 0)
        metrics = QFontMetricsF(font)
        cells.append(metrics.horizontalAdvance(block.text()))
        words += [metrics.horizontalAdvance(word) for word in _WORDS.findall(block.text())]
    edge = 2 * PADDING + 4
    return Column(max(words, default=0.0) + edge, max(cells) + edge, sum(cells) + edge)


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _tables(frame: QTextFrame) -> list[QTextTable]:
    return [child for child in frame.childFrames() if isinstance(child, QTextTable)]
