"""Every dialog of the window, ready to be shown: name -> make(window, session)."""

import numpy as np

from engine.graph.types import ModelInput
from engine.precision.scheme import INT8
from gui.dialogs.about import AboutDialog
from gui.dialogs.budgets import BudgetsDialog
from gui.dialogs.data import DataDialog
from gui.dialogs.device import DeviceDialog
from gui.dialogs.dimensions import DimensionsDialog
from gui.dialogs.dumps import DumpsDialog
from gui.dialogs.error import ErrorDialog
from gui.dialogs.export import ExportDialog
from gui.dialogs.foreign_plan import ForeignPlanDialog
from gui.dialogs.fusion import FusionDialog
from gui.dialogs.manual import ManualWindow
from gui.dialogs.methods import MethodsDialog
from gui.dialogs.scenario import ScenarioDialog
from gui.dialogs.shortcuts import ShortcutsDialog
from gui.dialogs.unsaved import UnsavedDialog
from gui.views.scheme_dialog import SchemeDialog

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
    "manual": lambda w, s: ManualWindow(w),
    "methods": lambda w, s: MethodsDialog(s, s.network.tunable[0], w),
    "scenario": lambda w, s: ScenarioDialog(s, w),
    "scheme": lambda w, s: SchemeDialog(INT8, 2, w),
    "shortcuts": lambda w, s: ShortcutsDialog(w),
    "unsaved": lambda w, s: UnsavedDialog(w),
    "unsaved with a file": lambda w, s: UnsavedDialog(w, has_file=True),
}
