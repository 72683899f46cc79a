"""The weight methods of a session that measures nothing: choices are real, gains never come."""

from __future__ import annotations

from engine.precision.presets import spread
from engine.tuning.methods import fitted, methods_for


class FakeRefining:
    def __init__(self, session) -> None:
        self.session = session
        self.comparing = self.refining = False
        self.asked: list = []

    def gains(self, kernel_id):
        return {}

    def methods(self, kernel_id):
        session = self.session
        return methods_for(session.network, session.network.by_id(kernel_id), session.plan.scheme(kernel_id))

    def refused(self, kernel_id):
        return {}

    def shared(self, kernel_id, scheme):
        return 0

    def fitted(self, kernel_ids, scheme):
        kernels = [self.session.network.by_id(k) for k in kernel_ids]
        given = spread(kernels, scheme)
        return {k.id: fitted(self.session.network, (k,), given[k.id])[k.id] for k in kernels if k.id in given}

    def compare(self, kernel_id):
        self.asked.append(kernel_id)

    def stop_comparing(self):
        self.comparing = False

    def refine(self, kernel_ids=None, who=""):
        self.asked.append(kernel_ids)

    def try_schemes(self, cells):
        self.asked.extend(cells)
