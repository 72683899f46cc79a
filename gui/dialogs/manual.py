"""The manual in a window of its own: contents and search on the left, a page on the right. Works without a network."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QUrl
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QShortcut, QTextCursor, QTextDocument
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QListWidget, QListWidgetItem, QTextBrowser, QVBoxLayout, QWidget

from gui.dialogs.manual_style import style_page
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
        self.page.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        left = QVBoxLayout()
        left.setContentsMargins(12, 12, 8, 12)
        left.setSpacing(8)
        left.addWidget(self.search)
        left.addWidget(self.contents, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addLayout(left)
        row.addWidget(self.page, 1)
        self._shown = ""
        self._document: QTextDocument | None = None
        self._visited: list[str] = []
        """Pages that links led away from."""
        self._back = QShortcut(QKeySequence(QKeySequence.StandardKey.Back), self)
        self._back.activated.connect(self.go_back)
        self.search.textChanged.connect(self._list)
        self.search.returnPressed.connect(lambda: self.contents.setCurrentRow(0))
        self.contents.currentItemChanged.connect(self._on_item)
        self.page.anchorClicked.connect(self._on_link)
        self.page.viewport().installEventFilter(self)
        theme_manager.changed.connect(self._apply_theme)
        self.resize(QSize(980, 720))
        self.retranslate()

    def show_page(self, page_id: str, section: str = "") -> None:
        """Go to a page, and there to a heading; unknown pages lead to the first."""
        known = {page.id: page for page in pages(language())}
        page = known.get(page_id) or next(iter(known.values()), None)
        if page is None:
            return
        self._shown = page.id
        self._write(page)
        self.page.moveCursor(QTextCursor.MoveOperation.Start)
        if section and self.page.find(section):
            self.page.ensureCursorVisible()
        for row in range(self.contents.count()):
            if self.contents.item(row).data(Qt.ItemDataRole.UserRole) == page.id:
                self.contents.blockSignals(True)
                self.contents.setCurrentRow(row)
                self.contents.blockSignals(False)

    def go_back(self) -> None:
        """Return to where the last link was followed."""
        if self._visited:
            self.show_page(self._visited.pop())

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

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tables follow the width of the page."""
        if isinstance(event, QResizeEvent) and event.size().width() != event.oldSize().width():
            self._style()
        return super().eventFilter(watched, event)

    def _write(self, page: Page) -> None:
        """Make the document aside: on show it would be laid out after every step."""
        old, new = self._document, QTextDocument(self.page)
        new.setDefaultFont(self.page.font())
        new.setMarkdown(page.text)
        style_page(new, theme_manager.theme, self._room())
        self.page.setDocument(new)
        self._document = new
        if old is not None:
            old.deleteLater()

    def _style(self) -> None:
        style_page(self.page.document(), theme_manager.theme, self._room())

    def _room(self) -> float:
        """Px that a page has beside its scroll bar."""
        bar = 0 if self.page.verticalScrollBar().isVisible() else self.page.verticalScrollBar().sizeHint().width()
        return self.page.viewport().width() - bar

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
            self._visited.append(self._shown)
            self.show_page(url.path().removesuffix(".md"))

    def _apply_theme(self, theme: Theme) -> None:
        self.show_page(self._shown)
