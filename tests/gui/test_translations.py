import importlib.util
import string
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication

from engine.text import Text, say
from gui.i18n import load_ts, set_language, text, ts_path

SCRIPT = Path(__file__).parents[2] / "scripts" / "update_translations.py"
spec = importlib.util.spec_from_file_location("update_translations", SCRIPT)
update = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = update
spec.loader.exec_module(update)


@pytest.fixture(scope="module")
def source():
    messages, problems = update.collect()
    assert problems == []
    return messages


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def test_every_text_of_window_and_engine_has_a_chinese_translation(source):
    known = load_ts(ts_path("zh"))
    missing = [(m.context, m.source) for m in source if (m.context, m.source, m.comment) not in known]
    assert missing == []
    assert len(source) > 500


def test_every_plural_has_two_english_forms(source):
    known = load_ts(ts_path("en"))
    missing = [(m.context, m.source) for m in source if m.plural and (m.context, m.source, m.comment) not in known]
    assert missing == []
    assert all(len(forms) == 2 for forms in known.values())


def test_files_hold_nothing_that_the_source_has_lost(source):
    wanted = {(m.context, m.source, m.comment) for m in source}
    assert set(load_ts(ts_path("zh"))) <= wanted
    assert set(load_ts(ts_path("en"))) <= wanted


def test_translations_keep_their_fields(source):
    for language in ("zh", "en"):
        for (context, sentence, _), forms in load_ts(ts_path(language)).items():
            for form in forms:
                assert fields(form) == fields(sentence), (context, sentence)
                assert ("%n" in form) == ("%n" in sentence) or "one" in form.lower(), (context, form)


def test_engine_sentences_are_translated_with_their_fields(qapp):
    sentence = say("{scheme} for {count} {count:kernel|kernels}", scheme="INT4", count=3)
    assert text(sentence) == "INT4 for 3 kernels"
    assert text(say(sentence.template, scheme="INT4", count=1)) == "INT4 for 1 kernel"
    set_language("zh")
    assert text(sentence) == "3 个算子设为 INT4"
    inner = say("Runs in FP16, because its scheme is not native here: {reason}", reason=say("All INT8"))
    assert text(inner).endswith("全部 INT8")
    set_language("en")
    assert text(inner).endswith("All INT8")


def test_a_broken_translation_falls_back_to_english(qapp, monkeypatch):
    monkeypatch.setattr(QCoreApplication, "translate", staticmethod(lambda context, source: "{nothing}"))
    assert text(Text("Reading {file}", {"file": "a.onnx"})) == "Reading a.onnx"


@pytest.mark.parametrize(("n", "shown"), [(1, "1 kernel"), (7, "7 kernels")])
def test_english_plurals(qapp, n, shown):
    assert QCoreApplication.translate("ContextBar", "%n kernel(s)", "", n) == shown


def test_collector_finds_every_way_to_mark_a_text(tmp_path):
    code = """
class View:
    def f(self, n):
        return self.tr("one") + self.tr("%n two(s)", "", n) + self.tr("a" if n else "b")
def _tr(text):
    return translate("Own", text)
x = _tr("three"), translate("Words", "four"), mark("five"), say("six {x}", x=1), say("{name}", name="")
"""
    collector = update.Collector(update.ROOT / "x.py")
    collector.find(update.ast.parse(code))
    assert {(m.context, m.source, m.plural) for m in collector.found} == {
        ("View", "one", False), ("View", "%n two(s)", True), ("View", "a", False), ("View", "b", False),
        ("Own", "three", False), ("Words", "four", False), ("Commands", "five", False), ("engine", "six {x}", False),
    }  # fmt: skip
    assert collector.problems == []


def test_a_filled_list_brings_translations(tmp_path):
    filled = tmp_path / "zh.tsv"
    filled.write_text("MenuRow\tTune\t调音\nMenuRow\tNo such text\tx\nMenuRow\tSweep\t\n", encoding="utf-8")
    found = update.fill(filled, {})
    assert found == {("MenuRow", "Tune", ""): ("调音",)}


def test_english_verbs_agree_with_one(qapp):
    pairs = [forms for forms in load_ts(ts_path("en")).values() if len(forms) == 2]
    wrong = (" miss ", " are ", " have ", " do ", " run ")
    assert [one for one, _ in pairs if any(word in f"{one} " for word in wrong)] == []
