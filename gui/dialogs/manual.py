"""The manual in a window of its own: contents and search on the left, a page on the right. Works without a network."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, QUrl
from PySide6.QtGui import QKeyEvent, QTextBlockFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QListWidget, QListWidgetItem, QTextBrowser, QVBoxLayout, QWidget

from gui.i18n import language
from gui.manual import Page, pages, search
from gui.theme import Theme, theme_manager

CONTENTS_WIDTH = 210


class ManualWindow(QWidget):
    """Stays beside the window; F1 brings the page of the panel in use."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("manual")
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.contents = QListWidget()
        self.contents.setFrameShape(QListWidget.Shape.NoFrame)
        self.contents.setFixedWidth(CONTENTS_WIDTH)
        self.page = QTextBrowser()
        self.page.setOpenLinks(False)
        self.page.setFrameShape(QTextBrowser.Shape.NoFrame)
        left = QVBoxLayout()
        left.setContentsMargins(12, 12, 8, 12)
        left.addWidget(self.search)
        left.addWidget(self.contents, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addLayout(left)
        row.addWidget(self.page, 1)
        self._shown = ""
        self.search.textChanged.connect(self._list)
        self.search.returnPressed.connect(lambda: self.contents.setCurrentRow(0))
        self.contents.currentItemChanged.connect(self._on_item)
        self.page.anchorClicked.connect(self._on_link)
        theme_manager.changed.connect(self._apply_theme)
        self.resize(QSize(860, 640))
        self.retranslate()

    def show_page(self, page_id: str, section: str = "") -> None:
        """Go to a page, and there to a heading; unknown pages lead to the first."""
        known = {page.id: page for page in pages(language())}
        page = known.get(page_id) or next(iter(known.values()), None)
        if page is None:
            return
        self._shown = page.id
        self.page.setMarkdown(page.text)
        self._style()
        self.page.moveCursor(QTextCursor.MoveOperation.Start)
        if section and self.page.find(section):
            self.page.ensureCursorVisible()
        for row in range(self.contents.count()):
            if self.contents.item(row).data(Qt.ItemDataRole.UserRole) == page.id:
                self.contents.blockSignals(True)
                self.contents.setCurrentRow(row)
                self.contents.blockSignals(False)

    @property
    def shown(self) -> str:
        """Id of the page on show."""
        return self._shown

    def retranslate(self) -> None:
        """Write everything again in the language in use."""
        self.setWindowTitle(self.tr("Mixbit manual"))
        self.search.setPlaceholderText(self.tr("Search the manual"))
        self.search.setAccessibleName(self.tr("Search the manual"))
        self.contents.setAccessibleName(self.tr("Contents"))
        self.page.setAccessibleName(self.tr("Page"))
        self._list()
        self.show_page(self._shown)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def _list(self) -> None:
        words = self.search.text().strip()
        found: tuple[Page, ...] = search(language(), words) if words else pages(language())
        self.contents.blockSignals(True)
        self.contents.clear()
        for page in found:
            item = QListWidgetItem(page.title)
            item.setData(Qt.ItemDataRole.UserRole, page.id)
            self.contents.addItem(item)
            if page.id == self._shown:
                self.contents.setCurrentItem(item)
        self.contents.blockSignals(False)

    def _on_item(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.show_page(str(item.data(Qt.ItemDataRole.UserRole)), self.search.text().strip())

    def _on_link(self, url: QUrl) -> None:
        if url.isRelative() and url.path().endswith(".md"):
            self.show_page(url.path().removesuffix(".md"))

    def _apply_theme(self, theme: Theme) -> None:
        self.show_page(self._shown)

    def _style(self) -> None:
        """Room around the text, and lines that are easy to read."""
        document = self.page.document()
        document.setDocumentMargin(22)
        block = document.begin()
        while block.isValid():
            cursor = QTextCursor(block)
            form = block.blockFormat()
            form.setLineHeight(130, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            if cursor.currentTable() is None:
                heading = form.headingLevel() > 0
                form.setTopMargin(14 if heading else 2)
                form.setBottomMargin(6 if heading else 4 if block.textList() is not None else 9)
            cursor.setBlockFormat(form)
            block = block.next()
