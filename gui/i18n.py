"""Languages: Qt Linguist's .ts files are read directly at start, so that no build step can be forgotten.

`resources/translations/mixbit_<language>.ts` holds the window's strings by class and the engine's sentences in the
context "engine". English needs a file for its plural forms only.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from engine.paths import resources
from engine.text import Text, one_line

Language = Literal["en", "zh"]
LANGUAGES: dict[Language, str] = {"en": "en", "zh": "zh_CN"}
ENGINE_CONTEXT = "engine"

Forms = tuple[str, ...]
Key = tuple[str, str, str]
"""Context, source and comment of a message."""


def text(sentence: Text) -> str:
    """A sentence of the engine in the language in use; sentences inside its fields are translated as well."""
    template = QCoreApplication.translate(ENGINE_CONTEXT, sentence.template)
    fields = {name: _field(value) for name, value in sentence.fields.items()}
    try:
        return template.format(**fields)
    except (KeyError, IndexError, ValueError):
        return str(sentence)


def data_text(words: str) -> str:
    """A title, note or reason of a data file (a device profile, the operator table) in the language in use."""
    return QCoreApplication.translate(ENGINE_CONTEXT, words)


def _field(value: object) -> object:
    if isinstance(value, str):
        return one_line(data_text(value))
    if isinstance(value, Text):
        return text(value)
    if isinstance(value, (list, tuple)) and any(isinstance(item, Text) for item in value):
        return ", ".join(str(_field(item)) for item in value)
    return one_line(value)


class TsTranslator(QTranslator):
    """Translates from the messages of a .ts file."""

    def __init__(self, messages: Mapping[Key, Forms], language: Language) -> None:
        super().__init__()
        self._messages = messages
        self._language = language

    def isEmpty(self) -> bool:
        """Whether nothing is translated."""
        return not self._messages

    def translate(self, context: str, source: str, disambiguation: str | None = None, n: int = -1) -> str | None:  # type: ignore[override]
        """The translation, or None to let the source stand."""
        forms = self._messages.get((context, source, disambiguation or ""))
        if forms is None:
            return None
        return forms[0 if self._language == "zh" or n == 1 or len(forms) == 1 else 1]


def load_ts(path: Path) -> dict[Key, Forms]:
    """Finished messages of a .ts file by context, source and comment."""
    messages: dict[Key, Forms] = {}
    for context in ElementTree.parse(path).getroot().iter("context"):
        name = context.findtext("name", "")
        for message in context.iter("message"):
            forms = _forms(message.find("translation"))
            if forms:
                messages[name, message.findtext("source", ""), message.findtext("comment", "")] = forms
    return messages


def _forms(translation: ElementTree.Element | None) -> Forms:
    if translation is None or translation.get("type") in ("unfinished", "vanished", "obsolete"):
        return ()
    plural = tuple(form.text or "" for form in translation.iter("numerusform"))
    forms = plural or (translation.text or "",)
    return forms if all(forms) else ()


def ts_path(language: Language) -> Path:
    """The .ts file of a language."""
    return resources() / "translations" / f"mixbit_{LANGUAGES[language]}.ts"


def system_language() -> Language:
    """Chinese on a Chinese desktop, else English."""
    return "zh" if QLocale.system().language() == QLocale.Language.Chinese else "en"


class _Installed:
    """Translators in use; Qt keeps no reference of its own."""

    language: Language = "en"
    translators: Sequence[QTranslator] = ()


def set_language(language: Language) -> None:
    """Use a language from now on; every open window gets a LanguageChange event."""
    app = QCoreApplication.instance()
    if app is None:
        return
    fresh: list[QTranslator] = []
    if language == "zh":
        own = QTranslator()
        folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        if own.load("qtbase_zh_CN", folder):
            fresh.append(own)
    with contextlib.suppress(OSError, ElementTree.ParseError):
        fresh.append(TsTranslator(load_ts(ts_path(language)), language))
    for old in _Installed.translators:
        app.removeTranslator(old)
    _Installed.language, _Installed.translators = language, tuple(fresh)
    for translator in fresh:
        app.installTranslator(translator)


def language() -> Language:
    """The language in use."""
    return _Installed.language
