"""Every dialog of the window, ready to be shown: name -> make(window, session)."""

from pathlib import Path

import numpy as np

from engine.graph.types import ModelInput
from engine.precision.scheme import INT8
from engine.text import say
from gui.dialogs.about import AboutDialog
from gui.dialogs.budgets import BudgetsDialog
from gui.dialogs.conflict import ConflictDialog
from gui.dialogs.data import DataDialog
from gui.dialogs.device import DeviceDialog
from gui.dialogs.device_editor import DeviceEditor
from gui.dialogs.dimensions import DimensionsDialog
from gui.dialogs.dumps import DumpsDialog
from gui.dialogs.error import ErrorDialog
from gui.dialogs.export import ExportDialog
from gui.dialogs.foreign_plan import ForeignPlanDialog
from gui.dialogs.fusion import FusionDialog
from gui.dialogs.manual import ManualWindow
from gui.dialogs.memory_limit import MemoryLimitDialog
from gui.dialogs.methods import MethodsDialog
from gui.dialogs.own_metric import OwnMetricDialog
from gui.dialogs.recovery import RecoveryDialog
from gui.dialogs.replace import ReplaceDialog
from gui.dialogs.scenario import ScenarioDialog
from gui.dialogs.shortcuts import ShortcutsDialog
from gui.dialogs.unsaved import UnsavedDialog
from gui.views.layers_order import Filter
from gui.views.layers_rows import known_shape, rows_of
from gui.views.layers_rule_dialog import RuleDialog
from gui.views.names_dialog import NameRow, NamesDialog
from gui.views.scheme_dialog import SchemeDialog

NAMES = (NameRow("a", "float32", "k0", "exact"), NameRow("b", "float32", None, "none"))
DIALOGS = {
    "about": lambda w, s: AboutDialog(w),
    "budgets": lambda w, s: BudgetsDialog(s, w),
    "data": lambda w, s: DataDialog(s, w.actions_, w),
    "device": lambda w, s: DeviceDialog(s, w.actions_, w),
    "dumps": lambda w, s: DumpsDialog(lambda a, b: None, w),
    "dimensions": lambda w, s: DimensionsDialog((ModelInput("x", np.dtype(np.float32), ("n", 3), (1, 3)),), w),
    "error": lambda w, s: ErrorDialog(w),
    "export": lambda w, s: ExportDialog(s, w.actions_, w),
    "foreign plan": lambda w, s: ForeignPlanDialog("p.json is a plan for another model.", w),
    "fusion": lambda w, s: FusionDialog(s, w),
    "changed elsewhere": lambda w, s: ConflictDialog(say("Saved by another window."), w),
    "device editor": lambda w, s: DeviceEditor(s.device, None, lambda path: True, w),
    "memory limit": lambda w, s: MemoryLimitDialog(8 * 1024**3, lambda limit: None, w),
    "names": lambda w, s: NamesDialog("Names", "Type", lambda: NAMES, (("conv", "k0"),), lambda name, key: None, w),
    "own metric": lambda w, s: OwnMetricDialog(s, w),
    "recovery": lambda w, s: RecoveryDialog(s, w.actions_, w),
    "replace": lambda w, s: ReplaceDialog(Path("a.onnx"), w),
    "rule": lambda w, s: RuleDialog(rows_of(s, known_shape(s.network)), Filter(), w),
    "manual": lambda w, s: ManualWindow(w),
    "methods": lambda w, s: MethodsDialog(s, s.network.tunable[0], w),
    "scenario": lambda w, s: ScenarioDialog(s, w),
    "scheme": lambda w, s: SchemeDialog(INT8, 2, w),
    "shortcuts": lambda w, s: ShortcutsDialog(w),
    "unsaved": lambda w, s: UnsavedDialog(w),
    "unsaved with a file": lambda w, s: UnsavedDialog(w, has_file=True),
}
