"""Pictures of every layout and every panel in both themes, languages and sizes, and the page that shows them.

    python scripts/gallery.py [--sample NAME] [--docs docs] [--size 1280x800 1920x1080]

Writes docs/gallery.md and docs/images/gallery. The window is driven and waited for as in screenshots.py.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from screenshots import LAYOUT_KEYS, ROOT, Driver, look, save_packed

from gui import style
from gui.commands import shown
from gui.docks import DOCKS
from gui.i18n import Language
from gui.theme import Mode

SIZES = ("1280x800", "1920x1080")
LOOKS: tuple[tuple[Mode, Language], ...] = (("light", "en"), ("dark", "en"), ("light", "zh"), ("dark", "zh"))
PANEL_LOOKS: tuple[tuple[Mode, Language], ...] = (("light", "en"), ("dark", "zh"))
TITLES = {"start": "Start page", "tune": "Tune", "profile": "Profile", "sweep": "Sweep", "compare": "Compare",
          "graph": "Graph"}  # fmt: skip
WORDS = {"light": "light", "dark": "dark", "en": "English", "zh": "中文"}


def file_name(what: str, mode: str, language: str, size: str = "") -> str:
    """Name of a picture."""
    return "-".join(part for part in (what, mode, language, size) if part) + ".webp"


def windows(driver: Driver, folder: Path, what: str, size: str) -> None:
    """The whole window in all looks."""
    for mode, language in LOOKS:
        look(mode, language)
        driver.settle()
        save(driver.window, folder / file_name(what, mode, language, size))
    look(*LOOKS[0])
    driver.settle()


def panels(driver: Driver, folder: Path) -> Iterator[str]:
    """Every panel by itself; gives the ids in the order of the layouts that hold them."""
    seen: set[str] = set()
    for layout in LAYOUT_KEYS:
        driver.layout(layout)
        host = driver.window.host
        assert host is not None
        for dock in [d for d in host.docks.values() if host.placed(d.spec.id) and d.spec.id not in seen]:
            seen.add(dock.spec.id)
            host.reveal(dock.spec.id)
            for mode, language in PANEL_LOOKS:
                look(mode, language)
                driver.settle()
                save(dock, folder / file_name(f"panel-{dock.spec.id}", mode, language))
            yield dock.spec.id
    look(*LOOKS[0])


def save(widget: QWidget, path: Path) -> None:
    """What a widget shows, without loss."""
    save_packed(widget.grab(), path)


def page(names: list[str], sizes: list[str], folder: str) -> str:
    """The page, as Markdown."""
    lines = [
        "# Gallery",
        "",
        "The window as it is, on the sample `page_orientation` with real results; written by `make gallery`.",
    ]
    for what, title in TITLES.items():
        first = f"{folder}/{file_name(what, *LOOKS[0], sizes[0])}"
        lines += ["", f"## {title}", "", f"![{title}]({first})", ""]
        for size in sizes:
            links = [f"[{WORDS[mode]}, {WORDS[tongue]}]({folder}/{file_name(what, mode, tongue, size)})"
                     for mode, tongue in LOOKS]  # fmt: skip
            lines.append(f"- {size.replace('x', ' × ')}: {' · '.join(links)}")
    lines += ["", "## Panels", "", "| panel | light, English | dark, 中文 |", "| --- | --- | --- |"]
    titles = {spec.id: shown(spec.title) for spec in DOCKS}
    for name in names:
        cells = [f"![{titles[name]}]({folder}/{file_name(f'panel-{name}', *kind)})" for kind in PANEL_LOOKS]
        lines.append(f"| {titles[name]} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def opened(size: str, sample: str, folder: Path) -> Driver:
    """A window of that size with the sample and a mixed plan; its start page has been saved."""
    width, height = (int(part) for part in size.split("x"))
    look(*LOOKS[0])
    driver = Driver((width, height), folder)
    windows(driver, folder, "start", size)
    driver.open_sample(sample)
    driver.edit()
    QTest.mouseMove(driver.window, QPoint(5, 5))
    return driver


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", default="page_orientation")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    parser.add_argument("--size", nargs="+", default=list(SIZES))
    arguments = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication(sys.argv[:1])
    style.install(app, sheet=False)
    folder = arguments.docs / "images" / "gallery"
    names: list[str] = []
    for size in arguments.size:
        driver = opened(size, arguments.sample, folder)
        try:
            for layout in LAYOUT_KEYS:
                driver.layout(layout)
                windows(driver, folder, layout, size)
            if size == arguments.size[-1]:
                names = list(panels(driver, folder))
        finally:
            driver.close()
    text = page(names, arguments.size, "images/gallery")
    (arguments.docs / "gallery.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
